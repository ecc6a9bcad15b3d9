//! The central directory: where each record of a zip file lies, checked before anything is believed.
//!
//! [`read`] establishes, for every entry: the name is safe and unique, the local header agrees with the directory, the
//! record's bytes lie between the beginning of the file and the directory and are shared with no other record, and the
//! sizes keep within the limits. Whoever holds an [`Entry`] may slice the file with it.

use std::collections::HashSet;
use std::ops::Range;

use super::Limits;
use super::error::{ArchiveError, Problem};
use super::format::{self, Cursor};

/// The flags of a record, or of a directory, that is encrypted.
const ENCRYPTED: u16 =
    format::FLAG_ENCRYPTED | format::FLAG_STRONG_ENCRYPTION | format::FLAG_MASKED;

/// How a record is kept in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// As it is.
    Stored,
    /// Deflated (RFC 1951).
    Deflated,
}

/// One record of a zip file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    name: String,
    compression: Compression,
    crc: u32,
    size: u64,
    header: usize,
    data: Range<usize>,
}

impl Entry {
    /// A part of a file that is no zip file: stored, without a header and a checksum.
    pub(super) fn stored(name: String, data: Range<usize>) -> Entry {
        Entry {
            name,
            compression: Compression::Stored,
            crc: 0,
            size: data.len() as u64,
            header: data.start,
            data,
        }
    }

    /// Full name, with the archive's prefix.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the record is kept.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// CRC-32 of the record's bytes, as the directory gives it.
    pub fn crc(&self) -> u32 {
        self.crc
    }

    /// Bytes of the record when it is not compressed.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where in the file the (possibly compressed) bytes lie.
    pub fn data(&self) -> Range<usize> {
        self.data.clone()
    }
}

/// Reads and checks the directory of the zip file `bytes`. Entries of folders are left out.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Vec<Entry>, ArchiveError> {
    let end = find_end(bytes)?;
    check_limit(
        "the number of records",
        end.count,
        limits.max_entries as u64,
    )
    .map_err(ArchiveError::of_archive)?;
    let mut cursor = Cursor::new(bytes, end.offset);
    let mut entries = Vec::new();
    for _ in 0..end.count {
        let at = cursor.position() as u64;
        let raw = RawEntry::read(&mut cursor)
            .ok_or_else(|| ArchiveError::of_archive(malformed("directory entry", at)))?;
        if cursor.position() > end.limit {
            return Err(ArchiveError::of_archive(malformed("directory entry", at)));
        }
        if let Some(entry) = raw.check(bytes, end.offset, limits)? {
            entries.push(entry);
        }
    }
    check_names(&entries)?;
    check_overlaps(&entries)?;
    check_total(&entries, limits)?;
    Ok(entries)
}

/// Where the directory lies: `offset..limit`, with `count` entries.
struct End {
    count: u64,
    offset: usize,
    limit: usize,
}

/// The last end record whose comment fits into the file, and the zip64 record before it if there is one.
fn find_end(bytes: &[u8]) -> Result<End, ArchiveError> {
    let none = || {
        let begins_like_zip = bytes.starts_with(&format::LOCAL_HEADER.to_le_bytes());
        ArchiveError::of_archive(Problem::NoDirectory { begins_like_zip })
    };
    let last = bytes.len().checked_sub(format::END_LEN).ok_or_else(none)?;
    let first = last.saturating_sub(format::MAX_COMMENT);
    let at = (first..=last)
        .rev()
        .find(|&at| is_end(bytes, at))
        .ok_or_else(none)?;
    let end = read_end(bytes, at).map_err(ArchiveError::of_archive)?;
    Ok(end)
}

fn is_end(bytes: &[u8], at: usize) -> bool {
    if Cursor::new(bytes, at).u32() != Some(format::END) {
        return false;
    }
    let comment = Cursor::new(bytes, at + format::END_LEN - 2)
        .u16()
        .unwrap_or(0);
    at + format::END_LEN + usize::from(comment) <= bytes.len()
}

fn read_end(bytes: &[u8], at: usize) -> Result<End, Problem> {
    let bad = malformed("end of directory record", at as u64);
    let mut c = Cursor::new(bytes, at + 4);
    let mut fields = || Some((c.u16()?, c.u16()?, c.u16()?, c.u16()?, c.u32()?, c.u32()?));
    let (disk, directory_disk, here, count, size, offset) = fields().ok_or_else(|| bad.clone())?;
    if let Some(end64) = read_end64(bytes, at)? {
        return Ok(end64);
    }
    if disk != 0 || directory_disk != 0 || here != count {
        return Err(Problem::Unsupported {
            what: "a zip file on several disks",
        });
    }
    end(u64::from(count), u64::from(size), u64::from(offset), at).ok_or(bad)
}

