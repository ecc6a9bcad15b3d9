//! `torch._C.Type` and what makes types.

use crate::convert::argument::PyArgument;
use crate::convert::to_python;
use crate::errors::refuse;
use crate::identity::PyTensor;
use crate::objects::{DTypeObject, DeviceObject, dtype_object};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::runtime::invoke::HostArgument;
use rushlight::syntax::Span;
use rushlight::types::{TensorInfo, Type};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The last number that was given to a size that is not known.
static SYMBOLS: AtomicI64 = AtomicI64::new(-1);

/// A number below zero that no other unknown size has.
#[pyfunction]
pub fn new_symbol() -> i64 {
    SYMBOLS.fetch_sub(1, Ordering::Relaxed) - 1
}

/// `torch._C.Type`.
#[pyclass(name = "Type", module = "torch", frozen, from_py_object)]
#[derive(Clone)]
pub struct PyType(pub Type);

/// Reads a type as schemas and graphs spell it.
#[pyfunction]
pub fn parse_type(text: &str) -> PyResult<PyType> {
    let ty = Type::parse(text, &|_| None).map_err(refuse)?;
    match ty.has_variables() {
        true => Err(refuse(format!("unknown type in '{text}'"))),
        false => Ok(PyType(ty)),
    }
}

/// A type made of others: `ListType(int)`.
#[pyfunction]
pub fn make_type(kind: &str, parts: Vec<PyType>) -> PyResult<PyType> {
    let parts: Vec<Type> = parts.into_iter().map(|p| p.0).collect();
    Ok(PyType(match (kind, parts.as_slice()) {
        ("ListType", [element]) => Type::list(element.clone()),
        ("OptionalType", [inner]) => Type::optional(inner.clone()),
        ("DictType", [key, value]) => Type::dict(key.clone(), value.clone()),
        ("TupleType", elements) => Type::tuple(elements.to_vec()),
        ("UnionType", members) => Type::union(members.to_vec()),
        ("FutureType", [inner]) => Type::Future(std::sync::Arc::new(inner.clone())),
        ("AwaitType", [inner]) => Type::Await(std::sync::Arc::new(inner.clone())),
        ("RRefType", [inner]) => Type::RRef(std::sync::Arc::new(inner.clone())),
        _ => {
            return Err(refuse(format!(
                "{kind} is not made of {} types",
                parts.len()
            )));
        }
    }))
}

/// Raises when an object is no value of a type.
#[pyfunction]
pub fn assert_is_instance(object: Bound<'_, PyAny>, ty: &PyType) -> PyResult<()> {
    let argument = PyArgument(object);
    match argument.cast(&ty.0) {
        Ok(_) => Ok(()),
        Err(_) => Err(refuse(argument.cast_details(&ty.0))),
    }
}

/// The name of the class of types that a type is of.
fn kind_of(ty: &Type) -> &'static str {
    match ty {
        Type::Tensor(_) => "TensorType",
        Type::Int => "IntType",
        Type::Float => "FloatType",
        Type::Bool => "BoolType",
        Type::Complex => "ComplexType",
        Type::Number => "NumberType",
        Type::Str => "StringType",
        Type::None => "NoneType",
        Type::Any => "AnyType",
        Type::Device => "DeviceObjType",
        Type::Generator => "GeneratorType",
        Type::Stream => "StreamObjType",
        Type::List(_) => "ListType",
        Type::Dict(_) => "DictType",
        Type::Tuple(_) => "TupleType",
        Type::Optional(_) => "OptionalType",
        Type::Union(_) => "UnionType",
        Type::Future(_) => "FutureType",
        Type::Await(_) => "AwaitType",
        Type::RRef(_) => "RRefType",
        Type::Class(_) => "ClassType",
        Type::Interface(_) => "InterfaceType",
        Type::Enum(_) => "EnumType",
        Type::Function(_) => "FunctionType",
        Type::Var(_) => "VarType",
        Type::SymInt => "SymIntType",
        Type::SymBool => "SymBoolType",
        Type::SymFloat => "SymFloatType",
        Type::Capsule => "CapsuleType",
        Type::PyObject => "PyObjectType",
        Type::AnyEnum => "AnyEnumType",
        Type::AnyClass => "AnyClassType",
        Type::AnyList => "AnyListType",
        Type::AnyTuple => "AnyTupleType",
        Type::Layout => "LayoutType",
        Type::MemoryFormat => "MemoryFormatType",
        Type::ScalarType => "ScalarTypeType",
        Type::QScheme => "QSchemeType",
        Type::Dimname => "DimnameType",
        Type::Storage => "StorageType",
        Type::Quantizer => "QuantizerType",
    }
}

