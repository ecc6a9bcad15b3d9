//! Writing a zip file with the layout of PyTorch 2's archives, byte for byte.
//!
//! What that layout is, observed from archives: version fields 0 (20 for a deflated record), flags "UTF-8 names" and "sizes
//! follow the data" (the latter only where there is data), time and date 0; the data of *every* record begins at a multiple
//! of 64, reached by an extra field `FB` filled with the letter `Z`; after the data a descriptor with its signature; after
//! the last record the directory, the zip64 end record and its locator (always) and the end record. Records that need 64
//! bits for their size or place carry a zip64 extra field before the padding, and a descriptor with 8-byte sizes.
//!
//! The order of PyTorch's records is: `extra/*`, `data/*`, `data.pkl`, `code/*` (each followed by its `.debug_pkl`),
//! `constants/*`, `constants.pkl`, `version`, `byteorder`, `.data/serialization_id`. Code shorter than
//! [`MIN_DEFLATED`] bytes is stored. The deflater's output is the same as that of PyTorch's.

use std::collections::HashSet;
use std::fmt;

use super::directory::Compression;
use super::format;

/// Where the data of a record begins: at a multiple of this.
pub const ALIGNMENT: usize = 64;

/// Code shorter than this is stored, not deflated.
pub const MIN_DEFLATED: usize = 200;

/// Compression level with which PyTorch deflates code.
const LEVEL: u8 = 9;

/// Builds a zip file in memory. Equal calls give equal bytes.
#[derive(Debug)]
pub struct Writer {
    prefix: String,
    out: Vec<u8>,
    /// How many bytes of the file were taken away already.
    taken: u64,
    records: Vec<Written>,
    names: HashSet<String>,
}

#[derive(Debug)]
struct Written {
    name: String,
    flags: u16,
    method: u16,
    crc: u32,
    compressed: u64,
    size: u64,
    header: u64,
}

/// A record that cannot be added: its name is taken or longer than 65535 bytes, or the alignment asks for more padding
/// than an extra field can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddError {
    /// The record's name.
    pub name: String,
    /// What is wrong with it.
    pub reason: &'static str,
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {:?}: {}", self.name, self.reason)
    }
}

impl std::error::Error for AddError {}

impl Writer {
    /// A writer that puts `prefix` and a slash in front of every name (nothing where `prefix` is empty). PyTorch uses the file's name without its extension,
    /// and `archive` where it does not know one.
    pub fn new(prefix: &str) -> Writer {
        let prefix = if prefix.is_empty() {
            String::new()
        } else {
            format!("{prefix}/")
        };
        Writer {
            prefix,
            out: Vec::new(),
            taken: 0,
            records: Vec::new(),
            names: HashSet::new(),
        }
    }

    /// Appends a record whose data begins at a multiple of `align`, which is [`ALIGNMENT`] in every archive of PyTorch's.
    pub fn add(
        &mut self,
        name: &str,
        bytes: &[u8],
        compression: Compression,
        align: usize,
    ) -> Result<(), AddError> {
        let name = format!("{}{name}", self.prefix);
        match compression {
            Compression::Stored => self.append(name, bytes, bytes, format::STORED, align),
            Compression::Deflated => {
                let deflated = miniz_oxide::deflate::compress_to_vec(bytes, LEVEL);
                self.append(name, bytes, &deflated, format::DEFLATED, align)
            }
        }
    }

    /// Appends a record of code or of debug information: deflated, unless it is too short for that to pay.
    pub fn add_code(&mut self, name: &str, bytes: &[u8]) -> Result<(), AddError> {
        let compression = if bytes.len() < MIN_DEFLATED {
            Compression::Stored
        } else {
            Compression::Deflated
        };
        self.add(name, bytes, compression, ALIGNMENT)
    }

    /// Appends a stored record at the usual alignment: tensors, pickles and the small text records.
    pub fn add_stored(&mut self, name: &str, bytes: &[u8]) -> Result<(), AddError> {
        self.add(name, bytes, Compression::Stored, ALIGNMENT)
    }

    /// Forty decimal digits that depend on the names and checksums of the records so far, and on nothing else: the content
    /// of the record `.data/serialization_id`. Readers use it as an opaque mark of the archive's content; PyTorch makes it with a hash of its own.
    pub fn serialization_id(&self) -> String {
        let fnv =
            |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        let seed = 0xcbf2_9ce4_8422_2325;
        let bare = |record: &Written| record.name.as_bytes()[self.prefix.len()..].to_vec();
        let names = self
            .records
            .iter()
            .flat_map(|record| bare(record).into_iter().chain([0]))
            .fold(seed, fnv);
        let contents = self
            .records
            .iter()
            .flat_map(|record| record.crc.to_le_bytes())
            .fold(seed, fnv);
        format!("{names:020}{contents:020}")
    }

    /// Writes the directory and hands out the file, or what was not taken of it.
    pub fn finish(mut self) -> Vec<u8> {
        let directory = self.directory();
        self.out.extend(directory);
        self.out
    }

