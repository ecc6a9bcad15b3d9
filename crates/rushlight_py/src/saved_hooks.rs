//! `torch.autograd.graph.saved_tensors_hooks`: Python functions for the tensors that operators save.

use crate::identity::{PyTensor, tensor_of};
use crate::operator::give;
use crate::warnings;
use pyo3::prelude::*;
use rushlight::autograd::{Unpack, pop_pack, push_pack};
use rushlight::{Tensor, Value};
use std::sync::Arc;

/// What this thread saves goes through `pack`, and comes back through `unpack`, until [`pop_saved_hooks`].
#[pyfunction]
pub fn push_saved_hooks(pack: Py<PyAny>, unpack: Py<PyAny>) {
    let unpack = Arc::new(unpack);
    push_pack(Arc::new(move |tensor: &Tensor| {
        let kept = Python::attach(|py| {
            let shown = give(py, Value::Tensor(tensor.clone()))?;
            Ok(Arc::new(pack.call1(py, (shown,))?))
        })
        .map_err(warnings::standing_for)?;
        let unpack = unpack.clone();
        let again: Unpack = Box::new(move || {
            Python::attach(|py| {
                let found = unpack.bind(py).call1((kept.bind(py),))?;
                Ok(tensor_of(found.cast::<PyTensor>()?))
            })
            .map_err(warnings::standing_for)
        });
        Ok(again)
    }));
}

/// Ends what the last [`push_saved_hooks`] of this thread began.
#[pyfunction]
pub fn pop_saved_hooks() {
    pop_pack();
}
