//! Eager calls: an operator by name, its overload chosen by what the arguments are.

use crate::convert::{from_python, to_python, type_name};
use crate::tensor::PyTensor;
use crate::{errors, state, trace};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use rushlight::Value;
use rushlight::frontend::trace::Stash;
use rushlight::types::{Argument, Operator, Schema, Type};
use smallvec::SmallVec;
use std::sync::OnceLock;

/// The overloads of an operator, found once: a name that is called again and again.
#[derive(Clone, Copy)]
pub struct Overloads {
    /// `aten::add`.
    pub name: &'static str,
    rows: &'static [&'static Operator],
}

impl Overloads {
    /// The overloads of a name; `None` where no operator has it.
    pub fn find(name: &str) -> Option<Overloads> {
        let rows = rushlight::table().overloads(name);
        rows.first().map(|first| Overloads {
            name: first.name(),
            rows,
        })
    }

    /// Whether one of them fulfils a condition.
    pub fn any(&self, condition: fn(&Operator) -> bool) -> bool {
        self.rows.iter().any(|row| condition(row))
    }
}

/// An operator that the source names, found at its first call.
pub struct Known {
    name: &'static str,
    found: OnceLock<Overloads>,
}

impl Known {
    /// The operator of a name.
    pub const fn new(name: &'static str) -> Known {
        Known {
            name,
            found: OnceLock::new(),
        }
    }

    /// Its overloads: none where the table lacks it.
    #[inline]
    pub fn get(&self) -> Overloads {
        let missing = Overloads {
            name: self.name,
            rows: &[],
        };
        *self
            .found
            .get_or_init(|| Overloads::find(self.name).unwrap_or(missing))
    }
}

/// A built-in operator by name, with or without its first argument: `torch.add`, `x.add`.
#[pyclass(name = "Builtin", module = "torch", frozen)]
pub struct Builtin {
    overloads: Overloads,
    /// The path that a script knows it by, `torch.add`, where it is not the name.
    path: Option<String>,
    /// The tensor whose method this is.
    receiver: Option<Py<PyTensor>>,
}

impl Builtin {
    /// A method of a tensor.
    pub fn bound(overloads: Overloads, receiver: &Bound<'_, PyTensor>) -> Builtin {
        Builtin {
            overloads,
            path: None,
            receiver: Some(receiver.clone().unbind()),
        }
    }
}

#[pymethods]
impl Builtin {
    #[new]
    fn new(operator: String, path: String) -> PyResult<Builtin> {
        let overloads = Overloads::find(&operator)
            .ok_or_else(|| PyAttributeError::new_err(format!("there is no operator {operator}")))?;
        Ok(Builtin {
            overloads,
            path: Some(path),
            receiver: None,
        })
    }

    #[getter]
    fn operator(&self) -> &'static str {
        self.overloads.name
    }

    #[getter]
    fn path(&self) -> &str {
        self.path.as_deref().unwrap_or(self.overloads.name)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let receiver = self.receiver.iter().map(|r| r.bind(py).clone().into_any());
        let arguments = Arguments {
            overloads: self.overloads,
            is_method: self.receiver.is_some(),
            positional: &receiver.chain(args.iter()).collect::<Positional<'py>>(),
            named: &[],
        };
        match kwargs {
            None => choose(py, &arguments),
            Some(kwargs) => call_named(py, &arguments, kwargs),
        }
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        base_name(self.overloads.name)
    }

    /// Copies of modules keep the function itself: it has no state.
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String, String)) {
        let this = slf.get();
        let names = (this.operator().to_string(), this.path().to_string());
        (slf.get_type(), names)
    }

    fn __repr__(&self) -> String {
        format!("<built-in method {} of type object>", self.__name__())
    }
}

/// Whether an operator of this name exists.
#[pyfunction]
pub fn has_operator(name: &str) -> bool {
    !rushlight::table().overloads(name).is_empty()
}

/// The names of all operators, sorted.
#[pyfunction]
pub fn operator_names() -> Vec<&'static str> {
    rushlight::table().names()
}

/// Keyword names that mean another one.
const ALIASES: &[(&str, &str)] = &[
    ("axis", "dim"),
    ("input", "self"),
    ("keepdims", "keepdim"),
    ("axes", "dims"),
    ("x", "self"),
];

/// Positional arguments; few enough not to need the heap, mostly.
type Positional<'py> = SmallVec<[Bound<'py, PyAny>; 4]>;

/// Arguments given by name.
type Keywords<'py> = SmallVec<[(Bound<'py, PyString>, Bound<'py, PyAny>); 4]>;

