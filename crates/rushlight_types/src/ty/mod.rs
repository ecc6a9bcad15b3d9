//! The types of TorchScript.
//!
//! [`Type`] is a cheap-to-clone value; compound types share their parts. Two classes are equal when they are the same
//! definition, everything else is structural.

mod bind;
mod class;
mod print;
mod relate;

pub use bind::{Bindings, evaluate, match_type};
pub use class::{Attribute, AttributeKind, ClassType, EnumType, InterfaceType, Method, Property};
pub use print::short_names;
pub use relate::{unify, unify_list};

use crate::{Schema, Symbol};
use rushlight_tensor::{DType, Device};
use std::sync::Arc;

/// A TorchScript type.
#[derive(Clone, PartialEq)]
pub enum Type {
    /// Any value at all.
    Any,
    AnyList,
    AnyTuple,
    AnyClass,
    AnyEnum,
    None,
    /// `Scalar`: int, float or complex.
    Number,
    Bool,
    Int,
    Float,
    Complex,
    Str,
    Device,
    Generator,
    Stream,
    /// An int at run time, spelled `ScalarType` in schemas (`torch.dtype` in source).
    ScalarType,
    /// An int at run time, spelled `Layout` in schemas.
    Layout,
    /// An int at run time, spelled `MemoryFormat` in schemas.
    MemoryFormat,
    QScheme,
    /// An int, spelled `SymInt` in schemas.
    SymInt,
    /// A float, spelled `SymFloat` in schemas.
    SymFloat,
    /// A bool, spelled `SymBool` in schemas.
    SymBool,
    /// The names of dimensions; only schemas mention it.
    Dimname,
    Storage,
    Capsule,
    Quantizer,
    PyObject,
    /// A tensor; what is known of its dtype and shape comes from tracing or from IR text.
    Tensor(Option<Arc<TensorInfo>>),
    List(Arc<Type>),
    Dict(Arc<(Type, Type)>),
    Tuple(Arc<TupleType>),
    Optional(Arc<Type>),
    /// Two or more alternatives, none of which is a union; see [`Type::union`].
    Union(Arc<Vec<Type>>),
    Future(Arc<Type>),
    Await(Arc<Type>),
    RRef(Arc<Type>),
    Enum(Arc<EnumType>),
    Class(Arc<ClassType>),
    Interface(Arc<InterfaceType>),
    Function(Arc<FunctionType>),
    /// A type variable of a schema.
    Var(Symbol),
}

const _: () = assert!(
    size_of::<Type>() <= 16,
    "types are cloned everywhere and must stay two words"
);

/// What is known of a tensor: printed as `Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TensorInfo {
    pub dtype: Option<DType>,
    /// Sizes, `None` per unknown one; the whole is `None` where the rank is unknown.
    pub sizes: Option<Vec<Option<usize>>>,
    /// Numbers below zero for unknown sizes that are told apart, one per size where there are any; 0 elsewhere.
    pub symbols: Vec<i64>,
    pub strides: Option<Vec<Option<usize>>>,
    pub device: Option<Device>,
    pub requires_grad: Option<bool>,
}

/// A tuple, or a NamedTuple where `name` and `fields` are present.
#[derive(Clone)]
pub struct TupleType {
    pub elements: Vec<Type>,
    /// The qualified name of a NamedTuple.
    pub name: Option<Arc<str>>,
    /// Its field names, one per element.
    pub fields: Vec<Arc<str>>,
    /// Default values of the last fields.
    pub defaults: Vec<crate::Value>,
    /// Whether the fields are tensors because nobody has said what they are: only messages tell.
    pub inferred: bool,
}

impl TupleType {
    /// The name that it goes by in texts: those that operators give have none.
    pub fn shown_name(&self) -> Option<&str> {
        self.name.as_deref().filter(|name| name.contains('.'))
    }
}

impl PartialEq for TupleType {
    fn eq(&self, other: &TupleType) -> bool {
        self.elements == other.elements
            && self.name == other.name
            && self.fields == other.fields
            && self.defaults == other.defaults
    }
}

/// The type of a function used as a value.
#[derive(Clone)]
pub struct FunctionType {
    pub name: Arc<str>,
    pub schema: Arc<Schema>,
    /// What the unit calls when the value is called.
    pub callee: Arc<dyn crate::Callable>,
}

impl PartialEq for FunctionType {
    fn eq(&self, other: &FunctionType) -> bool {
        Arc::ptr_eq(&self.callee, &other.callee)
    }
}

impl Type {
    /// A tensor of which nothing is known.
    pub const TENSOR: Type = Type::Tensor(None);

    /// `List[element]`.
    pub fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    /// `Dict[key, value]`.
    pub fn dict(key: Type, value: Type) -> Type {
        Type::Dict(Arc::new((key, value)))
    }

    /// `Tuple[elements]`.
    pub fn tuple(elements: Vec<Type>) -> Type {
        Type::Tuple(Arc::new(TupleType {
            elements,
            name: None,
            fields: Vec::new(),
            defaults: Vec::new(),
            inferred: false,
        }))
    }

    /// A NamedTuple.
    pub fn named_tuple(
        name: &str,
        fields: Vec<Arc<str>>,
        elements: Vec<Type>,
        defaults: Vec<crate::Value>,
    ) -> Type {
        Type::Tuple(Arc::new(TupleType {
            elements,
            name: Some(name.into()),
            fields,
            defaults,
            inferred: false,
        }))
    }

