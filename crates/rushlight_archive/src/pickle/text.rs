//! The text forms of protocol 0: decimal numbers and Python 2's quoted and escaped strings.

use super::error::PickleProblem;
use super::value::PickleValue;

/// `INT`'s argument: a decimal number, or `00`/`01` for the bools.
pub fn int(line: &str) -> Result<PickleValue, PickleProblem> {
    match line {
        "00" => Ok(PickleValue::Bool(false)),
        "01" => Ok(PickleValue::Bool(true)),
        _ => long(line),
    }
}

/// `LONG`'s argument: a decimal number, with or without the letter `L` behind it.
pub fn long(line: &str) -> Result<PickleValue, PickleProblem> {
    let digits = line.strip_suffix('L').unwrap_or(line).trim();
    if let Ok(value) = digits.parse::<i64>() {
        return Ok(PickleValue::Int(value));
    }
    let (negative, magnitude) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits),
    };
    decimal(magnitude, negative).ok_or(PickleProblem::BadArgument("number"))
}

/// Longest decimal number that is converted; the conversion takes time that grows with the square of the length.
const MAX_DIGITS: usize = 4300;

fn decimal(digits: &str, negative: bool) -> Option<PickleValue> {
    if digits.is_empty() || digits.len() > MAX_DIGITS || !digits.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let mut bytes: Vec<u8> = Vec::new();
    for digit in digits.bytes() {
        let mut carry = u32::from(digit - b'0');
        for byte in &mut bytes {
            let sum = u32::from(*byte) * 10 + carry;
            *byte = sum as u8;
            carry = sum >> 8;
        }
        if carry > 0 {
            bytes.push(carry as u8);
        }
    }
    bytes.push(0);
    if negative {
        negate(&mut bytes);
    }
    Some(from_twos_complement(&bytes))
}

fn negate(bytes: &mut [u8]) {
    let mut carry = true;
    for byte in bytes {
        let (sum, overflow) = (!*byte).overflowing_add(u8::from(carry));
        *byte = sum;
        carry = overflow;
    }
}

/// An integer from its two's complement bytes, least significant first, as in `LONG1`.
pub fn from_twos_complement(bytes: &[u8]) -> PickleValue {
    let sign = if bytes.last().is_some_and(|b| b & 0x80 != 0) {
        0xff
    } else {
        0
    };
    let mut len = bytes.len();
    // Drop bytes that only repeat the sign.
    while len > 0 && bytes[len - 1] == sign && (len == 1 || (bytes[len - 2] ^ sign) & 0x80 == 0) {
        len -= 1;
    }
    if len > 8 {
        return PickleValue::BigInt(bytes[..len].into());
    }
    let mut wide = [sign; 8];
    wide[..len].copy_from_slice(&bytes[..len]);
    PickleValue::Int(i64::from_le_bytes(wide))
}

/// `FLOAT`'s argument.
pub fn float(line: &str) -> Result<PickleValue, PickleProblem> {
    line.trim()
        .parse()
        .map(PickleValue::Float)
        .map_err(|_| PickleProblem::BadArgument("number"))
}

/// `STRING`'s argument: a quoted Python 2 string.
pub fn quoted(line: &[u8]) -> Result<PickleValue, PickleProblem> {
    let bad = PickleProblem::BadArgument("string");
    let inner = match line {
        [b'\'', inner @ .., b'\''] | [b'"', inner @ .., b'"'] => inner,
        _ => return Err(bad),
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'\\' {
            let (unescaped, tail) = unescape(rest).ok_or_else(|| bad.clone())?;
            out.extend(unescaped);
            rest = tail;
        } else {
            out.push(byte);
        }
    }
    Ok(python2_string(out))
}

/// What stands for a backslash and the bytes after it, and the rest.
fn unescape(rest: &[u8]) -> Option<(Option<u8>, &[u8])> {
    let (&byte, tail) = rest.split_first()?;
    let plain = match byte {
        b'\n' => return Some((None, tail)),
        b'\\' | b'\'' | b'"' => byte,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'x' => return Some((Some(number(tail.get(..2)?, 16)? as u8), &tail[2..])),
        b'0'..=b'7' => {
            let len = rest
                .iter()
                .take(3)
                .take_while(|b| (b'0'..=b'7').contains(*b))
                .count();
            return Some((Some(number(&rest[..len], 8)? as u8), &rest[len..]));
        }
        _ => return None,
    };
    Some((Some(plain), tail))
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    digits.iter().try_fold(0u32, |n, &b| {
        n.checked_mul(radix)?
            .checked_add(char::from(b).to_digit(radix)?)
    })
}

/// Python 2 did not tell text from bytes: text where it is UTF-8.
pub fn python2_string(bytes: Vec<u8>) -> PickleValue {
    match String::from_utf8(bytes) {
        Ok(text) => PickleValue::Str(text.into()),
        Err(error) => PickleValue::Bytes(error.into_bytes().into()),
    }
}

/// `UNICODE`'s argument: Latin-1 with `\uXXXX` and `\UXXXXXXXX` escapes.
pub fn raw_unicode(line: &[u8]) -> Result<PickleValue, PickleProblem> {
    let bad = PickleProblem::BadArgument("string");
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((&byte, tail)) = rest.split_first() {
        let digits = match (byte, tail.first()) {
            (b'\\', Some(b'u')) => 4,
            (b'\\', Some(b'U')) => 8,
            _ => 0,
        };
        if digits == 0 {
            out.push(char::from(byte));
            rest = tail;
        } else {
            let code = tail.get(1..=digits).and_then(|hex| number(hex, 16));
            out.push(code.and_then(char::from_u32).ok_or_else(|| bad.clone())?);
            rest = &tail[1 + digits..];
        }
    }
    Ok(PickleValue::Str(out.into()))
}
