//! Normalisation over the features of a sample: layer, group, instance and root-mean-square; weight norm.

use super::pool::in_format_of;
use rushlight_kernels::compute::{compute, dense, finish};
use rushlight_kernels::nn::norm::{
    Affine, Groups, Output, normalise_groups, normalise_rows, rms_rows,
};
use rushlight_ops::Steps;
use rushlight_ops::mean;
use rushlight_ops::norm_except_dim;
use rushlight_tensor::layout::{self, list};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::{Buffer, DType, Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, Functional, arguments, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Normalisation within a sample.
    pub static ROWS = [
        op!("aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enable=True) -> Tensor", layer_norm).functional(Functional::LayerNorm),
        op!("aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)", native_layer_norm).out("out", rushlight_ops::out::exact),
        op!("aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1.0000000000000001e-05, bool cudnn_enabled=True) -> Tensor", group_norm),
        op!("aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)", native_group_norm).out("out", rushlight_ops::out::exact),
        op!("aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor", rms_norm),
        op!("aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)", fused_rms_norm),
        op!("aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor", weight_norm),
        op!("aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)", weight_norm_interface).out("out", rushlight_ops::out::cast),
    ];
}

/// Checks the dtypes of scale and shift: the input's, or float32 for inputs of 16 bits.
pub(super) fn check_parameters(input: &Tensor, params: &[Option<&Tensor>]) -> Result<()> {
    let params: Vec<DType> = params.iter().flatten().map(|p| p.dtype()).collected();
    let Some(first) = params.first() else {
        return Ok(());
    };
    if params.iter().all(|dtype| *dtype == input.dtype()) {
        return Ok(());
    }
    let fail = |message: String| Err(Fault::runtime(message));
    if *first == input.dtype() {
        let other = params.iter().find(|dtype| *dtype != first).unwrap_or(first);
        return Err(Fault::other_scalar_type(*first, *other));
    }
    if params.iter().any(|dtype| *dtype != DType::F32) {
        return fail("mixed dtype (CPU): expect parameter to have scalar type of Float".into());
    }
    if !matches!(input.dtype(), DType::F16 | DType::BF16) {
        return fail("mixed dtype (CPU): all inputs must share same datatype.".into());
    }
    Ok(())
}

/// How many elements the trailing `shape` of the input has, after the checks of layer and RMS norm.
fn normalised_count(
    input: &Tensor,
    shape: &[i64],
    params: [(&str, Option<&Tensor>); 2],
) -> Result<usize> {
    if shape.is_empty() {
        return Err(Fault::runtime(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got normalized_shape = []",
        ));
    }
    let text = |shape: &[i64]| {
        format!(
            "[{}]",
            shape.iter().map(i64::to_string).collected().join(", ")
        )
    };
    let same = |sizes: &[usize]| sizes.iter().map(|s| *s as i64).eq(shape.iter().copied());
    for (name, param) in params {
        if let Some(param) = param.filter(|p| !same(p.sizes())) {
            return Err(Fault::runtime(format!(
                "Expected {name} to be of same shape as normalized_shape, but got {name} of shape {} and normalized_shape = {}",
                list(param.sizes()),
                text(shape)
            )));
        }
    }
    let fits = input.rank() >= shape.len() && same(&input.sizes()[input.rank() - shape.len()..]);
    if !fits {
        let inner: Vec<String> = shape.iter().map(i64::to_string).collected();
        // The text of RMS norm, which has no bias, lacks a comma.
        let rest = match params.iter().any(|p| p.0 == "bias") {
            true => ", ",
            false => "",
        };
        return Err(Fault::runtime(format!(
            "Given normalized_shape={}, expected input with shape [*{rest}{}], but got input of size{}",
            text(shape),
            inner.join(", "),
            list(input.sizes())
        )));
    }
    Ok(shape.iter().product::<i64>() as usize)
}

fn layer_norm(
    input: &Tensor,
    shape: Ints,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
    _cudnn: bool,
) -> Result<Tensor> {
    Ok(native_layer_norm(input, shape, weight, bias, eps)?.0)
}

pub(super) fn native_layer_norm(
    input: &Tensor,
    shape: Ints,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let n = normalised_count(input, &shape, [("weight", weight), ("bias", bias)])?;
    check_parameters(input, &[weight, bias])?;
    let lead = input.rank() - shape.len();
    let rows: usize = input.sizes()[..lead].iter().product();
    let mut stats = Dims::from_slice(&input.sizes()[..lead]);
    stats.extend(shape.iter().map(|_| 1));
    let stats_dtype = weight.map_or(input.dtype(), |w| w.dtype());
    Ok(compute!(input.dtype(), "LayerNormKernelImpl", W => {
        let x = dense::<W>(input);
        let (w, b) = (weight.map(dense::<W>), bias.map(dense::<W>));
        let (w, b) = (w.as_ref().map(|w| w.data::<W>()), b.as_ref().map(|b| b.data::<W>()));
        let affine = Affine { weight: w.as_deref(), bias: b.as_deref(), eps: eps as W, shifted: input.dtype().size() == 2 };
        let mut values = Buffer::<W>::unspecified(memory::times([rows, n]));
        let (mut mean, mut rstd) = (Buffer::<W>::zeroed(rows), Buffer::<W>::zeroed(rows));
        if n > 0 {
            let x = x.data::<W>();
            let x = &x[..];
            let out = (Rows::of(&mut values, n), Rows::of(&mut mean, 1), Rows::of(&mut rstd, 1));
            threads::split_lent(rows, 1, 2 * n, out, &|part, (values, mean, rstd)| {
                let x = &x[part.start * n..part.end * n];
                normalise_rows(x, &mut Output { values, mean, rstd }, n, &affine);
            });
        }
        (
            finish(values, input.sizes(), input.dtype()),
            finish(mean, &stats, stats_dtype),
            finish(rstd, &stats, stats_dtype),
        )
    }))
}

