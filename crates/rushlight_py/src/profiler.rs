//! What `torch.profiler` measures of a thread: calls of operators, ranges that the program marks, nodes of runs backwards,
//! calls of compiled functions. It stands in the call path's profile layer: nothing is done while no profile runs.

use crate::trace::recording;
use crate::{registry, state};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::runtime::profile::standing;
use rushlight::tensor::Tensor;
use rushlight::types::{Call, Dispatch, Layer, Observer, Operator, Type};
use rushlight::{Fault, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Fault>;

/// What an event stands for, by the reference's numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Scope {
    Operator = 0,
    /// A node of a run backwards, a call of a compiled function.
    Work = 2,
    /// A range that the program marks.
    User = 7,
}

/// Something that took time.
struct Event {
    name: Cow<'static, str>,
    scope: Scope,
    /// The event inside of which it began.
    parent: Option<usize>,
    start: Duration,
    end: Option<Duration>,
    /// Of the arguments; those of what is no tensor are empty.
    sizes: Vec<Vec<usize>>,
    dtypes: Vec<String>,
    /// Bytes of the storages that the call made.
    bytes: usize,
    stack: Vec<String>,
}

impl Event {
    fn shown_scope(&self) -> u8 {
        let plain = ["aten::", "autograd::engine::"];
        match plain.iter().any(|head| self.name.starts_with(head)) {
            true => Scope::Operator as u8,
            false => self.scope as u8,
        }
    }
}

#[derive(Default)]
struct Events {
    all: Vec<Event>,
    /// Those that have begun and not ended, outermost first.
    open: Vec<usize>,
}

/// What a profile keeps beside times.
#[derive(Clone, Copy)]
struct Wishes {
    shapes: bool,
    memory: bool,
    stack: bool,
}

/// A profile that is being made.
struct Recorder {
    wishes: Wishes,
    begun: Instant,
    events: Mutex<Events>,
}

fn has_tensor(ty: &Type) -> bool {
    match ty {
        Type::Tensor(_) => true,
        Type::List(inner) | Type::Optional(inner) => has_tensor(inner),
        _ => false,
    }
}

/// The name that the call of an operator goes by; `None` where it is not measured.
pub fn shown(operator: &'static Operator) -> Option<&'static str> {
    let name = operator.name();
    let schema = operator.schema();
    let takes = schema.arguments.iter().any(|a| has_tensor(&a.ty));
    if !takes && !schema.returns.iter().any(|r| has_tensor(&r.ty)) {
        return None;
    }
    match operator.dispatch {
        Dispatch::Own => (!name.starts_with("prim::")).then_some(name),
        Dispatch::Item => Some("aten::item"),
        Dispatch::Never => None,
    }
}

fn sizes_of(value: &Value) -> Vec<usize> {
    match value {
        Value::Tensor(tensor) => tensor.sizes().to_vec(),
        _ => Vec::new(),
    }
}

/// What the reference calls the kind of an argument.
fn kind_of(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => match tensor.dtype().to_string().as_str() {
            "float32" => "float",
            "float64" => "double",
            "int64" => "long int",
            "int32" => "int",
            "bool" => "bool",
            "uint8" => "unsigned char",
            other => return other.to_string(),
        }
        .to_string(),
        Value::TensorList(_) => "TensorList".to_string(),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Complex(_) => {
            "Scalar".to_string()
        }
        Value::IntList(_) | Value::FloatList(_) | Value::BoolList(_) => "ScalarList".to_string(),
        _ => String::new(),
    }
}

fn each_tensor(values: &[Value], mut see: impl FnMut(&Tensor)) {
    for value in values {
        match value {
            Value::Tensor(tensor) => see(tensor),
            Value::TensorList(list) => list.lock().iter().for_each(&mut see),
            _ => {}
        }
    }
}

impl Recorder {
    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, name: Cow<'static, str>, scope: Scope, inputs: &[Value]) -> usize {
        let (sizes, dtypes) = match self.wishes.shapes {
            true => (
                inputs.iter().map(sizes_of).collect(),
                inputs.iter().map(kind_of).collect(),
            ),
            false => (Vec::new(), Vec::new()),
        };
        let stack = match self.wishes.stack {
            true => stack(),
            false => Vec::new(),
        };
        let events = &mut *self.events();
        events.all.push(Event {
            name,
            scope,
            parent: events.open.last().copied(),
            start: self.begun.elapsed(),
            end: None,
            sizes,
            dtypes,
            bytes: 0,
            stack,
        });
        let index = events.all.len() - 1;
        events.open.push(index);
        index
    }

    fn end(&self, index: usize, bytes: usize) {
        let now = self.begun.elapsed();
        let events = &mut *self.events();
        events.open.retain(|open| *open != index);
        if let Some(event) = events.all.get_mut(index) {
            event.end = Some(now);
            event.bytes = bytes;
        }
    }

    /// Ends the innermost open event of a kind.
    fn end_innermost(&self, scope: Scope) {
        let found = {
            let events = self.events();
            let mut open = events.open.iter().rev();
            open.find(|i| events.all[**i].scope == scope).copied()
        };
        if let Some(index) = found {
            self.end(index, 0);
        }
    }

    /// The begin or end of a range that the program marks; false where the operator is neither.
    fn marks(&self, name: &str, inputs: &[Value]) -> bool {
        match name {
            "profiler::_record_function_enter_new" | "profiler::_record_function_enter" => {
                let range = inputs.first().and_then(|v| v.as_str().ok()).unwrap_or("");
                self.begin(range.to_string().into(), Scope::User, &[]);
                true
            }
            "profiler::_record_function_exit" => {
                self.end_innermost(Scope::User);
                true
            }
            _ => false,
        }
    }
}

