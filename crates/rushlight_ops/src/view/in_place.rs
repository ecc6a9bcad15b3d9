//! Changes of a tensor's own sizes, strides, storage and flags; the tensor stays the same object.

use super::part::strided_layout;
use super::reshape::{dense_layout, signed, squeezed, unique_dims};
use super::{Ints, order};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, Layout, MemoryFormat, Quantizer, Result, Storage, Tensor};
use rushlight_types::{Dispatch, Elements, Sizes, op, operators};

operators! {
    /// Metadata changed in place.
    pub static ROWS = [
        op!("aten::t_(Tensor(a!) self) -> Tensor(a!)", t).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)", transpose).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::swapaxes_(Tensor(a!) self, int axis0, int axis1) -> Tensor(a!)", transpose).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::swapdims_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)", transpose).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::squeeze_(Tensor(a!) self) -> Tensor(a!)", squeeze).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)", squeeze_dim).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)", squeeze_dims).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)", unsqueeze).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::as_strided_(Tensor(a!) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a!)", as_strided).sizes_are(Sizes::OfTarget),
        op!("aten::resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)", resize).sizes_are(Sizes::OfTarget),
        op!("aten::resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)", resize_as).sizes_are(Sizes::OfTarget),
        op!("aten::set_(Tensor(a!) self) -> Tensor(a!)", set_empty).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)", set_source).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op!("aten::set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, SymInt[] size, SymInt[] stride=[]) -> Tensor(a!)", set_strided).elements_are(Elements::Untouched).sizes_are(Sizes::OfTarget),
        op_functional!("aten::resize(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor", resize),
        op_functional_out!("aten::resize.out(Tensor self, SymInt[] size, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", resize),
        op_functional!("aten::resize_as(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor", resize_as),
        op_functional_out!("aten::resize_as.out(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", resize_as),
        op_functional!("aten::set(Tensor self) -> Tensor", set_empty),
        op_functional_out!("aten::set.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", set_empty),
        op_functional!("aten::set.source_Tensor(Tensor self, Tensor source) -> Tensor", set_source),
        op_functional_out!("aten::set.source_Tensor_out(Tensor self, Tensor source, *, Tensor(a!) out) -> Tensor(a!)", set_source),
        op!("aten::set_data(Tensor(a!) self, Tensor new_data) -> ()", set_data),
        op!("aten::requires_grad_(Tensor(a!) self, bool requires_grad=True) -> Tensor(a!)", requires_grad).elements_are(Elements::Untouched).dispatch(Dispatch::Never),
        op!("aten::detach_(Tensor(a!) self) -> Tensor(a!)", detach).elements_are(Elements::Untouched).sizes_are(Sizes::OfFirst).detaches(),
    ];
}

fn with_layout(t: &Tensor, layout: Layout) -> Result<Tensor> {
    t.set_layout(layout)?;
    t.bump_version();
    Ok(t.clone())
}

fn t(t: &Tensor) -> Result<Tensor> {
    order::check_matrix("t_()", t)?;
    t.check_inference()?;
    match t.rank() {
        2 => transpose(t, 0, 1),
        _ => Ok(t.clone()),
    }
}

fn transpose(t: &Tensor, a: i64, b: i64) -> Result<Tensor> {
    let view = t.transpose(a, b)?;
    with_layout(t, view.layout().clone())
}

fn squeeze(t: &Tensor) -> Result<Tensor> {
    with_layout(t, squeezed(t, |_| true))
}

fn squeeze_dim(t: &Tensor, dim: i64) -> Result<Tensor> {
    let dim = wrap_dim(dim, t.rank())?;
    with_layout(t, squeezed(t, |d| d == dim))
}

fn squeeze_dims(t: &Tensor, dims: Ints) -> Result<Tensor> {
    let dims = unique_dims(&dims, t.rank())?;
    with_layout(t, squeezed(t, |d| dims.contains(&d)))
}

fn unsqueeze(t: &Tensor, dim: i64) -> Result<Tensor> {
    let dim = wrap_dim(dim, t.rank() + 1)?;
    with_layout(t, t.layout().unsqueeze(dim))
}

fn as_strided(t: &Tensor, sizes: Ints, strides: Ints, offset: Option<i64>) -> Result<Tensor> {
    with_layout(t, strided_layout(t, &sizes, &strides, offset)?)
}

/// A storage that holds `layout`: the tensor's own, or a larger copy of it.
fn large_enough(t: &Tensor, layout: &Layout) -> Result<Storage> {
    let need = layout
        .end()
        .and_then(|end| end.checked_mul(t.dtype().size()))
        .ok_or_else(|| Fault::runtime("Storage size calculation overflowed"))?;
    if need <= t.storage().seen() || !t.is_meta() {
        t.storage().grow(need)?;
        return Ok(t.storage());
    }
    let dtype = t.dtype().stored();
    let have = t.storage().len() / dtype.size();
    let whole =
        |storage: &Storage| Tensor::view_of(storage, dtype, Layout::strided(&[have], &[1], 0));
    let larger = Tensor::empty(&[need / dtype.size()], dtype)?;
    whole(&larger.storage())?.copy_from(&whole(&t.storage())?)?;
    Ok(larger.storage())
}

