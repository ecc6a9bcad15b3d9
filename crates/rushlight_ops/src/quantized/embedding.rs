//! Tables of embeddings with packed rows: a scale and a zero point for each row.

use super::apply;
use super::packed::{class, malformed, prepared};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Fault, Quantizer, Result, Tensor};
use rushlight_types::{Context, Object, Quantized, Value, native, op, operators};
use std::sync::Arc;

operators! {
    /// Packing and looking up.
    pub static ROWS = [
        op!("quantized::embedding_bag_prepack(Tensor weight) -> __torch__.torch.classes.quantized.EmbeddingPackedParamsBase W_prepack", pack).quantized(Quantized::Native),
        op!("quantized::embedding_bag_unpack(__torch__.torch.classes.quantized.EmbeddingPackedParamsBase W_prepack) -> Tensor W_origin", unpack),
        op!("quantized::embedding_byte(__torch__.torch.classes.quantized.EmbeddingPackedParamsBase weight, Tensor indices, bool pruned_weights=False) -> Tensor", embedding),
        op!("quantized::embedding_bag_byte(__torch__.torch.classes.quantized.EmbeddingPackedParamsBase weight, Tensor indices, Tensor? offsets=None, bool scale_grad_by_freq=False, int mode=0, bool pruned_weights=False, Tensor? per_sample_weights=None, Tensor? compressed_indices_mapping=None, bool include_last_offset=False) -> Tensor", embedding_bag),
    ];
}

/// Bits of one element of the tables that are packed here.
const BITS: i64 = 8;

fn pack(weight: &Tensor) -> Result<Arc<Object>> {
    let per_row = matches!(
        weight.quantizer().map(|quantizer| &**quantizer),
        Some(Quantizer::Channel { axis: 0, .. })
    );
    if !per_row || weight.rank() != 2 {
        return Err(Fault::runtime(
            "Expect embedding_bag weights to be quantized using kPerChannelAffineFloatQParams",
        ));
    }
    let state = Value::tuple(vec![
        Value::Int(1),
        Value::TensorList(vec![weight.clone()].into()),
        Value::FloatList(Vec::new().into()),
        Value::IntList(vec![BITS].into()),
    ]);
    Ok(native::object(class("EmbeddingPackedParamsBase")?, state))
}

/// The table as it was packed.
fn table(state: &Value) -> Result<Tensor> {
    let Value::Tuple(parts) = state else {
        return Err(malformed());
    };
    let [_, tensors, ..] = &*parts.items else {
        return Err(malformed());
    };
    match tensors.list_items()?.as_slice() {
        [Value::Tensor(weight), ..] if weight.rank() == 2 => Ok(weight.clone()),
        _ => Err(malformed()),
    }
}

fn unpack(object: &Arc<Object>) -> Result<Tensor> {
    table(&native::state(object).ok_or_else(malformed)?)
}

/// The numbers that the table stands for.
fn numbers(object: &Object) -> Result<Tensor> {
    let ready = prepared(object, |state| Ok(table(&state)?.dequantized()))?;
    Ok((*ready).clone())
}

fn embedding(
    cx: &Context,
    object: &Arc<Object>,
    indices: &Tensor,
    _pruned: bool,
) -> Result<Tensor> {
    let arguments = vec![
        Value::Tensor(numbers(object)?),
        Value::Tensor(indices.clone()),
        Value::Int(-1),
        Value::Bool(false),
        Value::Bool(false),
    ];
    apply(cx, "aten::embedding", arguments)
}

#[expect(clippy::too_many_arguments, reason = "the schema's")]
fn embedding_bag(
    cx: &Context,
    object: &Arc<Object>,
    indices: &Tensor,
    offsets: Option<&Tensor>,
    _scale_grad_by_freq: bool,
    _mode: i64,
    pruned: bool,
    weights: Option<&Tensor>,
    mapping: Option<&Tensor>,
    include_last_offset: bool,
) -> Result<Tensor> {
    if pruned && mapping.is_some() {
        return Err(Fault::not_implemented(
            "tables of embeddings whose rows have been pruned are not supported",
        ));
    }
    let (indices, offsets) = match (indices.rank(), offsets) {
        (1, Some(offsets)) => (indices.clone(), offsets.clone()),
        (2, None) => {
            let width = indices.size(1);
            let starts: Vec<i64> = (0..indices.size(0))
                .map(|row| (row * width) as i64)
                .collected();
            let offsets = Tensor::from_slice(&starts, &[starts.len()])?;
            (
                indices.contiguous().reshape_to(&[indices.numel()])?,
                offsets,
            )
        }
        _ => {
            return Err(Fault::runtime(
                "embedding_bag expects offsets where the indices have one dimension, and none where they have two",
            ));
        }
    };
    let weights = weights.map(|weights| weights.reshape_to(&[weights.numel()]));
    let arguments = vec![
        Value::Tensor(numbers(object)?),
        Value::Tensor(indices),
        Value::Tensor(offsets),
        Value::Bool(false),
        // Packed rows are always added up.
        Value::Int(0),
        Value::Bool(false),
        weights.transpose()?.map_or(Value::None, Value::Tensor),
        Value::Bool(include_last_offset),
    ];
    apply(cx, "aten::embedding_bag", arguments)
}
