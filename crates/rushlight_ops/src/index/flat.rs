//! Indices into the flattened tensor and masks: `take`, `put`, `masked_select`, `masked_scatter`.

use super::nonzero::true_places;
use super::runs::{Combine, Runs, pick, places, put};
use rushlight_tensor::layout::broadcast_or_fault;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{Apart, Context, OutDtype, Sizes, determinism, op, operators};

operators! {
    /// Flat indices and masks.
    pub static ROWS = [
        op!("aten::take(Tensor self, Tensor index) -> Tensor", take).out("out", crate::out::cast).out_dtype(OutDtype::Same("take(): self and out expected to have the same dtype, but got self.dtype = {result} and out.dtype = {out}")).apart(Apart::WHOLLY),
        op_functional!("aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", put_flat),
        op_functional_out!("aten::put.out(Tensor self, Tensor index, Tensor source, bool accumulate=False, *, Tensor(a!) out) -> Tensor(a!)", put_flat),
        op!("aten::put_(Tensor(a!) self, Tensor index, Tensor source, bool accumulate=False) -> Tensor(a!)", put_flat).apart(Apart::WHOLLY),
        op!("aten::masked_select(Tensor self, Tensor mask) -> Tensor", masked_select).sizes_are(Sizes::ByElements).out("out", crate::out::cast).out_dtype(OutDtype::Same("masked_select(): self and result must have the same scalar type")).apart(Apart::WHOLLY),
        op!("aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", masked_scatter).out("out", crate::out::exact),
        op!("aten::masked_scatter_(Tensor(a!) self, Tensor mask, Tensor source) -> Tensor(a!)", masked_scatter_),
    ];
}

/// The places of flat indices, negative ones counted from the end.
fn flat_places(t: &Tensor, index: &Tensor) -> Result<Vec<usize>> {
    let count = t.numel() as i64;
    let own = (!t.is_contiguous()).then(|| places(t.sizes(), t.strides()));
    let index = index.data::<i64>();
    let mut flat = memory::filled(index.len(), 0);
    let mut any_outside = false;
    for (flat, &i) in flat.iter_mut().zip(index.iter()) {
        // With the count where the index is negative; what is negative still is beyond all counts.
        *flat = (i.wrapping_add(count & (i >> 63))) as usize;
        any_outside |= *flat >= count as usize;
    }
    let is_outside = |i: &&i64| **i < -count || **i >= count;
    if any_outside && let Some(i) = index.iter().find(is_outside) {
        return Err(Fault::index(format!(
            "out of range: tried to access index {i} on a tensor of {count} elements."
        )));
    }
    if let Some(own) = own {
        flat.iter_mut().for_each(|at| *at = own[*at]);
    }
    Ok(flat)
}

/// `take`.
pub fn take(t: &Tensor, index: &Tensor) -> Result<Tensor> {
    if index.dtype() != DType::I64 {
        return Err(Fault::runtime(format!(
            "take(): Expected a long tensor for index, but got {}",
            index.dtype().class_name()
        )));
    }
    if t.numel() == 0 && index.numel() != 0 {
        return Err(Fault::index("take(): tried to take from an empty tensor"));
    }
    let offsets = flat_places(t, index)?;
    pick(t, &Runs::single(offsets), index.sizes())
}

/// `put_`.
fn put_flat(
    cx: &Context,
    t: &Tensor,
    index: &Tensor,
    source: &Tensor,
    accumulate: bool,
) -> Result<Tensor> {
    if !accumulate {
        determinism::not_promised_by(cx, "put_")?;
    }
    if index.dtype() != DType::I64 {
        return Err(Fault::runtime(format!(
            "put_(): Expected a long tensor for index, but got {}",
            index.dtype().class_name()
        )));
    }
    if t.dtype() != source.dtype() {
        return Err(Fault::runtime(format!(
            "put_(): self and source expected to have the same dtype, but got self.dtype = {} and source.dtype = {}",
            t.dtype().class_name(),
            source.dtype().class_name()
        )));
    }
    if index.numel() != source.numel() {
        return Err(Fault::index(format!(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = {}, index.numel() = {}",
            source.numel(),
            index.numel()
        )));
    }
    if t.numel() == 0 && index.numel() != 0 {
        return Err(Fault::index(
            "put_(): Tried to put elements into an empty tensor",
        ));
    }
    let offsets = flat_places(t, index)?;
    let how = if accumulate {
        Combine::Add
    } else {
        Combine::Replace
    };
    put(t, &Runs::single(offsets), source, how)?;
    Ok(t.clone())
}

/// `masked_select`.
pub fn masked_select(t: &Tensor, mask: &Tensor) -> Result<Tensor> {
    if mask.dtype() != DType::Bool {
        return Err(Fault::runtime(
            "masked_select: expected BoolTensor for mask",
        ));
    }
    let sizes = broadcast_or_fault(mask.sizes(), t.sizes())?;
    let chosen = true_places(&mask.expand_to(&sizes)?);
    let t = t.expand_to(&sizes)?;
    let offsets = if t.is_contiguous() {
        chosen
    } else {
        let own = places(t.sizes(), t.strides());
        chosen.into_iter().map(|i| own[i]).collected()
    };
    let sizes = [offsets.len()];
    pick(&t, &Runs::single(offsets), &sizes)
}

/// Writes the leading elements of `source` to the true places of a mask.
pub fn masked_scatter_(t: &Tensor, mask: &Tensor, source: &Tensor) -> Result<Tensor> {
    if mask.dtype() != DType::Bool {
        return Err(Fault::runtime(format!(
            "masked_scatter_ only supports boolean masks, but got mask with dtype {}",
            mask.dtype().class_name()
        )));
    }
    if t.dtype() != source.dtype() {
        return Err(Fault::runtime(format!(
            "masked_scatter: expected self and source to have same dtypes but got{} and {}",
            t.dtype().class_name(),
            source.dtype().class_name()
        )));
    }
    let mask = mask.expand(&t.sizes().iter().map(|&s| s as i64).collected())?;
    let own = places(t.sizes(), t.strides());
    let offsets: Vec<usize> = true_places(&mask).into_iter().map(|i| own[i]).collected();
    if source.numel() < offsets.len() {
        return Err(Fault::runtime(
            "Number of elements of source < number of ones in mask",
        ));
    }
    let leading = source
        .reshape_to(&[source.numel()])?
        .narrow(0, 0, offsets.len())?;
    put(t, &Runs::single(offsets), &leading, Combine::Replace)?;
    Ok(t.clone())
}

/// `masked_scatter`: the mask may also widen the tensor.
fn masked_scatter(t: &Tensor, mask: &Tensor, source: &Tensor) -> Result<Tensor> {
    let sizes = broadcast_or_fault(t.sizes(), mask.sizes())?;
    let wide = t.expand_to(&sizes)?.contiguous_copy();
    masked_scatter_(&wide, mask, source)
}
