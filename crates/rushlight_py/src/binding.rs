//! Python arguments of operators: which value each formal argument takes, and whether an overload fits at all.

use crate::convert::{array_scalar, from_python};
use crate::identity::{PyTensor, tensor_of};
use crate::objects::{DTypeObject, dtype_of};
use crate::overloads::Overloads;
use crate::state;
use crate::trace::recording;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyList, PyString, PyTuple, PyType};
use rushlight::Value;
use rushlight::frontend::trace::Stash;
use rushlight::tensor::{Device, DeviceKind};
use rushlight::types::{Argument, Schema, Type};
use smallvec::SmallVec;

/// Arguments given by name.
pub type Keywords<'py> = SmallVec<[(Bound<'py, PyString>, Bound<'py, PyAny>); 4]>;

/// The values of a call in the order of the schema, then its results.
pub type Slots = SmallVec<[Value; 10]>;

/// A call as a program writes it.
#[derive(Clone, Copy)]
pub struct Arguments<'a, 'py> {
    pub overloads: Overloads,
    /// Whether the first positional argument stands before the dot.
    pub is_method: bool,
    pub positional: &'a [Bound<'py, PyAny>],
    pub named: &'a [(Bound<'py, PyString>, Bound<'py, PyAny>)],
    /// Whether this is an operator of `torch.ops`, which reads arguments and has defaults as its schema says; functions and
    /// methods take no bools for integers, and no mean of losses where a call says nothing.
    pub by_schema: bool,
}

impl<'a, 'py> Arguments<'a, 'py> {
    pub fn new(
        overloads: Overloads,
        is_method: bool,
        positional: &'a [Bound<'py, PyAny>],
    ) -> Arguments<'a, 'py> {
        Arguments {
            overloads,
            is_method,
            positional,
            named: &[],
            by_schema: false,
        }
    }

    /// The same of an operator of `torch.ops`.
    pub fn by_schema(self) -> Arguments<'a, 'py> {
        Arguments {
            by_schema: true,
            ..self
        }
    }
}

/// How Python arguments are read, and the traced numbers met among them.
pub struct Reading {
    /// Whether tensors of one element stand for numbers, and numbers for tensors where the operator takes them so.
    numbers_as_tensors: bool,
    /// Whether the operator is one of those that take numbers for tensors.
    takes_numbers: bool,
    /// Whether bools stand for integers.
    takes_bools: bool,
    /// Whether a list of tensors may be written as arguments.
    is_variadic: bool,
    /// The argument being read.
    argument: usize,
    pub traced: Vec<Stash>,
}

impl Reading {
    /// Nothing read yet.
    pub fn new(operator: &Overloads, numbers_as_tensors: bool) -> Reading {
        Reading {
            numbers_as_tensors,
            takes_numbers: numbers_as_tensors && operator.take_numbers(),
            takes_bools: false,
            is_variadic: operator.any(|row| row.is_variadic),
            argument: 0,
            traced: Vec::new(),
        }
    }

    /// An integer, also from an integral tensor of one element.
    fn size(&mut self, object: &Bound<'_, PyAny>, element: usize) -> Option<Value> {
        if !self.takes_bools && element == 0 && object.is_instance_of::<PyBool>() {
            return None;
        }
        if let Some(value) = from_python(object, &Type::Int) {
            return Some(value);
        }
        let tensor = tensor_of(object.cast::<PyTensor>().ok()?);
        // A trace takes any number for its whole part, as sizes that are computed with come.
        let is_number = tensor.dtype().is_integral(true) || recording::is_on();
        if tensor.numel() != 1 || !is_number {
            return None;
        }
        let number = tensor.item().ok()?.to_i64();
        self.traced.push(Stash {
            argument: self.argument,
            element: Some(element),
            tensor,
        });
        Some(Value::Int(number))
    }

    fn sizes<'a, 'py: 'a>(
        &mut self,
        objects: impl Iterator<Item = &'a Bound<'py, PyAny>>,
    ) -> Option<Value> {
        let items = objects
            .enumerate()
            .map(|(i, o)| self.size(o, i))
            .collect::<Option<Vec<_>>>()?;
        Value::list(&Type::Int, items).ok()
    }
}

