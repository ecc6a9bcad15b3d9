//! Calls with tensors whose elements are read conjugated or negated ([`rushlight_tensor::Marks`]).
//!
//! Kernels read memory as it is. Once there was a marked tensor, calls come here: operators that give views, and those
//! that look at no element, see marked arguments as they are, since views inherit the marks; all others are given copies
//! without them, and what they write goes back through the marks.

use crate::stand_in::{self, StandIns};
use crate::{Call, Operator, Result};
use rushlight_tensor::Tensor;

/// Operators that look at no element, or read elements through the marks, although they give no view.
const NATIVE: &[&str] = &[
    "aten::__is__",
    "aten::__isnot__",
    "aten::_version",
    "aten::clone",
    "aten::copy_",
    "aten::data_ptr",
    "aten::dense_dim",
    "aten::detach_",
    "aten::device",
    "aten::dim",
    "aten::element_size",
    "aten::has_names",
    "aten::is_complex",
    "aten::is_conj",
    "aten::is_contiguous",
    "aten::is_floating_point",
    "aten::is_inference",
    "aten::is_leaf",
    "aten::is_neg",
    "aten::is_same_size",
    "aten::is_set_to",
    "aten::is_signed",
    "aten::item",
    "aten::len",
    "aten::ndimension",
    "aten::numel",
    "aten::output_nr",
    "aten::requires_grad_",
    "aten::resolve_conj",
    "aten::resolve_neg",
    "aten::result_type",
    "aten::retain_grad",
    "aten::set_",
    "aten::size",
    "aten::squeeze_",
    "aten::storage_offset",
    "aten::stride",
    "aten::swapaxes_",
    "aten::swapdims_",
    "aten::t_",
    "aten::transpose_",
    "aten::unsqueeze_",
];

/// Marked tensors and copies of them without marks.
struct Resolved;

impl StandIns for Resolved {
    fn plain(&self, argument: &Tensor) -> Result<Tensor> {
        Ok(argument.resolved())
    }

    fn of_result(&self, result: Tensor) -> Result<Tensor> {
        Ok(result)
    }

    fn write_back(&self, argument: &Tensor, stand_in: &Tensor) -> Result<()> {
        if argument.sizes() != stand_in.sizes() {
            let fresh = stand_in.deep_copy();
            let layout = fresh.layout().clone();
            argument.set_meta(&fresh.storage(), argument.dtype(), layout)?;
        }
        argument.copy_from(stand_in)
    }
}

/// Runs the kernel of an operator on tensors without marks, where an argument has some; `false` where none has or the
/// kernel takes them.
pub(crate) fn run(operator: &Operator, call: &mut Call<'_>) -> Result<bool> {
    let is_marked = |t: &Tensor| !t.marks().is_none();
    if !call.inputs().iter().any(|v| v.any_tensor(is_marked)) {
        return Ok(false);
    }
    let name = operator.name();
    if operator.gives_views() || name.starts_with("prim::") || NATIVE.contains(&name) {
        return Ok(false);
    }
    stand_in::run(&Resolved, operator, call)?;
    Ok(true)
}
