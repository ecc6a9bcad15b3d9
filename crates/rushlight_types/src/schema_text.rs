//! From schema text to typed schemas and types.

use crate::{AliasInfo, Argument, MOST_REPEATED, Schema, Symbol, TensorInfo, Type, Value};
use rushlight_syntax::schema::{
    AliasSyntax, DefaultSyntax, SizeSyntax, TensorSyntax, TypeKind, TypeSyntax, parse_schema,
    parse_type,
};
use rushlight_tensor::{Complex64, DType, Device, MemoryFormat};
use std::sync::Arc;

/// Finds named types (classes, enums, interfaces, NamedTuples) while reading text.
pub type TypeLookup<'a> = &'a dyn Fn(&str) -> Option<Type>;

impl Schema {
    /// Parses a schema as the reference spells it; names that are not types of the language are type variables.
    pub fn parse(text: &str) -> Result<Schema, String> {
        Schema::parse_with(text, &|_| None)
    }

    /// As [`Schema::parse`], of text that a program writes: floats print as the reference prints them, not as they are
    /// spelled.
    pub fn parse_written(text: &str) -> Result<Schema, String> {
        let mut schema = Schema::parse(text)?;
        for argument in &mut schema.arguments {
            let is_float = matches!(
                &argument.default,
                Some(Value::Float(_) | Value::FloatList(_))
            );
            // An int stays one where None would do as well.
            let is_spelled = matches!(argument.ty, Type::Optional(_))
                && argument
                    .default_text
                    .as_ref()
                    .is_some_and(|t| t.parse::<i64>().is_ok());
            if is_float && !is_spelled {
                argument.default_text = None;
            }
            // Equal integers of a list show as one.
            if let Some(Value::IntList(list)) = &argument.default
                && argument.ty.list_element() == Some(&Type::Int)
            {
                let list = list.lock();
                let same = list.windows(2).all(|pair| pair[0] == pair[1]);
                if let Some(one) = list.first().filter(|_| same && list.len() > 1) {
                    argument.default_text = Some(one.to_string().into());
                }
            }
        }
        Ok(schema)
    }

    /// As [`Schema::parse`], with a lookup for named types.
    pub fn parse_with(text: &str, lookup: TypeLookup<'_>) -> Result<Schema, String> {
        let syntax = parse_schema(text).map_err(|e| e.to_string())?;
        let mut arguments = Vec::with_capacity(syntax.args.len());
        for arg in &syntax.args {
            let ty = type_of(&arg.ty, lookup)?;
            let default = arg
                .default
                .as_ref()
                .map(|d| default_value(d, &ty))
                .transpose()?;
            arguments.push(Argument {
                name: arg.name.as_str().into(),
                alias: alias_of(&arg.ty),
                list_size: list_size(&arg.ty),
                default_text: arg.default.as_ref().map(|d| d.to_string().into()),
                default,
                kwarg_only: arg.kwarg_only,
                inferred: false,
                ty,
            });
        }
        let returns = syntax
            .returns
            .iter()
            .map(|r| {
                let mut out =
                    Argument::new(r.name.as_deref().unwrap_or(""), type_of(&r.ty, lookup)?);
                out.alias = alias_of(&r.ty);
                out.list_size = list_size(&r.ty);
                Ok(out)
            })
            .collect::<Result<Vec<_>, String>>()?;
        Ok(Schema {
            name: syntax.name.as_str().into(),
            overload: syntax.overload.as_str().into(),
            arguments,
            returns,
            varargs: syntax.is_vararg,
            varrets: syntax.is_varret,
        })
    }
}

impl Type {
    /// Parses a type as printed graphs and schemas spell it.
    pub fn parse(text: &str, lookup: TypeLookup<'_>) -> Result<Type, String> {
        type_of(&parse_type(text).map_err(|e| e.to_string())?, lookup)
    }

    /// The typed form of parsed type syntax.
    pub fn from_syntax(syntax: &TypeSyntax, lookup: TypeLookup<'_>) -> Result<Type, String> {
        type_of(syntax, lookup)
    }
}

/// The types that go by one name in schemas.
const NAMED: &[(&str, Type)] = &[
    ("Tensor", Type::TENSOR),
    ("int", Type::Int),
    ("float", Type::Float),
    ("bool", Type::Bool),
    ("complex", Type::Complex),
    ("str", Type::Str),
    ("Scalar", Type::Number),
    ("number", Type::Number),
    ("Device", Type::Device),
    ("Generator", Type::Generator),
    ("Stream", Type::Stream),
    ("ScalarType", Type::ScalarType),
    ("Layout", Type::Layout),
    ("MemoryFormat", Type::MemoryFormat),
    ("QScheme", Type::QScheme),
    ("SymInt", Type::SymInt),
    ("SymFloat", Type::SymFloat),
    ("SymBool", Type::SymBool),
    ("Dimname", Type::Dimname),
    ("Storage", Type::Storage),
    ("Capsule", Type::Capsule),
    ("Quantizer", Type::Quantizer),
    ("PyObject", Type::PyObject),
    ("Any", Type::Any),
    ("AnyEnumType", Type::AnyEnum),
    ("AnyClassType", Type::AnyClass),
    ("AnyListType", Type::AnyList),
    ("AnyTupleType", Type::AnyTuple),
    ("NoneType", Type::None),
    ("None", Type::None),
];

