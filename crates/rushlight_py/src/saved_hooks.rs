//! `torch.autograd.graph.saved_tensors_hooks`: Python functions for the tensors that operators save.

use crate::identity::{PyTensor, tensor_of};
use crate::operator::give;
use crate::{errors, warnings};
use pyo3::prelude::*;
use rushlight::autograd::{Kept, Unpack, pop_pack, push_pack};
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

/// A tensor that a program's derivative reads.
#[pyclass(frozen, module = "rushlight")]
pub struct KeptTensor(Kept);

#[pymethods]
impl KeptTensor {
    #[new]
    fn new(tensor: &Bound<'_, PyTensor>) -> PyResult<KeptTensor> {
        let kept = Kept::new(&tensor_of(tensor));
        kept.map(KeptTensor).map_err(errors::fault)
    }

    /// Refuses it where it has been written since: the result of this number of a call of this name, if it is one.
    fn check(&self, result: Option<usize>, name: &str) -> PyResult<()> {
        let result = result.map(|index| (index, name));
        self.0.check(result).map_err(errors::fault)
    }
}