    /// Takes what was written since the last time, for files that are larger than memory or are to be on disk early. The
    /// file is whole when all that was taken stands in order and the [`Writer::directory`] behind it.
    pub fn take(&mut self) -> Vec<u8> {
        self.taken += self.out.len() as u64;
        std::mem::take(&mut self.out)
    }

    /// The directory of the records so far, which goes behind them. More records may take its place.
    pub fn directory(&self) -> Vec<u8> {
        let start = self.taken + self.out.len() as u64;
        let mut directory = Vec::new();
        for record in &self.records {
            record.write_directory_entry(&mut directory);
        }
        let (count, size) = (self.records.len() as u64, directory.len() as u64);
        write_end(&mut directory, start + size, count, start, size);
        directory
    }

    fn append(
        &mut self,
        name: String,
        bytes: &[u8],
        data: &[u8],
        method: u16,
        align: usize,
    ) -> Result<(), AddError> {
        if name.len() > usize::from(u16::MAX) {
            return Err(AddError {
                name,
                reason: "the name is too long",
            });
        }
        if self.names.contains(&name) {
            return Err(AddError {
                name,
                reason: "the archive already has a record of this name",
            });
        }
        let flags = format::FLAG_UTF8
            | if data.is_empty() {
                0
            } else {
                format::FLAG_DESCRIPTOR
            };
        let record = Written {
            flags,
            method,
            crc: crc32fast::hash(bytes),
            compressed: data.len() as u64,
            size: bytes.len() as u64,
            header: self.taken + self.out.len() as u64,
            name,
        };
        let extra = match record.local_extra(align.max(1)) {
            Some(extra) => extra,
            None => {
                return Err(AddError {
                    name: record.name,
                    reason: "the alignment is too large",
                });
            }
        };
        record.write_local_header(&extra, &mut self.out);
        self.out.extend_from_slice(data);
        if !data.is_empty() {
            record.write_descriptor(&mut self.out);
        }
        self.names.insert(record.name.clone());
        self.records.push(record);
        Ok(())
    }
}

fn needs64(value: u64) -> bool {
    value >= u64::from(u32::MAX)
}

fn narrow(value: u64) -> u32 {
    if needs64(value) {
        u32::MAX
    } else {
        value as u32
    }
}

impl Written {
    fn version(&self) -> u16 {
        if self.method == format::DEFLATED {
            20
        } else {
            0
        }
    }

    fn is_large(&self) -> bool {
        needs64(self.size) || needs64(self.compressed)
    }

    /// The zip64 field: both sizes where one needs it, the place where it needs it. In a local header the compressed size is
    /// not known yet and stands as zero.
    fn zip64(&self, compressed: u64) -> Vec<u8> {
        let mut values = Vec::new();
        if self.is_large() {
            values.extend([self.size, compressed]);
        }
        if needs64(self.header) {
            values.push(self.header);
        }
        let mut field = Vec::new();
        if !values.is_empty() {
            push16(&mut field, &[format::EXTRA_ZIP64, values.len() as u16 * 8]);
            push64(&mut field, &values);
        }
        field
    }

    /// The zip64 field and the padding that brings the data to the alignment.
    fn local_extra(&self, align: usize) -> Option<Vec<u8>> {
        let mut extra = self.zip64(0);
        let unpadded =
            self.header as usize + format::LOCAL_HEADER_LEN + self.name.len() + extra.len() + 4;
        let padding = unpadded.next_multiple_of(align) - unpadded;
        push16(
            &mut extra,
            &[format::EXTRA_PADDING, u16::try_from(padding).ok()?],
        );
        extra.resize(extra.len() + padding, b'Z');
        u16::try_from(extra.len()).ok()?;
        Some(extra)
    }

    fn write_local_header(&self, extra: &[u8], out: &mut Vec<u8>) {
        push32(out, &[format::LOCAL_HEADER]);
        push16(out, &[self.version(), self.flags, self.method, 0, 0]);
        push32(out, &[0, 0, 0]);
        push16(out, &[self.name.len() as u16, extra.len() as u16]);
        out.extend_from_slice(self.name.as_bytes());
        out.extend_from_slice(extra);
    }

    fn write_descriptor(&self, out: &mut Vec<u8>) {
        push32(out, &[format::DATA_DESCRIPTOR, self.crc]);
        if self.is_large() || needs64(self.header) {
            push64(out, &[self.compressed, self.size]);
        } else {
            push32(out, &[self.compressed as u32, self.size as u32]);
        }
    }