fn group_norm(
    input: &Tensor,
    groups: i64,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    eps: f64,
    _cudnn: bool,
) -> Result<Tensor> {
    if input.rank() < 2 {
        return Err(Fault::runtime(format!(
            "Expected at least 2 dimensions for input tensor but received {}",
            input.rank()
        )));
    }
    let (n, c) = (input.size(0), input.size(1));
    let hw: usize = input.sizes()[2..].iter().product();
    check_groups(input, groups, c, weight, bias)?;
    let out = grouped(input, weight, bias, [n, c, hw], groups as usize, eps)?.0;
    out.contiguous_in(input.layout().suggested_format())
}

fn check_groups(
    input: &Tensor,
    groups: i64,
    channels: usize,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
) -> Result<()> {
    if groups <= 0 {
        return Err(Fault::runtime(format!(
            "Expected num groups to be greater than 0, got {groups}"
        )));
    }
    if channels == 0 {
        return Err(Fault::runtime(
            "Expected number of channels to be greater than 0, got 0",
        ));
    }
    if input.rank() > 2 && input.sizes()[2..].contains(&0) {
        return Err(Fault::runtime("Expected HxW to be greater than 0, got 0"));
    }
    if !channels.is_multiple_of(groups as usize) {
        return Err(Fault::runtime(format!(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape {} and num_groups={groups}",
            list(input.sizes())
        )));
    }
    for (name, param) in [("weight", weight), ("bias", bias)] {
        if let Some(p) = param.filter(|p| p.rank() != 1 || p.numel() != channels) {
            return Err(Fault::runtime(format!(
                "Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of shape {} and input of shape {}",
                list(p.sizes()),
                list(input.sizes())
            )));
        }
    }
    Ok(())
}

arguments! {
    /// The sizes that group norm sees: samples, channels, and elements of a channel of a sample.
    #[derive(Clone, Copy)]
    struct Sizes {
        n: i64,
        c: i64,
        hw: i64,
    }
}

fn native_group_norm(
    input: &Tensor,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    given: Sizes,
    groups: i64,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    let Sizes { n, c, hw } = given;
    for (what, size) in [("HxW", hw), ("number of channels", c)] {
        if size <= 0 {
            return Err(Fault::runtime(format!(
                "Expected {what} to be greater than 0, got {size}"
            )));
        }
    }
    let sizes = [n, c, hw].map(|v| v.max(0) as usize);
    check_groups(input, groups, sizes[1], weight, bias)?;
    if n < 0 {
        return Err(Fault::negative_size(n, &[n, groups]));
    }
    if layout::checked_numel(&sizes)? != input.numel() {
        return Err(Fault::not_true("X.numel() == N * C * HxW"));
    }
    grouped(input, weight, bias, sizes, groups as usize, eps)
}

/// Normalises each group of channels of each sample, then scales and shifts each channel.
fn grouped(
    input: &Tensor,
    weight: Option<&Tensor>,
    bias: Option<&Tensor>,
    [n, c, hw]: [usize; 3],
    groups: usize,
    eps: f64,
) -> Result<(Tensor, Tensor, Tensor)> {
    check_parameters(input, &[weight, bias])?;
    let row = c / groups * hw;
    let stats_dtype = weight.map_or(input.dtype(), |w| w.dtype());
    if input.numel() == 0 && !input.dtype().is_float() {
        let none = || Tensor::zeros(&[n, groups], stats_dtype);
        return Ok((input.deep_copy(), none()?, none()?));
    }
    Ok(compute!(input.dtype(), "GroupNormKernelImpl", W => {
        let x = dense::<W>(input);
        let x = x.data::<W>();
        let (w, b) = (weight.map(dense::<W>), bias.map(dense::<W>));
        let (w, b) = (w.as_ref().map(|w| w.data::<W>()), b.as_ref().map(|b| b.data::<W>()));
        let mut out = Buffer::<W>::unspecified(x.len());
        let (mut means, mut rstds) = (Buffer::<W>::zeroed(memory::times([n, groups])), Buffer::<W>::zeroed(memory::times([n, groups])));
        if row > 0 {
            let x = &x[..];
            let of = Groups { groups, channels: c / groups, pixels: hw };
            let affine = Affine { weight: w.as_deref(), bias: b.as_deref(), eps: eps as W, shifted: false };
            let lent = (Rows::of(&mut out, row), Rows::of(&mut means, 1), Rows::of(&mut rstds, 1));
            threads::split_lent(n * groups, 1, 2 * row, lent, &|part, (values, mean, rstd)| {
                let x = &x[part.start * row..part.end * row];
                normalise_groups(x, &mut Output { values, mean, rstd }, part.start, of, &affine);
            });
        }
        (
            in_format_of(finish(out, input.sizes(), input.dtype()), input)?,
            finish(means, &[n, groups], stats_dtype),
            finish(rstds, &[n, groups], stats_dtype),
        )
    }))
}

