//! Strings of scripts: bytes that nearly always are text.
//!
//! The language knows bytes only: indices and lengths count them, and a character outside ASCII can be taken apart and put
//! together again. What is UTF-8 is kept as a Rust string, so that whoever needs text has it at no cost; anything else is
//! kept as bytes, and whoever needs text of those gets Python's refusal.

use crate::{Fault, Result};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// A shared immutable string, one word wide.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Str(Arc<Text>);

#[derive(PartialEq, Eq, Hash)]
enum Text {
    Whole(Box<str>),
    /// Never UTF-8, so that equal strings have one form.
    Torn(Box<[u8]>),
}

impl Str {
    /// A string of any bytes.
    pub fn from_bytes(bytes: Vec<u8>) -> Str {
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
            Text::Whole(text) => text.as_bytes(),
            Text::Torn(bytes) => bytes,
        }
    }

    /// The text, or the fault of those that cannot do without.
    #[inline]
    pub fn as_str(&self) -> Result<&str> {
        match &*self.0 {
            Text::Whole(text) => Ok(text),
            Text::Torn(bytes) => Err(Fault::runtime(format!(
                "UnicodeDecodeError: {}",
                undecodable(bytes).unwrap_or_default()
            ))),
        }
    }

    /// The text, if it is one.
    #[inline]
    pub fn text(&self) -> Option<&str> {
        match &*self.0 {
            Text::Whole(text) => Some(text),
            Text::Torn(_) => None,
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
        Str(Arc::new(Text::Whole(text.into())))
    }
}
impl From<&str> for Str {
    fn from(text: &str) -> Str {
        Str(Arc::new(Text::Whole(text.into())))
    }
}
impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Str {
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
