//! The `.npy` format: a magic number, a version, a header that is a Python dict, and the elements.
//!
//! Format: numpy's `NEP 1`, versions 1 to 3.

use crate::{Done, Failure};
use rushlight::syntax::tree::ExprKind;
use rushlight::syntax::{Source, parse_expression};
use rushlight::tensor::{Bool8, Complex32, Complex64, DType, Layout, Storage, f16};
use rushlight::{Tensor, Value, frontend::script::literal};

const MAGIC: &[u8] = b"\x93NUMPY";
/// The elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// The dtype of numpy's type codes, without their byte order.
const CODES: &[(&str, DType)] = &[
    ("b1", DType::Bool),
    ("u1", DType::U8),
    ("u2", DType::U16),
    ("u4", DType::U32),
    ("u8", DType::U64),
    ("i1", DType::I8),
    ("i2", DType::I16),
    ("i4", DType::I32),
    ("i8", DType::I64),
    ("f2", DType::F16),
    ("f4", DType::F32),
    ("f8", DType::F64),
    ("c8", DType::C64),
    ("c16", DType::C128),
];

/// What a header says.
#[derive(Debug, PartialEq)]
struct Header {
    dtype: DType,
    big_endian: bool,
    fortran: bool,
    sizes: Vec<usize>,
}

fn broken(what: &str) -> Failure {
    Failure(format!("no .npy file: {what}"))
}

/// The array of a `.npy` file.
pub fn read(bytes: &[u8]) -> Done<Tensor> {
    let (header, elements) = split(bytes)?;
    let header = parse(header)?;
    let count = rushlight::tensor::layout::checked_numel(&header.sizes)?;
    let length = count.checked_mul(header.dtype.size());
    let elements = length
        .and_then(|length| elements.get(..length))
        .ok_or_else(|| broken("it ends before its last element"))?;
    let mut elements = elements.to_vec();
    if header.big_endian {
        let parts = if header.dtype.is_complex() { 2 } else { 1 };
        for number in elements.chunks_exact_mut(header.dtype.size() / parts) {
            number.reverse();
        }
    }
    let storage = Storage::copy_of(&elements);
    let mut sizes = header.sizes;
    if !header.fortran {
        return Ok(Tensor::view_of(
            &storage,
            header.dtype,
            Layout::contiguous(&sizes),
        )?);
    }
    sizes.reverse();
    let turned = Tensor::view_of(&storage, header.dtype, Layout::contiguous(&sizes))?;
    let order: Vec<i64> = (0..sizes.len() as i64).rev().collect();
    Ok(turned.permute(&order)?)
}

