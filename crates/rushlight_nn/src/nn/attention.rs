//! Attention: scaled dot products of queries with keys, their softmax, and the mean of the values that it weighs.

use super::softmax::{SoftmaxKind, rows_in_place};
use rushlight_kernels::compute::{compute, finish};
use rushlight_kernels::linalg::gemm::{Matrix, product};
use rushlight_kernels::reduce::sum::sum_scaled;
use rushlight_ops::dropout;
use rushlight_ops::{linear, matmul};
use rushlight_tensor::iter::result_layout;
use rushlight_tensor::layout::{broadcast, list};
use rushlight_tensor::memory;
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::{Bool8, Buffer, DType, Dims, Fault, Layout, Result, Tensor, watch};
use rushlight_types::{Context, Effect, arguments, op, operators};

operators! {
    /// Attention.
    pub static ROWS = [
        op!("aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor", scaled_dot_product_attention).effect(Effect::Random),
        op!("aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)", flash_attention),
        op!("aten::_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)", attention_math).effect(Effect::Random),
        op!("aten::_native_multi_head_attention(Tensor query, Tensor key, Tensor value, int embed_dim, int num_head, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, Tensor? mask=None, bool need_weights=True, bool average_attn_weights=True, int? mask_type=None) -> (Tensor, Tensor)", native_multi_head_attention).out("out", rushlight_ops::out::cast),
    ];
}

arguments! {
    /// Queries, keys and values.
    #[derive(Clone, Copy)]
    pub(super) struct Parts<'a> {
        pub(super) q: &'a Tensor,
        pub(super) k: &'a Tensor,
        pub(super) v: &'a Tensor,
    }
}

arguments! {
    /// What is left out of the weights of values.
    struct Weighing<'a> {
        mask: Option<&'a Tensor>,
        /// Probability of setting a weight to zero.
        dropout: f64,
        causal: bool,
    }
}

impl<'a> Weighing<'a> {
    fn scores(&self, scale: Option<f64>) -> Scores<'a> {
        Scores {
            mask: self.mask,
            causal: self.causal,
            scale,
            kind: SoftmaxKind::Safe,
        }
    }
}

arguments! {
    /// The sizes of multi-head attention, and the weights that its inputs and its output go through.
    #[derive(Clone, Copy)]
    pub(super) struct Projections<'a> {
        /// Features of an input.
        pub(super) embed: i64,
        pub(super) heads: i64,
        /// Those of queries, keys and values, one after the other.
        pub(super) qkv_weight: &'a Tensor,
        pub(super) qkv_bias: &'a Tensor,
        pub(super) out_weight: &'a Tensor,
        pub(super) out_bias: &'a Tensor,
    }
}

/// What is to be computed besides the output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extra {
    Nothing,
    Weights,
    LogSumExp,
}

/// How scores become weights.
struct Scores<'a> {
    mask: Option<&'a Tensor>,
    causal: bool,
    scale: Option<f64>,
    kind: SoftmaxKind,
}

/// The output, and what [`Extra`] asked for.
struct Attended {
    output: Tensor,
    extra: Option<Tensor>,
}

fn refuse_dropout(p: f64) -> Result<()> {
    if p != 0.0 {
        return Err(Fault::not_implemented(
            "attention with dropout is not supported",
        ));
    }
    Ok(())
}

fn scaled_dot_product_attention(
    cx: &Context,
    parts: Parts<'_>,
    weighing: Weighing<'_>,
    scale: Option<f64>,
    grouped: bool,
) -> Result<Tensor> {
    let scores = weighing.scores(scale);
    if weighing.dropout != 0.0 {
        return Ok(attend_with_dropout(cx, parts, &scores, grouped, weighing.dropout)?.output);
    }
    let output = attend(parts, &scores, grouped, Extra::Nothing)?.output;
    let Parts { q, k, v } = parts;
    let is_close = |t: &Tensor| t.layout().strides().last() == Some(&1);
    let is_fused = !grouped && (3..=4).contains(&q.rank()) && [q, k, v].into_iter().all(is_close);
    match is_fused {
        true => laid_out_like(output, q),
        false => Ok(output),
    }
}

