//! Script objects in Python: attributes, methods, copies.

use crate::convert::argument::attribute_value;
use crate::convert::{infer, to_python, wrapped};
use crate::executor::ExecutorState;
use crate::handles::ScriptObject;
use crate::identity::tensor_object;
use crate::ir::{PyGraph, PySchema, PyType};
use crate::trace::recording;
use crate::{call, code, errors, modules, registry, state, trace};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use rushlight::ir::{Function, Unit};
use rushlight::types::{Attribute, AttributeKind, Callable, Copier, Fault, Object, Type};
use rushlight::{Tensor, Value};
use std::sync::Arc;

impl ScriptObject {
    fn method(&self, name: &str) -> Option<Arc<Function>> {
        self.unit.method(self.object.class(), name)
    }

    /// The hooks of the class, in the order in which they run.
    fn hooks(&self, before: bool) -> PyResult<Vec<ScriptMethod>> {
        let names = self.object.class().hooks(before);
        names.iter().map(|name| self.bound(name)).collect()
    }

    /// A method, hooks among them.
    fn bound(&self, name: &str) -> PyResult<ScriptMethod> {
        let function = self.method(name).ok_or_else(|| undefined(name))?;
        Ok(ScriptMethod {
            object: self.object.clone(),
            function,
            unit: self.unit.clone(),
        })
    }

    /// Whether a name is a hook's and no method's.
    fn is_hook(&self, name: &str) -> bool {
        let class = self.object.class();
        let among = |before| class.hooks(before).iter().any(|hook| **hook == *name);
        among(false) || among(true)
    }

    fn name(&self) -> String {
        format!("ScriptObject <{}>", self.object.class().name())
    }

    /// The class as errors name it.
    fn shown_class(&self) -> String {
        format!(
            "{} (of Python compilation unit at: {:p})",
            self.object.class().name(),
            Arc::as_ptr(&self.unit)
        )
    }
}

/// Copies are recorded as calls of `clone`, so that parameters become results; states go through the methods of the class.
impl Copier for ScriptObject {
    fn tensor(&self, tensor: &Tensor) -> Result<Tensor, Fault> {
        let records = tensor.requires_grad() && state::context().grad_enabled();
        match rushlight::table().find("aten::clone").filter(|_| records) {
            Some(clone) => {
                let mut slots = vec![Value::Tensor(tensor.clone()), Value::None];
                clone.call(state::context(), &mut slots, 2)?;
                slots.swap_remove(0).as_tensor().cloned()
            }
            None => Ok(tensor.deep_copy()),
        }
    }

    fn state(&self, object: &Arc<Object>) -> Result<Option<Value>, Fault> {
        let class = object.class();
        let get = self.unit.method(class, "__getstate__");
        match get.filter(|_| class.method("__setstate__").is_some()) {
            Some(get) => {
                let state = get.invoke(state::context(), vec![Value::Object(object.clone())]);
                state.map(Some)
            }
            None => Ok(None),
        }
    }

    fn restore(&self, object: &Arc<Object>, state: Value) -> Result<(), Fault> {
        match self.unit.method(object.class(), "__setstate__") {
            Some(set) => {
                let arguments = vec![Value::Object(object.clone()), state];
                set.invoke(state::context(), arguments).map(drop)
            }
            None => Ok(()),
        }
    }
}

/// The bytes of an archive of a module whose methods live in `unit`.
pub fn archive<'py>(
    py: Python<'py>,
    object: &Arc<Object>,
    unit: &Arc<Unit>,
    folder: &str,
    extra: Vec<(String, Vec<u8>)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let options = rushlight::SaveOptions {
        folder: folder.into(),
        extra,
        ..Default::default()
    };
    let saved = py.detach(|| rushlight::archive::save(object, unit, state::context(), &options));
    match saved {
        Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
        Err(error) => Err(PyRuntimeError::new_err(error.to_string())),
    }
}

/// What a module lists an attribute among.
fn kind_of(attribute: &Attribute) -> &'static str {
    match (&attribute.ty, attribute.kind) {
        (Type::Class(class), _) if class.is_module() => "module",
        (Type::Interface(interface), _) if interface.is_module => "module",
        (_, AttributeKind::Parameter) => "parameter",
        // One that may be None is no buffer for state dictionaries and conversions, as in the reference.
        (ty, AttributeKind::Buffer) if ty.is_tensor() => "buffer",
        _ => "attribute",
    }
}