/// The header's text and what follows it.
fn split(bytes: &[u8]) -> Done<(&str, &[u8])> {
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| broken("it does not begin with its magic number"))?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        _ => return Err(broken("its version is unknown")),
    };
    let header = rest.get(..length).and_then(|h| std::str::from_utf8(h).ok());
    let header = header.ok_or_else(|| broken("its header is cut off"))?;
    Ok((header, &rest[length..]))
}

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}`.
fn parse(text: &str) -> Done<Header> {
    let unclear = || broken(&format!("its header says `{}`", text.trim()));
    let (expr, problems) = parse_expression(&Source::new("header", text.trim()));
    let (ExprKind::Dict(items), true) = (&expr.kind, problems.is_empty()) else {
        return Err(unclear());
    };
    let (mut descr, mut fortran, mut sizes) = (None, None, None);
    for item in items {
        let key = item.key.as_ref().and_then(literal);
        let key = key.ok_or_else(unclear)?;
        let value = match (&item.value.kind, literal(&item.value)) {
            (ExprKind::List(_), _) => {
                return Err(Failure("arrays of records are not supported".into()));
            }
            (_, value) => value.ok_or_else(unclear)?,
        };
        match key.as_str()? {
            "descr" => descr = Some(value.as_str()?.to_string()),
            "fortran_order" => match value {
                Value::Bool(value) => fortran = Some(value),
                _ => return Err(unclear()),
            },
            "shape" => sizes = Some(value.list_items()?),
            _ => return Err(unclear()),
        }
    }
    let (Some(descr), Some(fortran), Some(sizes)) = (descr, fortran, sizes) else {
        return Err(unclear());
    };
    let code = descr.trim_start_matches(['<', '>', '|', '=']);
    let known = CODES.iter().find(|(known, _)| *known == code);
    let Some((_, dtype)) = known else {
        return Err(Failure(format!("arrays of type {descr} are not supported")));
    };
    let sizes = sizes
        .iter()
        .map(|size| usize::try_from(size.as_int().ok()?).ok())
        .collect::<Option<Vec<_>>>()
        .ok_or_else(unclear)?;
    Ok(Header {
        dtype: *dtype,
        big_endian: descr.starts_with('>'),
        fortran,
        sizes,
    })
}

/// A tensor as a `.npy` file. `bfloat16`, which numpy does not have, becomes `float32`.
pub fn write(tensor: &Tensor) -> Done<Vec<u8>> {
    let dtype = match tensor.dtype() {
        DType::BF16 => DType::F32,
        other => other,
    };
    let Some((code, _)) = CODES.iter().find(|(_, known)| *known == dtype) else {
        return Err(Failure(format!(
            "tensors of {} cannot be written as .npy",
            tensor.dtype()
        )));
    };
    let order = if dtype.size() == 1 { '|' } else { '<' };
    let sizes: Vec<String> = tensor.sizes().iter().map(usize::to_string).collect();
    let comma = if sizes.len() == 1 { "," } else { "" };
    let mut header = format!(
        "{{'descr': '{order}{code}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        sizes.join(", ")
    );
    let before = MAGIC.len() + 4;
    let end = (before + header.len() + 1).next_multiple_of(ALIGNMENT);
    header.extend(std::iter::repeat_n(' ', end - before - header.len() - 1));
    header.push('\n');
    let mut out = MAGIC.to_vec();
    out.extend([1, 0]);
    let length = u16::try_from(header.len()).map_err(|_| broken("its shape is too long"))?;
    out.extend(length.to_le_bytes());
    out.extend(header.as_bytes());
    elements(tensor, dtype, &mut out);
    Ok(out)
}

/// Appends the elements in row-major order, lowest bytes first.
fn elements(tensor: &Tensor, dtype: DType, out: &mut Vec<u8>) {
    macro_rules! emit {
        ($($dtype:ident $t:ty, $v:ident => $bytes:expr;)*) => {
            match dtype {
                $(DType::$dtype => {
                    for $v in tensor.to_vec::<$t>() {
                        out.extend($bytes);
                    }
                })*
                _ => unreachable!("the table of codes has this dtype"),
            }
        };
    }
    emit! {
        Bool Bool8, v => [u8::from(v.get())];
        U8 u8, v => [v];
        I8 i8, v => v.to_le_bytes();
        U16 u16, v => v.to_le_bytes();
        U32 u32, v => v.to_le_bytes();
        U64 u64, v => v.to_le_bytes();
        I16 i16, v => v.to_le_bytes();
        I32 i32, v => v.to_le_bytes();
        I64 i64, v => v.to_le_bytes();
        F16 f16, v => v.to_le_bytes();
        F32 f32, v => v.to_le_bytes();
        F64 f64, v => v.to_le_bytes();
        C64 Complex32, v => [v.re.to_le_bytes(), v.im.to_le_bytes()].concat();
        C128 Complex64, v => [v.re.to_le_bytes(), v.im.to_le_bytes()].concat();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let sizes: [&[usize]; 4] = [&[], &[3], &[2, 3], &[0, 4]];
        for (code, dtype) in CODES {
            for sizes in sizes {
                let count = sizes.iter().product::<usize>();
                let values = (0..count).map(|i| i as f64 - 1.0).collect();
                let tensor = Tensor::from_vec(values, sizes).unwrap().to_dtype(*dtype);
                let bytes = write(&tensor).unwrap();
                let (header, elements) = split(&bytes).unwrap();
                assert_eq!((bytes.len() - elements.len()) % ALIGNMENT, 0, "{header}");
                let again = read(&bytes).unwrap();
                assert_eq!((again.dtype(), again.sizes()), (*dtype, sizes), "{code}");
                assert_eq!(
                    again.to_vec::<Complex64>(),
                    tensor.to_vec::<Complex64>(),
                    "{code}"
                );
            }
        }
    }

    /// A file with this header.
    fn file(header: &str, elements: &[u8]) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend([2, 0]);
        out.extend((header.len() as u32).to_le_bytes());
        out.extend(header.as_bytes());
        out.extend(elements);
        out
    }

    #[test]
    fn other_orders_of_bytes_and_dimensions_are_read() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2)}";
        let tensor = read(&file(header, &[0, 1, 0, 2, 0, 3, 0, 4])).unwrap();
        assert_eq!(tensor.to_vec::<i64>(), [1, 3, 2, 4]);
        let header = "{'descr': '>c8', 'fortran_order': False, 'shape': ()}";
        let bytes = [1.5f32.to_be_bytes(), (-2f32).to_be_bytes()].concat();
        let tensor = read(&file(header, &bytes)).unwrap();
        assert_eq!(tensor.to_vec::<Complex64>(), [Complex64::new(1.5, -2.0)]);
    }

    #[test]
    fn what_is_no_array_is_refused() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}";
        let whole = file(header, &[0; 16]);
        assert!(read(&whole).is_ok());
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
        for header in [
            "",
            "{}",
            "[1, 2]",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1 << 62, 4)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (4,)}",
            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}",
            "{'descr': '<U4', 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<f4', 'shape': (4,)}",
        ] {
            assert!(read(&file(header, &[0; 16])).is_err(), "{header}");
        }
    }
}