/// What the fused form of attention gives: its result has the order of dimensions of the queries in memory.
fn laid_out_like(output: Tensor, q: &Tensor) -> Result<Tensor> {
    let layout = result_layout(q.sizes(), &[q.into()]);
    if layout.is_contiguous() || output.sizes() != q.sizes() {
        return Ok(output);
    }
    let turned = Tensor::empty_with(&layout, output.dtype())?;
    turned.copy_from(&output)?;
    Ok(turned)
}

fn flash_attention(
    parts: Parts<'_>,
    dropout: f64,
    causal: bool,
    mask: Option<&Tensor>,
    scale: Option<f64>,
) -> Result<(Tensor, Tensor)> {
    refuse_dropout(dropout)?;
    if !parts.q.dtype().is_float() {
        return Err(Fault::runtime(format!(
            "scaled_dot_product_attention_flash_attention: Expected data type in FP32, FP64, BF16, FP16, but got {} instead.",
            parts.q.dtype().class_name()
        )));
    }
    if parts.q.rank() != 4 {
        return Err(Fault::runtime(
            "scaled_dot_product_attention_flash_attention: Accept only 4 dims inputs shape of {(B, H, T, K)}",
        ));
    }
    let done = attend(
        parts,
        &Scores {
            mask,
            causal,
            scale,
            kind: SoftmaxKind::Safe,
        },
        false,
        Extra::LogSumExp,
    )?;
    let sums = done
        .extra
        .ok_or_else(|| Fault::internal("sums were asked for"))?;
    // The reference keeps the heads innermost.
    let moved = sums.transpose(1, 2)?.contiguous().transpose(1, 2)?;
    Ok((laid_out_like(done.output, parts.q)?, moved))
}

fn attention_math(
    cx: &Context,
    parts: Parts<'_>,
    weighing: Weighing<'_>,
    dropout_mask: Option<&Tensor>,
    scale: Option<f64>,
    grouped: bool,
) -> Result<(Tensor, Tensor)> {
    if dropout_mask.is_some() {
        return Err(Fault::not_implemented(
            "attention with a dropout mask is not supported",
        ));
    }
    let scores = weighing.scores(scale);
    let done = if weighing.dropout == 0.0 {
        attend(parts, &scores, grouped, Extra::Weights)?
    } else {
        attend_with_dropout(cx, parts, &scores, grouped, weighing.dropout)?
    };
    let weights = done
        .extra
        .ok_or_else(|| Fault::internal("weights were asked for"))?;
    Ok((done.output, weights))
}

/// Attention whose weights are set to zero at random.
fn attend_with_dropout(
    cx: &Context,
    parts: Parts<'_>,
    scores: &Scores<'_>,
    grouped: bool,
    chance: f64,
) -> Result<Attended> {
    let done = attend(parts, scores, grouped, Extra::Weights)?;
    let weights = done
        .extra
        .ok_or_else(|| Fault::internal("weights were asked for"))?;
    let weights = dropout(cx, &weights, chance, true)?;
    let values = if grouped {
        repeat_heads(parts.q, parts.v)?
    } else {
        parts.v.clone()
    };
    Ok(Attended {
        output: matmul(&weights, &values)?,
        extra: Some(weights),
    })
}

