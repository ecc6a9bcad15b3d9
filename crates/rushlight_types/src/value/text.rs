//! Strings of scripts: bytes that nearly always are text.
//!
//! The language knows bytes only: indices and lengths count them, and a character outside ASCII can be taken apart and put
//! together again. What is UTF-8 is kept as a Rust string, so that whoever needs text has it at no cost; anything else is
//! kept as bytes, and whoever needs text of those gets Python's refusal. Short strings, which most are, lie in the value
//! itself: they take no memory of their own, and copying one copies fifteen bytes. Every string has one form only, by its
//! length, so short ones are equal where their bytes are.

use crate::{Fault, Result};
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An immutable string, one byte smaller than a value so that a value can hold it.
pub struct Str(StrForm);

/// The longest string that lies in the value itself.
const SHORT: usize = 14;

/// In the head of a short string: it is no text. What else the head says is told at [`Str::SHARED`].
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
    nothing: [u8; 6],
    /// From [`Arc::into_raw`].
    text: *const Text,
}

enum Text {
    Whole(Box<str>),
    /// Never UTF-8.
    Torn(Box<[u8]>),
}

const _: () = assert!(size_of::<Str>() == SHORT + 1 && align_of::<Str>() == 1);

// SAFETY: a string is either bytes of its own, or what an `Arc` of immutable data is.
unsafe impl Send for Str {}
// SAFETY: as above.
unsafe impl Sync for Str {}

impl Clone for Str {
    #[inline]
    fn clone(&self) -> Str {
        if let Some(shared) = self.shared() {
            // SAFETY: the pointer is from `Arc::into_raw`, and this string holds one count of it.
            unsafe { Arc::increment_strong_count(shared.text) };
        }
        Str(self.0)
    }
}

impl Drop for Str {
    #[inline]
    fn drop(&mut self) {
        if let Some(shared) = self.shared() {
            // SAFETY: as in `clone`; the count is given back once.
            unsafe { Arc::decrement_strong_count(shared.text) };
        }
    }
}

impl Str {
    /// The bit of the head (the byte behind that which tells values apart) of strings that are somewhere else. The others
    /// are what their bytes are: the head, at most fourteen bytes, zeros.
    pub const SHARED: u8 = 0x80;

    /// The bits of the head of a short string that are its length.
    pub const LENGTH: u8 = 0x0f;

    fn of_text(text: Text) -> Str {
        let text = Arc::into_raw(Arc::new(text));
        let (head, nothing) = (Str::SHARED, [0; 6]);
        Str(StrForm {
            shared: Shared {
                head,
                nothing,
                text,
            },
        })
    }

    /// Of at most [`SHORT`] bytes.
    #[inline]
    fn short(bytes: &[u8]) -> Str {
        let number = number_of(bytes);
        let is_text = number & NOT_ASCII == 0 || std::str::from_utf8(bytes).is_ok();
        let head = bytes.len() as u8 | if is_text { 0 } else { TORN };
        Str::of_bits(number << 8 | u128::from(head))
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
    pub fn short_sum(&self, other: &Str) -> Option<Str> {
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
            return Some(Str::short(&[self.as_bytes(), other.as_bytes()].concat()));
        }
        let bytes = a >> 8 | b >> 8 << (8 * a_len);
        Some(Str::of_bits(bytes << 8 | (a_len + b_len) as u128))
    }

    /// A string of any bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Str {
        if bytes.len() <= SHORT {
            return Str::short(&bytes);
        }
        Str::of_text(match String::from_utf8(bytes) {
            Ok(text) => Text::Whole(text.into()),
            Err(torn) => Text::Torn(torn.into_bytes().into()),
        })
    }

    /// Whether both are the same object: short strings are where they are equal.
    pub fn is(&self, other: &Str) -> bool {
        match (self.long(), other.long()) {
            (Some(a), Some(b)) => std::ptr::eq(a, b),
            _ => self == other,
        }
    }

    /// What the string consists of.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match self.long() {
            Some(Text::Whole(text)) => text.as_bytes(),
            Some(Text::Torn(bytes)) => bytes,
            None => self.short_bytes(),
        }
    }

    #[inline(always)]
    fn short_bytes(&self) -> &[u8] {
        let len = usize::from(self.head() & Str::LENGTH);
        // SAFETY: the caller has seen that it is short, so that the head holds the length, which is at most `SHORT`.
        unsafe { self.0.short.get_unchecked(1..=len) }
    }

    #[inline(always)]
    fn long(&self) -> Option<&Text> {
        let shared = self.shared()?;
        // SAFETY: this string holds one count of what the pointer leads to, which nobody changes.
        Some(unsafe { &*shared.text })
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
        match self.long() {
            Some(Text::Whole(text)) => Some(text),
            Some(Text::Torn(_)) => None,
            None if self.head() & TORN != 0 => None,
            // SAFETY: who made the string has seen that it is UTF-8.
            None => Some(unsafe { std::str::from_utf8_unchecked(self.short_bytes()) }),
        }
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
        if text.len() <= SHORT {
            return Str::short(text.as_bytes());
        }
        Str::of_text(Text::Whole(text.into()))
    }
}
impl From<&str> for Str {
    fn from(text: &str) -> Str {
        if text.len() <= SHORT {
            return Str::short(text.as_bytes());
        }
        Str::of_text(Text::Whole(text.into()))
    }
}
impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Str {
        if bytes.len() <= SHORT {
            return Str::short(bytes);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => Str::of_text(Text::Torn(bytes.into())),
        }
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
        let sum = first.short_sum(&second);
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
        let a = Str::from("a");
        assert!(Str::of_byte(b'a') == a && Str::of_byte(0xe9).text().is_none());
        assert_eq!(Str::of_byte(0xe9).as_bytes(), [0xe9]);
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
