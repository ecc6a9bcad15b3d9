//! numpy's `.npy` and `.npz` files.

use crate::{Done, Failure};
use npyz::{DType as NpyType, NpyFile, Order, TypeStr, WriterBuilder};
use rushlight::archive::bytes::Bytes;
use rushlight::archive::zip::{Archive, Compression, Limits, Writer};
use rushlight::tensor::{Bool8, DType};
use rushlight::{Tensor, Value};

/// The dtype of numpy's type codes.
const CODES: &[(&str, DType)] = &[
    ("b1", DType::Bool),
    ("u1", DType::U8),
    ("i1", DType::I8),
    ("i2", DType::I16),
    ("i4", DType::I32),
    ("i8", DType::I64),
    ("f4", DType::F32),
    ("f8", DType::F64),
];

/// The array of a `.npy` file.
pub fn read(bytes: &[u8]) -> Done<Tensor> {
    let file = NpyFile::new(bytes)?;
    let NpyType::Plain(kind) = file.dtype() else {
        return Err(Failure("arrays of records are not supported".into()));
    };
    let text = kind.to_string();
    let code = text.trim_start_matches(['<', '>', '|', '=']).to_string();
    let dtype = CODES.iter().find(|(c, _)| *c == code).map(|(_, d)| *d);
    let sizes: Vec<usize> = file.shape().iter().map(|&n| n as usize).collect();
    rushlight::tensor::layout::checked_numel(&sizes)?;
    let fortran = file.order() == Order::Fortran;

    match dtype {
        Some(DType::Bool) => {
            let values: Vec<bool> = file.into_vec()?;
            fill(
                values.into_iter().map(Bool8::from).collect(),
                &sizes,
                fortran,
            )
        }
        Some(DType::U8) => fill(file.into_vec::<u8>()?, &sizes, fortran),
        Some(DType::I8) => fill(file.into_vec::<i8>()?, &sizes, fortran),
        Some(DType::I16) => fill(file.into_vec::<i16>()?, &sizes, fortran),
        Some(DType::I32) => fill(file.into_vec::<i32>()?, &sizes, fortran),
        Some(DType::I64) => fill(file.into_vec::<i64>()?, &sizes, fortran),
        Some(DType::F32) => fill(file.into_vec::<f32>()?, &sizes, fortran),
        Some(DType::F64) => fill(file.into_vec::<f64>()?, &sizes, fortran),
        _ => Err(Failure(format!("arrays of type {text} are not supported"))),
    }
}

fn fill<T: rushlight::tensor::Element>(
    values: Vec<T>,
    sizes: &[usize],
    fortran: bool,
) -> Done<Tensor> {
    if !fortran {
        return Ok(Tensor::from_vec(values, sizes)?);
    }
    let reversed: Vec<usize> = sizes.iter().rev().copied().collect();
    let order: Vec<i64> = (0..sizes.len() as i64).rev().collect();
    Ok(Tensor::from_vec(values, &reversed)?.permute(&order)?)
}

/// An array of a `.npz` file; the only one where no name is given.
pub fn read_entry(bytes: Vec<u8>, entry: Option<&str>) -> Done<Tensor> {
    let archive = Archive::open(Bytes::from(bytes), &Limits::default())?;
    let names: Vec<String> = archive.names().map(str::to_string).collect();
    let wanted = match entry {
        Some(name) => names
            .iter()
            .find(|n| *n == name || n.strip_suffix(".npy") == Some(name)),
        None if names.len() == 1 => names.first(),
        None => None,
    };
    let Some(name) = wanted else {
        return Err(Failure(format!(
            "say which array to take, as FILE.npz:NAME; the file has: {}",
            names.join(", ")
        )));
    };
    let record = archive.read(name)?;
    read(record.as_slice())
}

/// A tensor as a `.npy` file.
pub fn write(tensor: &Tensor) -> Done<Vec<u8>> {
    let shape: Vec<u64> = tensor.sizes().iter().map(|&n| n as u64).collect();
    let mut out = Vec::new();
    macro_rules! emit {
        ($t:ty, $code:literal) => {{
            let kind: TypeStr = $code.parse()?;
            let mut writer = npyz::WriteOptions::new()
                .dtype(NpyType::Plain(kind))
                .shape(&shape)
                .writer(&mut out)
                .begin_nd()?;
            writer.extend(tensor.to_vec::<$t>())?;
            writer.finish()?;
        }};
    }
    match tensor.dtype() {
        DType::Bool => {
            let kind: TypeStr = "|b1".parse()?;
            let mut writer = npyz::WriteOptions::new()
                .dtype(NpyType::Plain(kind))
                .shape(&shape)
                .writer(&mut out)
                .begin_nd()?;
            writer.extend(tensor.to_vec::<Bool8>().into_iter().map(Bool8::get))?;
            writer.finish()?;
        }
        DType::U8 => emit!(u8, "|u1"),
        DType::I8 => emit!(i8, "|i1"),
        DType::I16 => emit!(i16, "<i2"),
        DType::I32 => emit!(i32, "<i4"),
        DType::I64 => emit!(i64, "<i8"),
        DType::F64 => emit!(f64, "<f8"),
        DType::F32 | DType::F16 | DType::BF16 => emit!(f32, "<f4"),
        other => {
            return Err(Failure(format!(
                "tensors of {other} cannot be written as .npy"
            )));
        }
    }
    Ok(out)
}

/// The tensors of a result as a `.npz` file: `result`, or one entry per item or key.
pub fn write_all(value: &Value) -> Done<Vec<u8>> {
    let named: Vec<(String, Value)> = match value {
        Value::Tensor(_) => vec![("result".into(), value.clone())],
        Value::Dict(d) => d
            .entries()
            .iter()
            .map(|(k, v)| (crate::show::value(k), v.clone()))
            .collect(),
        other => other
            .list_items()?
            .into_iter()
            .enumerate()
            .map(|(i, v)| (format!("result_{i}"), v))
            .collect(),
    };
    let mut writer = Writer::new("");
    for (name, item) in named {
        let Value::Tensor(t) = &item else {
            return Err(Failure(format!(
                "'{name}' of the result is no tensor; use .json"
            )));
        };
        writer.add(&format!("{name}.npy"), &write(t)?, Compression::Stored, 1)?;
    }
    Ok(writer.finish())
}
