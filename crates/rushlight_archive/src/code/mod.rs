//! The code of archives: from `code/` records to types and functions.

mod import;
mod names;

pub use import::Importer;
