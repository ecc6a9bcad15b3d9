//! The .pt file: zip, pickle, tensor records, code printer, importer, versions and upgraders.

pub mod bytes;
pub mod identify;
pub mod pickle;
pub mod zip;