fn check(parts: Parts<'_>, scores: &Scores<'_>) -> Result<()> {
    let Parts { q, k, v } = parts;
    if q.dtype() != k.dtype() || q.dtype() != v.dtype() {
        return Err(Fault::runtime(format!(
            "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and value.dtype: {} instead.",
            q.dtype().scalar_name(),
            k.dtype().scalar_name(),
            v.dtype().scalar_name()
        )));
    }
    if q.rank() < 2 || k.rank() < 2 || v.rank() < 2 {
        return Err(Fault::runtime(format!(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} key.dim: {} and value.dim: {} instead.",
            q.rank(),
            k.rank(),
            v.rank()
        )));
    }
    if let Some(mask) = scores.mask {
        if ![DType::Bool, DType::F32, q.dtype()].contains(&mask.dtype()) {
            return Err(Fault::runtime(format!(
                "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and  query.dtype: {} instead.",
                mask.dtype().scalar_name(),
                q.dtype().scalar_name()
            )));
        }
        if scores.causal {
            return Err(Fault::runtime(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
            ));
        }
    }
    let width = |t: &Tensor| t.size(t.rank() - 1);
    let length = |t: &Tensor| t.size(t.rank() - 2);
    // The first of the two products in PyTorch's words.
    if width(q) != width(k) {
        let (rows, depth, own) = (length(q), width(q), width(k));
        return Err(Fault::runtime(match q.rank() {
            2 => format!(
                "mat1 and mat2 shapes cannot be multiplied ({rows}x{depth} and {own}x{})",
                length(k)
            ),
            rank => {
                let batch: usize = q.sizes()[..rank - 2].iter().product();
                format!(
                    "Expected size for first two dimensions of batch2 tensor to be: [{batch}, {depth}] but got: [{batch}, {own}]."
                )
            }
        }));
    }
    if length(k) != length(v) {
        return Err(Fault::runtime(format!(
            "scaled_dot_product_attention: query of sizes {}, key of sizes {} and value of sizes {} do not fit together",
            list(q.sizes()),
            list(k.sizes()),
            list(v.sizes())
        )));
    }
    Ok(())
}

/// Repeats the heads of keys and values so that each group of query heads has its own, without copying more than
/// a view allows.
fn repeat_heads(q: &Tensor, t: &Tensor) -> Result<Tensor> {
    let (r, s) = (q.rank(), t.rank());
    if r < 3 || s < 3 || t.size(s - 3) == q.size(r - 3) {
        return Ok(t.clone());
    }
    let (heads, own) = (q.size(r - 3), t.size(s - 3));
    if own == 0 || !heads.is_multiple_of(own) {
        return Err(Fault::runtime(format!(
            "Number of heads in key and value must divide the number of heads in query, but got {own} and {heads}"
        )));
    }
    let mut wide = Dims::from_slice(t.sizes());
    wide.insert(s - 2, heads / own);
    let mut sizes = Dims::from_slice(t.sizes());
    sizes[s - 3] = heads;
    t.unsqueeze(s as i64 - 2)?
        .expand_to(&wide)?
        .reshape_to(&sizes)
}

/// The error for a mask that does not broadcast to scores of `l` by `s`.
fn mask_refused(mask: &Tensor, l: usize, s: usize) -> Fault {
    let sizes = mask.sizes();
    let wrong = [(s, 1, 3), (l, 2, 2)]
        .into_iter()
        .find(|(size, from_end, _)| {
            let own = sizes.len().checked_sub(*from_end).map_or(1, |d| sizes[d]);
            own != *size && own != 1
        });
    match wrong {
        Some((size, from_end, dim)) => Fault::runtime(format!(
            "The size of tensor a ({size}) must match the size of tensor b ({}) at non-singleton dimension {dim}",
            sizes[sizes.len() - from_end]
        )),
        None => Fault::runtime(format!(
            "The size of the attention mask {} does not fit the scores",
            list(sizes)
        )),
    }
}

