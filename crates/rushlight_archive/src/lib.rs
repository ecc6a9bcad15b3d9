//! The .pt file: zip, pickle, tensor records, code printer, importer, versions and upgraders.
//!
//! Loading goes bytes → zip ([`zip`]) → pickle ([`pickle`]) → types and code ([`code`]) → objects ([`module`]). Nothing
//! but our interpreter ever runs.

pub mod bytes;
pub mod code;
mod error;
pub mod identify;
mod mobile;
pub mod module;
pub mod pickle;
pub mod upgrade;
pub mod zip;

pub use error::{LoadError, MAX_VERSION, MIN_VERSION, VersionProblem};
pub use module::{
    LoadOptions, Loaded, Restore, SaveError, SaveOptions, forget_module, load, load_with,
    module_of, save, save_kept, save_value,
};
