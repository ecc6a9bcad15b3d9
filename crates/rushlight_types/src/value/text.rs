//! Strings of scripts: bytes that nearly always are text.
//!
//! The language knows bytes only: indices and lengths count them, and a character outside ASCII can be taken apart and put
//! together again. What is UTF-8 is kept as a Rust string, so that whoever needs text has it at no cost; anything else is
//! kept as bytes, and whoever needs text of those gets Python's refusal. Short strings, which most are, lie in one block
//! with their reference count.

use crate::{Fault, Result};
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

/// A shared immutable string, one word wide.
#[derive(Clone)]
pub struct Str(Arc<Text>);

/// Longer strings have a block of their own.
const SHORT: usize = 21;

enum Text {
    Short {
        bytes: [u8; SHORT],
        len: u8,
        is_text: bool,
    },
    Whole(Box<str>),
    /// Never UTF-8.
    Torn(Box<[u8]>),
}

const _: () = assert!(size_of::<Text>() == 24, "a string is one small block");

impl Str {
    fn short(parts: [&[u8]; 2]) -> Str {
        let mut bytes = [0; SHORT];
        let mut len = 0;
        for part in parts {
            bytes[len..len + part.len()].copy_from_slice(part);
            len += part.len();
        }
        Str(Arc::new(Text::Short {
            // What lies behind the end is zero.
            is_text: bytes.is_ascii() || std::str::from_utf8(&bytes[..len]).is_ok(),
            len: len as u8,
            bytes,
        }))
    }

    /// The string of one byte: the same object each time.
    pub fn of_byte(byte: u8) -> Str {
        static ALL: LazyLock<[Str; 256]> =
            LazyLock::new(|| std::array::from_fn(|byte| Str::short([&[byte as u8], &[]])));
        ALL[usize::from(byte)].clone()
    }

    /// One string behind the other, where both together are short.
    #[inline]
    pub fn short_sum(&self, other: &Str) -> Option<Str> {
        let (a, b) = (self.as_bytes(), other.as_bytes());
        (a.len() + b.len() <= SHORT).then(|| Str::short([a, b]))
    }

    /// A string of any bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Str {
        if bytes.len() <= SHORT {
            return Str::short([&bytes, &[]]);
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => Text::Whole(text.into()),
            Err(torn) => Text::Torn(torn.into_bytes().into()),
        };
        Str(Arc::new(text))
    }

    /// Whether both are the same object, not merely equal.
    pub fn is(&self, other: &Str) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What the string consists of.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match &*self.0 {
            Text::Short { bytes, len, .. } => &bytes[..usize::from(*len)],
            Text::Whole(text) => text.as_bytes(),
            Text::Torn(bytes) => bytes,
        }
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
        match &*self.0 {
            Text::Short {
                bytes,
                len,
                is_text: true,
            } => std::str::from_utf8(&bytes[..usize::from(*len)]).ok(),
            Text::Whole(text) => Some(text),
            Text::Short { .. } | Text::Torn(_) => None,
        }
    }

    /// The text for people to read, with a mark for each piece that is none.
    pub fn shown(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.as_bytes())
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
            return Str::short([text.as_bytes(), &[]]);
        }
        Str(Arc::new(Text::Whole(text.into())))
    }
}
impl From<&str> for Str {
    fn from(text: &str) -> Str {
        if text.len() <= SHORT {
            return Str::short([text.as_bytes(), &[]]);
        }
        Str(Arc::new(Text::Whole(text.into())))
    }
}
impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Str {
        if bytes.len() <= SHORT {
            return Str::short([bytes, &[]]);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => Str(Arc::new(Text::Torn(bytes.into()))),
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
        self.is(other) || self.as_bytes() == other.as_bytes()
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
    fn pieces_of_characters_make_characters_again() {
        let (first, second) = (Str::from_bytes(vec![0xc3]), Str::from_bytes(vec![0xa9]));
        assert!(first.text().is_none() && first.as_str().is_err());
        let whole = Str::from_bytes([first.as_bytes(), second.as_bytes()].concat());
        assert!(whole.text() == Some("é"));
        assert_eq!(first.to_string(), "\u{fffd}");
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
        }
        assert!(Str::of_byte(b'a').is(&Str::of_byte(b'a')));
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
