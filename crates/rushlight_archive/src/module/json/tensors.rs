//! The tensors of a description. Those that name one record share its memory.

use super::layout::{Model, TensorEntry};
use crate::zip::Archive;
use rushlight_tensor::{DType, Layout, Quantizer, Storage, Tensor};
use std::collections::HashMap;
use std::sync::Arc;

/// (the schema's name, its number, ours).
const DTYPES: &[(&str, &str, DType)] = &[
    ("FLOAT", "1", DType::F32),
    ("INT32", "2", DType::I32),
    ("BYTE", "3", DType::U8),
    ("BOOL", "5", DType::Bool),
    ("UINT8", "6", DType::U8),
    ("INT8", "7", DType::I8),
    ("INT16", "9", DType::I16),
    ("INT64", "10", DType::I64),
    ("FLOAT16", "12", DType::F16),
    ("DOUBLE", "13", DType::F64),
];

/// Makes all tensors, in order.
pub(super) fn read_all(model: &Model, archive: &Archive) -> Result<Vec<Tensor>, String> {
    let mut storages = HashMap::new();
    model
        .tensors
        .iter()
        .map(|entry| tensor(entry, archive, &mut storages))
        .collect()
}

fn tensor<'m>(
    entry: &'m TensorEntry,
    archive: &Archive,
    storages: &mut HashMap<&'m str, Storage>,
) -> Result<Tensor, String> {
    let dtype = DTYPES
        .iter()
        .find(|row| row.0 == entry.dtype || row.1 == entry.dtype)
        .map(|row| row.2)
        .ok_or_else(|| format!("tensors of {} are not supported", entry.dtype))?;
    if entry.sizes.len() != entry.strides.len() {
        return Err("a tensor with more sizes than strides, or fewer".into());
    }
    let storage = match storages.get(entry.record.as_str()) {
        Some(known) => known.clone(),
        None => {
            let record = archive
                .read_data(&entry.record)
                .map_err(|e| e.to_string())?;
            let storage = record.storage();
            storages.insert(&entry.record, storage.clone());
            storage
        }
    };
    let told = |e: rushlight_tensor::Fault| e.message().to_string();
    rushlight_tensor::layout::checked_numel(&entry.sizes).map_err(told)?;
    let layout = Layout::strided(&entry.sizes, &entry.strides, entry.offset);
    let tensor = Tensor::view_of(&storage, dtype, layout).map_err(told)?;
    let tensor = match entry.quantized {
        None => tensor,
        Some((scale, zero_point)) => tensor
            .as_quantized(&Arc::new(Quantizer::Tensor { scale, zero_point }))
            .ok_or_else(|| format!("a quantized tensor of {dtype}"))?,
    };
    if entry.requires_grad {
        tensor.set_requires_grad(true);
    }
    Ok(tensor)
}
