//! Strings of scripts: bytes that nearly always are text.
//!
//! The language knows bytes only: indices and lengths count them, and a character outside ASCII can be taken apart and put
//! together again. What is UTF-8 is kept as a Rust string, so that whoever needs text has it at no cost; anything else is
//! kept as bytes, and whoever needs text of those gets Python's refusal. Short strings, which most are, lie in the value
//! itself: they take no memory of their own, and copying one copies fifteen bytes. Every string has one form only, by its
//! length, so short ones are equal where their bytes are.

use super::block::{Block, Writer};
use crate::{Fault, Result};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A string, one byte smaller than a value so that a value can hold it. Whoever has it alone can add to it.
pub struct Str(StrForm);

/// The longest string that lies in the value itself.
const SHORT: usize = 14;

/// All that a short string is, as a number: its head, the bytes, zeros.
#[derive(Clone, Copy)]
pub struct Short(pub(super) u128);

impl Short {
    /// The string of these bytes, if that is short.
    #[inline(always)]
    pub fn of(bytes: &[u8]) -> Option<Short> {
        if bytes.len() > SHORT {
            return None;
        }
        let number = number_of(bytes);
        let is_text = number & NOT_ASCII == 0 || std::str::from_utf8(bytes).is_ok();
        let head = bytes.len() as u8 | if is_text { 0 } else { TORN };
        Some(Short(number << 8 | u128::from(head)))
    }
}

impl From<Short> for Str {
    #[inline]
    fn from(short: Short) -> Str {
        Str::of_bits(short.0)
    }
}

/// In the head: the string is no text. What else the head says is told at [`Str::SHARED`].
const TORN: u8 = 0x40;

/// Both forms begin with the head.
#[derive(Clone, Copy)]
#[repr(C)]
union StrForm {
    /// The head, the bytes, and zeros.
    short: [u8; SHORT + 1],
    shared: Shared,
}

#[derive(Clone, Copy)]
#[repr(C, packed)]
struct Shared {
    head: u8,
    len: [u8; 6],
    block: Block,
}

impl Shared {
    /// A block with so many bytes, which are text where `is_text` says so.
    #[inline(always)]
    fn new(block: Block, bytes: usize, is_text: bool) -> Shared {
        let mut len = [0; 6];
        len.copy_from_slice(&(bytes as u64).to_le_bytes()[..6]);
        let head = Str::SHARED | if is_text { 0 } else { TORN };
        Shared { head, len, block }
    }

    /// So many bytes have the string.
    #[inline(always)]
    fn len(self) -> usize {
        let mut len = [0; 8];
        len[..6].copy_from_slice(&self.len);
        u64::from_le_bytes(len) as usize
    }
}

const _: () = assert!(size_of::<Str>() == SHORT + 1 && align_of::<Str>() == 1);

// SAFETY: a string is either bytes of its own, or counts, in one step each, a block that nobody writes who does not have it
// alone.
unsafe impl Send for Str {}
// SAFETY: as above.
unsafe impl Sync for Str {}

impl Clone for Str {
    #[inline]
    fn clone(&self) -> Str {
        if let Some(shared) = self.shared() {
            // SAFETY: this string holds one count of the block.
            unsafe { shared.block.keep() };
        }
        Str(self.0)
    }
}

impl Drop for Str {
    #[inline]
    fn drop(&mut self) {
        if let Some(shared) = self.shared() {
            // SAFETY: as in `clone`; the count is given back once.
            unsafe { shared.block.drop() };
        }
    }
}

impl Str {
    /// No bytes.
    pub const EMPTY: Str = Str(StrForm {
        short: [0; SHORT + 1],
    });

    /// The bit of the head (the byte behind that which tells values apart) of strings that are somewhere else: behind the head
    /// are their length, in six bytes, and where they are. The others are what their bytes are: the head, at most fourteen
    /// bytes, zeros.
    pub const SHARED: u8 = 0x80;

    /// The bits of the head of a short string that are its length.
    pub const LENGTH: u8 = 0x0f;

    /// Of more than [`SHORT`] bytes, which are text where `is_text` says so.
    #[inline]
    fn long(len: usize, is_text: bool, write: impl FnOnce(&mut Writer)) -> Str {
        let shared = Shared::new(Block::build(len, write), len, is_text);
        Str(StrForm { shared })
    }

    /// Adds a string at the end, in place where nobody else has this one, which is long: what is added to again and again
    /// grows by more than it needs.
    pub fn push(&mut self, more: &Str) {
        if let Some(shared) = self.shared()
            && self.head() & TORN == 0
        {
            let (len, bytes) = (shared.len(), more.as_bytes());
            // SAFETY: this string counts for its block, which has so many bytes, and takes what is returned for it.
            if let Some(block) = unsafe { shared.block.grown(len, bytes) } {
                // What is no text makes none with text in front of it.
                let is_text = more.head() & TORN == 0;
                self.0.shared = Shared::new(block, len + bytes.len(), is_text);
                return;
            }
        }
        *self = self.sum(more);
    }

