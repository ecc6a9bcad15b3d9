//! The same elements as another tensor, with or without a storage of their own.

use crate::create::options::preserved;
use rushlight_tensor::iter::copied_in;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Device, Fault, Layout, MemoryFormat, Result, Tensor};
use rushlight_types::{Elements, Quantized, Sizes, op, operators};

operators! {
    /// Aliases and copies.
    pub static ROWS = [
        op!("aten::detach(Tensor(a) self) -> Tensor(a)", alias).sizes_are(Sizes::OfFirst).detaches(),
        op!("aten::detach_copy(Tensor self) -> Tensor", Tensor::contiguous_copy).out("out", crate::out::cast),
        op!("aten::alias(Tensor(a) self) -> Tensor(a)", alias),
        op!("aten::alias_copy(Tensor self) -> Tensor", Tensor::contiguous_copy).out("out", crate::out::exact),
        op!("aten::data(Tensor self) -> Tensor", alias),
        op!("prim::data(Tensor(a) a) -> Tensor(a)", Tensor::apart),
        op!("aten::lift(Tensor self) -> Tensor", same).out("out", crate::out::cast),
        op!("aten::lift_fresh(Tensor(a) self) -> Tensor(a)", same),
        op!("aten::lift_fresh_copy(Tensor self) -> Tensor", copy).out("out", crate::out::cast),
        op!("aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)", contiguous).sizes_are(Sizes::OfFirst),
        op!("aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", clone).quantized(Quantized::Integers).elements_are(Elements::ThroughMarks).sizes_are(Sizes::OfFirst),
        op_out_exact!("aten::clone.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", clone).elements_are(Elements::ThroughMarks),
        op!("aten::pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)", pin_memory),
        op!("aten::view_as_real(Tensor(a) self) -> Tensor(a)", view_as_real),
        op!("aten::view_as_real_copy(Tensor self) -> Tensor", view_as_real_copy).out("out", crate::out::cast),
        op!("aten::view_as_complex(Tensor(a) self) -> Tensor(a)", view_as_complex),
        op!("aten::view_as_complex_copy(Tensor self) -> Tensor", view_as_complex_copy).out("out", crate::out::cast),
    ];
}

fn alias(t: &Tensor) -> Tensor {
    t.alias()
}

fn same(t: &Tensor) -> Tensor {
    t.clone()
}

fn copy(t: &Tensor) -> Tensor {
    t.deep_copy()
}

fn contiguous(t: &Tensor, format: MemoryFormat) -> Result<Tensor> {
    if format == MemoryFormat::Preserve {
        if t.is_contiguous() {
            return Ok(t.clone());
        }
        return Err(Fault::runtime(
            "preserve memory format is unsupported by the contiguous operator",
        ));
    }
    t.contiguous_in(format)
}

/// A copy of its own, in the given order of dimensions or, where there are no gaps, as `t` lies.
pub fn clone(t: &Tensor, format: Option<MemoryFormat>) -> Result<Tensor> {
    match format {
        None | Some(MemoryFormat::Preserve) if t.layout().is_non_overlapping_and_dense() => {
            Ok(t.deep_copy())
        }
        None | Some(MemoryFormat::Preserve) => copied_in(t, &preserved(t)),
        Some(format) => copied_in(t, &Layout::with_format(t.sizes(), format)?),
    }
}

fn pin_memory(_: &Tensor, _: Option<Device>) -> Result<Tensor> {
    Err(crate::create::options::no_pinning())
}

/// A complex tensor as pairs in a last dimension of size 2.
pub fn view_as_real(t: &Tensor) -> Result<Tensor> {
    if !t.dtype().is_complex() {
        return Err(Fault::type_error(
            "view_as_real is only supported for complex tensors",
        ));
    }
    if t.is_conjugated() {
        return Err(Fault::runtime(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original.",
        ));
    }
    let sizes: Vec<usize> = t.sizes().iter().copied().chain([2]).collected();
    let strides: Vec<usize> = t
        .strides()
        .iter()
        .map(|s| s.saturating_mul(2))
        .chain([1])
        .collected();
    let layout = Layout::strided(&sizes, &strides, t.layout().offset().saturating_mul(2));
    Ok(Tensor::view_of(&t.storage(), t.dtype().to_real(), layout)?.marked(t.marks()))
}

fn view_as_real_copy(t: &Tensor) -> Result<Tensor> {
    Ok(view_as_real(&t.resolved())?.contiguous_copy())
}

/// Pairs in a last dimension of size 2 as complex numbers.
fn view_as_complex(t: &Tensor) -> Result<Tensor> {
    let dtype = match t.dtype() {
        DType::F16 => DType::C32,
        DType::F32 => DType::C64,
        DType::F64 => DType::C128,
        other if other.is_complex() => {
            return Err(Fault::type_error(
                "view_as_complex is not supported for complex tensors",
            ));
        }
        other => {
            return Err(Fault::not_implemented(format!(
                "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: {}",
                other.class_name()
            )));
        }
    };
    let Some((last, outer)) = t.sizes().split_last() else {
        return Err(Fault::runtime(
            "Input tensor must have one or more dimensions",
        ));
    };
    if *last != 2 {
        return Err(Fault::runtime(
            "Tensor must have a last dimension of size 2",
        ));
    }
    let (step, strides) = t.strides().split_last().unwrap_or((&1, &[]));
    if *step != 1 {
        return Err(Fault::runtime(
            "Tensor must have a last dimension with stride 1",
        ));
    }
    if strides.iter().any(|s| !s.is_multiple_of(2)) {
        return Err(Fault::runtime(
            "Tensor must have a stride divisible by 2 for all but last dimension",
        ));
    }
    if !t.layout().offset().is_multiple_of(2) {
        return Err(Fault::runtime(
            "Tensor must have a storage_offset divisible by 2",
        ));
    }
    let strides: Vec<usize> = strides.iter().map(|s| s / 2).collected();
    let layout = Layout::strided(outer, &strides, t.layout().offset() / 2);
    Ok(Tensor::view_of(&t.storage(), dtype, layout)?.marked(t.marks()))
}

fn view_as_complex_copy(t: &Tensor) -> Result<Tensor> {
    Ok(view_as_complex(t)?.contiguous_copy())
}