/// The values of a call in the order of the schema, then its results.
type Slots = SmallVec<[Value; 10]>;

/// `add` of `aten::add`.
fn base_name(name: &'static str) -> &'static str {
    name.rsplit(':').next().unwrap_or(name)
}

/// A call as a program writes it.
#[derive(Clone, Copy)]
struct Arguments<'a, 'py> {
    overloads: Overloads,
    /// Whether the first positional argument stands before the dot.
    is_method: bool,
    positional: &'a [Bound<'py, PyAny>],
    named: &'a [(Bound<'py, PyString>, Bound<'py, PyAny>)],
}

/// Calls an operator as a function of Python arguments.
#[inline]
pub fn call<'py>(
    py: Python<'py>,
    overloads: Overloads,
    positional: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = Arguments {
        overloads,
        is_method: false,
        positional,
        named: &[],
    };
    choose(py, &arguments)
}

/// Calls an operator as a method of the first of the arguments, a tensor.
#[inline]
pub fn call_method<'py>(
    py: Python<'py>,
    overloads: Overloads,
    positional: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = Arguments {
        overloads,
        is_method: true,
        positional,
        named: &[],
    };
    choose(py, &arguments)
}

/// A call with arguments given by name. `requires_grad` is no argument of operators.
fn call_named<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut named = Keywords::new();
    let mut requires_grad = false;
    for (key, value) in kwargs.iter() {
        let key = key.cast_into::<PyString>()?;
        if key.to_str()? == "requires_grad" {
            requires_grad = value.is_truthy()?;
            continue;
        }
        named.push((key, value));
    }
    let named = &named;
    let result = choose(
        py,
        &Arguments {
            named,
            ..*arguments
        },
    )?;
    if requires_grad && let Ok(tensor) = result.cast::<PyTensor>() {
        tensor.get().0.set_requires_grad(true);
    }
    Ok(result)
}

/// Calls the first overload that the arguments fit.
fn choose<'py>(py: Python<'py>, arguments: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let overloads = arguments.overloads;
    let tracing = trace::is_on();
    for numbers_as_tensors in [false, true] {
        for &operator in overloads.rows {
            if tracing && records_numbers_as_tensors(operator) {
                continue;
            }
            let mut reading = Reading::new(numbers_as_tensors);
            let mut slots = Slots::new();
            if bind(operator.schema(), arguments, &mut reading, &mut slots).is_none() {
                continue;
            }
            if tracing {
                trace::stash(reading.traced);
                trace::calling(overloads.name, || run(py, operator, &mut slots))?;
            } else {
                run(py, operator, &mut slots)?;
            }
            return match given_back(arguments, &slots) {
                Some(object) => Ok(object),
                None => pack(py, operator, slots),
            };
        }
    }
    Err(no_overload(arguments))
}

/// The argument that is the result: of operators in place, of those that had nothing to do, and what `out` names.
fn given_back<'py>(arguments: &Arguments<'_, 'py>, results: &[Value]) -> Option<Bound<'py, PyAny>> {
    let [Value::Tensor(result)] = results else {
        return None;
    };
    let named = arguments.named.iter().map(|(_, value)| value);
    let mut objects = arguments.positional.first().into_iter().chain(named);
    let is_result = |object: &&Bound<'py, PyAny>| {
        object
            .cast::<PyTensor>()
            .is_ok_and(|tensor| tensor.get().0.is(result))
    };
    objects.find(is_result).cloned()
}

/// Operators that the reference calls with a tensor wherever a program writes a number, which shows in traces.
const NUMBERS_AS_TENSORS: &[&str] = &[
    "aten::add",
    "aten::add_",
    "aten::sub",
    "aten::sub_",
    "aten::mul",
    "aten::mul_",
    "aten::div",
    "aten::div_",
    "aten::floor_divide",
    "aten::floor_divide_",
];

fn records_numbers_as_tensors(operator: &Operator) -> bool {
    operator.schema().overload.starts_with("Scalar")
        && NUMBERS_AS_TENSORS.contains(&operator.name())
}

/// How Python arguments are read, and the traced numbers met among them.
struct Reading {
    /// Whether numbers stand for tensors, and tensors of one element for numbers.
    numbers_as_tensors: bool,
    /// The argument being read.
    argument: usize,
    traced: Vec<Stash>,
}

impl Reading {
    fn new(numbers_as_tensors: bool) -> Reading {
        Reading {
            numbers_as_tensors,
            argument: 0,
            traced: Vec::new(),
        }
    }

