//! Tables of embeddings with packed rows: a scale and a zero point for each row.

use super::packed::{class, malformed, prepared};
use super::{apply, quantizer};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Fault, Quantizer, Result, Tensor, watch};
use rushlight_types::{Context, Object, Quantized, Value, arguments, native, op, operators};
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

/// A table, ready to be read.
struct Ready {
    integers: Vec<u8>,
    width: usize,
    /// Of each row: the scale, and what zero stands for.
    scales: Vec<f32>,
    offsets: Vec<f32>,
    /// The numbers that the integers stand for, each by one multiply-add.
    numbers: Tensor,
}

impl Ready {
    fn new(weight: &Tensor) -> Result<Ready> {
        let quantizer = quantizer("quantized::embedding", weight)?;
        let (rows, width) = (weight.size(0), weight.size(1));
        let integers: Vec<u8> = weight.stored().to_vec();
        let rows = (0..rows).map(|row| quantizer.channel(row));
        let (mut scales, mut offsets) = (Vec::new(), Vec::new());
        for (scale, zero_point) in rows {
            memory::push(&mut scales, scale as f32);
            memory::push(&mut offsets, -(zero_point as f32) * scale as f32);
        }
        let numbers = integers.iter().enumerate().map(|(i, q)| {
            let row = i / width.max(1);
            scales[row].mul_add(f32::from(*q), offsets[row])
        });
        let numbers = Tensor::from_vec(memory::collect(numbers), weight.sizes())?;
        Ok(Ready {
            integers,
            width,
            scales,
            offsets,
            numbers,
        })
    }

    /// Adds a row to a sum: first what zero stands for, then the rest by one multiply-add for each number.
    fn add(&self, row: usize, weight: f32, sum: &mut [f32]) {
        let (scale, offset) = (self.scales[row] * weight, self.offsets[row] * weight);
        let integers = &self.integers[row * self.width..(row + 1) * self.width];
        for (sum, q) in sum.iter_mut().zip(integers) {
            *sum = scale.mul_add(f32::from(*q), *sum + offset);
        }
    }
}

/// The table of an object.
fn ready(object: &Object) -> Result<Arc<Ready>> {
    prepared(object, |state| Ready::new(&table(&state)?))
}

fn embedding(
    cx: &Context,
    object: &Arc<Object>,
    indices: &Tensor,
    _pruned: bool,
) -> Result<Tensor> {
    let arguments = vec![
        Value::Tensor(ready(object)?.numbers.clone()),
        Value::Tensor(indices.clone()),
        Value::Int(-1),
        Value::Bool(false),
        Value::Bool(false),
    ];
    apply(cx, "aten::embedding", arguments)
}

arguments! {
    /// Where bags begin and how the rows of each become one.
    struct Bags<'a> {
        offsets: Option<&'a Tensor>,
        _scale_grad_by_freq: bool,
        _mode: i64,
        pruned: bool,
        /// What each row is multiplied by.
        weights: Option<&'a Tensor>,
        /// Where the rows of a pruned table are.
        mapping: Option<&'a Tensor>,
        /// Whether the last offset is where the last bag ends.
        include_last_offset: bool,
    }
}

fn embedding_bag(
    cx: &Context,
    object: &Arc<Object>,
    indices: &Tensor,
    given: Bags<'_>,
) -> Result<Tensor> {
    if given.pruned && given.mapping.is_some() {
        return Err(Fault::not_implemented(
            "tables of embeddings whose rows have been pruned are not supported",
        ));
    }
    let (indices, offsets) = match (indices.rank(), given.offsets) {
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
    let weights = given
        .weights
        .map(|weights| weights.reshape_to(&[weights.numel()]));
    let weights = weights.transpose()?;
    let table = ready(object)?;
    if let Some(out) = bags(
        &table,
        &indices,
        &offsets,
        weights.as_ref(),
        given.include_last_offset,
    )? {
        return Ok(out);
    }
    // The plain operator knows what to say.
    let arguments = vec![
        Value::Tensor(table.numbers.clone()),
        Value::Tensor(indices),
        Value::Tensor(offsets),
        Value::Bool(false),
        // Packed rows are always added up.
        Value::Int(0),
        Value::Bool(false),
        weights.map_or(Value::None, Value::Tensor),
        Value::Bool(given.include_last_offset),
    ];
    apply(cx, "aten::embedding_bag", arguments)
}

/// The sums of bags; `None` where indices or offsets are not what they should be.
fn bags(
    table: &Ready,
    indices: &Tensor,
    offsets: &Tensor,
    weights: Option<&Tensor>,
    last: bool,
) -> Result<Option<Tensor>> {
    let is_index = |t: &Tensor| matches!(t.dtype(), DType::I32 | DType::I64);
    let fits = weights.is_none_or(|w| w.dtype() == DType::F32 && w.numel() == indices.numel());
    if !is_index(indices) || !is_index(offsets) || !fits {
        return Ok(None);
    }
    let rows = indices.to_vec::<i64>().into_iter();
    let rows: Option<Vec<usize>> = rows
        .map(|row| {
            usize::try_from(row)
                .ok()
                .filter(|row| *row < table.scales.len())
        })
        .collect();
    let starts = offsets.to_vec::<i64>().into_iter();
    let starts: Option<Vec<usize>> = starts.map(|start| usize::try_from(start).ok()).collect();
    let (Some(rows), Some(mut starts)) = (rows, starts) else {
        return Ok(None);
    };
    if !last {
        memory::push(&mut starts, rows.len());
    }
    let ordered = starts.is_sorted() && starts.first() == Some(&0);
    if !ordered || starts.last().is_none_or(|last| *last > rows.len()) {
        return Ok(None);
    }
    let weights: Option<Vec<f32>> = weights.map(Tensor::to_vec);
    let bags = starts.len() - 1;
    let mut out = memory::filled(memory::times([bags, table.width]), 0f32);
    for (bag, sum) in starts.windows(2).zip(out.chunks_mut(table.width.max(1))) {
        watch::poll();
        for i in bag[0]..bag[1] {
            let weight = weights.as_ref().map_or(1.0, |weights| weights[i]);
            table.add(rows[i], weight, sum);
        }
    }
    Tensor::from_vec(out, &[bags, table.width]).map(Some)
}