    /// One string behind the other.
    pub fn sum(&self, other: &Str) -> Str {
        match self.short_sum(other) {
            Some(sum) => sum.into(),
            None => Str::join(&Str::EMPTY, [self, other].into_iter()),
        }
    }

    /// Strings one behind the other, with a separator between them.
    #[inline]
    pub fn join<'a>(separator: &Str, pieces: impl Iterator<Item = &'a Str> + Clone) -> Str {
        let (mut len, mut heads, mut count) = (0usize, 0, 0usize);
        for piece in pieces.clone() {
            len = len.saturating_add(piece.len());
            heads |= piece.head();
            count += 1;
        }
        if count > 1 {
            let between = separator.len().saturating_mul(count - 1);
            len = len.saturating_add(between);
            heads |= separator.head();
        }
        if len <= SHORT {
            let (mut short, mut at) = ([0; SHORT], 0);
            let mut put = |bytes: &[u8]| {
                short[at..at + bytes.len()].copy_from_slice(bytes);
                at += bytes.len();
            };
            for (i, piece) in pieces.enumerate() {
                if i > 0 {
                    put(separator.as_bytes());
                }
                put(piece.as_bytes());
            }
            let short = &short[..len];
            return short.into();
        }
        let is_text = heads & TORN == 0;
        let made = Str::long(len, is_text, |writer| {
            for (i, piece) in pieces.enumerate() {
                if i > 0 {
                    separator.write_to(writer);
                }
                piece.write_to(writer);
            }
        });
        match is_text {
            true => made,
            // Two pieces of a character may make one.
            false => made.as_bytes().into(),
        }
    }

    #[inline(always)]
    fn write_to(&self, writer: &mut Writer) {
        match self.bits() {
            Some(bits) => writer.put_number(bits >> 8, self.len()),
            None => writer.put(self.as_bytes()),
        }
    }

    /// The number of bytes.
    #[inline(always)]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        match self.shared() {
            Some(shared) => shared.len(),
            None => usize::from(self.head() & Str::LENGTH),
        }
    }

    /// Whether the bytes are somewhere else.
    #[inline]
    pub fn is_long(&self) -> bool {
        self.shared().is_some()
    }

    /// What [`Str::bits`] are those of.
    #[inline(always)]
    fn of_bits(bits: u128) -> Str {
        let mut short = [0; SHORT + 1];
        short.copy_from_slice(&bits.to_le_bytes()[..=SHORT]);
        Str(StrForm { short })
    }

    #[inline(always)]
    fn head(&self) -> u8 {
        // SAFETY: all bytes of both forms are initialised, and the head is the first in both.
        unsafe { self.0.short[0] }
    }

    #[inline(always)]
    fn shared(&self) -> Option<Shared> {
        if self.head() & Str::SHARED == 0 {
            return None;
        }
        // SAFETY: the head says which form it is.
        Some(unsafe { self.0.shared })
    }

    /// The whole of a short string as a number.
    #[inline(always)]
    pub(super) fn bits(&self) -> Option<u128> {
        if self.head() & Str::SHARED != 0 {
            return None;
        }
        let mut bits = [0; 16];
        // SAFETY: the head says which form it is.
        bits[..=SHORT].copy_from_slice(unsafe { &self.0.short });
        Some(u128::from_le_bytes(bits))
    }

    /// The string of one byte.
    #[inline]
    pub fn of_byte(byte: u8) -> Str {
        let mut short = [0; SHORT + 1];
        short[0] = 1 | if byte.is_ascii() { 0 } else { TORN };
        short[1] = byte;
        Str(StrForm { short })
    }

    /// One string behind the other, where both together are short.
    #[inline]
    pub fn short_sum(&self, other: &Str) -> Option<Short> {
        let (a, b) = (self.bits()?, other.bits()?);
        let (a_len, b_len) = (
            usize::from(a as u8 & Str::LENGTH),
            usize::from(b as u8 & Str::LENGTH),
        );
        if a_len + b_len > SHORT {
            return None;
        }
        if (a | b) as u8 & TORN != 0 {
            // Two pieces of a character may make one.
            return Short::of(&[self.as_bytes(), other.as_bytes()].concat());
        }
        let bytes = a >> 8 | b >> 8 << (8 * a_len);
        Some(Short(bytes << 8 | (a_len + b_len) as u128))
    }

    /// A string of any bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Str {
        Str::from(&*bytes)
    }

    /// Whether both are the same object: short strings are where they are equal.
    pub fn is(&self, other: &Str) -> bool {
        match (self.shared(), other.shared()) {
            (Some(a), Some(b)) => ({ a.block }) == ({ b.block }),
            _ => self == other,
        }
    }

    /// What the string consists of.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match self.shared() {
            // SAFETY: this string holds one count of the block, for as long as it is borrowed, and knows its length.
            Some(shared) => unsafe { shared.block.bytes(shared.len()) },
            None => self.short_bytes(),
        }
    }

    #[inline(always)]
    fn short_bytes(&self) -> &[u8] {
        let len = usize::from(self.head() & Str::LENGTH);
        // SAFETY: the caller has seen that it is short, so that the head holds the length, which is at most `SHORT`.
        unsafe { self.0.short.get_unchecked(1..=len) }
    }

    /// The text, or the fault of those that cannot do without.
    #[inline]
    pub fn as_str(&self) -> Result<&str> {
        self.text().ok_or_else(|| {
            let problem = undecodable(self.as_bytes()).unwrap_or_default();
            Fault::runtime(format!("UnicodeDecodeError: {problem}"))
        })
    }

    /// The text, if it is one.
    #[inline]
    pub fn text(&self) -> Option<&str> {
        if self.head() & TORN != 0 {
            return None;
        }
        // SAFETY: who made the string has seen that it is UTF-8.
        Some(unsafe { std::str::from_utf8_unchecked(self.as_bytes()) })
    }

    /// The text for people to read, with a mark for each piece that is none.
    pub fn shown(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
    }

    /// Gives the hasher what equal strings have in common: all at once where the string is short.
    #[inline]
    pub(super) fn hash_quickly<H: Hasher>(&self, state: &mut H) {
        match self.bits() {
            Some(bits) => state.write_u128(bits),
            None => state.write(self.as_bytes()),
        }
    }
}