fn parts(ty: &Type) -> Vec<Type> {
    match ty {
        Type::List(t) | Type::Optional(t) | Type::Future(t) | Type::Await(t) | Type::RRef(t) => {
            vec![(**t).clone()]
        }
        Type::Dict(kv) => vec![kv.0.clone(), kv.1.clone()],
        Type::Tuple(tuple) => tuple.elements.clone(),
        Type::Union(members) => members.to_vec(),
        _ => Vec::new(),
    }
}

impl PyType {
    /// What is known of a tensor; other types have none of it.
    fn tensor(&self) -> PyResult<TensorInfo> {
        match &self.0 {
            Type::Tensor(info) => Ok(info.as_deref().cloned().unwrap_or_default()),
            _ => Err(refuse("r INTERNAL ASSERT FAILED")),
        }
    }

    fn part(&self, index: usize, what: &str) -> PyResult<PyType> {
        let part = parts(&self.0).into_iter().nth(index);
        part.map(PyType).ok_or_else(|| {
            pyo3::exceptions::PyAttributeError::new_err(format!(
                "'{}' object has no attribute '{what}'",
                kind_of(&self.0)
            ))
        })
    }
}

impl PyType {
    /// What is known of tensors of the type.
    pub fn info(&self) -> Option<&TensorInfo> {
        match &self.0 {
            Type::Tensor(Some(info)) => Some(info),
            _ => None,
        }
    }

    fn with(&self, change: impl FnOnce(&mut TensorInfo)) -> PyResult<PyType> {
        let mut info = match &self.0 {
            Type::Tensor(Some(info)) => (**info).clone(),
            Type::Tensor(None) => TensorInfo::default(),
            _ => return Err(refuse("only types of tensors have sizes and dtypes")),
        };
        change(&mut info);
        Ok(PyType(Type::Tensor(Some(Arc::new(info)))))
    }
}

/// The type that a description of a Python type stands for.
#[pyfunction]
pub fn described_type(description: &Bound<'_, PyAny>) -> PyResult<PyType> {
    crate::classes::described_type(description, &Span::unknown())
        .map(PyType)
        .map_err(|error| crate::errors::diagnostic(description.py(), &error))
}

/// The type of just such tensors as this one.
#[pyfunction]
pub fn type_of_tensor(tensor: &PyTensor) -> PyType {
    PyType(rushlight::ir::analysis::known::tensor_type(&tensor.0))
}

/// The type that an object has for scripts and traces, without annotations; or, as a str, why there is none.
#[pyfunction]
pub fn try_infer_type<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match crate::modules::inferred(object)? {
        Ok(value) => PyType(value.type_of()).into_bound_py_any(object.py()),
        Err(why) => why.into_bound_py_any(object.py()),
    }
}

