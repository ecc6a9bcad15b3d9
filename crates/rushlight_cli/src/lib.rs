//! The rushlight command.