/// The zip64 end record that the locator before the end record at `end_at` points to, if there is a locator.
fn read_end64(bytes: &[u8], end_at: usize) -> Result<Option<End>, Problem> {
    let Some(locator_at) = end_at.checked_sub(format::END64_LOCATOR_LEN) else {
        return Ok(None);
    };
    let mut c = Cursor::new(bytes, locator_at);
    if c.u32() != Some(format::END64_LOCATOR) {
        return Ok(None);
    }
    let bad = malformed("zip64 end of directory record", locator_at as u64);
    let mut locator = || Some((c.u32()?, c.u64()?, c.u32()?));
    let (_disk, at, _disks) = locator().ok_or_else(|| bad.clone())?;
    let at = usize::try_from(at).map_err(|_| bad.clone())?;
    if at
        .checked_add(format::END64_LEN)
        .is_none_or(|end| end > locator_at)
    {
        return Err(bad);
    }
    let mut c = Cursor::new(bytes, at);
    let mut fields = || {
        let signature = c.u32()?;
        let _ = (c.u64()?, c.u32()?);
        Some((
            signature,
            c.u32()?,
            c.u32()?,
            c.u64()?,
            c.u64()?,
            c.u64()?,
            c.u64()?,
        ))
    };
    let (signature, disk, directory_disk, here, count, size, offset) =
        fields().ok_or_else(|| bad.clone())?;
    if signature != format::END64 {
        return Err(bad);
    }
    if disk != 0 || directory_disk != 0 || here != count {
        return Err(Problem::Unsupported {
            what: "a zip file on several disks",
        });
    }
    end(count, size, offset, at).ok_or(bad).map(Some)
}

fn end(count: u64, size: u64, offset: u64, end_at: usize) -> Option<End> {
    let offset = usize::try_from(offset).ok()?;
    let limit = offset.checked_add(usize::try_from(size).ok()?)?;
    (limit <= end_at).then_some(End {
        count,
        offset,
        limit,
    })
}

/// A directory entry as it stands in the file.
struct RawEntry<'a> {
    flags: u16,
    method: u16,
    crc: u32,
    compressed: u64,
    size: u64,
    header: u64,
    name: &'a [u8],
    zip64_complete: bool,
}