/// The bits that bytes of ASCII do not have.
const NOT_ASCII: u128 = u128::from_le_bytes([0x80; 16]);

/// At most sixteen bytes as one number, the first of them lowest: read in two pieces, which may overlap.
#[inline]
fn number_of(bytes: &[u8]) -> u128 {
    let len = bytes.len();
    let shift = |from: usize| 8 * from as u32;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << shift(len - 8)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        u128::from(first) | u128::from(last) << shift(len - 4)
    } else if let (Some(first), Some(last)) = (bytes.first(), bytes.last()) {
        let middle = u128::from(bytes[len / 2]) << shift(len / 2);
        u128::from(*first) | middle | u128::from(*last) << shift(len - 1)
    } else {
        0
    }
}

/// What Python says of the first bytes that are not UTF-8; `None` where all are.
pub fn undecodable(bytes: &[u8]) -> Option<String> {
    let error = std::str::from_utf8(bytes).err()?;
    let start = error.valid_up_to();
    let end = error.error_len().map_or(bytes.len(), |n| start + n);
    let first = bytes[start];
    let reason = match (first, error.error_len()) {
        (0x80..=0xc1 | 0xf5..=0xff, _) => "invalid start byte",
        (_, None) => "unexpected end of data",
        (_, Some(_)) => "invalid continuation byte",
    };
    Some(match end - start {
        1 => format!("'utf-8' codec can't decode byte 0x{first:02x} in position {start}: {reason}"),
        _ => format!(
            "'utf-8' codec can't decode bytes in position {start}-{}: {reason}",
            end - 1
        ),
    })
}

impl From<String> for Str {
    fn from(text: String) -> Str {
        Str::from(&*text)
    }
}
impl From<&str> for Str {
    fn from(text: &str) -> Str {
        if let Some(short) = Short::of(text.as_bytes()) {
            return short.into();
        }
        Str::long(text.len(), true, |writer| writer.put(text.as_bytes()))
    }
}
impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Str {
        if let Some(short) = Short::of(bytes) {
            return short.into();
        }
        let is_text = std::str::from_utf8(bytes).is_ok();
        Str::long(bytes.len(), is_text, |writer| writer.put(bytes))
    }
}
impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}
impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}
impl PartialEq for Str {
    #[inline]
    fn eq(&self, other: &Str) -> bool {
        match (self.bits(), other.bits()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self.as_bytes() == other.as_bytes(),
            // A short one and a long one.
            _ => false,
        }
    }
}
impl Eq for Str {}
impl PartialOrd for Str {
    #[inline]
    fn partial_cmp(&self, other: &Str) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Str {
    /// By bytes. Those of a short string are the number that they make with the first of them on top, zeros behind.
    #[inline]
    fn cmp(&self, other: &Str) -> Ordering {
        match (self.bits(), other.bits()) {
            (Some(a), Some(b)) => {
                let bytes = |bits: u128| (bits >> 8).swap_bytes();
                bytes(a).cmp(&bytes(b)).then(self.len().cmp(&other.len()))
            }
            _ => self.as_bytes().cmp(other.as_bytes()),
        }
    }
}
impl Hash for Str {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}
impl PartialEq<str> for Str {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_strings_keep_their_bytes() {
        let bytes: Vec<u8> = (0..SHORT as u8).map(|i| b'a' + i).collect();
        for len in 0..=SHORT {
            for bytes in [&bytes[..len], &vec![0xff; len]] {
                let s = Str::from(bytes);
                assert_eq!(s.as_bytes(), bytes);
                assert_eq!(s.text().is_some(), len == 0 || bytes[0] != 0xff);
            }
        }
    }