fn attend(parts: Parts<'_>, scores: &Scores<'_>, grouped: bool, extra: Extra) -> Result<Attended> {
    check(parts, scores)?;
    let Parts { q, k, v } = parts;
    let (k, v) = if grouped {
        (repeat_heads(q, k)?, repeat_heads(q, v)?)
    } else {
        (k.clone(), v.clone())
    };
    let lead = |t: &Tensor| Dims::from_slice(&t.sizes()[..t.rank() - 2]);
    let batch = broadcast(&lead(q), &lead(&k))
        .and_then(|b| broadcast(&b, &lead(&v)))
        .ok_or_else(|| {
            Fault::runtime(format!(
                "scaled_dot_product_attention: the batches of query {}, key {} and value {} do not broadcast",
                list(q.sizes()),
                list(k.sizes()),
                list(v.sizes())
            ))
        })?;
    let (l, e) = (q.size(q.rank() - 2), q.size(q.rank() - 1));
    let (s, ev) = (k.size(k.rank() - 2), v.size(v.rank() - 1));
    let with = |last: [usize; 2]| -> Dims { batch.iter().copied().chain(last).collect() };
    let dtype = q.dtype();
    let scale = scores.scale.unwrap_or(1.0 / (e as f64).sqrt());
    let mask = scores
        .mask
        .map(|m| m.expand_to(&with([l, s])))
        .transpose()
        .map_err(|fault| match scores.mask {
            // Scores count as four-dimensional, their last two dimensions being those that masks are for.
            Some(m) => mask_refused(m, l, s),
            None => fault,
        })?;
    if dtype.is_integral(true) {
        return Err(Fault::runtime(format!(
            "expected scalar type Float but found {}",
            dtype.class_name()
        )));
    }
    compute!(dtype, "softmax_lastdim_kernel_impl", W => {
        let own = <W as rushlight_tensor::Element>::DTYPE;
        let q = q.to_dtype(own).expand_to(&with([l, e]))?;
        let k = k.to_dtype(own).expand_to(&with([s, e]))?;
        let v = v.to_dtype(own).expand_to(&with([s, ev]))?;
        let bias = mask.as_ref().filter(|m| m.dtype() != DType::Bool).map(|m| m.to_dtype(own));
        let keep = mask.as_ref().filter(|m| m.dtype() == DType::Bool);
        let count: usize = batch.iter().product();
        let mut out = Buffer::<W>::unspecified(memory::times([count, l, ev]));
        let width = match extra {
            Extra::Nothing => 0,
            Extra::Weights => l * s,
            Extra::LogSumExp => l
        };
        let mut saved = Buffer::<W>::unspecified(memory::times([count, width]));
        let (queries, keys, all_values) = (q.span::<W>(), k.span::<W>(), v.span::<W>());
        let (queries, keys, all_values) = (&queries[..], &keys[..], &all_values[..]);
        let biases = bias.as_ref().map(Tensor::span::<W>);
        let biases = biases.as_deref();
        let keeps = keep.map(Tensor::span::<Bool8>);
        let keeps = keeps.as_deref();
        let cost = l.saturating_mul(s).saturating_mul(e.saturating_add(ev)) / 12;
        let rows = (Rows::of(&mut out, l * ev), Rows::of(&mut saved, width));
        threads::split_lent(count, 1, cost, rows, &|batches, (out, saved)| {
            let mut block = memory::filled(memory::times([l, s]), 0.0 as W);
            for (own, b) in batches.enumerate() {
            watch::poll();
            let matrix = |t: &Tensor| batch_offset(t.layout(), b);
            let left = rushlight_kernels::linalg::product::matrix_at(queries, q.layout(), matrix(&q));
            let right = rushlight_kernels::linalg::product::matrix_at(keys, k.layout(), matrix(&k));
            if s > 0 && l > 0 {
                product(left, right.transposed(), &mut block, s, false);
            }
            for (i, row) in block.chunks_exact_mut(s.max(1)).enumerate() {
                watch::poll();
                row.iter_mut().for_each(|x| *x *= scale as W);
                if scores.causal {
                    row.iter_mut().skip(i + 1).for_each(|x| *x = W::NEG_INFINITY);
                }
                if let (Some(bias), Some(span)) = (&bias, biases) {
                    let (start, step) = row_at(bias, b, i);
                    for (j, x) in row.iter_mut().enumerate() {
                        *x += span[start + j * step];
                    }
                }
                if let (Some(keep), Some(span)) = (keep, keeps) {
                    let (start, step) = row_at(keep, b, i);
                    for (j, x) in row.iter_mut().enumerate() {
                        if !span[start + j * step].get() {
                            *x = W::NEG_INFINITY;
                        }
                    }
                }
            }
            let sums = &mut saved[own * width..(own + 1) * width];
            if extra == Extra::LogSumExp {
                for (o, row) in sums.iter_mut().zip(block.chunks_exact(s.max(1))) {
                    *o = largest(row);
                }
            }
            if s > 0 {
                rows_in_place(scores.kind, &mut block, s);
            }
            if extra == Extra::LogSumExp {
                // The largest share is that of the largest score: one over the sum of exponentials of differences from it.
                for (o, row) in sums.iter_mut().zip(block.chunks_exact(s.max(1))) {
                    if *o > -W::INFINITY {
                        *o -= largest(row).ln();
                    }
                }
            }
            if extra == Extra::Weights {
                saved[own * l * s..(own + 1) * l * s].copy_from_slice(&block);
            }
            let values = rushlight_kernels::linalg::product::matrix_at(all_values, v.layout(), matrix(&v));
            product(Matrix::dense(&block, l, s), values, &mut out[own * l * ev..(own + 1) * l * ev], ev, false);
            }
        });
        let output = finish(out, &with([l, ev]), dtype);
        let extra = match extra {
            Extra::Nothing => None,
            Extra::Weights => Some(finish(saved, &with([l, s]), dtype)),
            Extra::LogSumExp => Some(saved.into_tensor(&with([l, 1])).reshape_to(&with([l, 1])[..batch.len() + 1])?)
        };
        Ok(Attended { output, extra })
    })
}

