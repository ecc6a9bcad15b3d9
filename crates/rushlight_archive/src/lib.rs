//! The .pt file: zip, pickle, tensor records, code printer, importer, versions and upgraders.
