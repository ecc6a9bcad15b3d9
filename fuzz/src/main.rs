//! Fuzz drivers that run on stable: mutated inputs against every reader of foreign bytes.
fn main() {}
