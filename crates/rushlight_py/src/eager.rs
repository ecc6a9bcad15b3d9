//! Eager calls: an operator by name, its overload chosen by what the arguments are.

use crate::convert::{from_python, to_python, type_name};
use crate::tensor::PyTensor;
use crate::{errors, state, trace};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use rushlight::Value;
use rushlight::frontend::trace::Stash;
use rushlight::types::{Argument, Operator, Schema, Type};

/// A built-in operator by name, with or without its first argument: `torch.add`, `x.add`.
#[pyclass(name = "Builtin", module = "torch", frozen)]
pub struct Builtin {
    /// `aten::add`.
    #[pyo3(get)]
    pub operator: String,
    /// The path that a script knows it by: `torch.add`.
    #[pyo3(get)]
    pub path: String,
    receiver: Option<Value>,
}

impl Builtin {
    /// A method of a value.
    pub fn bound(operator: String, receiver: Value) -> Builtin {
        Builtin {
            path: operator.clone(),
            operator,
            receiver: Some(receiver),
        }
    }
}

#[pymethods]
impl Builtin {
    #[new]
    fn new(operator: String, path: String) -> PyResult<Builtin> {
        if rushlight::table().overloads(&operator).is_empty() {
            return Err(PyAttributeError::new_err(format!(
                "there is no operator {operator}"
            )));
        }
        Ok(Builtin {
            operator,
            path,
            receiver: None,
        })
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call(py, &self.operator, self.receiver.clone(), args, kwargs)
    }

    #[getter]
    fn __name__(&self) -> &str {
        self.operator.rsplit(':').next().unwrap_or(&self.operator)
    }

    /// Copies of modules keep the function itself: it has no state.
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, (String, String)) {
        let this = slf.get();
        (slf.get_type(), (this.operator.clone(), this.path.clone()))
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

/// Calls an operator on Python arguments.
pub fn call<'py>(
    py: Python<'py>,
    name: &str,
    receiver: Option<Value>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut named: Vec<(String, Bound<'py, PyAny>)> = Vec::new();
    let mut requires_grad = false;
    if let Some(kwargs) = kwargs {
        for (key, value) in kwargs.iter() {
            let key: String = key.extract()?;
            if key == "requires_grad" {
                requires_grad = value.is_truthy()?;
                continue;
            }
            named.push((key, value));
        }
    }
    let positional: Vec<Bound<'py, PyAny>> = args.iter().collect();
    let overloads = rushlight::table().overloads(name);
    let tracing = trace::is_on();
    for numbers_as_tensors in [false, true] {
        for &operator in overloads {
            if tracing && records_numbers_as_tensors(operator) {
                continue;
            }
            let schema = operator.schema();
            let mut reading = Reading::new(numbers_as_tensors);
            if let Some(arguments) =
                bind(schema, receiver.as_ref(), &positional, &named, &mut reading)
            {
                if tracing {
                    trace::stash(reading.traced);
                }
                let results = trace::calling(name, || run(py, operator, arguments))?;
                return pack(py, operator, results, requires_grad);
            }
        }
    }
    Err(no_overload(
        name,
        overloads,
        receiver.as_ref(),
        &positional,
        &named,
    ))
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
    let mut results = run(py, operator, arguments)?;
    Ok(if results.is_empty() {
        Value::None
    } else {
        results.swap_remove(0)
    })
}

fn run(py: Python<'_>, operator: &'static Operator, arguments: Vec<Value>) -> PyResult<Vec<Value>> {
    let context = state::context();
    let elements: usize = arguments
        .iter()
        .filter_map(|v| v.as_tensor().ok())
        .map(rushlight::Tensor::numel)
        .sum();
    // Handing the lock back costs more than a small operator.
    let result = if elements < 4096 {
        operator.call_vec(context, arguments)
    } else {
        py.detach(|| operator.call_vec(context, arguments))
    };
    result.map_err(errors::fault)
}

fn pack<'py>(
    py: Python<'py>,
    operator: &Operator,
    mut results: Vec<Value>,
    requires_grad: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if requires_grad && let Some(Value::Tensor(t)) = results.first() {
        t.set_requires_grad(true);
    }
    match results.len() {
        0 => Ok(py.None().into_bound(py)),
        1 => match results.swap_remove(0) {
            Value::TensorList(list) => {
                let items = Value::TensorList(list)
                    .list_items()
                    .map_err(errors::fault)?;
                let items = items.into_iter().map(|item| give(py, item));
                let items = items.collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, items)?.into_any())
            }
            other => give(py, other),
        },
        _ => {
            let items = results
                .iter()
                .map(|v| to_python(py, v))
                .collect::<PyResult<Vec<_>>>()?;
            let returns = &operator.schema().returns;
            if returns.iter().all(|r| !r.name.is_empty()) {
                let base = operator.name().rsplit(':').next().unwrap_or("");
                let fields: Vec<std::sync::Arc<str>> =
                    returns.iter().map(|r| r.name.clone()).collect();
                let class = crate::convert::named_tuple_class(
                    py,
                    &format!("torch.return_types.{base}"),
                    &fields,
                )?;
                return class.call1(PyTuple::new(py, items)?);
            }
            Ok(PyTuple::new(py, items)?.into_any())
        }
    }
}