    /// `Optional[inner]`; optionals of optionals and of None collapse, a union gains None. An optional of Any does not: `is
    /// None` asks it, and a value of type Any is taken for one that is there.
    pub fn optional(inner: Type) -> Type {
        match &inner {
            Type::Optional(_) | Type::None => inner,
            Type::Union(members) if members.contains(&Type::None) => inner,
            Type::Union(members) => {
                let mut all = members.to_vec();
                all.push(Type::None);
                Type::union(all)
            }
            _ => Type::Optional(Arc::new(inner)),
        }
    }

    /// The union of alternatives in the reference's canonical form: flat, without members that another member
    /// includes, None last among two (which is an Optional), one member alone is itself.
    pub fn union(members: Vec<Type>) -> Type {
        relate::union(members)
    }

    /// `Future[inner]`.
    pub fn future(inner: Type) -> Type {
        Type::Future(Arc::new(inner))
    }

    /// Whether this is a tensor type.
    pub fn is_tensor(&self) -> bool {
        matches!(self, Type::Tensor(_))
    }

    /// Whether this is an optional or a union with None.
    pub fn accepts_none(&self) -> bool {
        match self {
            Type::None | Type::Optional(_) | Type::Any => true,
            Type::Union(members) => members.contains(&Type::None),
            _ => false,
        }
    }

    /// Whether values of this type are numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Number | Type::Int | Type::Float | Type::Complex)
    }

    /// The type of elements, for lists.
    pub fn list_element(&self) -> Option<&Type> {
        match self {
            Type::List(element) => Some(element),
            _ => None,
        }
    }

    /// The type without what it says about the shapes of tensors.
    pub fn shapeless(&self) -> Type {
        match self {
            Type::Tensor(_) => Type::TENSOR,
            Type::Optional(inner) => Type::optional(inner.shapeless()),
            Type::List(inner) => Type::list(inner.shapeless()),
            Type::Dict(types) => Type::dict(types.0.shapeless(), types.1.shapeless()),
            Type::Tuple(tuple) => Type::Tuple(Arc::new(TupleType {
                elements: tuple.elements.iter().map(Type::shapeless).collect(),
                ..(**tuple).clone()
            })),
            other => other.clone(),
        }
    }

    /// Types that differ in schemas only, made one: SymInt, ScalarType, Layout, MemoryFormat and QScheme are ints.
    pub fn runtime(&self) -> Type {
        match self {
            Type::ScalarType | Type::Layout | Type::MemoryFormat | Type::SymInt | Type::QScheme => {
                Type::Int
            }
            Type::SymFloat => Type::Float,
            Type::SymBool => Type::Bool,
            Type::Dimname => Type::Str,
            other => other.map_parts(Type::runtime),
        }
    }

    /// The type parts of a compound type.
    pub fn parts(&self) -> Vec<Type> {
        match self {
            Type::List(t)
            | Type::Optional(t)
            | Type::Future(t)
            | Type::Await(t)
            | Type::RRef(t) => vec![(**t).clone()],
            Type::Dict(kv) => vec![kv.0.clone(), kv.1.clone()],
            Type::Tuple(tuple) => tuple.elements.clone(),
            Type::Union(members) => members.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The compound type with each part replaced.
    pub fn map_parts(&self, mut f: impl FnMut(&Type) -> Type) -> Type {
        match self {
            Type::List(t) => Type::list(f(t)),
            Type::Dict(kv) => Type::dict(f(&kv.0), f(&kv.1)),
            Type::Tuple(tuple) => Type::Tuple(Arc::new(TupleType {
                elements: tuple.elements.iter().map(f).collect(),
                name: tuple.name.clone(),
                fields: tuple.fields.clone(),
                defaults: tuple.defaults.clone(),
                inferred: tuple.inferred,
            })),
            Type::Optional(t) => Type::optional(f(t)),
            Type::Union(members) => Type::union(members.iter().map(f).collect()),
            Type::Future(t) => Type::future(f(t)),
            Type::Await(t) => Type::Await(Arc::new(f(t))),
            Type::RRef(t) => Type::RRef(Arc::new(f(t))),
            other => other.clone(),
        }
    }

    /// Whether a type variable occurs in the type.
    pub fn has_variables(&self) -> bool {
        matches!(self, Type::Var(_)) || self.parts().iter().any(Type::has_variables)
    }

    /// Whether values of this type can be changed in place, so that names for them are aliases.
    pub fn is_mutable(&self) -> bool {
        match self {
            Type::Tensor(_)
            | Type::List(_)
            | Type::Dict(_)
            | Type::Class(_)
            | Type::Interface(_)
            | Type::Any
            | Type::AnyList
            | Type::AnyClass
            | Type::Var(_)
            | Type::Future(_)
            | Type::Await(_)
            | Type::RRef(_)
            | Type::Generator
            | Type::Storage
            | Type::Capsule
            | Type::PyObject
            | Type::Quantizer => true,
            Type::Tuple(_) | Type::AnyTuple | Type::Optional(_) | Type::Union(_) => {
                matches!(self, Type::AnyTuple) || self.parts().iter().any(Type::is_mutable)
            }
            _ => false,
        }
    }
}