    fn write_directory_entry(&self, out: &mut Vec<u8>) {
        let extra = self.zip64(self.compressed);
        let (compressed, size) = if self.is_large() {
            (u32::MAX, u32::MAX)
        } else {
            (self.compressed as u32, self.size as u32)
        };
        push32(out, &[format::CENTRAL_ENTRY]);
        push16(out, &[0, self.version(), self.flags, self.method, 0, 0]);
        push32(out, &[self.crc, compressed, size]);
        push16(out, &[self.name.len() as u16, extra.len() as u16, 0, 0, 0]);
        push32(out, &[0, narrow(self.header)]);
        out.extend_from_slice(self.name.as_bytes());
        out.extend_from_slice(&extra);
    }
}

/// The zip64 end record (at `end64_at`), its locator and the end record.
fn write_end(out: &mut Vec<u8>, end64_at: u64, count: u64, offset: u64, size: u64) {
    push32(out, &[format::END64]);
    push64(out, &[format::END64_LEN as u64 - 12]);
    push16(out, &[0x031e, 45]);
    push32(out, &[0, 0]);
    push64(out, &[count, count, size, offset]);
    push32(out, &[format::END64_LOCATOR, 0]);
    push64(out, &[end64_at]);
    push32(out, &[1, format::END]);
    let short = u16::try_from(count).unwrap_or(u16::MAX);
    push16(out, &[0, 0, short, short]);
    push32(out, &[narrow(size), narrow(offset)]);
    push16(out, &[0]);
}

fn push16(out: &mut Vec<u8>, values: &[u16]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}

fn push32(out: &mut Vec<u8>, values: &[u32]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}

fn push64(out: &mut Vec<u8>, values: &[u64]) {
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
}

#[cfg(test)]
mod tests {
    //! Forms that only files of more than 4 GiB have, recorded from such a file that PyTorch 2.15 wrote: a module of one
    //! tensor of 2^32 + 10 bytes and one of 12, saved as `big.pt`.

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn record(name: &str, crc: u32, size: u64, header: u64) -> Written {
        let flags = format::FLAG_UTF8 | format::FLAG_DESCRIPTOR;
        Written {
            name: name.into(),
            flags,
            method: format::STORED,
            crc,
            compressed: size,
            size,
            header,
        }
    }

    fn local_header(record: &Written) -> String {
        let mut out = Vec::new();
        record.write_local_header(&record.local_extra(ALIGNMENT).unwrap(), &mut out);
        hex(&out)
    }

    fn written(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        hex(&out)
    }

    #[test]
    fn a_large_record_has_64_bit_sizes() {
        let record = record("big/data/0", 0x6b87_b1ec, (1 << 32) + 10, 0);
        let expected = "504b0304000008080000000000000000000000000000000000000a0018006269672f646174612f30\
                        010010000a000000010000000000000000000000\
                        46420000";
        assert_eq!(local_header(&record), expected);
        let expected = "504b0708ecb1876b0a000000010000000a00000001000000";
        assert_eq!(written(|out| record.write_descriptor(out)), expected);
        let expected = "504b0102000000000808000000000000ecb1876bffffffffffffffff0a00140000000000000000000000000000006269672f646174612f30\
                        010010000a000000010000000a00000001000000";
        assert_eq!(written(|out| record.write_directory_entry(out)), expected);
    }

    #[test]
    fn a_record_far_into_the_file_has_a_64_bit_place() {
        let record = record("big/data/1", 0xdc7c_4e94, 12, (1 << 32) + 0x62);
        let expected = format!(
            "504b0304000008080000000000000000000000000000000000000a0036006269672f646174612f31\
             010008006200000001000000\
             46422600{}",
            "5a".repeat(0x26)
        );
        assert_eq!(local_header(&record), expected);
        assert_eq!(
            written(|out| record.write_descriptor(out)),
            "504b0708944e7cdc0c000000000000000c00000000000000"
        );
        let expected = "504b0102000000000808000000000000944e7cdc0c0000000c0000000a000c0000000000000000000000ffffffff6269672f646174612f31\
                        010008006200000001000000";
        assert_eq!(written(|out| record.write_directory_entry(out)), expected);
    }

    #[test]
    fn a_file_taken_in_pieces_is_the_same_file() {
        let (mut whole, mut pieces) = (Writer::new("a"), Writer::new("a"));
        let mut file = Vec::new();
        for i in 0..3 {
            let (name, bytes) = (format!("data/{i}"), vec![i; 100]);
            whole.add_stored(&name, &bytes).unwrap();
            pieces.add_stored(&name, &bytes).unwrap();
            file.extend(pieces.take());
        }
        file.extend(pieces.directory());
        assert_eq!(file, whole.finish());
    }

    #[test]
    fn the_end_of_a_large_file_points_to_its_64_bit_form() {
        let expected = "504b06062c000000000000001e032d00000000000000000009000000000000000900000000000000a902000000000000c006000001000000\
                        504b060700000000690900000100000001000000\
                        504b05060000000009000900a9020000ffffffff0000";
        let mut out = Vec::new();
        let (offset, size) = ((1 << 32) + 0x6c0, 0x2a9);
        write_end(&mut out, offset + size, 9, offset, size);
        assert_eq!(hex(&out), expected);
    }
}
