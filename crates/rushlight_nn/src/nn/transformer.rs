//! The fused transformer encoder layer: attention and a feed-forward network, each with a residual and a norm.

use super::attention::{Parts, Projections, native_multi_head_attention};
use super::norm::native_layer_norm;
use rushlight_ops::Steps;
use rushlight_ops::{linear, multiply};
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Bool8, DType, Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, arguments, op, operators};

operators! {
    /// Fused layers, and products of groups of rows.
    pub static ROWS = [
        op!("aten::_transformer_encoder_layer_fwd(Tensor src, int embed_dim, int num_heads, Tensor qkv_weight, Tensor qkv_bias, Tensor proj_weight, Tensor proj_bias, bool use_gelu, bool norm_first, float eps, Tensor norm_weight_1, Tensor norm_bias_1, Tensor norm_weight_2, Tensor norm_bias_2, Tensor ffn_weight_1, Tensor ffn_bias_1, Tensor ffn_weight_2, Tensor ffn_bias_2, Tensor? mask=None, int? mask_type=None) -> Tensor", encoder_layer).out("out", rushlight_ops::out::exact),
        op!("aten::_nested_tensor_from_mask_left_aligned(Tensor t, Tensor mask) -> bool", is_left_aligned),
        op!("aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor", grouped_mm),
    ];
}

/// Whether the rows that a mask keeps come before those that it leaves out, in every sequence.
fn is_left_aligned(x: &Tensor, mask: &Tensor) -> Result<bool> {
    let problem = if mask.dtype() != DType::Bool {
        format!(
            "Expected mask to be of ScalarType Bool, but got {} instead.",
            mask.dtype().class_name()
        )
    } else if mask.rank() != 2 {
        "Padding mask should be 2D".to_string()
    } else if x.rank() != 3 {
        "Input should be a 3D tensor, N * L * D".to_string()
    } else if x.sizes()[..2] != *mask.sizes() {
        "Mask should match input size".to_string()
    } else {
        let kept: Vec<bool> = mask.data::<Bool8>().iter().map(|b| b.get()).collected();
        let mut rows = kept.chunks(mask.size(1).max(1));
        return Ok(rows.all(|row| row.is_sorted_by(|a, b| a >= b)));
    };
    Err(Fault::runtime(problem))
}

arguments! {
    /// Weight and bias of a norm or a linear layer.
    struct Affine<'a> {
        weight: &'a Tensor,
        bias: &'a Tensor,
    }
}

arguments! {
    /// What an encoder layer is made of besides its attention.
    struct Rest<'a> {
        /// Whether the feed-forward network has GELU in its middle, and not ReLU.
        gelu: bool,
        /// Whether norms come before what they are for, and not after the sums.
        norm_first: bool,
        eps: f64,
        norm_1: Affine<'a>,
        norm_2: Affine<'a>,
        linear_1: Affine<'a>,
        linear_2: Affine<'a>,
    }
}

fn encoder_layer(
    cx: &Context,
    src: &Tensor,
    projections: Projections<'_>,
    rest: Rest<'_>,
    mask: Option<&Tensor>,
    mask_kind: Option<i64>,
) -> Result<Tensor> {
    if src.numel() == 0 {
        return Ok(src.clone());
    }
    let s = Steps(cx);
    let norm = |x: &Tensor, by: &Affine<'_>| -> Result<Tensor> {
        let shape = smallvec::smallvec![projections.embed];
        Ok(native_layer_norm(x, shape, Some(by.weight), Some(by.bias), rest.eps)?.0)
    };
    let attend = |x: &Tensor| -> Result<Tensor> {
        let itself = Parts { q: x, k: x, v: x };
        let (out, _) =
            native_multi_head_attention(itself, projections, mask, false, true, mask_kind)?;
        Ok(out)
    };
    let feed = |x: &Tensor| -> Result<Tensor> {
        let hidden = linear(x, rest.linear_1.weight, Some(rest.linear_1.bias))?;
        let hidden = match rest.gelu {
            true => s.gelu(&hidden)?,
            false => s.at_least(&hidden, Scalar::Int(0))?,
        };
        linear(&hidden, rest.linear_2.weight, Some(rest.linear_2.bias))
    };
    if rest.norm_first {
        let x = s.add(&attend(&norm(src, &rest.norm_1)?)?, src)?;
        return s.add(&feed(&norm(&x, &rest.norm_2)?)?, &x);
    }
    let x = norm(&s.add(&attend(src)?, src)?, &rest.norm_1)?;
    norm(&s.add(&feed(&x)?, &x)?, &rest.norm_2)
}