/// Whether an argument takes an object, numbers for tensors included or not.
pub fn accepts(object: &Bound<'_, PyAny>, formal: &Argument, takes_numbers: bool) -> bool {
    let mut reading = Reading {
        numbers_as_tensors: true,
        takes_numbers,
        takes_bools: false,
        is_variadic: false,
        argument: 0,
        traced: Vec::new(),
    };
    cast(object, formal, &mut reading).is_some()
}

/// Puts the arguments into the slots in the order of the schema; `None` when they do not fit it.
pub fn bind(
    schema: &Schema,
    arguments: &Arguments<'_, '_>,
    reading: &mut Reading,
    out: &mut Slots,
) -> Option<()> {
    let Arguments {
        positional, named, ..
    } = *arguments;
    reading.takes_bools = arguments.by_schema;
    reading.is_variadic &= !arguments.by_schema;
    let mut next = 0;
    let mut used = 0;
    for (i, formal) in schema.arguments.iter().enumerate() {
        reading.argument = i;
        if i == 0 && arguments.is_method {
            let receiver = positional[0].cast::<PyTensor>().ok()?;
            if !matches!(formal.ty, Type::Tensor(_)) && !Type::TENSOR.is_subtype_of(&formal.ty) {
                return None;
            }
            out.push(Value::Tensor(tensor_of(receiver)));
            next = 1;
            continue;
        }
        if next < positional.len() && !formal.kwarg_only {
            let rest = &positional[next..];
            let followers = &schema.arguments[i + 1..];
            let is_first = i == usize::from(arguments.is_method);
            let before = &schema.arguments[..i];
            if let Some(gathered) = gather(formal, rest, is_first, [before, followers], reading) {
                next = positional.len();
                out.push(gathered);
                continue;
            }
            let object = &positional[next];
            out.push(match &formal.default {
                Some(default) if object.is_none() && is_empty_list(default) => default.clone(),
                _ => cast(object, formal, reading)?,
            });
            next += 1;
            continue;
        }
        match (given(named, formal, arguments.by_schema), &formal.default) {
            (Some(value), Some(default)) if value.is_none() && is_empty_list(default) => {
                used += 1;
                out.push(default.clone());
            }
            // Tensors that stand one by one have no names.
            (Some(_), _) if reading.is_variadic && takes_tensors(formal) => return None,
            (Some(value), _) => {
                used += 1;
                out.push(cast(value, formal, reading)?);
            }
            (None, Some(default)) => out.push(
                match !arguments.by_schema && is_reduction(formal, default) {
                    true => Value::Int(0),
                    false => formal.repeated_default().unwrap_or_default(),
                },
            ),
            (None, None) if reading.is_variadic && is_tensor_list(formal) => {
                out.push(Value::list(&Type::TENSOR, Vec::new()).ok()?);
            }
            (None, None) => return None,
        }
    }
    if schema.varargs {
        for extra in &positional[next..] {
            out.push(crate::convert::infer(extra).ok()?);
        }
        next = positional.len();
    }
    used += usize::from(used < named.len() && leaves_out_alone(schema, arguments));
    (next == positional.len() && used == named.len()).then_some(())
}

/// Whether a call says `out=None` of an operator that has a form with `out`, and means the one without.
fn leaves_out_alone(schema: &Schema, arguments: &Arguments<'_, '_>) -> bool {
    let is_out = |(name, value): &(Bound<'_, PyString>, Bound<'_, PyAny>)| {
        value.is_none() && name.to_str().is_ok_and(|name| name == "out")
    };
    let writes = |schema: &Schema| {
        let mut formals = schema.arguments.iter();
        formals.any(|a| a.kwarg_only && a.is_written())
    };
    // Methods take no `out` at all.
    !arguments.is_method
        && arguments.named.iter().any(is_out)
        && !writes(schema)
        && arguments.overloads.any(|row| writes(row.schema()))
}

/// Whether this is how a loss is put together: without it, functions of Python give the losses as they are, although the
/// operator's default is their mean.
fn is_reduction(formal: &Argument, default: &Value) -> bool {
    matches!(default, Value::Int(1)) && &*formal.name == "reduction"
}