fn resize(t: &Tensor, sizes: Ints, format: Option<MemoryFormat>) -> Result<Tensor> {
    if format == Some(MemoryFormat::Preserve) {
        return Err(Fault::runtime("Unsupported memory format Preserve"));
    }
    if let Some(Quantizer::Channel { .. }) = t.quantizer().map(|quantizer| &**quantizer) {
        return Err(Fault::runtime(
            "Can only resize quantized tensors with per-tensor schemes!",
        ));
    }
    let is_other = sizes != signed(t.sizes());
    if !is_other && format.is_none() {
        return Ok(t.clone());
    }
    let layout = dense_layout(&sizes, format)?.at_offset(t.layout().offset());
    let before = t.storage().len();
    let storage = large_enough(t, &layout)?;
    t.set_meta(&storage, t.dtype(), layout)?;
    crate::create::grown(t, before)?;
    if is_other {
        t.bump_version();
    }
    Ok(t.clone())
}

fn resize_as(t: &Tensor, template: &Tensor, format: Option<MemoryFormat>) -> Result<Tensor> {
    let format = match format {
        Some(MemoryFormat::Preserve) => Some(template.layout().suggested_format()),
        other => other,
    };
    resize(t, signed(template.sizes()), format)
}

fn set_empty(t: &Tensor) -> Result<Tensor> {
    let empty = Tensor::empty(&[0], t.dtype().stored())?;
    t.set_meta(&empty.storage(), t.dtype(), empty.layout().clone())?;
    t.bump_version();
    Ok(t.clone())
}

fn set_source(t: &Tensor, source: &Tensor) -> Result<Tensor> {
    check_dtype(t, source)?;
    t.set_meta(&source.storage(), source.dtype(), source.layout().clone())?;
    Ok(t.clone())
}

fn check_dtype(t: &Tensor, source: &Tensor) -> Result<()> {
    if t.dtype() == source.dtype() {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "Could not set tensor of type {} to a tensor of type {}",
        source.dtype().scalar_name(),
        t.dtype().scalar_name()
    )))
}

fn set_strided(
    t: &Tensor,
    source: &Tensor,
    offset: i64,
    sizes: Ints,
    strides: Ints,
) -> Result<Tensor> {
    check_dtype(t, source)?;
    let layout = match strides.is_empty() {
        true => {
            let dense = dense_layout(&sizes, None)?;
            strided_layout(source, &sizes, &signed(dense.strides()), Some(offset))?
        }
        false => strided_layout(source, &sizes, &strides, Some(offset))?,
    };
    let storage = large_enough(source, &layout)?;
    t.set_meta(&storage, source.dtype(), layout)?;
    Ok(t.clone())
}

fn set_data(t: &Tensor, new: &Tensor) -> Result<()> {
    if t.quantizer() != new.quantizer() {
        return Err(Fault::runtime(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type.",
        ));
    }
    t.set_meta(&new.storage(), new.dtype(), new.layout().clone())
}

fn requires_grad(t: &Tensor, on: bool) -> Result<Tensor> {
    if on && !t.dtype().is_float() && !t.dtype().is_complex() {
        return Err(Fault::runtime(
            "Only Tensors of floating point and complex dtype can require gradients",
        ));
    }
    if on && t.check_inference().is_err() {
        return Err(Fault::runtime(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
        ));
    }
    if !on && !t.is_leaf() {
        return Err(Fault::runtime(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
        ));
    }
    t.claim_gradient(on);
    Ok(t.clone())
}

fn detach(t: &Tensor) -> Result<Tensor> {
    if t.is_view() {
        return Err(Fault::runtime(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.",
        ));
    }
    t.set_requires_grad(false);
    t.set_history(None);
    Ok(t.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growing_keeps_the_elements() -> Result<()> {
        let t = Tensor::from_slice(&[1i64, 2], &[2])?;
        resize(&t, smallvec::smallvec![3], None)?;
        assert_eq!(t.sizes(), [3]);
        assert_eq!(t.to_vec::<i64>()[..2], [1, 2]);
        Ok(())
    }

    #[test]
    fn integers_do_not_require_gradients() -> Result<()> {
        let t = Tensor::from_slice(&[1i64], &[1])?;
        assert!(requires_grad(&t, true).is_err());
        assert!(requires_grad(&t, false).is_ok());
        Ok(())
    }
}
