//! Pieces of fused attention: softmax with a mask, projections taken apart, and rows of different lengths.

use super::softmax::softmax;
use rushlight_ops::Steps;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor, watch};
use rushlight_types::{Context, op, operators};
use smallvec::SmallVec;

operators! {
    /// Pieces of attention.
    pub static ROWS = [
        op!("aten::_masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor", masked_softmax).out("out", rushlight_ops::out::cast),
        op!("aten::_transform_bias_rescale_qkv(Tensor qkv, Tensor qkv_bias, int num_heads) -> (Tensor, Tensor, Tensor)", projections).out("out", rushlight_ops::out::cast),
        op!("aten::_jagged_to_padded_dense_forward(Tensor values, Tensor[] offsets, SymInt[] max_lengths, float padding_value=0.) -> Tensor", padded),
        op!("aten::_padded_dense_to_jagged_forward(Tensor dense, Tensor[] offsets, SymInt? total_L=None) -> Tensor", jagged),
    ];
}

/// Softmax in which masked elements have no part. The kind of the mask says how it
/// spreads over batches and heads: 0 over both, 1 over heads and rows, 2 not at all.
fn masked_softmax(
    cx: &Context,
    t: &Tensor,
    mask: &Tensor,
    dim: Option<i64>,
    kind: Option<i64>,
) -> Result<Tensor> {
    let fail = |message: &str| Err(Fault::runtime(message));
    if mask.dtype() != DType::Bool {
        return fail("Mask should be a boolean tensor");
    }
    let mask = match kind {
        Some(0 | 1) if t.rank() == 4 && mask.rank() == 2 => {
            let sizes = match kind {
                Some(0) => [1, 1, mask.size(0), mask.size(1)],
                _ => [mask.size(0), 1, 1, mask.size(1)],
            };
            mask.reshape_to(&sizes)?.expand_to(t.sizes())?
        }
        Some(0..=2) | None if mask.sizes() == t.sizes() => mask.clone(),
        Some(0..=2) | None => return fail("Mask shape should match input. mask: "),
        Some(_) => {
            return fail(
                "Mask Type should be 0 (src_mask), 1 (src_key_padding_mask), or 2 (default_mask)",
            );
        }
    };
    let hidden = Tensor::scalar(Scalar::Float(f64::NEG_INFINITY), t.dtype());
    let shown = Steps(cx).choose(&mask, &hidden, t)?;
    softmax(&shown, dim.unwrap_or(-1), None)
}

/// Queries, keys and values by head, with their bias; queries are scaled for attention.
fn projections(
    cx: &Context,
    qkv: &Tensor,
    bias: &Tensor,
    heads: i64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let wrong = || {
        Fault::runtime(format!(
            "_transform_bias_rescale_qkv: {} is not batches of rows of three parts of {heads} heads",
            list(qkv.sizes())
        ))
    };
    let heads = usize::try_from(heads).ok().filter(|h| *h > 0);
    let heads = heads.ok_or_else(wrong)?;
    let &[batch, rows, width] = qkv.sizes() else {
        return Err(wrong());
    };
    let parts = heads.checked_mul(3).ok_or_else(wrong)?;
    if !width.is_multiple_of(parts) || bias.sizes() != [width] {
        return Err(wrong());
    }
    let part = width / 3 / heads;
    let s = Steps(cx);
    let all = s
        .add(qkv, bias)?
        .reshape_to(&[batch, rows, 3, heads, part])?
        .permute(&[2, 0, 3, 1, 4])?
        .contiguous();
    let scale = Scalar::Float(1.0 / (part as f64).sqrt());
    Ok((
        s.mul(&all.select(0, 0)?, scale)?,
        all.select(0, 1)?.contiguous_copy(),
        all.select(0, 2)?.contiguous_copy(),
    ))
}

/// Where the rows of one level of lists begin, and where the last ends.
fn ends_of(offsets: &[Tensor]) -> Result<Vec<usize>> {
    let [offsets] = offsets else {
        return Err(Fault::not_implemented(
            "only one jagged dimension is supported",
        ));
    };
    let ends = offsets.to_vec::<i64>();
    let rising = ends.windows(2).all(|pair| pair[0] <= pair[1]);
    match ends.first() {
        Some(0) if rising => Ok(ends.iter().map(|end| *end as usize).collected()),
        _ => Err(Fault::runtime("offsets of rows must rise from 0")),
    }
}

/// Rows one after the other as rows of one length, the rest filled.
fn padded(
    values: &Tensor,
    offsets: Vec<Tensor>,
    lengths: SmallVec<[i64; 6]>,
    padding: f64,
) -> Result<Tensor> {
    let ends = ends_of(&offsets)?;
    let [length] = lengths[..] else {
        return Err(Fault::runtime(
            "one length is needed for each jagged dimension",
        ));
    };
    let length =
        usize::try_from(length).map_err(|_| Fault::runtime("a row has no negative length"))?;
    let mut sizes = rushlight_tensor::Dims::from_slice(&[ends.len() - 1, length]);
    sizes.extend_from_slice(values.sizes().get(1..).unwrap_or_default());
    let out = Tensor::full(&sizes, Scalar::Float(padding), values.dtype())?;
    for (row, pair) in ends.windows(2).enumerate() {
        watch::poll();
        let count = (pair[1] - pair[0]).min(length);
        let from = values.narrow(0, pair[0], count)?;
        out.select(0, row as i64)?
            .narrow(0, 0, count)?
            .copy_from(&from)?;
    }
    Ok(out)
}

/// The other way round: the first elements of rows, one after the other.
fn jagged(dense: &Tensor, offsets: Vec<Tensor>, total: Option<i64>) -> Result<Tensor> {
    let ends = ends_of(&offsets)?;
    if dense.rank() < 2 || dense.size(0) + 1 != ends.len() {
        return Err(Fault::runtime("as many rows are needed as offsets say"));
    }
    let last = ends.last().copied().unwrap_or(0);
    let total = total.map_or(last, |t| usize::try_from(t).unwrap_or(last));
    let mut sizes = rushlight_tensor::Dims::from_slice(&[total]);
    sizes.extend_from_slice(&dense.sizes()[2..]);
    let out = Tensor::zeros(&sizes, dense.dtype())?;
    for (row, pair) in ends.windows(2).enumerate() {
        watch::poll();
        let count = (pair[1] - pair[0]).min(dense.size(1));
        let from = dense.select(0, row as i64)?.narrow(0, 0, count)?;
        out.narrow(0, pair[0], count)?.copy_from(&from)?;
    }
    Ok(out)
}