/// Whether a default is the empty list, which Python programs spell None.
fn is_empty_list(default: &Value) -> bool {
    default.list_items().is_ok_and(|items| items.is_empty())
}

/// Names of NumPy that mean a name of an operator.
const ALIASES: &[(&str, &str)] = &[
    ("axis", "dim"),
    ("keepdims", "keepdim"),
    ("x", "input"),
    ("a", "input"),
    ("x1", "input"),
    ("x2", "other"),
];

/// What Python programs call an argument: the tensor that methods stand before the dot of has another name in functions.
pub fn python_name(formal: &Argument) -> &str {
    match &*formal.name {
        "self" if formal.ty.is_tensor() => "input",
        other => other,
    }
}

/// Whether a keyword means the argument that programs call by a name.
pub fn names(keyword: &str, called: &str) -> bool {
    let mut aliases = ALIASES.iter();
    keyword == called || aliases.any(|(alias, meant)| keyword == *alias && called == *meant)
}

/// The argument given by the name of a formal one, or by another that means it, which operators of `torch.ops` do not know.
fn given<'a, 'py>(
    named: &'a [(Bound<'py, PyString>, Bound<'py, PyAny>)],
    formal: &Argument,
    by_schema: bool,
) -> Option<&'a Bound<'py, PyAny>> {
    let means = |name: &str| match by_schema {
        true => *name == *formal.name,
        false => names(name, python_name(formal)),
    };
    let found = named
        .iter()
        .find(|(name, _)| name.to_str().is_ok_and(means));
    found.map(|(_, value)| value)
}

/// Whether an argument is a tensor or a list of them.
pub fn takes_tensors(formal: &Argument) -> bool {
    formal.ty.is_tensor() || is_tensor_list(formal)
}

fn is_tensor_list(formal: &Argument) -> bool {
    matches!(&formal.ty, Type::List(element) if matches!(**element, Type::Tensor(_)))
}

