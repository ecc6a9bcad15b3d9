//! Calls with tensors whose elements are read conjugated or negated ([`rushlight_tensor::Marks`]).
//!
//! Kernels read memory as it is. Once there was a marked tensor, calls come here: operators that give views see marked
//! arguments as they are, since views inherit the marks, and so do those whose row says so; all others are given copies
//! without marks, and what they write goes back through them.

use crate::stand_in::{self, StandIns};
use crate::{Call, Elements, Operator, Result};
use rushlight_tensor::Tensor;

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
    let elements = operator.elements();
    if elements == Elements::Untouched || !call.inputs().iter().any(|v| v.any_tensor(is_marked)) {
        return Ok(false);
    }
    if elements == Elements::ThroughMarks {
        return Ok(false);
    }
    stand_in::run(&Resolved, operator, call)?;
    Ok(true)
}