/// The largest number of a row; minus infinity where there is none.
fn largest<W: rushlight_kernels::compute::Compute>(row: &[W]) -> W {
    let mut lanes = [-W::INFINITY; 16];
    let more = |m: W, v: W| if v > m { v } else { m };
    let chunks = row.chunks_exact(16);
    let rest = chunks.remainder().iter().copied();
    let last = rest.fold(-W::INFINITY, more);
    for chunk in chunks {
        for (lane, v) in lanes.iter_mut().zip(chunk) {
            *lane = more(*lane, *v);
        }
    }
    lanes.into_iter().fold(last, more)
}

/// Where, in its span, the matrix of batch `index` starts.
fn batch_offset(layout: &Layout, index: usize) -> usize {
    let lead = layout.rank() - 2;
    let mut rest = index;
    let mut offset = 0;
    for d in (0..lead).rev() {
        let size = layout.sizes()[d].max(1);
        offset += rest % size * layout.strides()[d];
        rest /= size;
    }
    offset
}

/// Row `i` of batch `b` of a mask: where in the span it starts, and the stride between its elements.
fn row_at(mask: &Tensor, b: usize, i: usize) -> (usize, usize) {
    let layout = mask.layout();
    let r = layout.rank();
    let start = batch_offset(layout, b) + i * layout.strides()[r - 2];
    (start, layout.strides()[r - 1])
}

/// A mask of multi-head attention, which forbids where it is not zero, as one that is true where attention is allowed,
/// ready to broadcast to batch, head, query, key. `kind` says what it speaks of: 0 query by key, 1 padding (batch by key), 2
/// all of it.
fn allowed(mask: &Tensor, kind: Option<i64>, scores: [usize; 4]) -> Result<Tensor> {
    let [batch, _, length, keys] = scores;
    let fail = |message: &str| Err(Fault::runtime(message));
    match kind {
        None => return fail("Mask Type should be defined"),
        Some(0) if mask.rank() == 2 && mask.sizes() != [length, keys] => {
            return fail("For mask_type == 0 mask shape should be (L, L)");
        }
        Some(1) if mask.sizes() != [batch, keys] => {
            return fail("For mask_type == 1 mask shape should be (B, L)");
        }
        Some(0) if mask.rank() != 2 && mask.sizes() != scores => {
            return fail("For mask_type == 2 mask shape should match input shape");
        }
        Some(2) if mask.sizes() != scores => {
            return fail("For mask_type == 2 mask shape should match input shape");
        }
        Some(0..=2) => {}
        Some(_) => {
            return fail(
                "Mask Type should be 0 (src_mask) or 1 (src_key_padding_mask), or 2 (default_mask)",
            );
        }
    }
    let forbidden = mask.contiguous().to_dtype(DType::Bool);
    let flags: Buffer<Bool8> = forbidden
        .data::<Bool8>()
        .iter()
        .map(|f| Bool8::from(!f.get()))
        .collect();
    let out = flags.into_tensor(mask.sizes());
    match kind {
        Some(1) => out.reshape_to(&[batch, 1, 1, keys]),
        _ => Ok(out),
    }
}