/// `x.view(2, 3)`: ints that stand for the one list.
fn gather(
    formal: &Argument,
    rest: &[Bound<'_, PyAny>],
    is_first: bool,
    [before, followers]: [&[Argument]; 2],
    reading: &mut Reading,
) -> Option<Value> {
    let element = match &formal.ty {
        Type::List(element) => element.runtime(),
        Type::Optional(inner) => inner.list_element()?.runtime(),
        _ => return None,
    };
    let is_last = followers.iter().all(|a| a.kwarg_only);
    let many = rest.len() > 1 || formal.list_size.is_none();
    // Beside a list of tensors one tensor is itself.
    if element == Type::TENSOR
        && reading.is_variadic
        && is_last
        && !before.iter().any(is_tensor_list)
        && rest.iter().all(|o| o.cast::<PyTensor>().is_ok())
    {
        let items = rest
            .iter()
            .map(|o| from_python(o, &element))
            .collect::<Option<Vec<_>>>()?;
        return Value::list(&element, items).ok();
    }
    if element != Type::Int || !is_first || !is_last || !many || rest[0].is_instance_of::<PyBool>()
    {
        return None;
    }
    // A dtype is no size: `x.view(torch.int32)`.
    if rest.iter().any(|o| o.cast::<DTypeObject>().is_ok()) {
        return None;
    }
    // One tensor alone stands for a list of sizes only where nothing else could be meant.
    let alone = rest.len() == 1 && rest[0].cast::<PyTensor>().is_ok();
    if alone && !matches!(&*formal.name, "size" | "shape" | "repeats") {
        return None;
    }
    let before = reading.traced.len();
    let gathered = reading.sizes(rest.iter());
    if gathered.is_none() {
        reading.traced.truncate(before);
    }
    gathered
}

/// Whether a sequence of integers begins with a bool, which none may; what follows is not looked at.
fn begins_with_bool(object: &Bound<'_, PyAny>, reading: &Reading) -> bool {
    if reading.takes_bools {
        return false;
    }
    let first = match object.cast::<PyTuple>() {
        Ok(tuple) => tuple.get_item(0),
        Err(_) => match object.cast::<PyList>() {
            Ok(list) => list.get_item(0),
            Err(_) => return false,
        },
    };
    first.is_ok_and(|first| first.is_instance_of::<PyBool>())
}

fn cast(object: &Bound<'_, PyAny>, formal: &Argument, reading: &mut Reading) -> Option<Value> {
    let inner = match &formal.ty {
        Type::Optional(inner) => inner,
        other => other,
    };
    // Numbers are no codes of dtypes here, as they are in scripts.
    let is_code = matches!(inner, Type::ScalarType | Type::Layout | Type::MemoryFormat);
    let is_dtype = &*formal.name == "dtype" && matches!(inner, Type::Int);
    if (is_code || is_dtype) && object.is_instance_of::<PyInt>() {
        return None;
    }
    if matches!(inner, Type::ScalarType) && object.is_instance_of::<PyType>() {
        return dtype_of(object).map(|d| Value::Int(d.code()));
    }
    // Operators take a bool for a number with a fraction, as scripts do.
    if matches!(inner, Type::Float | Type::SymFloat)
        && let Ok(truth) = object.cast::<PyBool>()
    {
        return Some(Value::Float(f64::from(u8::from(truth.is_true()))));
    }
    let is_bool = object.is_instance_of::<PyBool>() && !reading.takes_bools;
    if is_bool && matches!(inner.runtime(), Type::Int) {
        return None;
    }
    let holds_integers = inner
        .list_element()
        .is_some_and(|e| e.runtime() == Type::Int);
    if !(holds_integers && begins_with_bool(object, reading))
        && let Some(value) = from_python(object, &formal.ty)
    {
        return Some(value);
    }
    if holds_integers {
        let sequence = object.cast::<PyTuple>().is_ok() || object.cast::<PyList>().is_ok();
        if sequence {
            let objects: Vec<Bound<'_, PyAny>> = object.try_iter().ok()?.flatten().collect();
            return reading.sizes(objects.iter());
        }
    }
    if let (Some(size), Some(element)) = (formal.list_size, inner.list_element()) {
        let one = match element.runtime() {
            Type::Int => reading.size(object, 0)?,
            _ => from_python(object, element)?,
        };
        return Value::list(element, vec![one; size as usize]).ok();
    }
    match inner {
        // A number alone is that of an accelerator.
        Type::Device if object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyBool>() => {
            let index = object.extract::<i8>().ok().filter(|index| *index >= 0)?;
            let kind = DeviceKind::Cuda;
            Some(Value::Device(Device {
                kind,
                index: Some(index),
            }))
        }
        // A Python number where only a tensor is taken.
        Type::Tensor(_) if reading.takes_numbers => {
            let number = from_python(object, &Type::Number).or_else(|| array_scalar(object))?;
            let scalar = number.as_scalar().ok()?;
            Some(Value::Tensor(rushlight::Tensor::wrapped(
                scalar,
                state::context().default_dtype(),
            )))
        }
        Type::Number | Type::Float if object.cast::<PyTensor>().is_err() => {
            match (inner, array_scalar(object)?) {
                (Type::Float, number) => number.as_scalar().ok().map(|s| Value::Float(s.to_f64())),
                (_, number) => Some(number),
            }
        }
        // A tensor without dimensions where a number is taken, unless that would lose its gradient.
        Type::Number | Type::Int | Type::Float | Type::SymInt if reading.numbers_as_tensors => {
            let tensor = tensor_of(object.cast::<PyTensor>().ok()?);
            let may_be = match inner {
                Type::SymInt => tensor.numel() == 1,
                _ => tensor.rank() == 0,
            };
            if !may_be || tensor.requires_grad() {
                return None;
            }
            let item = Value::scalar(tensor.item().ok()?);
            reading.traced.push(Stash {
                argument: reading.argument,
                element: None,
                tensor,
            });
            match inner {
                Type::Float => item.as_float().ok().map(Value::Float),
                Type::Number => Some(item),
                _ => matches!(item, Value::Int(_)).then_some(item),
            }
        }
        _ => None,
    }
}