fn type_of(syntax: &TypeSyntax, lookup: TypeLookup<'_>) -> Result<Type, String> {
    let each = |items: &[TypeSyntax]| {
        items
            .iter()
            .map(|t| type_of(t, lookup))
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(match &syntax.kind {
        TypeKind::Named(name) => named(name, lookup)?,
        TypeKind::List(element, _) => Type::list(type_of(element, lookup)?),
        // Kept as written, so that schemas print back: `Any?` does not collapse here.
        TypeKind::Optional(inner) => Type::Optional(Arc::new(type_of(inner, lookup)?)),
        TypeKind::Tuple(elements) => Type::tuple(each(elements)?),
        TypeKind::NamedTuple { fields, .. } => {
            let names = fields.iter().map(|f| f.0.as_str().into()).collect();
            let types = fields
                .iter()
                .map(|f| type_of(&f.1, lookup))
                .collect::<Result<Vec<_>, _>>()?;
            Type::named_tuple("", names, types, Vec::new())
        }
        TypeKind::Tensor(info) => Type::Tensor(Some(Arc::new(tensor_info(info)?))),
        TypeKind::Apply { name, args, .. } => apply(name, args, each, lookup)?,
    })
}

fn apply(
    name: &str,
    args: &[TypeSyntax],
    each: impl Fn(&[TypeSyntax]) -> Result<Vec<Type>, String>,
    lookup: TypeLookup<'_>,
) -> Result<Type, String> {
    if matches!(name, "Enum" | "InterfaceType") {
        return match args {
            [
                TypeSyntax {
                    kind: TypeKind::Named(inner),
                    ..
                },
            ] => lookup(inner).ok_or_else(|| format!("unknown type {inner}")),
            _ => Err(format!("{name} takes one name")),
        };
    }
    let mut parts = each(args)?;
    let one = |parts: &mut Vec<Type>| match parts.len() {
        1 => Ok(Arc::new(parts.remove(0))),
        n => Err(format!("{name} takes one type, not {n}")),
    };
    Ok(match name {
        "Dict" if parts.len() == 2 => {
            let value = parts.remove(1);
            Type::dict(parts.remove(0), value)
        }
        "Future" => Type::Future(one(&mut parts)?),
        "Await" => Type::Await(one(&mut parts)?),
        "RRef" => Type::RRef(one(&mut parts)?),
        "List" => Type::List(one(&mut parts)?),
        "Optional" => Type::Optional(one(&mut parts)?),
        "Tuple" => Type::tuple(parts),
        "Union" => Type::union(parts),
        _ => return Err(format!("unknown type constructor {name}")),
    })
}

fn named(name: &str, lookup: TypeLookup<'_>) -> Result<Type, String> {
    if let Some((_, ty)) = NAMED.iter().find(|(n, _)| *n == name) {
        return Ok(ty.clone());
    }
    if let Some(ty) = lookup(name) {
        return Ok(ty);
    }
    if let Some(class) = crate::native::known_class(name) {
        return Ok(Type::Class(class));
    }
    // A tensor of which the dtype is known prints as `FloatTensor`.
    let class = name.strip_suffix("Tensor").unwrap_or(name);
    if let Some(dtype) = DType::from_class_name(class) {
        return Ok(Type::Tensor(Some(Arc::new(TensorInfo {
            dtype: Some(dtype),
            ..TensorInfo::default()
        }))));
    }
    let is_variable =
        name.chars().next().is_some_and(|c| c.is_ascii_lowercase()) && !name.contains('.');
    if is_variable || name.starts_with("__torch__.torch.classes.") {
        return Ok(Type::Var(Symbol::new(name)));
    }
    Err(format!("unknown type {name}"))
}

fn tensor_info(syntax: &TensorSyntax) -> Result<TensorInfo, String> {
    let dim = |s: &SizeSyntax| match s {
        SizeSyntax::Known(n) | SizeSyntax::Strided(n, _) => usize::try_from(*n).ok(),
        SizeSyntax::Unknown | SizeSyntax::Symbol(_) => None,
    };
    let fact = |name: &str| {
        syntax
            .facts
            .iter()
            .find(|f| f.0 == name)
            .map(|f| f.1.as_str())
    };
    let device = match fact("device") {
        Some(text) => Some(Device::parse(text).map_err(|e| e.message().to_string())?),
        None => None,
    };
    let dtype = DType::from_class_name(&syntax.name);
    let sizes = syntax.sizes.as_ref().map(|s| s.iter().map(dim).collect());
    Ok(TensorInfo {
        dtype,
        // `Float()` has no dimensions; where nothing is known of them, it is a `FloatTensor`.
        sizes: sizes.or(dtype.map(|_| Vec::new())),
        strides: syntax.strides.as_ref().map(|s| s.iter().map(dim).collect()),
        device,
        requires_grad: fact("requires_grad").map(|text| text == "1"),
        ..TensorInfo::default()
    })
}

fn list_size(syntax: &TypeSyntax) -> Option<u32> {
    match &syntax.kind {
        TypeKind::List(_, size) => size.filter(|size| *size <= MOST_REPEATED),
        TypeKind::Optional(inner) => list_size(inner),
        _ => None,
    }
}

fn alias_of(syntax: &TypeSyntax) -> Option<AliasInfo> {
    let mut own = syntax.alias.as_ref().map(alias_info);
    match &syntax.kind {
        TypeKind::Optional(inner) => own.or_else(|| alias_of(inner)),
        TypeKind::List(element, _) => {
            if let Some(contained) = alias_of(element) {
                own.get_or_insert_default().contained.push(contained);
            }
            own
        }
        _ => own,
    }
}

fn alias_info(syntax: &AliasSyntax) -> AliasInfo {
    let sets =
        |names: &[String]| -> Vec<Arc<str>> { names.iter().map(|n| n.as_str().into()).collect() };
    let before = sets(&syntax.before);
    AliasInfo {
        after: syntax.after.as_deref().map_or_else(|| before.clone(), sets),
        before,
        is_write: syntax.is_write,
        contained: Vec::new(),
    }
}

/// Names that stand for numbers in defaults.
const NAMED_DEFAULTS: &[(&str, i64)] = &[
    ("Mean", 1),
    ("Sum", 2),
    ("contiguous_format", MemoryFormat::Contiguous as i64),
    ("preserve_format", MemoryFormat::Preserve as i64),
    ("long", DType::I64 as i64),
    ("float", DType::F32 as i64),
    ("strided", 0),
    ("per_tensor_affine", 0),
];

fn default_value(syntax: &DefaultSyntax, ty: &Type) -> Result<Value, String> {
    // By whatever name the type is written, as the parser has it for the usual ones.
    match (ty, syntax) {
        (Type::Tensor(_), other) if *other != DefaultSyntax::None => {
            return Err("tensors have no default but None".to_string());
        }
        (Type::Number, DefaultSyntax::Named(_)) => {
            return Err("invalid numeric default value".to_string());
        }
        _ => {}
    }
    let inner = match ty {
        Type::Optional(inner) => inner,
        other => other,
    };
    Ok(match syntax {
        DefaultSyntax::None => Value::None,
        DefaultSyntax::Bool(b) => Value::Bool(*b),
        DefaultSyntax::Int(i) if *inner == Type::Float => Value::Float(*i as f64),
        // `int[2] stride=1` and `int[1]? dim=0`: one number stands for the list.
        DefaultSyntax::Int(i)
            if inner.list_element() == Some(&Type::Int)
                || inner.list_element() == Some(&Type::SymInt) =>
        {
            Value::IntList(vec![*i].into())
        }
        DefaultSyntax::Int(i) => Value::Int(*i),
        DefaultSyntax::Float { value, .. } => Value::Float(*value),
        DefaultSyntax::Imaginary { value, .. } => Value::complex(Complex64::new(0.0, *value)),
        DefaultSyntax::Str(s) => Value::str(s.as_str()),
        DefaultSyntax::List(items) => {
            let element = inner.list_element().cloned().unwrap_or(Type::Int);
            let values = items
                .iter()
                .map(|i| default_value(i, &element))
                .collect::<Result<Vec<_>, _>>()?;
            Value::list(&element, values).map_err(|e| e.message().to_string())?
        }
        DefaultSyntax::Tuple(items) => {
            let values = items
                .iter()
                .map(|i| default_value(i, &Type::Any))
                .collect::<Result<Vec<_>, _>>()?;
            Value::tuple(values)
        }
        DefaultSyntax::Named(name) => match NAMED_DEFAULTS.iter().find(|(n, _)| n == name) {
            Some((_, number)) => Value::Int(*number),
            None if *inner == Type::Device => {
                Value::Device(Device::parse(name).map_err(|e| e.message().to_string())?)
            }
            None => Value::str(name.as_str()),
        },
    })
}
