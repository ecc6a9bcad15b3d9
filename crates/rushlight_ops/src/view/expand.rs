//! Broadcasting as an operator of its own.

use super::Ints;
use super::reshape::signed;
use rushlight_tensor::memory;
use rushlight_tensor::{Dims, Fault, Result, Tensor, layout};
use rushlight_types::warning::Notice;
use rushlight_types::{Context, Sizes, op, operators};

operators! {
    /// Views that repeat elements without copying them.
    pub static ROWS = [
        op!("aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)", expand).sizes_are(Sizes::Listed),
        op!("aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor", expand_copy).out("out", crate::out::exact),
        op!("aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)", expand_as),
        op!("aten::broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)", broadcast_to),
        op!("aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]", broadcast_tensors).variadic(),
        op!("aten::meshgrid(Tensor[] tensors) -> Tensor[]", meshgrid).variadic(),
        op!("aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]", meshgrid_indexing).variadic(),
    ];
}

fn expand(t: &Tensor, sizes: Ints, _implicit: bool) -> Result<Tensor> {
    t.expand(&sizes)
}

fn expand_copy(t: &Tensor, sizes: Ints, _implicit: bool) -> Result<Tensor> {
    Ok(t.expand(&sizes)?.contiguous_copy())
}

fn expand_as(t: &Tensor, other: &Tensor) -> Result<Tensor> {
    t.expand(&signed(other.sizes()))
}

fn broadcast_to(t: &Tensor, sizes: Ints) -> Result<Tensor> {
    t.expand(&sizes)
}

/// The sizes that all tensors broadcast to.
fn common_sizes(tensors: &[Tensor]) -> Result<Dims> {
    tensors.iter().try_fold(Dims::new(), |sizes, t| {
        layout::broadcast_or_fault(&sizes, t.sizes())
    })
}

fn broadcast_tensors(tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
    let sizes = common_sizes(&tensors)?;
    let expanded = |t: &Tensor| match t.sizes() == sizes.as_slice() {
        true => Ok(t.clone()),
        false => t.expand_to(&sizes),
    };
    tensors.iter().map(expanded).collect()
}

static WITHOUT_INDEXING: Notice = Notice::new(
    "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
);

fn meshgrid(cx: &Context, tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
    WITHOUT_INDEXING.give(cx)?;
    meshgrid_indexing(tensors, "ij")
}

fn meshgrid_indexing(mut tensors: Vec<Tensor>, indexing: &str) -> Result<Vec<Tensor>> {
    let swap = match indexing {
        "ij" => false,
        "xy" => tensors.len() >= 2,
        other => {
            return Err(Fault::runtime(format!(
                "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {other}"
            )));
        }
    };
    let Some(first) = tensors.first() else {
        return Err(Fault::runtime("meshgrid expects a non-empty TensorList"));
    };
    if tensors.iter().any(|t| t.dtype() != first.dtype()) {
        return Err(Fault::runtime(
            "meshgrid expects all tensors to have the same dtype",
        ));
    }
    if let Some(t) = tensors.iter().find(|t| t.rank() > 1) {
        return Err(Fault::runtime(format!(
            "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {}",
            t.script_text().replace(
                &format!("CPU{}Type", t.dtype().class_name()),
                &t.dtype().tensor_type_name()
            )
        )));
    }
    if swap {
        tensors.swap(0, 1);
    }
    let sizes: Dims = tensors.iter().map(Tensor::numel).collect();
    let mut grids = memory::with_capacity(tensors.len());
    for (d, t) in tensors.iter().enumerate() {
        let mut along: Dims = smallvec::smallvec![1; sizes.len()];
        along[d] = sizes[d];
        grids.push(t.reshape_to(&along)?.expand_to(&sizes)?);
    }
    if swap {
        grids.swap(0, 1);
    }
    Ok(grids)
}