#[pymethods]
impl ScriptObject {
    /// The archive of the module, as bytes.
    fn _archive<'py>(
        &self,
        py: Python<'py>,
        folder: &str,
        extra: Vec<(String, Vec<u8>)>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        archive(py, &self.object, &self.unit, folder, extra)
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let this = slf.borrow();
        // A submodule as it is: who wants its Python object asks for that.
        if this._is_module()
            && let Some(Value::Object(inner)) = this.object.get(name)
            && inner.class().is_module()
        {
            return ScriptObject::of(inner, this.unit.clone()).into_bound_py_any(slf.py());
        }
        let found = this._get(slf.py(), name);
        drop(this);
        match found {
            Err(error) => Self::_added(slf, name)?.ok_or(error),
            found => found,
        }
    }

    /// The value of an attribute, constant or property.
    fn _get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(value) = self.object.get(name) {
            if let Value::Object(inner) = &value {
                return wrapped(py, inner.clone(), Some(self.unit.clone()));
            }
            if let Value::Tensor(tensor) = value {
                return tensor_object(py, tensor);
            }
            return to_python(py, &value);
        }
        if let Some(function) = self.method(name) {
            return ScriptMethod {
                object: self.object.clone(),
                function,
                unit: self.unit.clone(),
            }
            .into_bound_py_any(py);
        }
        let class = self.object.class();
        if let Some(value) = class.constant(name).filter(|_| class.is_module()) {
            return to_python(py, &value);
        }
        if let Some(property) = class.property(name)
            && let Some(getter) = self.method(&property.getter)
        {
            let callable: Arc<dyn Callable> = getter;
            return call::run(py, &callable, vec![Value::Object(self.object.clone())]);
        }
        self._refuse_missing(name)?;
        Err(PyAttributeError::new_err(format!(
            "{} does not have a field with name '{name}'",
            self.shown_class()
        )))
    }

    /// What Python adds to script objects of modules and to packed parameters, under a name; None for other names.
    fn _added<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        if name.starts_with("__") {
            return Ok(None);
        }
        if !slf.borrow()._is_module() {
            let packed = slf.py().import("rushlight._packed")?;
            let found = packed.call_method1("method", (slf, name))?;
            return Ok((!found.is_none()).then_some(found));
        }
        let Ok(find) = registry::registered(slf.py(), "module_object_method") else {
            return Ok(None);
        };
        find.call1((slf, name))
            .map(|found| (!found.is_none()).then_some(found))
    }

    /// A submodule as it is, without its Python object.
    fn _get_object<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, ScriptObject>> {
        match self.object.get(name) {
            Some(Value::Object(inner)) => {
                Bound::new(py, ScriptObject::of(inner, self.unit.clone()))
            }
            _ => Err(PyAttributeError::new_err(format!("no module '{name}'"))),
        }
    }

    fn _get_method(&self, name: &str) -> PyResult<ScriptMethod> {
        match self.is_hook(name) {
            false => self.bound(name),
            true => Err(undefined(name)),
        }
    }

    fn _has_method(&self, name: &str) -> bool {
        self.method(name).is_some() && !self.is_hook(name)
    }

    /// Raises what kept a method from being compiled, for those that an archive has and this build cannot run.
    fn _refuse_missing(&self, name: &str) -> PyResult<()> {
        let qualified = format!("{}.{name}", self.object.class().name());
        match self.unit.why_missing(&qualified) {
            Some(why) => Err(PyRuntimeError::new_err(why.to_string())),
            None => Ok(()),
        }
    }

    /// Whether an attribute, constant or property of the name exists.
    fn _has_value(&self, name: &str) -> bool {
        let class = self.object.class();
        class.slot(name).is_some()
            || class.constant(name).is_some()
            || class.property(name).is_some()
    }

    /// Replaces the tensors of a module and its submodules by ones on the `meta` device.
    fn _move_to_meta(&self) -> PyResult<()> {
        let mut waiting = vec![self.object.clone()];
        while let Some(object) = waiting.pop() {
            for slot in 0..object.class().attribute_count() {
                match object.slot(slot) {
                    Value::Tensor(tensor) => {
                        let meta = tensor.to_meta().map_err(errors::fault)?;
                        meta.set_requires_grad(tensor.requires_grad());
                        object.set_slot(slot, Value::Tensor(meta));
                    }
                    Value::Object(inner) if inner.class().is_module() => waiting.push(inner),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn _has_property(&self, name: &str) -> bool {
        self.object.class().property(name).is_some()
    }

    fn _has_hooks(&self) -> bool {
        let class = self.object.class();
        !class.hooks(true).is_empty() || !class.hooks(false).is_empty()
    }

    /// The scripted hooks that run after `forward`.
    fn _get_forward_hooks(&self) -> PyResult<Vec<ScriptMethod>> {
        self.hooks(false)
    }

    /// The scripted hooks that run before `forward`.
    fn _get_forward_pre_hooks(&self) -> PyResult<Vec<ScriptMethod>> {
        self.hooks(true)
    }

    /// Whether the class was made by scripting a Python class of this process.
    fn _scripted_here(&self) -> bool {
        modules::concrete::of_class(self.object.class()).is_some()
    }

    /// `forward` between the compiled hooks.
    #[pyo3(signature = (*args, **kwargs))]
    fn _call_hooked<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let forward = self._get_method("forward")?.function;
        modules::run_hooked(py, &self.object, &forward, &self.unit, args, kwargs)
    }

    /// Another object with the same values.
    fn _copy(&self) -> ScriptObject {
        let copy = Object::new(self.object.class().clone());
        for i in 0..self.object.class().attribute_count() {
            copy.set_slot(i, self.object.slot(i));
        }
        ScriptObject::of(copy, self.unit.clone())
    }

    /// Another object with copies of the values, what is shared inside staying shared.
    fn _deep_copy(&self) -> PyResult<ScriptObject> {
        let copy = rushlight::types::deep_copy(&Value::Object(self.object.clone()), self)
            .map_err(errors::fault)?;
        match copy {
            Value::Object(object) => Ok(ScriptObject::of(object, self.unit.clone())),
            _ => Err(PyRuntimeError::new_err("the copy of a module is no module")),
        }
    }

    fn _set(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        modules::set_attribute(py, &self.object, &self.unit, name, value)
    }

    /// The names of attributes of a kind, those without a value left out: `parameter`, `buffer`, `module` or `attribute`.
    fn _names(&self, wanted: &str) -> Vec<String> {
        let attributes = self._attributes();
        let held = attributes.into_iter().filter(|(name, kind)| {
            *kind == wanted && !matches!(self.object.get(name), Some(Value::None))
        });
        held.map(|(name, _)| name).collect()
    }

    /// Whether a name is among [`ScriptObject::_names`].
    fn _lists(&self, wanted: &str, name: &str) -> bool {
        let attribute = self.object.class().attribute(name);
        attribute.is_some_and(|a| kind_of(&a) == wanted)
            && !matches!(self.object.get(name), Some(Value::None))
    }

    fn _has(&self, name: &str) -> bool {
        let class = self.object.class();
        class.slot(name).is_some()
            || class.method(name).is_some()
            || class.constant(name).is_some()
            || class.property(name).is_some()
    }

    fn _type(&self) -> PyType {
        PyType(Type::Class(self.object.class().clone()))
    }

    fn _class_name(&self) -> String {
        self.object.class().name().to_string()
    }

    #[getter]
    fn _is_module(&self) -> bool {
        self.object.class().is_module()
    }

    /// The attributes in order: (name, `parameter`, `buffer`, `module` or `attribute`).
    fn _attributes(&self) -> Vec<(String, &'static str)> {
        self.object
            .class()
            .attributes()
            .iter()
            .map(|a| (a.name.to_string(), kind_of(a)))
            .collect()
    }

    fn _methods(&self) -> Vec<String> {
        self.object
            .class()
            .methods()
            .iter()
            .filter(|m| !self.is_hook(&m.name))
            .map(|m| m.name.to_string())
            .collect()
    }

    fn _extra_files(&self) -> Vec<(String, Vec<u8>)> {
        self.extra.to_vec()
    }

    fn _same(&self, other: &ScriptObject) -> bool {
        Arc::ptr_eq(&self.object, &other.object)
    }

    fn _id(&self) -> usize {
        Arc::as_ptr(&self.object) as usize
    }

    /// The names of the methods of a plain class.
    fn _method_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let own = self._methods();
        if !own.is_empty() {
            return Ok(own);
        }
        let packed = py.import("rushlight._packed")?;
        packed
            .call_method1("method_names", (self._class_name(),))?
            .extract()
    }

    fn hasattr(&self, name: &str) -> bool {
        self._has_value(name)
    }

    fn getattr<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self._get(py, name)?;
        // Of a module, its script object.
        Ok(found.getattr_opt("_c")?.unwrap_or(found))
    }

    fn setattr(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        if self._is_module() {
            return self._set(py, name, value);
        }
        let class = self.object.class();
        if let Some(property) = class.property(name)
            && let Some(setter) = property.setter.as_deref().and_then(|s| self.method(s))
        {
            let value = infer(value)?;
            let callable: Arc<dyn Callable> = setter;
            let object = Value::Object(self.object.clone());
            return call::run(py, &callable, vec![object, value]).map(drop);
        }
        let Some(slot) = class.slot(name) else {
            return Err(PyRuntimeError::new_err(format!(
                "{} does not have an attribute with name '{name}'",
                self.shown_class()
            )));
        };
        let ty = class.attributes()[slot].ty.clone();
        let value = attribute_value(value, &ty).map_err(PyRuntimeError::new_err)?;
        self.object.set_slot(slot, value);
        Ok(())
    }

    fn __str__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let written = self.method("__str__").filter(|_| !self._is_module());
        match written {
            Some(method) => {
                let callable: Arc<dyn Callable> = method;
                call::run(py, &callable, vec![Value::Object(self.object.clone())])
            }
            None => self.name().into_bound_py_any(py),
        }
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let this = slf.borrow();
        match this._is_module() {
            true => this.name(),
            false => format!("<torch.ScriptObject object at {:p}>", slf.as_ptr()),
        }
    }
}