impl Observer for Recorder {
    fn observe(&self, operator: &'static Operator, call: &mut Call<'_>) -> Result<()> {
        if self.marks(operator.name(), call.inputs()) {
            return operator.run_recorded(call);
        }
        let Some(name) = shown(operator) else {
            return operator.run_recorded(call);
        };
        let mut known = HashSet::new();
        if self.wishes.memory {
            each_tensor(call.inputs(), |t| {
                known.insert(t.storage_id());
            });
        }
        // The reference asks first, and calls nothing.
        let done = matches!(call.inputs(), [Value::Tensor(t), ..] if t.is_contiguous());
        if done && name == "aten::contiguous" {
            return operator.run_recorded(call);
        }
        let index = self.begin(name.into(), Scope::Operator, call.inputs());
        let outcome = operator.run_recorded(call);
        let mut bytes = 0;
        if self.wishes.memory && outcome.is_ok() {
            let results = operator.schema().returns.len();
            each_tensor(&call.results()[..results], |t| {
                if known.insert(t.storage_id()) {
                    bytes += t.storage().len();
                }
            });
        }
        self.end(index, bytes);
        outcome
    }

    fn enter(&self, name: String) {
        self.begin(name.into(), Scope::Work, &[]);
    }

    fn leave(&self) {
        self.end_innermost(Scope::Work);
    }
}

/// The calls that are running, innermost first: those of scripts, then those of the program.
fn stack() -> Vec<String> {
    let frames = standing();
    let mut lines: Vec<String> = (frames.iter().rev())
        .filter_map(|frame| {
            let span = frame.span.as_ref().filter(|span| !span.is_unknown())?;
            let file = span.source().name();
            Some(format!("{file}({}): {}", span.line(), frame.function))
        })
        .collect();
    let program = Python::attach(|py| {
        let find = registry::registered(py, "profile_stack")?;
        find.call0()?.extract::<Vec<String>>()
    });
    lines.extend(program.unwrap_or_default());
    lines
}

/// A profile of this thread, from its start to its stop.
#[pyclass(name = "Profile", module = "torch.profiler", frozen)]
pub struct PyProfile {
    recorder: Arc<Recorder>,
    /// The profile that rests while this one runs.
    outer: Mutex<Option<Arc<dyn Observer>>>,
}

/// An event as Python gets it: name, scope, parent, start and end in nanoseconds, sizes and kinds of arguments, bytes, stack.
type Row = (
    String,
    u8,
    Option<usize>,
    u64,
    u64,
    Vec<Vec<usize>>,
    Vec<String>,
    usize,
    Vec<String>,
);

#[pymethods]
impl PyProfile {
    #[new]
    fn new(shapes: bool, memory: bool, stack: bool) -> PyProfile {
        let recorder = Arc::new(Recorder {
            wishes: Wishes {
                shapes,
                memory,
                stack,
            },
            begun: Instant::now(),
            events: Mutex::default(),
        });
        PyProfile {
            recorder,
            outer: Mutex::default(),
        }
    }

    /// Measures the calls of this thread from here on.
    fn start(&self) -> PyResult<()> {
        let context = state::context();
        if recording::is_on() {
            return Err(PyRuntimeError::new_err(
                "a profile cannot begin while a program is traced",
            ));
        }
        let outer = context.observer().filter(|_| is_on());
        *self.outer.lock().unwrap_or_else(PoisonError::into_inner) = outer;
        context.set_observer(Some(self.recorder.clone()));
        context.set_layer(Layer::Profile, true);
        Ok(())
    }

    /// Measures no more; what has not ended ends now.
    fn stop(&self) {
        let context = state::context();
        let outer = self
            .outer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        context.set_layer(Layer::Profile, outer.is_some());
        context.set_observer(outer);
        let open = self.recorder.events().open.clone();
        for index in open {
            self.recorder.end(index, 0);
        }
    }

    /// What was measured, in the order in which it began.
    fn events(&self) -> Vec<Row> {
        let events = self.recorder.events();
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let row = |event: &Event| {
            (
                event.name.to_string(),
                event.shown_scope(),
                event.parent,
                nanoseconds(event.start),
                nanoseconds(event.end.unwrap_or(event.start)),
                event.sizes.clone(),
                event.dtypes.clone(),
                event.bytes,
                event.stack.clone(),
            )
        };
        events.all.iter().map(row).collect()
    }
}

/// Whether this thread is being measured.
#[inline]
pub fn is_on() -> bool {
    state::context().layers() & Layer::Profile as u8 != 0
}

/// Whether this thread is being measured.
#[pyfunction]
pub fn is_profiling() -> bool {
    is_on()
}

/// Reads an element as a call of an operator that a profile sees.
pub fn reading<T>(operator: &str, read: impl FnOnce() -> Result<T>) -> Result<T> {
    state::context().named_work(format_args!("{operator}"), read)
}
