//! Immutable bytes that many records share: on the heap or mapped from a file.
//!
//! Everything in this crate reads from [`Bytes`]. A [`Record`] is a sub-range of one, so a tensor of a mapped archive is
//! handed out without a copy and keeps the mapping alive for as long as it lives.

use std::fs::File;
use std::io::Read;
use std::ops::{Deref, Range};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use rushlight_tensor::Storage;

/// Shared, immutable bytes. Cloning copies a pointer.
#[derive(Clone)]
pub struct Bytes(Owner);

#[derive(Clone)]
enum Owner {
    Heap(Arc<Vec<u8>>),
    Mapped(Arc<Mapping>),
    Read(Arc<Region>),
    Static(&'static [u8]),
}

/// Memory that a file was read into. Tensors lie in it as they lie in a mapping: records of one file share no bytes, and
/// those that are tensors are not looked at as bytes again.
struct Region {
    #[expect(dead_code, reason = "held for its Drop")]
    map: memmap2::MmapMut,
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the memory belongs to the region alone and stays where it is; who may write to it is as for any storage.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// The next `length` bytes of a file. Fails where it has fewer.
    fn fill(file: &mut File, length: usize) -> std::io::Result<Region> {
        let mut map = memmap2::MmapOptions::new().len(length).map_anon()?;
        // Fewer, larger pages; a system that has none will do.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        file.read_exact(&mut map)
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::UnexpectedEof => {
                    std::io::Error::other("the file became shorter while it was read")
                }
                _ => error,
            })?;
        Ok(Region {
            start: NonNull::from(&mut map[..]).cast(),
            length,
            map,
        })
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory is initialised, has this length and lives as long as the region.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

/// A mapped file. Tensors get a second mapping, private and writable, so that a program may write its parameters while
/// the bytes stay what the file says.
struct Mapping {
    map: memmap2::Mmap,
    file: File,
    private: OnceLock<Option<Arc<PrivateMap>>>,
}

/// A private writable mapping, kept alive by the storages in it.
struct PrivateMap(
    #[expect(dead_code, reason = "held for its Drop")] memmap2::MmapMut,
    usize,
);

impl Mapping {
    fn private(&self) -> Option<&Arc<PrivateMap>> {
        let map = self.private.get_or_init(|| {
            // SAFETY: as in `Bytes::map`; the copy-on-write mapping is reached only through storages.
            let mut map = unsafe { memmap2::MmapOptions::new().map_copy(&self.file).ok()? };
            let address = map.as_mut_ptr() as usize;
            (map.len() == self.map.len()).then(|| Arc::new(PrivateMap(map, address)))
        });
        map.as_ref()
    }
}

impl Bytes {
    /// Bytes of a program's own constant, such as an embedded model.
    pub const fn from_static(bytes: &'static [u8]) -> Bytes {
        Bytes(Owner::Static(bytes))
    }

    /// Maps a file into memory. Nothing is read until it is looked at.
    ///
    /// The file must not be truncated or rewritten in place while any clone lives: the operating system would show the
    /// change through the mapping, or stop the process where the file has become shorter. Replacing the file (writing a new one and renaming it) is fine.
    /// Where that cannot be promised, use [`Bytes::read`].
    pub fn map(path: &Path) -> std::io::Result<Bytes> {
        let file = open_file(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Bytes::from_static(&[]));
        }
        // SAFETY: the mapping is read-only and private to this value. That the file is not changed in place while it is
        // mapped cannot be checked from here; it is the documented condition of this function, and the only writer we
        // know of (our own saver) never rewrites a file in place.
        let map = unsafe { memmap2::MmapOptions::new().map_copy_read_only(&file)? };
        Ok(Bytes(Owner::Mapped(Arc::new(Mapping {
            map,
            file,
            private: OnceLock::new(),
        }))))
    }

    /// Reads a whole file into memory. Nothing that happens to the file afterwards matters.
    pub fn read(path: &Path) -> std::io::Result<Bytes> {
        let mut file = open_file(path)?;
        let too_long = |_| std::io::Error::other("the file is longer than memory can be");
        match usize::try_from(file.metadata()?.len()).map_err(too_long)? {
            0 => Ok(Bytes::from_static(&[])),
            length => {
                Region::fill(&mut file, length).map(|region| Bytes(Owner::Read(region.into())))
            }
        }
    }

    /// [`Bytes::map`]s a file that is trusted to stay as it is, and [`Bytes::read`]s others.
    pub fn open(path: &Path, trusted: bool) -> std::io::Result<Bytes> {
        match trusted {
            true => Bytes::map(path),
            false => Bytes::read(path),
        }
    }

    /// The bytes themselves.
    pub fn as_slice(&self) -> &[u8] {
        match &self.0 {
            Owner::Heap(bytes) => bytes,
            Owner::Mapped(mapping) => &mapping.map,
            Owner::Read(region) => region.as_slice(),
            Owner::Static(bytes) => bytes,
        }
    }

