//! Functions as graphs: tables, builder, verifier, text both ways, analyses, passes.