    /// An integer, also from an integral tensor of one element.
    fn size(&mut self, object: &Bound<'_, PyAny>, element: usize) -> Option<Value> {
        if let Some(value) = from_python(object, &Type::Int) {
            return Some(value);
        }
        let tensor = object.cast::<PyTensor>().ok()?.get().0.clone();
        if tensor.numel() != 1 || !tensor.dtype().is_integral(true) {
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

/// Calls an operator on values; the results are values too.
pub fn call_values(py: Python<'_>, full_name: &str, arguments: Vec<Value>) -> PyResult<Value> {
    let operator = rushlight::table()
        .find(full_name)
        .ok_or_else(|| PyAttributeError::new_err(format!("there is no operator {full_name}")))?;
    let mut slots = Slots::from_vec(arguments);
    run(py, operator, &mut slots)?;
    Ok(slots.into_iter().next().unwrap_or_default())
}

/// Calls an operator on the values of the slots, which hold its results afterwards and nothing else.
fn run(py: Python<'_>, operator: &'static Operator, slots: &mut Slots) -> PyResult<()> {
    let context = state::context();
    let inputs = slots.len();
    let returns = operator.schema().returns.len();
    let elements: usize = slots
        .iter()
        .filter_map(|v| match v {
            Value::Tensor(t) => Some(t.numel()),
            _ => None,
        })
        .sum();
    slots.resize(inputs.max(returns), Value::None);
    let mut call = || rushlight::tensor::memory::catching(|| operator.call(context, slots, inputs));
    // Handing the lock back costs more than a small operator.
    let result = if elements < 4096 {
        call()
    } else {
        py.detach(call)
    };
    slots.truncate(returns);
    result.map_err(errors::fault)
}

fn pack<'py>(
    py: Python<'py>,
    operator: &Operator,
    mut results: Slots,
) -> PyResult<Bound<'py, PyAny>> {
    if results.len() > 1 {
        return pack_many(py, operator, &results);
    }
    match results.pop() {
        None => Ok(py.None().into_bound(py)),
        Some(Value::TensorList(list)) => {
            let items = list.lock().clone();
            let items = items.into_iter().map(|item| give(py, Value::Tensor(item)));
            let items = items.collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, items)?.into_any())
        }
        Some(other) => give(py, other),
    }
}

/// Several results: a tuple, with names where the schema has them.
fn pack_many<'py>(
    py: Python<'py>,
    operator: &Operator,
    results: &[Value],
) -> PyResult<Bound<'py, PyAny>> {
    let items = results
        .iter()
        .map(|v| to_python(py, v))
        .collect::<PyResult<Vec<_>>>()?;
    let returns = &operator.schema().returns;
    if returns.iter().any(|r| r.name.is_empty()) {
        return Ok(PyTuple::new(py, items)?.into_any());
    }
    let name = base_name(operator.name());
    let fields: Vec<&str> = returns.iter().map(|r| &*r.name).collect();
    let class = state::registered(py, "return_type")?.call1((name, fields))?;
    class.call1(PyTuple::new(py, items)?)
}

/// Puts the arguments into the slots in the order of the schema; `None` when they do not fit it.
fn bind(
    schema: &Schema,
    arguments: &Arguments<'_, '_>,
    reading: &mut Reading,
    out: &mut Slots,
) -> Option<()> {
    let Arguments {
        positional, named, ..
    } = *arguments;
    let mut next = 0;
    let mut used = 0;
    for (i, formal) in schema.arguments.iter().enumerate() {
        reading.argument = i;
        if i == 0 && arguments.is_method {
            let receiver = positional[0].cast::<PyTensor>().ok()?;
            if !matches!(formal.ty, Type::Tensor(_)) && !Type::TENSOR.is_subtype_of(&formal.ty) {
                return None;
            }
            out.push(Value::Tensor(receiver.get().0.clone()));
            next = 1;
            continue;
        }
        if next < positional.len() && !formal.kwarg_only {
            let rest = &positional[next..];
            let followers = &schema.arguments[i + 1..];
            if let Some(gathered) = gather(formal, rest, followers, reading) {
                next = positional.len();
                out.push(gathered);
                continue;
            }
            out.push(cast(&positional[next], formal, reading)?);
            next += 1;
            continue;
        }
        match (given(named, formal), &formal.default) {
            (Some(value), _) => {
                used += 1;
                out.push(cast(value, formal, reading)?);
            }
            (None, Some(default)) => out.push(default.clone()),
            (None, None) => return None,
        }
    }
    if schema.varargs {
        for extra in &positional[next..] {
            out.push(crate::convert::infer(extra).ok()?);
        }
        next = positional.len();
    }
    (next == positional.len() && used == named.len()).then_some(())
}

