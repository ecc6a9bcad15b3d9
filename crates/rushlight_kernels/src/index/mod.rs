//! Places of elements in memory, and moving elements.

pub mod along;
pub mod nonzero;
pub mod runs;
pub mod slices;