/// The distance from 1 to the next larger number of a dtype.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F64 | DType::C128 => f64::EPSILON,
        _ => f32::EPSILON as f64,
    }
}

fn rms_norm(
    cx: &Context,
    input: &Tensor,
    shape: Ints,
    weight: Option<&Tensor>,
    eps: Option<f64>,
) -> Result<Tensor> {
    if input.dtype().is_complex() {
        return complex_rms_norm(cx, input, &shape, weight, eps);
    }
    Ok(fused_rms_norm(input, shape, weight, eps)?.0)
}

/// The same of complex numbers: the root of the mean of squares is a complex number too.
fn complex_rms_norm(
    cx: &Context,
    input: &Tensor,
    shape: &[i64],
    weight: Option<&Tensor>,
    eps: Option<f64>,
) -> Result<Tensor> {
    normalised_count(input, shape, [("weight", weight), ("weight", None)])?;
    let s = Steps(cx);
    let dims = (0..shape.len() as i64).map(|d| -1 - d).collect();
    let squares = mean(&s.mul(input, input)?, Some(dims), true, None)?;
    let eps = eps.unwrap_or_else(|| epsilon(input.dtype()));
    let rstd = s.rsqrt(&s.add(&squares, Scalar::Float(eps))?)?;
    let out = s.mul(input, &rstd)?;
    weight.map_or(Ok(out.clone()), |weight| s.mul(&out, weight))
}

fn fused_rms_norm(
    input: &Tensor,
    shape: Ints,
    weight: Option<&Tensor>,
    eps: Option<f64>,
) -> Result<(Tensor, Tensor)> {
    let n = normalised_count(input, &shape, [("weight", weight), ("weight", None)])?;
    let lead = input.rank() - shape.len();
    let rows: usize = input.sizes()[..lead].iter().product();
    let mut stats = Dims::from_slice(&input.sizes()[..lead]);
    stats.extend(shape.iter().map(|_| 1));
    let eps = eps.unwrap_or_else(|| epsilon(input.dtype()));
    Ok(compute!(input.dtype(), "rms_norm", W => {
        let x = dense::<W>(input);
        let x = x.data::<W>();
        let w = weight.map(dense::<W>);
        let w = w.as_ref().map(|w| w.data::<W>());
        let mut out = Buffer::<W>::unspecified(x.len());
        let mut rstds = Buffer::<W>::zeroed(rows);
        if n > 0 {
            let x = &x[..];
            let affine = Affine { weight: w.as_deref(), bias: None, eps: eps as W, shifted: false };
            let lent = (Rows::of(&mut out, n), Rows::of(&mut rstds, 1));
            threads::split_lent(rows, 1, 2 * n, lent, &|part, (out, rstds)| {
                rms_rows(&x[part.start * n..part.end * n], out, rstds, n, &affine);
            });
        }
        (finish(out, input.sizes(), input.dtype()), rstds.into_tensor(&stats))
    }))
}

fn weight_norm(v: &Tensor, g: &Tensor, dim: i64) -> Result<Tensor> {
    Ok(weight_norm_interface(v, g, dim)?.0)
}

/// `v` scaled along all dimensions but `dim` to the lengths `g`, and the lengths it had.
fn weight_norm_interface(v: &Tensor, g: &Tensor, dim: i64) -> Result<(Tensor, Tensor)> {
    if !v.dtype().is_float() {
        return Err(Fault::no_kernel("weight_norm_kernel", v.dtype()));
    }
    let norms = norm_except_dim(v, 2, dim)?;
    if g.dtype() != v.dtype() {
        return Err(Fault::other_scalar_type(v.dtype(), g.dtype()));
    }
    let g = &match g.numel() == norms.numel() {
        true => g.reshape_to(norms.sizes())?,
        false => g.clone(),
    };
    let spread = |t: &Tensor| t.expand_to(v.sizes());
    let (lengths, wanted) = (spread(&norms)?, spread(&g.to_dtype(v.dtype()))?);
    let out = compute!(v.dtype(), "weight_norm_kernel", W => {
        let (x, n, g) = (dense::<W>(v), dense::<W>(&lengths), dense::<W>(&wanted));
        let (x, n, g) = (x.data::<W>(), n.data::<W>(), g.data::<W>());
        let out: Buffer<W> = (0..x.len()).map(|i| x[i] * (g[i] / n[i])).collect();
        finish(out, v.sizes(), v.dtype())
    });
    Ok((out, norms))
}
