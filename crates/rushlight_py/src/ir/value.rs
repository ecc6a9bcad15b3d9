//! `torch._C.Value` and `torch._C.Use`.

use super::live::Handle;
use super::objects::{PyNode, PyUse, PyValue};
use super::ty::PyType;
use crate::convert::to_python;
use crate::errors::refuse;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::types::Type;
use std::hash::{DefaultHasher, Hash, Hasher};

impl PyValue {
    /// Refuses values of other graphs.
    pub fn belongs_to(&self, owner: &Handle) -> PyResult<()> {
        match self.owner.is(owner) {
            true => Ok(()),
            false => Err(refuse("the value belongs to another graph")),
        }
    }
}

impl PyValue {
    fn must_be_there(&self) -> PyResult<()> {
        let maker = self.owner.read().value(self.id).node();
        self.owner.must_be_there(maker)
    }
}

#[pymethods]
impl PyValue {
    #[pyo3(name = "debugName")]
    fn debug_name(&self) -> PyResult<String> {
        self.must_be_there()?;
        let graph = self.owner.read();
        Ok(self.owner.names(&graph).get(self.id).to_string())
    }

    #[pyo3(name = "setDebugName")]
    fn set_debug_name(&self, name: &str) -> PyResult<PyValue> {
        if name.is_empty() {
            self.owner.write().clear_name(self.id);
            return Ok(self.clone());
        }
        if name.bytes().all(|b| b.is_ascii_digit()) {
            return Err(refuse(format!("Invalid name: '{name}'")));
        }
        self.owner.write().set_name(self.id, name);
        Ok(self.clone())
    }

    fn unique(&self) -> Option<u32> {
        self.owner.read().value(self.id).number()
    }

    #[pyo3(name = "type")]
    pub fn ty(&self) -> PyType {
        PyType(self.owner.read().ty(self.id).clone())
    }

    #[pyo3(name = "setType")]
    fn set_type(&self, ty: &PyType) -> PyValue {
        self.owner.write().set_type(self.id, ty.0.clone());
        self.clone()
    }

    #[pyo3(name = "setTypeAs")]
    fn set_type_as(&self, other: &PyValue) -> PyValue {
        let ty = other.owner.read().ty(other.id).clone();
        self.owner.write().set_type(self.id, ty);
        self.clone()
    }

    fn node(&self) -> PyNode {
        self.owner.node(self.owner.read().value(self.id).node())
    }

    fn offset(&self) -> usize {
        self.owner.read().value(self.id).index()
    }

    fn uses(&self) -> Vec<PyUse> {
        let graph = self.owner.read();
        let uses = graph.value(self.id).uses().iter();
        let uses = uses.map(|u| PyUse {
            user: self.owner.node(u.node),
            offset: u.index,
        });
        uses.collect()
    }

    /// The constant that the value is; None for values that are none.
    #[pyo3(name = "toIValue")]
    fn to_ivalue<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let constant = self.owner.read().constant(self.id);
        match constant {
            None | Some(Value::None) => Ok(None),
            Some(value) => to_python(py, &value).map(Some),
        }
    }

    #[pyo3(name = "replaceAllUsesWith")]
    fn replace_all_uses_with(&self, other: &PyValue) -> PyResult<()> {
        other.belongs_to(&self.owner)?;
        self.owner.write().replace_all_uses(self.id, other.id);
        Ok(())
    }

    #[pyo3(name = "isCompleteTensor")]
    fn is_complete_tensor(&self) -> bool {
        let info = self.ty();
        info.info().is_some_and(|info| {
            let known = |sizes: &Option<Vec<Option<usize>>>| {
                sizes
                    .as_ref()
                    .is_some_and(|s| s.iter().all(Option::is_some))
            };
            info.dtype.is_some()
                && info.device.is_some()
                && known(&info.sizes)
                && known(&info.strides)
        })
    }

    #[pyo3(name = "requires_grad")]
    fn requires_grad(&self) -> bool {
        self.ty().requires_grad()
    }

    #[pyo3(name = "requiresGrad")]
    fn known_requires_grad(&self) -> PyResult<Option<bool>> {
        let ty = self.ty();
        match ty.0 {
            Type::Tensor(info) => Ok(info.and_then(|info| info.requires_grad)),
            _ => Err(refuse("only tensors ask for gradients")),
        }
    }

    fn __repr__(&self) -> PyResult<String> {
        self.must_be_there()?;
        let graph = self.owner.read();
        let names = self.owner.names(&graph);
        let node = graph.node_text_by(&names, graph.value(self.id).node());
        Ok(format!("{} defined in ({node})", names.get(self.id)))
    }

    fn __eq__(&self, other: &PyValue) -> bool {
        self.owner.is(&other.owner) && self.id == other.id
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.id.hash(&mut hasher);
        hasher.finish()
    }
}

#[pymethods]
impl PyUse {
    /// Whether the use comes later than another.
    #[pyo3(name = "isAfter")]
    fn is_after(&self, other: &PyUse) -> PyResult<bool> {
        if !self.user.owner.is(&other.user.owner) {
            return Err(refuse("the uses belong to different graphs"));
        }
        let graph = self.user.owner.read();
        Ok(match self.user.id == other.user.id {
            true => self.offset > other.offset,
            false => graph.is_before(other.user.id, self.user.id),
        })
    }
}
