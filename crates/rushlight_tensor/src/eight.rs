//! Floats of eight bits. They are kept, moved and converted, by way of f32; nothing computes in them.

use crate::DType;

/// What a byte stands for: bits of the mantissa, the exponent's bias, and the code of the largest number.
struct Format {
    mantissa: i32,
    bias: i32,
    largest: u8,
    ends: Ends,
}

/// What is beyond the largest number.
#[derive(PartialEq)]
enum Ends {
    /// Infinities and what is no number, as larger floats have them.
    Infinite,
    /// The largest number; the last code is no number.
    Largest,
    /// What is no number, in the place of minus zero.
    NoZero,
}

const fn format(mantissa: i32, bias: i32, largest: u8, ends: Ends) -> Format {
    Format {
        mantissa,
        bias,
        largest,
        ends,
    }
}

/// The format of a dtype; none for powers of two, which are an exponent alone.
fn format_of(dtype: DType) -> Option<Format> {
    match dtype {
        DType::F8E5M2 => Some(format(2, 15, 0x7b, Ends::Infinite)),
        DType::F8E4M3FN => Some(format(3, 7, 0x7e, Ends::Largest)),
        DType::F8E5M2FNUZ => Some(format(2, 16, 0x7f, Ends::NoZero)),
        DType::F8E4M3FNUZ => Some(format(3, 8, 0x7f, Ends::NoZero)),
        _ => None,
    }
}

/// The pattern that stands for no number where a format has one such code.
const NONE: u32 = 0x7f80_0001;

/// The number that a byte stands for.
pub fn decode(dtype: DType, byte: u8) -> f32 {
    let Some(f) = format_of(dtype) else {
        return f32::from_bits(match byte {
            0xff => NONE,
            0 => 0x40_0000,
            _ => u32::from(byte) << 23,
        });
    };
    let (sign, code) = (u32::from(byte >> 7) << 31, byte & 0x7f);
    let (exponent, part) = (
        i32::from(code) >> f.mantissa,
        u32::from(code) & ((1 << f.mantissa) - 1),
    );
    let moved = part << (23 - f.mantissa);
    match f.ends {
        Ends::NoZero if byte == 0x80 => f32::from_bits(NONE),
        Ends::Largest if code > f.largest => f32::from_bits(sign | 0x7fc0_0000 | moved),
        Ends::Infinite if code > f.largest && part == 0 => f32::from_bits(sign | 0x7f80_0000),
        Ends::Infinite if code > f.largest => f32::from_bits(sign | 0x7fc0_0000 | moved),
        _ if exponent == 0 => {
            let size = part as f32 * 2f32.powi(1 - f.bias - f.mantissa);
            f32::from_bits(sign | size.to_bits())
        }
        _ => f32::from_bits(sign | ((exponent - f.bias + 127) as u32) << 23 | moved),
    }
}

/// The byte for a number: the nearest, of two as near the even one.
pub fn encode(dtype: DType, value: f32) -> u8 {
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32;
    let Some(f) = format_of(dtype) else {
        let part = bits & 0x7f_ffff;
        let up = part > 0x40_0000 || (part == 0x40_0000 && exponent > 0);
        return if exponent == 0xff {
            0xff
        } else {
            exponent as u8 + u8::from(up)
        };
    };
    let sign = (bits >> 31 << 7) as u8;
    let least = 1 - f.bias;
    let exponent = (exponent - 127).max(least);
    let unit = f64::from_bits(((f.mantissa - exponent + 1023) as u64) << 52);
    let steps = (f64::from(value.abs()) * unit).round_ties_even();
    let code = f64::from((exponent - least) << f.mantissa) + steps;
    let known = code <= f64::from(f.largest);
    match f.ends {
        _ if known && (code > 0.0 || f.ends != Ends::NoZero) => sign | code as u8,
        Ends::NoZero => {
            if known {
                0
            } else {
                0x80
            }
        }
        _ if value.is_nan() => sign | 0x7f,
        Ends::Infinite => sign | 0x7c,
        Ends::Largest => sign | f.largest,
    }
}

/// The numbers of all bytes.
pub(crate) fn table(dtype: DType) -> [f32; 256] {
    std::array::from_fn(|byte| decode(dtype, byte as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [DType; 5] = [
        DType::F8E5M2,
        DType::F8E4M3FN,
        DType::F8E5M2FNUZ,
        DType::F8E4M3FNUZ,
        DType::F8E8M0FNU,
    ];

    #[test]
    fn every_number_is_its_own_nearest() {
        for dtype in ALL {
            for byte in 0..=255u8 {
                let number = decode(dtype, byte);
                if number.is_nan() {
                    assert!(decode(dtype, encode(dtype, number)).is_nan());
                } else {
                    assert_eq!(encode(dtype, number), byte, "{dtype} {number}");
                }
            }
        }
    }

    #[test]
    fn ties_go_to_the_even_neighbour_and_large_numbers_to_the_end() {
        let near = |dtype, x| decode(dtype, encode(dtype, x));
        assert_eq!(near(DType::F8E4M3FN, 3.375), 3.5);
        assert_eq!(near(DType::F8E4M3FN, 3.125), 3.0);
        assert_eq!(near(DType::F8E4M3FN, f32::NEG_INFINITY), -448.0);
        assert_eq!(near(DType::F8E5M2, 61_439.0), 57_344.0);
        assert_eq!(near(DType::F8E5M2, 61_440.0), f32::INFINITY);
        assert!(near(DType::F8E4M3FNUZ, 248.0).is_nan());
        assert_eq!(encode(DType::F8E5M2FNUZ, -0.0), 0);
        assert_eq!(near(DType::F8E8M0FNU, -3.0), 4.0);
        assert_eq!(near(DType::F8E8M0FNU, 0.0), 2f32.powi(-127));
    }
}
