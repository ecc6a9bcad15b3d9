//! Numbers of the zip format (APPNOTE.TXT 6.3) and a bounds-checked little-endian cursor over it.

/// Signature of a local file header.
pub const LOCAL_HEADER: u32 = 0x0403_4b50;
/// Signature of a data descriptor, which follows a record whose sizes were unknown when its header was written.
pub const DATA_DESCRIPTOR: u32 = 0x0807_4b50;
/// Signature of a central directory entry.
pub const CENTRAL_ENTRY: u32 = 0x0201_4b50;
/// Signature of the end of central directory record.
pub const END: u32 = 0x0605_4b50;
/// Signature of the zip64 end of central directory record.
pub const END64: u32 = 0x0606_4b50;
/// Signature of the zip64 end of central directory locator.
pub const END64_LOCATOR: u32 = 0x0706_4b50;

/// Fixed part of a local file header.
pub const LOCAL_HEADER_LEN: usize = 30;
/// Fixed part of the end of central directory record.
pub const END_LEN: usize = 22;
/// Length of the zip64 end of central directory locator.
pub const END64_LOCATOR_LEN: usize = 20;
/// Length of the zip64 end of central directory record without extensible data.
pub const END64_LEN: usize = 56;
/// The longest comment that an end record can have.
pub const MAX_COMMENT: usize = 0xffff;

/// Method number of a stored record.
pub const STORED: u16 = 0;
/// Method number of a deflated record.
pub const DEFLATED: u16 = 8;

/// Flag: encrypted.
pub const FLAG_ENCRYPTED: u16 = 1;
/// Flag: sizes and checksum follow the data.
pub const FLAG_DESCRIPTOR: u16 = 1 << 3;
/// Flag: patched data.
pub const FLAG_PATCHED: u16 = 1 << 5;
/// Flag: strong encryption.
pub const FLAG_STRONG_ENCRYPTION: u16 = 1 << 6;
/// Flag: the name is UTF-8.
pub const FLAG_UTF8: u16 = 1 << 11;
/// Flag: the directory is encrypted.
pub const FLAG_MASKED: u16 = 1 << 13;

/// Id of the zip64 extra field.
pub const EXTRA_ZIP64: u16 = 1;
/// Id of the padding extra field, the letters `FB`.
pub const EXTRA_PADDING: u16 = u16::from_le_bytes(*b"FB");

/// Reads little-endian numbers from a slice; every read past its end is `None`.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at `at`, which may lie outside `bytes`.
    pub fn new(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { bytes, at }
    }

    /// Offset of the next byte to be read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(n)?;
        let slice = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(slice)
    }

    /// The next two bytes as a number.
    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    /// The next four bytes as a number.
    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// The next eight bytes as a number.
    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }
}