    /// Whether the bytes are a mapped file rather than memory of our own.
    pub fn is_mapped(&self) -> bool {
        matches!(self.0, Owner::Mapped(_))
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(Owner::Heap(Arc::new(bytes)))
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.is_mapped() {
            "mapped"
        } else {
            "in memory"
        };
        write!(f, "Bytes({} {kind})", self.len())
    }
}

/// Opens a file to read it, and says what else it is if it is none: opening a pipe would wait for its other end.
pub fn open_file(path: &Path) -> std::io::Result<File> {
    let refused = |kind: &std::fs::Metadata| {
        let what = match kind.is_dir() {
            true => "this is a directory, not a file",
            false => "this is a device, a pipe or a socket; save what it gives to a file first",
        };
        std::io::Error::new(std::io::ErrorKind::InvalidInput, what)
    };
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        return Err(refused(&found));
    }
    File::open(path)
}

/// The first `length` bytes of a file as memory: what is written to it is written to the file, and the other way round. The
/// file is made where there is none, and made longer where it is too short.
///
/// As with [`Bytes::map`], the file must not become shorter while the memory is in use.
pub fn shared_memory(path: &Path, length: usize) -> std::io::Result<Storage> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path)?;
    if file.metadata()?.len() < length as u64 {
        file.set_len(length as u64)?;
    }
    if length == 0 {
        return Ok(Storage::copy_of(&[]));
    }
    // SAFETY: the mapping is reached through the storage only. That the file keeps its length cannot be checked from
    // here; it is the documented condition of this function.
    let mut map = unsafe { memmap2::MmapOptions::new().len(length).map_mut(&file)? };
    let ptr = NonNull::from(&mut map[..]).cast::<u8>();
    // SAFETY: the mapping is writable, has this length, and lives as long as the storage holds it.
    Ok(unsafe { Storage::foreign(ptr, length, Box::new(map)) })
}

/// A sub-range of [`Bytes`]: one record of an archive, or a part of one.
#[derive(Clone)]
pub struct Record {
    bytes: Bytes,
    range: Range<usize>,
}

impl Record {
    /// All of `bytes`.
    pub fn whole(bytes: Bytes) -> Record {
        let range = 0..bytes.len();
        Record { bytes, range }
    }

    /// The given range of `bytes`, or `None` where it lies outside them.
    pub fn of(bytes: &Bytes, range: Range<usize>) -> Option<Record> {
        bytes.get(range.clone())?;
        Some(Record {
            bytes: bytes.clone(),
            range,
        })
    }

    /// A part of this record; `range` counts from the record's own beginning.
    pub fn slice(&self, range: Range<usize>) -> Option<Record> {
        self.as_slice().get(range.clone())?;
        let start = self.range.start + range.start;
        Some(Record {
            bytes: self.bytes.clone(),
            range: start..start + range.len(),
        })
    }

    /// The record's bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes.as_slice()[self.range.clone()]
    }

    /// The bytes that the record lies in.
    pub fn owner(&self) -> &Bytes {
        &self.bytes
    }

    /// Where in [`Record::owner`] the record lies.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The record as memory of tensors: in place for files, else a copy.
    pub fn storage(&self) -> Storage {
        if let Owner::Mapped(mapping) = &self.bytes.0
            && let Some(private) = mapping.private().filter(|_| self.is_aligned(16))
        {
            let address = (private.1 + self.range.start) as *mut u8;
            if let Some(ptr) = NonNull::new(address) {
                // SAFETY: the private mapping has the length of the bytes, which the range lies in; it is writable
                // and lives as long as the storage holds it.
                return unsafe {
                    Storage::foreign(ptr, self.range.len(), Box::new(private.clone()))
                };
            }
        }
        if let Owner::Read(region) = &self.bytes.0
            && self.is_aligned(16)
        {
            // SAFETY: the range lies in the region, whose memory is writable and lives as long as the storage holds it.
            return unsafe {
                let start = region.start.add(self.range.start);
                Storage::foreign(start, self.range.len(), Box::new(region.clone()))
            };
        }
        Storage::copy_of(self.as_slice())
    }

    /// Whether the record begins at an address divisible by `alignment`. Archives align tensors to 64 bytes within the
    /// file; very old archives and re-packed ones do not, and then the bytes must be copied before they are read as numbers.
    pub fn is_aligned(&self, alignment: usize) -> bool {
        (self.as_slice().as_ptr() as usize).is_multiple_of(alignment.max(1))
    }
}

impl Deref for Record {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl AsRef<[u8]> for Record {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Record({}..{} of {:?})",
            self.range.start, self.range.end, self.bytes
        )
    }
}
