//! The `rushlight` command.
fn main() {}
