//! Modules: from an archive to objects, and back.

mod load;
mod value;

pub use load::{LoadOptions, Loaded, load, load_with};
