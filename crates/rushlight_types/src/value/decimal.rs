//! Numbers as decimal text, without memory.

use std::io::Write;

/// More digits tell no float from another.
const MOST: usize = 17;

/// The longest text of a number: a sign, zeros or an exponent around the digits, a point.
const LONGEST: usize = 32;

/// A number as text.
pub(super) struct Decimal {
    text: [u8; LONGEST],
    len: usize,
}

impl Decimal {
    /// An int.
    pub fn of_int(int: i64) -> Decimal {
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = int.unsigned_abs();
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        let mut out = Decimal::signed(int < 0);
        out.put(&digits[start..]);
        out
    }

    /// A float in at most so many significant digits, as C's `%g` writes it: no zeros at the end, no point without digits
    /// after it.
    pub fn of_float(v: f64, digits: usize) -> Decimal {
        if v.is_nan() {
            return Decimal::of_text(b"nan");
        }
        let mut out = Decimal::signed(v.is_sign_negative());
        let v = v.abs();
        if v.is_infinite() {
            out.put(b"inf");
        } else if v == 0.0 {
            out.put(b"0");
        } else {
            out.put_float(v, digits.clamp(1, MOST));
        }
        out
    }

    /// A text that is no number.
    pub fn of_text(text: &[u8]) -> Decimal {
        let mut out = Decimal::signed(false);
        out.put(text);
        out
    }

    fn signed(is_negative: bool) -> Decimal {
        Decimal {
            text: [b'-'; LONGEST],
            len: usize::from(is_negative),
        }
    }

    /// Adds text behind.
    pub fn put(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        self.text[self.len..end].copy_from_slice(bytes);
        self.len = end;
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        &self.text[..self.len]
    }

    /// The text, which is of ASCII.
    pub fn text(&self) -> &str {
        str::from_utf8(self.bytes()).unwrap_or_default()
    }

    /// Adds a float, which is finite and more than zero.
    fn put_float(&mut self, v: f64, count: usize) {
        let (number, exponent) = exactly(v, count).unwrap_or_else(|| by_format(v, count));
        let mut all = [b'0'; MOST];
        let mut rest = number;
        for digit in all[..count].iter_mut().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let len = all.iter().rposition(|d| *d != b'0').map_or(1, |at| at + 1);
        let digits = &all[..len];
        match usize::try_from(exponent) {
            Ok(whole) if whole < count => {
                let whole = whole + 1;
                if whole >= len {
                    return self.put(&all[..whole]);
                }
                self.put(&digits[..whole]);
                self.put(b".");
                self.put(&digits[whole..]);
            }
            Err(_) if exponent >= -4 => {
                self.put(&b"0.000"[..(1 - exponent) as usize]);
                self.put(digits);
            }
            _ => {
                self.put(&digits[..1]);
                if len > 1 {
                    self.put(b".");
                    self.put(&digits[1..]);
                }
                self.put(if exponent < 0 { b"e-" } else { b"e+" });
                let size = exponent.unsigned_abs();
                if size < 10 {
                    self.put(b"0");
                }
                self.put(Decimal::of_int(i64::from(size)).bytes());
            }
        }
    }
}

/// Powers of five that leave room for a float's own digits in 128 bits.
const FIVES: [u128; 33] = {
    let mut powers = [1; 33];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 5;
        i += 1;
    }
    powers
};

/// The first digits of a float as a number, rounded to even, and the power of ten of the first of them: whole numbers of
/// 128 bits hold what these need. `None` for floats that are too large or too small.
fn exactly(v: f64, count: usize) -> Option<(u64, i32)> {
    let bits = v.to_bits();
    let power = (bits >> 52) as i32 - 1075;
    if !(-110..=60).contains(&power) {
        return None;
    }
    let digits = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let limit = 10u128.pow(count as u32);
    // That or one more: the first is the power of two times a little less than its logarithm.
    let least = ((power + 52) * 1233) >> 12;
    for exponent in [least, least + 1] {
        let tens = count as i32 - 1 - exponent;
        let scaled = digits * FIVES.get(usize::try_from(tens).ok()?)?;
        let power = power + tens;
        let number = if power >= 0 {
            scaled.checked_mul(1u128.checked_shl(power as u32)?)?
        } else {
            let number = scaled.checked_shr(power.unsigned_abs())?;
            let rest = scaled - (number << -power);
            let half = 1 << (-power - 1);
            let is_more = rest > half || rest == half && number & 1 == 1;
            match number < limit {
                true => number + u128::from(is_more),
                false => number,
            }
        };
        if number == limit {
            return Some(((number / 10) as u64, exponent + 1));
        }
        if number < limit {
            return Some((number as u64, exponent));
        }
    }
    None
}

/// As [`exactly`], for any float.
fn by_format(v: f64, count: usize) -> (u64, i32) {
    let mut text = [0; LONGEST];
    let mut rest = &mut text[..];
    // There is room: a digit, a point, the others, and at most five bytes of exponent.
    let _ = write!(rest, "{:.*e}", count - 1, v);
    let left = rest.len();
    let text = &text[..LONGEST - left];
    let at = text.iter().position(|b| *b == b'e').unwrap_or(text.len());
    let number = text[..at].iter().filter(|b| b.is_ascii_digit());
    let number = number.fold(0, |number, d| number * 10 + u64::from(d - b'0'));
    let exponent = str::from_utf8(text.get(at + 1..).unwrap_or_default());
    let exponent = exponent.ok().and_then(|e| e.parse().ok());
    (number, exponent.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `%g` is defined, by Rust's own digits.
    fn defined(v: f64, digits: usize) -> String {
        let scientific = format!("{:.*e}", digits - 1, v);
        let (mantissa, exponent) = scientific.split_once('e').unwrap();
        let exponent: i32 = exponent.parse().unwrap();
        let trimmed = |number: &str| match number.contains('.') {
            true => number.trim_end_matches('0').trim_end_matches('.').into(),
            false => number.to_string(),
        };
        if exponent < -4 || exponent >= digits as i32 {
            let sign = if exponent < 0 { '-' } else { '+' };
            return format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs());
        }
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trimmed(&format!("{v:.decimals$}"))
    }

    #[track_caller]
    fn check(v: f64) {
        for digits in [17, 16, 6, 1] {
            if v.is_finite() && v != 0.0 {
                assert_eq!(
                    Decimal::of_float(v, digits).text(),
                    defined(v, digits),
                    "{v:e}"
                );
            }
        }
    }

    #[test]
    fn floats_have_the_digits_that_they_are_defined_to_have() {
        let mut state = 7u64;
        let mut next = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            state ^ state >> 29
        };
        for _ in 0..30_000 {
            check(f64::from_bits(next()));
            // Of the sizes that programs print.
            let size = (1023 - 60 + next() % 120) << 52;
            check(f64::from_bits(size | next() >> 12));
            check((next() % 100_000) as f64 / 1000.0);
            // Ties.
            check((next() % 100_000) as f64 / f64::from(1 << (next() % 20)));
        }
        for exponent in -320..308 {
            let v: f64 = format!("1e{exponent}").parse().unwrap();
            for v in [v, v.next_down(), v.next_up(), v * 9.5, v * 2.5, -v] {
                check(v);
            }
        }
    }

    #[test]
    fn ints_are_written_as_rust_does() {
        for i in [0, 7, -7, 10, 1_234_567_890, i64::MAX, i64::MIN] {
            assert_eq!(Decimal::of_int(i).text(), i.to_string());
        }
    }
}
