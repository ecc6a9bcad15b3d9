//! Tensors of one value, and of none in particular.

use super::grown;
use super::options::{LikeOptions, Options};
use super::unspecified::unspecified;
use crate::view::{Ints, checked_sizes};
use rushlight_tensor::promote::check_number;
use rushlight_tensor::{DType, Dims, Fault, Layout, MemoryFormat, Result, Scalar, Tensor};
use rushlight_types::{Context, Elements, Quantized, op, operators};

operators! {
    /// `zeros`, `ones`, `full`, `empty`, and the same like another tensor.
    pub static ROWS = [
        op!("aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", zeros).with_any_number(&[0]),
        op_out!("aten::zeros.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", zeros),
        op!("aten::ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", ones).with_any_number(&[0]),
        op_out!("aten::ones.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", ones),
        op!("aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", full).with_any_number(&[0]),
        op_out!("aten::full.out(SymInt[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)", full),
        op!("aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", empty),
        op!("aten::empty.out(SymInt[] size, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", empty_out),
        op!("aten::empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", empty_strided),
        op_out!("aten::empty_strided.out(SymInt[] size, SymInt[] stride, *, Tensor(a!) out) -> Tensor(a!)", empty_strided),
        op!("aten::empty_permuted(SymInt[] size, int[] physical_layout, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", empty_permuted),
        op_out!("aten::empty_permuted.out(SymInt[] size, int[] physical_layout, *, Tensor(a!) out) -> Tensor(a!)", empty_permuted),
        op!("aten::_efficientzerotensor(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", zeros),
        op_out!("aten::_efficientzerotensor.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", zeros),
        op!("aten::zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", zeros_like).elements_are(Elements::Untouched).refused_as("aten::zero_").detaches(),
        op_out!("aten::zeros_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", zeros_like),
        op!("aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", ones_like).quantized(Quantized::Numbers).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::ones_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", ones_like),
        op!("aten::full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", full_like).quantized(Quantized::Numbers).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::full_like.out(Tensor self, Scalar fill_value, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", full_like),
        op!("aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", empty_like).quantized(Quantized::Numbers).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::empty_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", empty_like),
        op!("aten::new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_zeros).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::new_zeros.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", new_zeros),
        op!("aten::new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_ones).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::new_ones.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", new_ones),
        op!("aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_full).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::new_full.out(Tensor self, SymInt[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)", new_full),
        op!("aten::new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_empty).quantized(Quantized::Numbers).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::new_empty.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", new_empty),
        op!("aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", new_empty_strided).elements_are(Elements::Untouched).detaches(),
        op_out!("aten::new_empty_strided.out(Tensor self, SymInt[] size, SymInt[] stride, *, Tensor(a!) out) -> Tensor(a!)", new_empty_strided),
        op!("aten::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", scalar_tensor),
        op_out!("aten::scalar_tensor.out(Scalar s, *, Tensor(a!) out) -> Tensor(a!)", scalar_tensor),
    ];
}

fn zeros(cx: &Context, sizes: Ints, options: Options) -> Result<Tensor> {
    if sizes.iter().any(|s| *s < 0) {
        return Err(Fault::runtime(
            "zeros: Dimension size must be non-negative.",
        ));
    }
    Tensor::zeros(&checked_sizes(&sizes)?, options.dtype_or_default(cx))
}

fn ones(cx: &Context, sizes: Ints, options: Options) -> Result<Tensor> {
    Tensor::full(
        &checked_sizes(&sizes)?,
        Scalar::Int(1),
        options.dtype_or_default(cx),
    )
}

fn full(cx: &Context, sizes: Ints, value: Scalar, options: Options) -> Result<Tensor> {
    let dtype = options.dtype.unwrap_or(value.dtype(cx.default_dtype()));
    filled(&sizes, value, dtype)
}

/// A tensor of one value, which must be within the range of the dtype.
fn filled(sizes: &[i64], value: Scalar, dtype: DType) -> Result<Tensor> {
    check_number(value, dtype)?;
    Tensor::full(&checked_sizes(sizes)?, value, dtype)
}

fn empty(
    cx: &Context,
    sizes: Ints,
    options: Options,
    format: Option<MemoryFormat>,
) -> Result<Tensor> {
    let format = format.unwrap_or(MemoryFormat::Contiguous);
    let layout = Layout::with_format(&checked_sizes(&sizes)?, format)?;
    rushlight_tensor::layout::checked_numel(layout.sizes())?;
    unspecified(Tensor::empty_with(&layout, options.dtype_or_default(cx))?)
}

/// Gives `out` other sizes; its content is unspecified.
fn empty_out(sizes: Ints, _format: Option<MemoryFormat>, out: &Tensor) -> Result<Tensor> {
    let before = out.storage().len();
    crate::out::resize(out, &checked_sizes(&sizes)?)?;
    grown(out, before)?;
    Ok(out.clone())
}

fn strided(sizes: &[i64], strides: &[i64], dtype: DType) -> Result<Tensor> {
    if sizes.len() != strides.len() {
        return Err(Fault::runtime(format!(
            "dimensionality of sizes ({}) must match dimensionality of strides ({})",
            sizes.len(),
            strides.len()
        )));
    }
    if strides.iter().any(|s| *s < 0) {
        return Err(Fault::runtime("negative strides are not supported"));
    }
    let strides: Dims = strides.iter().map(|s| *s as usize).collect();
    let layout = Layout::strided(&checked_sizes(sizes)?, &strides, 0);
    unspecified(Tensor::empty_with(&layout, dtype)?)
}

fn empty_strided(cx: &Context, sizes: Ints, strides: Ints, options: Options) -> Result<Tensor> {
    strided(&sizes, &strides, options.dtype_or_default(cx))
}

fn empty_permuted(cx: &Context, sizes: Ints, order: Ints, options: Options) -> Result<Tensor> {
    let sizes = checked_sizes(&sizes)?;
    if order.len() != sizes.len() {
        return Err(Fault::runtime(format!(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = {} is not equal to len(physical_layout) = {}",
            sizes.len(),
            order.len()
        )));
    }
    let mut strides: Dims = smallvec::smallvec![0; sizes.len()];
    let mut seen: Dims = Dims::new();
    let mut step = 1usize;
    for (place, dim) in order.iter().enumerate().rev() {
        let d = usize::try_from(*dim).ok().filter(|d| *d < sizes.len());
        let Some(d) = d else {
            return Err(Fault::runtime(format!(
                "Dimension out of range (expected to be between 0 and {}, but got {dim} at index {place}).  NB: negative dims not currently supported; file an issue if you want it.",
                sizes.len() as i64 - 1
            )));
        };
        if seen.contains(&d) {
            return Err(Fault::runtime("Duplicate dim not allowed"));
        }
        seen.push(d);
        strides[d] = step;
        step = step.saturating_mul(sizes[d].max(1));
    }
    let layout = Layout::strided(&sizes, &strides, 0);
    unspecified(Tensor::empty_with(&layout, options.dtype_or_default(cx))?)
}

fn like(t: &Tensor, value: Scalar, options: LikeOptions) -> Result<Tensor> {
    let out = options.empty(t)?;
    check_number(value, out.dtype())?;
    out.fill(value)?;
    Ok(out)
}

fn zeros_like(t: &Tensor, options: LikeOptions) -> Result<Tensor> {
    like(t, Scalar::Int(0), options)
}

fn ones_like(t: &Tensor, options: LikeOptions) -> Result<Tensor> {
    like(t, Scalar::Int(1), options)
}

fn full_like(t: &Tensor, value: Scalar, options: LikeOptions) -> Result<Tensor> {
    like(t, value, options)
}

fn empty_like(t: &Tensor, options: LikeOptions) -> Result<Tensor> {
    unspecified(options.empty(t)?)
}

fn new_zeros(t: &Tensor, sizes: Ints, options: Options) -> Result<Tensor> {
    Tensor::zeros(&checked_sizes(&sizes)?, options.dtype.unwrap_or(t.dtype()))
}

fn new_ones(t: &Tensor, sizes: Ints, options: Options) -> Result<Tensor> {
    new_full(t, sizes, Scalar::Int(1), options)
}

fn new_full(t: &Tensor, sizes: Ints, value: Scalar, options: Options) -> Result<Tensor> {
    filled(&sizes, value, options.dtype.unwrap_or(t.dtype()))
}

fn new_empty(t: &Tensor, sizes: Ints, options: Options) -> Result<Tensor> {
    let dtype = options.dtype.unwrap_or(t.dtype());
    unspecified(Tensor::empty(&checked_sizes(&sizes)?, dtype)?)
}

fn new_empty_strided(t: &Tensor, sizes: Ints, strides: Ints, options: Options) -> Result<Tensor> {
    strided(&sizes, &strides, options.dtype.unwrap_or(t.dtype()))
}

fn scalar_tensor(cx: &Context, value: Scalar, options: Options) -> Result<Tensor> {
    let dtype = options.dtype_or_default(cx);
    check_number(value, dtype)?;
    Ok(Tensor::scalar(value, dtype))
}