/// The argument given by the name of a formal one, or by another that means it.
fn given<'a, 'py>(
    named: &'a [(Bound<'py, PyString>, Bound<'py, PyAny>)],
    formal: &Argument,
) -> Option<&'a Bound<'py, PyAny>> {
    let means = |name: &str| {
        *name == *formal.name
            || ALIASES
                .iter()
                .any(|(alias, meant)| *name == **alias && *formal.name == **meant)
    };
    let found = named
        .iter()
        .find(|(name, _)| name.to_str().is_ok_and(means));
    found.map(|(_, value)| value)
}

/// `x.view(2, 3)`: ints that stand for the one list.
fn gather(
    formal: &Argument,
    rest: &[Bound<'_, PyAny>],
    followers: &[Argument],
    reading: &mut Reading,
) -> Option<Value> {
    let element = match &formal.ty {
        Type::List(element) => element.runtime(),
        Type::Optional(inner) => inner.list_element()?.runtime(),
        _ => return None,
    };
    let is_last = followers.iter().all(|a| a.kwarg_only);
    let many = rest.len() > 1 || formal.list_size.is_none();
    if element == Type::TENSOR && is_last && rest.iter().all(|o| o.cast::<PyTensor>().is_ok()) {
        let items = rest
            .iter()
            .map(|o| from_python(o, &element))
            .collect::<Option<Vec<_>>>()?;
        return Value::list(&element, items).ok();
    }
    if element != Type::Int || !is_last && rest.len() > 1 || !many {
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

fn cast(object: &Bound<'_, PyAny>, formal: &Argument, reading: &mut Reading) -> Option<Value> {
    if let Some(value) = from_python(object, &formal.ty) {
        return Some(value);
    }
    let inner = match &formal.ty {
        Type::Optional(inner) => inner,
        other => other,
    };
    if inner
        .list_element()
        .is_some_and(|e| e.runtime() == Type::Int)
    {
        let sequence = object.cast::<PyTuple>().is_ok() || object.cast::<PyList>().is_ok();
        if sequence {
            let objects: Vec<Bound<'_, PyAny>> = object.try_iter().ok()?.flatten().collect();
            return reading.sizes(objects.iter());
        }
    }
    if let (Some(size), Some(element)) = (formal.list_size, inner.list_element()) {
        let one = from_python(object, element)?;
        return Value::list(element, vec![one; size as usize]).ok();
    }
    match inner {
        // A Python number where only a tensor is taken.
        Type::Tensor(_) if reading.numbers_as_tensors => {
            let number = from_python(object, &Type::Number)?;
            let scalar = number.as_scalar().ok()?;
            Some(Value::Tensor(rushlight::Tensor::wrapped(
                scalar,
                state::context().default_dtype(),
            )))
        }
        // A tensor with one element where a number is taken.
        Type::Number | Type::Int | Type::Float | Type::SymInt if reading.numbers_as_tensors => {
            let tensor = object.cast::<PyTensor>().ok()?.borrow().0.clone();
            let item = Value::scalar(tensor.item().ok()?);
            reading.traced.push(Stash {
                argument: reading.argument,
                element: None,
                tensor,
            });
            match inner {
                Type::Float => item.as_float().ok().map(Value::Float),
                Type::Number => Some(item),
                _ => matches!(item, Value::Int(_) | Value::Bool(_))
                    .then(|| item.as_int().ok().map(Value::Int))?,
            }
        }
        _ => None,
    }
}

fn no_overload(arguments: &Arguments<'_, '_>) -> PyErr {
    let Arguments {
        overloads,
        positional,
        named,
        ..
    } = *arguments;
    let base = base_name(overloads.name);
    let mut given: Vec<String> = positional.iter().map(type_name).collect();
    given.extend(named.iter().map(|(n, v)| format!("{n}={}", type_name(v))));
    let mut text = format!(
        "{base}() received an invalid combination of arguments - got ({}), but expected one of:\n",
        given.join(", ")
    );
    for operator in overloads.rows {
        text.push_str(&format!(" * {}\n", operator.text));
    }
    PyTypeError::new_err(text)
}

/// A value as a Python object, for pymethods.
pub fn give<'py>(py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Tensor(t) if t.requires_grad() => crate::identity::tensor_object(py, t),
        Value::Tensor(t) => PyTensor(t).into_bound_py_any(py),
        other => to_python(py, &other),
    }
}