/// The arguments in the order of the schema; `None` when they do not fit it.
fn bind(
    schema: &Schema,
    receiver: Option<&Value>,
    positional: &[Bound<'_, PyAny>],
    named: &[(String, Bound<'_, PyAny>)],
    reading: &mut Reading,
) -> Option<Vec<Value>> {
    let mut out = Vec::with_capacity(schema.arguments.len());
    let mut next = 0;
    let mut used = 0;
    for (i, formal) in schema.arguments.iter().enumerate() {
        reading.argument = i;
        if let (0, Some(receiver)) = (i, receiver) {
            let open = formal.ty.has_variables() && !matches!(receiver, Value::Tensor(_));
            let fits = open || receiver.type_of().is_subtype_of(&formal.ty);
            out.push(fits.then(|| receiver.clone())?);
            continue;
        }
        if next < positional.len() && !formal.kwarg_only {
            let rest = &positional[next..];
            let is_last = schema.arguments[i + 1..].iter().all(|a| a.kwarg_only);
            if let Some(gathered) = gather(formal, rest, is_last, reading) {
                next = positional.len();
                out.push(gathered);
                continue;
            }
            out.push(cast(&positional[next], formal, reading)?);
            next += 1;
            continue;
        }
        let given = named.iter().find(|(name, _)| {
            **name == *formal.name
                || ALIASES
                    .iter()
                    .any(|(alias, name_)| *name == *alias && *formal.name == **name_)
        });
        match (given, &formal.default) {
            (Some((_, value)), _) => {
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
    (next == positional.len() && used == named.len()).then_some(out)
}

/// `x.view(2, 3)`: ints that stand for the one list.
fn gather(
    formal: &Argument,
    rest: &[Bound<'_, PyAny>],
    is_last: bool,
    reading: &mut Reading,
) -> Option<Value> {
    let element = match &formal.ty {
        Type::List(element) => element.runtime(),
        Type::Optional(inner) => inner.list_element()?.runtime(),
        _ => return None,
    };
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

fn no_overload(
    name: &str,
    overloads: &[&'static Operator],
    receiver: Option<&Value>,
    positional: &[Bound<'_, PyAny>],
    named: &[(String, Bound<'_, PyAny>)],
) -> PyErr {
    let base = name.rsplit(':').next().unwrap_or(name);
    let mut given: Vec<String> = receiver.iter().map(|_| "Tensor".to_string()).collect();
    given.extend(positional.iter().map(type_name));
    given.extend(named.iter().map(|(n, v)| format!("{n}={}", type_name(v))));
    let mut text = format!(
        "{base}() received an invalid combination of arguments - got ({}), but expected one of:\n",
        given.join(", ")
    );
    for operator in overloads {
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