/// Products of groups: `offs` says where each group of rows (or of columns, or of the inner dimension) ends.
fn grouped_mm(
    a: &Tensor,
    b: &Tensor,
    offs: Option<&Tensor>,
    bias: Option<&Tensor>,
    out_dtype: Option<DType>,
) -> Result<Tensor> {
    let fail = |message: String| Err(Fault::runtime(message));
    if bias.is_some() {
        return fail("Bias not supported yet".to_string());
    }
    if !(2..=3).contains(&a.rank()) || !(2..=3).contains(&b.rank()) || a.dtype() != b.dtype() {
        return fail(format!(
            "_grouped_mm expects matrices or batches of matrices of one dtype, but got {} and {}",
            list(a.sizes()),
            list(b.sizes())
        ));
    }
    let dtype = out_dtype.unwrap_or(a.dtype());
    let (k, l) = (a.size(a.rank() - 1), b.size(b.rank() - 2));
    if k != l {
        return fail("contraction dimension of mat_a and mat_b must match".to_string());
    }
    if a.rank() == 3 && b.rank() == 3 {
        if a.size(0) != b.size(0) {
            return fail("batch sizes of mat_a and mat_b must match".to_string());
        }
        return Ok(multiply("bmm", a, b)?.to_dtype(dtype));
    }
    let Some(offs) = offs else {
        return fail("Have to provide offsets if there is a 2d matrix".to_string());
    };
    let ends = offs.to_vec::<i64>();
    // The dimension that the groups cut.
    let total = match (a.rank(), b.rank()) {
        (2, 3) => a.size(0),
        (3, 2) => b.size(1),
        _ => k,
    };
    let rises = ends.windows(2).all(|w| w[0] <= w[1]);
    if !rises || ends.iter().any(|e| *e < 0 || *e as usize > total) {
        return fail(format!("offsets must rise from 0 to at most {total}"));
    }
    let groups = if a.rank() == 3 {
        a.size(0)
    } else if b.rank() == 3 {
        b.size(0)
    } else {
        ends.len()
    };
    if groups != ends.len() {
        return fail(format!(
            "{groups} groups need as many offsets, but got {}",
            ends.len()
        ));
    }
    let (m, n) = (a.size(a.rank() - 2), b.size(b.rank() - 1));
    let mut sizes = Dims::from_slice(&[m, n]);
    if a.rank() == 2 && b.rank() == 2 {
        sizes.insert(0, groups);
    }
    let out = Tensor::zeros(&sizes, dtype)?;
    let mut start = 0;
    for (g, end) in ends.iter().enumerate() {
        let (g, length) = (g as i64, *end as usize - start);
        let (left, right, target) = match (a.rank(), b.rank()) {
            (2, 3) => (
                a.narrow(0, start, length)?,
                b.select(0, g)?,
                out.narrow(0, start, length)?,
            ),
            (3, 2) => (
                a.select(0, g)?,
                b.narrow(1, start, length)?,
                out.narrow(1, start, length)?,
            ),
            _ => (
                a.narrow(1, start, length)?,
                b.narrow(0, start, length)?,
                out.select(0, g)?,
            ),
        };
        target.copy_from(&multiply("mm", &left, &right)?)?;
        start += length;
    }
    Ok(out)
}
