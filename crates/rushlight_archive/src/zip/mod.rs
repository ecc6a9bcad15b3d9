//! The zip container of an archive, read and written.
//!
//! PyTorch's archives use a small part of the zip format in a particular way: tensor records are stored, not compressed,
//! and begin at multiples of 64 bytes so that they can be mapped; code is deflated; every date is zero; the directory is
//! always followed by the zip64 end record. [`Archive`] reads that part strictly (whatever two readers could understand
//! differently is refused) and [`Writer`] writes it byte for byte as PyTorch 2 does.
//!
//! Neither does any IO: bytes in, bytes out.

mod archive;
mod directory;
mod error;
mod format;
mod write;

pub use archive::{Archive, Deferred};
pub use directory::{Compression, Entry};
pub use error::{ArchiveError, Problem};
pub use write::{ALIGNMENT, AddError, MIN_DEFLATED, Writer};

/// What an archive may ask for before it is refused. The defaults admit every real model and stop archives made to
/// exhaust memory; stored records cost no memory and are limited by the file itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Records in the directory.
    pub max_entries: usize,
    /// Bytes of one compressed record after inflating.
    pub max_inflated: u64,
    /// Bytes of all compressed records together after inflating.
    pub max_total_inflated: u64,
    /// How many times larger than its compressed form a record may be. Records of at most [`Limits::ratio_free`] bytes are exempt.
    pub max_ratio: u64,
    /// Size up to which the ratio is not looked at.
    pub ratio_free: u64,
    /// Whether [`Archive::read`] compares each record with its checksum. [`Archive::read_data`] does for compressed ones.
    pub verify_checksums: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            max_entries: 1 << 20,
            max_inflated: 1 << 30,
            max_total_inflated: 2 << 30,
            max_ratio: 200,
            ratio_free: 16 << 20,
            verify_checksums: true,
        }
    }
}