    #[test]
    fn pieces_of_characters_make_characters_again() {
        let (first, second) = (Str::from_bytes(vec![0xc3]), Str::from_bytes(vec![0xa9]));
        assert!(first.text().is_none() && first.as_str().is_err());
        let whole = Str::from_bytes([first.as_bytes(), second.as_bytes()].concat());
        assert!(whole.text() == Some("é"));
        assert_eq!(first.to_string(), "\u{fffd}");
        let sum = first.short_sum(&second).map(Str::from);
        assert!(sum.as_ref().and_then(Str::text) == Some("é") && sum == Some(whole));
    }

    #[test]
    fn short_and_long_strings_are_equal_by_their_bytes() {
        for len in [0, 1, SHORT - 1, SHORT, SHORT + 1, 3 * SHORT] {
            let text = "x".repeat(len);
            let (a, b) = (
                Str::from(&*text),
                Str::from_bytes(text.clone().into_bytes()),
            );
            assert!(a == b && a.text() == Some(&text) && a == *text);
            assert!(a != Str::from(format!("{text}y")));
            let torn = Str::from_bytes(vec![0xff; len + 1]);
            assert!(torn.text().is_none() && torn.as_bytes().len() == len + 1);
            assert_eq!(a.short_sum(&b).is_some(), 2 * len <= SHORT);
            assert!(a.clone().is(&a) && a.is(&b) == (len <= SHORT));
        }
        let ordered = [
            "",
            "\0",
            "\0\0",
            "\0a",
            "a",
            "a\0",
            "ab",
            "abcdefghijklmn",
            "abcdefghijklmno",
            "b",
            "é",
        ];
        assert!(ordered.map(Str::from).is_sorted_by(|a, b| a < b));
        let a = Str::from("a");
        assert!(Str::of_byte(b'a') == a && Str::of_byte(0xe9).text().is_none());
        assert_eq!(Str::of_byte(0xe9).as_bytes(), [0xe9]);
    }

    #[test]
    fn strings_grow_where_nobody_else_has_them() {
        let mut grown = Str::EMPTY;
        let mut text = String::new();
        let mut kept = Vec::new();
        for i in 0..300 {
            let more = if i % 3 == 0 { "é" } else { "ab" };
            grown.push(&Str::from(more));
            text.push_str(more);
            assert!(grown == *text && grown.text() == Some(&text));
            if i % 50 == 0 {
                kept.push((grown.clone(), text.clone()));
            }
        }
        for (grown, text) in kept {
            assert!(grown == *text);
        }
        let torn = Str::from_bytes(vec![0xc3]);
        let mut whole = grown.clone();
        whole.push(&torn);
        assert!(whole.text().is_none() && grown.text() == Some(&text));
        whole.push(&Str::from_bytes(vec![0xa9]));
        assert!(whole.text() == Some(&*format!("{text}é")));
        let twice = whole.clone();
        whole.push(&twice);
        assert!(whole == *twice.text().unwrap().repeat(2));
    }

    #[test]
    fn refusals_are_worded_as_by_python() {
        let said = |bytes: &[u8]| undecodable(bytes).unwrap();
        let codec = "'utf-8' codec can't decode byte";
        assert_eq!(
            said(b"\xc3"),
            format!("{codec} 0xc3 in position 0: unexpected end of data")
        );
        assert_eq!(
            said(b"a\xc3-"),
            format!("{codec} 0xc3 in position 1: invalid continuation byte")
        );
        assert_eq!(
            said(b"\xa9"),
            format!("{codec} 0xa9 in position 0: invalid start byte")
        );
        assert_eq!(
            said(b"\xe6\x97"),
            format!("{codec}s in position 0-1: unexpected end of data")
        );
        assert_eq!(undecodable("é".as_bytes()), None);
    }
}