pub(super) fn native_multi_head_attention(
    inputs: Parts<'_>,
    projections: Projections<'_>,
    mask: Option<&Tensor>,
    need_weights: bool,
    average_weights: bool,
    mask_kind: Option<i64>,
) -> Result<(Tensor, Option<Tensor>)> {
    let (query, key, value) = (inputs.q, inputs.k, inputs.v);
    let Projections {
        embed,
        heads,
        qkv_weight,
        qkv_bias,
        out_weight,
        out_bias,
    } = projections;
    let fail = |message: String| Err(Fault::runtime(message));
    if query.rank() != 3 || key.rank() != 3 || value.rank() != 3 {
        return fail(format!(
            "expected 3-D `query`, got {}-D tensor",
            query.rank()
        ));
    }
    if embed <= 0 || heads <= 0 || embed % heads != 0 {
        return fail(format!(
            "`embed_dim` {embed} must divide evenly by `num_heads` {heads}"
        ));
    }
    let (embed, heads) = (embed as usize, heads as usize);
    if query.size(2) != embed {
        return fail(format!(
            "passed-in embed_dim {embed} didn't match last dim of query {}",
            query.size(2)
        ));
    }
    if qkv_weight.rank() != 2 || qkv_weight.sizes() != [3 * embed, embed] {
        return fail(format!(
            "expected `qkv_weight` first dim to be 3x embed_dim, got {}",
            list(qkv_weight.sizes())
        ));
    }
    if qkv_bias.rank() != 1 || qkv_bias.numel() != 3 * embed {
        return fail(format!(
            "expected `qkv_bias` first dim and first dim of query to be equal, got {}",
            list(qkv_bias.sizes())
        ));
    }
    // Attention of a sequence to itself is one product with all three weights.
    let joint = match query.is(key) && key.is(value) {
        true => Some(linear(query, qkv_weight, Some(qkv_bias))?),
        false => None,
    };
    let part = |t: &Tensor, i: usize| -> Result<Tensor> {
        let projected = match &joint {
            Some(all) => all.narrow(2, i * embed, embed)?,
            None => {
                let w = qkv_weight.narrow(0, i * embed, embed)?;
                let b = qkv_bias.narrow(0, i * embed, embed)?;
                linear(t, &w, Some(&b))?
            }
        };
        projected
            .reshape_to(&[t.size(0), t.size(1), heads, embed / heads])?
            .transpose(1, 2)
    };
    let (q, k, v) = (part(query, 0)?, part(key, 1)?, part(value, 2)?);
    let (batch, length) = (query.size(0), query.size(1));
    let mask = mask
        .map(|m| allowed(m, mask_kind, [batch, heads, length, key.size(1)]))
        .transpose()?;
    let scores = Scores {
        mask: mask.as_ref(),
        causal: false,
        scale: None,
        // Where everything is forbidden, weights are no numbers.
        kind: SoftmaxKind::Plain,
    };
    let parts = Parts {
        q: &q,
        k: &k,
        v: &v,
    };
    let extra = if need_weights {
        Extra::Weights
    } else {
        Extra::Nothing
    };
    let done = attend(parts, &scores, false, extra)?;
    let joined = done
        .output
        .transpose(1, 2)?
        .reshape_to(&[batch, length, embed])?;
    let out = linear(&joined, out_weight, Some(out_bias))?;
    let weights = match done.extra {
        Some(weights) if average_weights => Some(mean_over_heads(&weights)?),
        other => other,
    };
    Ok((out, weights))
}

/// The mean of attention weights over their heads.
fn mean_over_heads(weights: &Tensor) -> Result<Tensor> {
    let heads = smallvec::smallvec![false, true, false, false];
    sum_scaled(
        weights,
        &heads,
        false,
        weights.dtype(),
        weights.size(1) as f64,
    )
}
