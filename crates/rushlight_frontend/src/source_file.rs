//! The source-only door: names resolve to the file's own imports, definitions and constants.