#[pymethods]
impl PyType {
    fn kind(&self) -> &'static str {
        kind_of(&self.0)
    }

    #[getter]
    fn annotation_str(&self) -> String {
        match &self.0 {
            Type::Function(function) => function.callee.name().to_string(),
            other => other.to_string(),
        }
    }

    fn str(&self) -> String {
        self.0.graph_form().to_string()
    }

    #[pyo3(name = "isSubtypeOf")]
    fn is_subtype_of(&self, other: &PyType) -> bool {
        self.0.is_subtype_of(&other.0)
    }

    #[pyo3(name = "containedTypes")]
    fn contained_types(&self) -> Vec<PyType> {
        parts(&self.0).into_iter().map(PyType).collect()
    }

    fn elements(&self) -> Vec<PyType> {
        self.contained_types()
    }

    #[pyo3(name = "getElementType")]
    fn element_type(&self) -> PyResult<PyType> {
        self.part(0, "getElementType")
    }

    #[pyo3(name = "getKeyType")]
    fn key_type(&self) -> PyResult<PyType> {
        self.part(0, "getKeyType")
    }

    #[pyo3(name = "getValueType")]
    fn value_type(&self) -> PyResult<PyType> {
        self.part(1, "getValueType")
    }

    fn name(&self) -> Option<String> {
        let full = self.0.to_string();
        full.rsplit('.').next().map(str::to_string)
    }

    fn qualified_name(&self) -> String {
        self.0.to_string()
    }

    #[pyo3(name = "is_interface_type")]
    fn is_interface(&self) -> bool {
        matches!(self.0, Type::Interface(_))
    }

    /// The number of dimensions of a tensor, where it is known.
    fn dim(&self) -> PyResult<Option<usize>> {
        Ok(self.tensor()?.sizes.map(|sizes| sizes.len()))
    }

    /// The sizes of a tensor, where all are known.
    fn sizes(&self) -> PyResult<Option<Vec<usize>>> {
        let sizes = self.tensor()?.sizes;
        Ok(sizes.and_then(|sizes| sizes.into_iter().collect()))
    }

    /// The sizes of a tensor, None for those that are not known.
    #[pyo3(name = "varyingSizes")]
    fn varying_sizes(&self) -> PyResult<Option<Vec<Option<usize>>>> {
        Ok(self.tensor()?.sizes)
    }

    /// The strides of a tensor, where all are known.
    fn strides(&self) -> PyResult<Option<Vec<usize>>> {
        let strides = self.tensor()?.strides;
        Ok(strides.and_then(|strides| strides.into_iter().collect()))
    }

    /// The name of the dtype, where it is known.
    #[pyo3(name = "scalarType")]
    fn scalar_type(&self) -> PyResult<Option<&'static str>> {
        Ok(self.tensor()?.dtype.map(|dtype| dtype.class_name()))
    }

    fn dtype(&self, py: Python<'_>) -> PyResult<Option<Py<DTypeObject>>> {
        let dtype = self.tensor()?.dtype;
        dtype.map(|dtype| dtype_object(py, dtype)).transpose()
    }

    fn device<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let device = self.tensor()?.device.map(Value::Device);
        device.map(|device| to_python(py, &device)).transpose()
    }

    /// Whether gradients are needed; True where that is not known.
    pub fn requires_grad(&self) -> bool {
        match &self.0 {
            Type::Tensor(info) => info.as_ref().is_none_or(|i| i.requires_grad != Some(false)),
            other => parts(other)
                .into_iter()
                .any(|part| PyType(part).requires_grad()),
        }
    }

    /// Whether the tensor is known to be undefined, which no tensor of a graph is.
    fn undefined(&self) -> PyResult<bool> {
        self.tensor().map(|_| false)
    }

    /// The sizes of a tensor as numbers: below zero for one that is not known, the same number for those known to be equal.
    fn symbolic_sizes(&self) -> PyResult<Option<Vec<i64>>> {
        let info = self.tensor()?;
        let symbols = info.symbols;
        let number = |(place, size): (usize, Option<usize>)| match size {
            Some(size) => i64::try_from(size).unwrap_or(i64::MAX),
            None => match symbols.get(place) {
                Some(symbol) if *symbol < 0 => *symbol,
                _ => new_symbol(),
            },
        };
        let sizes = info.sizes;
        Ok(sizes.map(|sizes| sizes.into_iter().enumerate().map(number).collect()))
    }

    /// The type with these sizes: a number below zero for one that is not known but told apart, None for each other.
    fn with_sizes(&self, sizes: Option<Vec<Option<i64>>>) -> PyResult<PyType> {
        let known = |size: &Option<i64>| size.and_then(|size| usize::try_from(size).ok());
        let symbol = |size: &Option<i64>| size.unwrap_or_else(new_symbol).min(0);
        self.with(|info| {
            let list = sizes.as_deref().unwrap_or_default();
            info.symbols = match list.iter().all(|size| known(size).is_some()) {
                true => Vec::new(),
                false => list.iter().map(symbol).collect(),
            };
            info.sizes = sizes.map(|sizes| sizes.iter().map(known).collect());
            info.strides = None;
        })
    }

    fn with_dtype(&self, dtype: DTypeObject) -> PyResult<PyType> {
        self.with(|info| info.dtype = Some(dtype.0))
    }

    fn with_device(&self, device: DeviceObject) -> PyResult<PyType> {
        self.with(|info| info.device = Some(device.0))
    }

    fn __str__(&self) -> String {
        self.annotation_str()
    }

    fn __repr__(&self) -> String {
        self.annotation_str()
    }

    fn __eq__(&self, other: &PyType) -> bool {
        self.0 == other.0
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.graph_form().to_string().hash(&mut hasher);
        hasher.finish()
    }
}
