//! The code of archives: from `code/` records to types and functions, and back.

mod import;
pub mod listing;
mod names;
pub mod print;
pub mod ranges;

pub use import::Importer;
pub use print::function_code;