impl<'a> RawEntry<'a> {
    fn read(c: &mut Cursor<'a>) -> Option<RawEntry<'a>> {
        if c.u32()? != format::CENTRAL_ENTRY {
            return None;
        }
        c.take(4)?; // versions
        let (flags, method) = (c.u16()?, c.u16()?);
        c.take(4)?; // time and date
        let (crc, compressed, size) = (c.u32()?, c.u32()?, c.u32()?);
        let (name, extra, comment) = (c.u16()?, c.u16()?, c.u16()?);
        c.take(8)?; // disk and attributes
        let header = c.u32()?;
        let name = c.take(usize::from(name))?;
        let extra = c.take(usize::from(extra))?;
        c.take(usize::from(comment))?;
        let mut entry = RawEntry {
            flags,
            method,
            crc,
            compressed: compressed.into(),
            size: size.into(),
            header: header.into(),
            name,
            zip64_complete: true,
        };
        entry.zip64_complete = entry.widen(extra).is_some();
        Some(entry)
    }

    /// Replaces each field that is all ones by its 64-bit form from the zip64 extra field; `None` where that is missing.
    fn widen(&mut self, extra: &[u8]) -> Option<()> {
        let all_ones = u64::from(u32::MAX);
        let mut zip64 = Cursor::new(find_extra(extra, format::EXTRA_ZIP64).unwrap_or(&[]), 0);
        for field in [&mut self.size, &mut self.compressed, &mut self.header] {
            if *field == all_ones {
                *field = zip64.u64()?;
            }
        }
        Some(())
    }

    /// Checks the entry by itself and against its local header; `None` for a folder.
    fn check(
        &self,
        bytes: &[u8],
        directory: usize,
        limits: &Limits,
    ) -> Result<Option<Entry>, ArchiveError> {
        let name = match std::str::from_utf8(self.name) {
            Ok(name) => name,
            Err(_) => {
                return Err(ArchiveError::of_record(
                    &String::from_utf8_lossy(self.name),
                    Problem::BadName,
                ));
            }
        };
        let fail = |problem| Err(ArchiveError::of_record(name, problem));
        if !is_safe_name(name) {
            return fail(Problem::BadName);
        }
        if !self.zip64_complete {
            return fail(malformed("zip64 extra field", self.header));
        }
        if name.ends_with('/') && self.size == 0 {
            return Ok(None);
        }
        if let Err(problem) = self.check_flags().and_then(|()| self.check_limits(limits)) {
            return fail(problem);
        }
        match self.locate(bytes, directory) {
            Some(entry) => Ok(Some(entry)),
            None => fail(malformed("local header", self.header)),
        }
    }

    fn check_flags(&self) -> Result<(), Problem> {
        if self.flags & ENCRYPTED != 0 {
            return Err(Problem::Unsupported { what: "encryption" });
        }
        if self.flags & format::FLAG_PATCHED != 0 {
            return Err(Problem::Unsupported {
                what: "patched data",
            });
        }
        match self.method {
            format::STORED if self.compressed != self.size => Err(Problem::WrongLength {
                expected: self.size,
                found: self.compressed,
            }),
            format::STORED | format::DEFLATED => Ok(()),
            _ => Err(Problem::Unsupported {
                what: "a compression method other than deflate",
            }),
        }
    }

    fn check_limits(&self, limits: &Limits) -> Result<(), Problem> {
        if self.method == format::STORED {
            return Ok(());
        }
        check_limit("the inflated size", self.size, limits.max_inflated)?;
        if self.size <= limits.ratio_free {
            return Ok(());
        }
        check_limit(
            "the compression ratio",
            self.size / self.compressed.max(1),
            limits.max_ratio,
        )
    }

    /// The entry with the range of its data, if the local header is there, agrees, and all lies before the directory.
    fn locate(&self, bytes: &[u8], directory: usize) -> Option<Entry> {
        let header = usize::try_from(self.header).ok()?;
        let mut c = Cursor::new(bytes.get(..directory)?, header);
        if c.u32()? != format::LOCAL_HEADER {
            return None;
        }
        c.take(2)?; // version
        let (flags, method) = (c.u16()?, c.u16()?);
        c.take(16)?; // time, date, checksum and sizes: the directory's are used
        let (name, extra) = (c.u16()?, c.u16()?);
        if c.take(usize::from(name))? != self.name || method != self.method {
            return None;
        }
        if flags & ENCRYPTED != 0 {
            return None;
        }
        c.take(usize::from(extra))?;
        let start = c.position();
        let data = c.take(usize::try_from(self.compressed).ok()?)?;
        Some(Entry {
            name: std::str::from_utf8(self.name).ok()?.to_string(),
            compression: if method == format::STORED {
                Compression::Stored
            } else {
                Compression::Deflated
            },
            crc: self.crc,
            size: self.size,
            header,
            data: start..start + data.len(),
        })
    }
}

fn find_extra(extra: &[u8], wanted: u16) -> Option<&[u8]> {
    let mut c = Cursor::new(extra, 0);
    loop {
        let (id, len) = (c.u16()?, c.u16()?);
        let field = c.take(usize::from(len))?;
        if id == wanted {
            return Some(field);
        }
    }
}

/// Relative, and without a component that leads elsewhere when the name is used as a path on any system.
fn is_safe_name(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    !name.is_empty()
        && !name.contains('\0')
        && !name.starts_with(['/', '\\'])
        && !drive
        && name.split(['/', '\\']).all(|part| part != "..")
}

fn check_names(entries: &[Entry]) -> Result<(), ArchiveError> {
    let mut seen = HashSet::with_capacity(entries.len());
    match entries
        .iter()
        .find(|entry| !seen.insert(entry.name.as_str()))
    {
        Some(twice) => Err(ArchiveError::of_record(&twice.name, Problem::DuplicateName)),
        None => Ok(()),
    }
}

fn check_overlaps(entries: &[Entry]) -> Result<(), ArchiveError> {
    let mut order: Vec<&Entry> = entries.iter().collect();
    rushlight_tensor::order::sort_by_key(&mut order, |entry| entry.header);
    match order
        .windows(2)
        .find(|pair| pair[0].data.end > pair[1].header)
    {
        Some(pair) => Err(ArchiveError::of_record(
            &pair[1].name,
            Problem::Overlap {
                with: pair[0].name.clone(),
            },
        )),
        None => Ok(()),
    }
}

fn check_total(entries: &[Entry], limits: &Limits) -> Result<(), ArchiveError> {
    let deflated = entries
        .iter()
        .filter(|entry| entry.compression == Compression::Deflated);
    let total = deflated.fold(0u64, |sum, entry| sum.saturating_add(entry.size));
    check_limit(
        "the inflated size of all records",
        total,
        limits.max_total_inflated,
    )
    .map_err(ArchiveError::of_archive)
}

fn check_limit(what: &'static str, asked: u64, allowed: u64) -> Result<(), Problem> {
    if asked > allowed {
        Err(Problem::Limit {
            what,
            asked,
            allowed,
        })
    } else {
        Ok(())
    }
}

fn malformed(what: &'static str, offset: u64) -> Problem {
    Problem::Malformed { what, offset }
}
