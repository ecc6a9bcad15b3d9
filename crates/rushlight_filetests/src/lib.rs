//! Literate language cases, IR pass cases and corpus runners.
