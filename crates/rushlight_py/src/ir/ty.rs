//! `torch._C.Type` and what makes types.

use super::refuse;
use crate::argument::PyArgument;
use pyo3::prelude::*;
use rushlight::runtime::invoke::HostArgument;
use rushlight::types::Type;
use std::hash::{DefaultHasher, Hash, Hasher};

/// `torch._C.Type`.
#[pyclass(name = "Type", module = "torch._C", frozen, from_py_object)]
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

#[pymethods]
impl PyType {
    fn kind(&self) -> &'static str {
        kind_of(&self.0)
    }

    #[getter]
    fn annotation_str(&self) -> String {
        self.0.to_string()
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

    /// The number of dimensions, which types of scripts do not say.
    fn dim(&self) -> Option<usize> {
        None
    }

    /// The sizes, which types of scripts do not say.
    fn sizes(&self) -> Option<Vec<i64>> {
        None
    }

    #[pyo3(name = "scalarType")]
    fn scalar_type(&self) -> Option<String> {
        None
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