/// What is said of a method that there is not.
fn undefined(name: &str) -> PyErr {
    PyRuntimeError::new_err(format!("Method '{name}' is not defined."))
}

/// `torch.jit.script(object)`: an instance of a plain class that was scripted, as a script object.
#[pyfunction]
pub fn script_object(object: &Bound<'_, PyAny>) -> PyResult<ScriptObject> {
    let class = object.get_type();
    let Some(rushlight::Type::Class(class)) = state::known_type(class.as_any()) else {
        return Err(PyRuntimeError::new_err("the class has not been scripted"));
    };
    let out = Object::new(class.clone());
    for (slot, attribute) in class.attributes().iter().enumerate() {
        let value = object.getattr(&*attribute.name)?;
        let cast = modules::concrete::cast_attribute;
        out.set_slot(slot, cast(&attribute.name, &value, &attribute.ty)?);
    }
    Ok(ScriptObject::of(out, state::unit().clone()))
}

/// A method of a script object, ready to be called.
#[pyclass(name = "ScriptMethod", module = "torch", frozen, dict)]
pub struct ScriptMethod {
    object: Arc<Object>,
    function: Arc<Function>,
    unit: Arc<Unit>,
}

#[pymethods]
impl ScriptMethod {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let schema = self.function.schema();
        let arguments = call::bind(
            &schema,
            Some(Value::Object(self.object.clone())),
            args,
            kwargs,
        )?;
        let function = self.function.clone();
        if let Some(recorder) = recording::current() {
            let callable: Arc<dyn Callable> = function;
            return trace::call_script(py, &recorder, &callable, Some(&self.object), arguments);
        }
        let result = py.detach(|| function.invoke(state::context(), arguments));
        match result {
            Ok(Value::Object(o)) => wrapped(py, o, Some(self.unit.clone())),
            Ok(value) => to_python(py, &value),
            Err(fault) => Err(errors::script_fault(py, fault)),
        }
    }

    #[getter]
    fn name(&self) -> &str {
        self.function.basename()
    }

    /// The object that the method is called on.
    #[getter]
    fn owner(&self) -> ScriptObject {
        ScriptObject::of(self.object.clone(), self.unit.clone())
    }

    #[getter]
    fn schema(&self) -> PySchema {
        PySchema(self.function.schema())
    }

    #[getter]
    fn graph(&self, py: Python<'_>) -> PyResult<Py<PyGraph>> {
        PyGraph::of(py, &self.function)
    }

    #[getter]
    fn inlined_graph(&self) -> PyResult<PyGraph> {
        crate::ir::inlined(&self.function)
    }

    /// The graph that runs, once there is code for it.
    fn get_debug_state(&self) -> PyResult<ExecutorState> {
        ExecutorState::of(&self.function)
    }

    /// Drops the code that was made of the graph; the next call makes it anew.
    fn _debug_flush_compilation_cache(&self) {
        ExecutorState::flush(&self.function);
    }

    /// Runs the method and gives the graph that ran.
    #[pyo3(signature = (*args, **kwargs))]
    fn graph_for<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<PyGraph> {
        self.__call__(py, args, kwargs)?;
        crate::ir::executed(&self.function)
    }

    #[getter]
    fn code(&self) -> PyResult<String> {
        code::code(&self.function)
    }

    /// The code, and the values behind its `CONSTANTS.c0` and so on.
    #[getter]
    fn code_with_constants<'py>(&self, py: Python<'py>) -> PyResult<(String, Bound<'py, PyAny>)> {
        code::code_and_constants(py, &self.function)
    }
}
