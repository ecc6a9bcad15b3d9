//! Calls between functions and methods, forks, `with`, and where faults are said to have happened.

mod support;

use rushlight_ir::{Attr, CallSite, Function, Graph, Prim, Unit, ValueId};
use rushlight_runtime::{Options, ScriptTrace, error_text};
use rushlight_syntax::{Source, Span};
use rushlight_types::{
    Callable, ClassType, Context, Fault, InterfaceType, Object, Schema, Type, Value,
};
use std::io::Write;
use std::sync::{Arc, Mutex};
use support::{Builder, define, unit};

fn invoke(function: &Function, arguments: Vec<Value>) -> Result<Value, Fault> {
    function.invoke(&Context::silent(), arguments)
}

/// `def name(x): return x + step`
fn adder(step: i64) -> Graph {
    let mut b = Builder::new();
    let x = b.input(Type::Int, "x");
    let step = b.constant(step);
    let y = b.op("aten::add.int", &[x, step]);
    b.finish(&[y])
}

/// A method `def name(self, x): return x + step` of a class.
fn method(unit: &Arc<Unit>, class: &Arc<ClassType>, name: &str, graph: Graph) {
    let function = define(unit, &format!("{}.{name}", class.name()), graph);
    class.add_method(name, Some(function.schema()));
}

fn method_adder(class: &Arc<ClassType>, step: i64) -> Graph {
    let mut b = Builder::new();
    b.input(Type::Class(class.clone()), "self");
    let x = b.input(Type::Int, "x");
    let step = b.constant(step);
    let y = b.op("aten::add.int", &[x, step]);
    b.finish(&[y])
}

#[test]
fn functions_call_functions() {
    let unit = unit(true);
    let callee = define(&unit, "__torch__.callee", adder(5));
    let mut b = Builder::new();
    let x = b.input(Type::Int, "x");
    let function = b.function(&callee);
    let once = b.prim(Prim::CallFunction, &[function, x], Type::Int);
    let twice = b.prim(Prim::CallFunction, &[function, once], Type::Int);
    let caller = define(&unit, "__torch__.caller", b.finish(&[twice, once]));
    let result = invoke(&caller, vec![Value::Int(1)]).unwrap();
    assert_eq!(format!("{result:?}"), "(11, 6)");
}

#[test]
fn a_function_with_a_new_body_runs_the_new_body() {
    let unit = unit(true);
    let callee = define(&unit, "__torch__.callee", adder(5));
    let mut b = Builder::new();
    let x = b.input(Type::Int, "x");
    let function = b.function(&callee);
    let y = b.prim(Prim::CallFunction, &[function, x], Type::Int);
    let caller = define(&unit, "__torch__.caller", b.finish(&[y]));
    assert_eq!(invoke(&caller, vec![Value::Int(1)]).unwrap(), Value::Int(6));
    callee.set_graph(adder(7));
    assert_eq!(invoke(&caller, vec![Value::Int(1)]).unwrap(), Value::Int(8));
}

#[test]
fn methods_of_interfaces_are_found_by_class() {
    let unit = unit(true);
    let interface = InterfaceType::new("__torch__.Adds", false);
    let objects: Vec<Value> = [1, 20, 300]
        .iter()
        .map(|step| {
            let class = ClassType::new(&format!("__torch__.Add{step}"), false);
            method(&unit, &class, "add", method_adder(&class, *step));
            Value::Object(Object::new(class))
        })
        .collect();
    interface.define(vec![Arc::new(Schema::new("add", Vec::new(), Vec::new()))]);
    let mut b = Builder::new();
    let adds = b.input(Type::Interface(interface), "adds");
    let x = b.input(Type::Int, "x");
    let y = b.prim(Prim::CallMethod, &[adds, x], Type::Int);
    b.set(y, "name", Attr::Str("add".into()));
    let caller = define(&unit, "__torch__.caller", b.finish(&[y]));
    for (object, expected) in objects.iter().chain(&objects).zip([1, 20, 300, 1, 20, 300]) {
        let result = invoke(&caller, vec![object.clone(), Value::Int(0)]).unwrap();
        assert_eq!(result, Value::Int(expected));
    }
}

#[test]
fn objects_are_made_and_keep_attributes() {
    let class = ClassType::new("__torch__.Counter", false);
    class.add_attribute("other", Type::Int, rushlight_types::AttributeKind::Plain);
    class.add_attribute("count", Type::Int, rushlight_types::AttributeKind::Plain);
    let mut b = Builder::new();
    let x = b.input(Type::Int, "x");
    let object = b.prim(Prim::CreateObject, &[], Type::Class(class));
    let set = b.node(Prim::SetAttr, &[object, x], &[]);
    b.graph.set_attr(set, "name", Attr::Str("count".into()));
    let count = b.prim(Prim::GetAttr, &[object], Type::Int);
    b.set(count, "name", Attr::Str("count".into()));
    let graph = b.finish(&[count]);
    assert_eq!(
        support::run(&graph, &[Value::Int(4)]).unwrap(),
        Value::Int(4)
    );
}

/// `def f(n): return 0 if n == 0 else 1 + f(n - 1)`
fn counting_down(unit: &Arc<Unit>) -> Arc<Function> {
    let function = unit.declare("__torch__.f", None);
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (zero, one) = (b.constant(0), b.constant(1));
    let me = b.function(&function);
    let done = b.op("aten::eq.int", &[n, zero]);
    let out = b.branch(
        done,
        &[Type::Int],
        |_| vec![zero],
        |b| {
            let less = b.op("aten::sub.int", &[n, one]);
            let rest = b.prim(Prim::CallFunction, &[me, less], Type::Int);
            vec![b.op("aten::add.int", &[rest, one])]
        },
    );
    function.set_graph(b.finish(&out));
    function
}

#[test]
fn recursion_needs_no_native_stack_and_is_bounded() {
    let unit = unit(true);
    let function = counting_down(&unit);
    let result = invoke(&function, vec![Value::Int(9_000)]).unwrap();
    assert_eq!(result, Value::Int(9_000));
    let fault = invoke(&function, vec![Value::Int(-1)]).unwrap_err();
    assert_eq!(
        fault.message(),
        "maximum recursion depth exceeded: script calls are nested more than 10000 deep"
    );
    // The stack of a failed run is clean for the next.
    assert_eq!(
        invoke(&function, vec![Value::Int(3)]).unwrap(),
        Value::Int(3)
    );
}

#[test]
fn recursive_code_does_not_keep_itself_alive() {
    let unit = unit(true);
    let function = counting_down(&unit);
    invoke(&function, vec![Value::Int(3)]).unwrap();
    let code = Arc::downgrade(&function.code().unwrap());
    function.set_graph(adder(0));
    assert!(code.upgrade().is_none());
}

const PROGRAM: &str =
    "def inner(x):\n    return x // 0\ndef outer(x):\n    y = inner(x)\n    return y\n";

fn span(part: &str) -> Span {
    let start = PROGRAM.find(part).unwrap() as u32;
    Source::new("f.py", PROGRAM).span(start..start + part.len() as u32)
}

fn located(b: &mut Builder, value: ValueId, part: &str) {
    let node = b.graph.value(value).node();
    b.graph.set_span(node, Some(span(part)));
}

fn divider() -> Graph {
    let mut b = Builder::new();
    let x = b.input(Type::Int, "x");
    let zero = b.constant(0);
    let y = b.op("aten::floordiv.int", &[x, zero]);
    located(&mut b, y, "x // 0");
    b.finish(&[y])
}

const TRACEBACK: &str = "The following operation failed in the TorchScript interpreter.\n\
    Traceback of TorchScript (most recent call last):\n  File \"f.py\", line 4, in outer\n    \
    return x // 0\ndef outer(x):\n    y = inner(x)\n        ~~~~~ <--- HERE\n    return y\n  \
    File \"f.py\", line 2, in inner\ndef inner(x):\n    return x // 0\n           ~~~~~~ <--- HERE\n\
    def outer(x):\n    y = inner(x)\nRuntimeError: division by 0\n";

#[test]
fn faults_show_the_script_call_stack() {
    for scalars in [true, false] {
        let unit = unit(scalars);
        let inner = define(&unit, "__torch__.inner", divider());
        let mut b = Builder::new();
        let x = b.input(Type::Int, "x");
        let function = b.function(&inner);
        let y = b.prim(Prim::CallFunction, &[function, x], Type::Int);
        located(
            &mut b,
            y,
            "inner(x)\n    return y".split('(').next().unwrap(),
        );
        let call = b.graph.value(y).node();
        let start = PROGRAM.find("= inner").unwrap() as u32 + 2;
        let place = Source::new("f.py", PROGRAM).span(start..start + 5);
        b.graph.set_span(call, Some(place));
        let outer = define(&unit, "__torch__.outer", b.finish(&[y]));
        let fault = invoke(&outer, vec![Value::Int(1)]).unwrap_err();
        assert_eq!(error_text(&fault), TRACEBACK);
    }
}

#[test]
fn inlined_calls_show_as_if_they_had_been_made() {
    let unit = unit(true);
    let mut graph = divider();
    let node = graph.value(graph.outputs()[0]).node();
    let start = PROGRAM.find("= inner").unwrap() as u32 + 2;
    let site = CallSite {
        function: "__torch__.inner".into(),
        span: Some(Source::new("f.py", PROGRAM).span(start..start + 5)),
        module: "".into(),
        caller: None,
    };
    graph.set_call_site(node, Some(Arc::new(site)));
    let outer = define(&unit, "__torch__.outer", graph);
    let fault = invoke(&outer, vec![Value::Int(1)]).unwrap_err();
    assert_eq!(error_text(&fault), TRACEBACK);
}

/// `def f(): raise E("no")`
fn raiser() -> Graph {
    let mut b = Builder::new();
    let (message, class) = (b.constant("no"), b.constant("builtins.ValueError"));
    let raise = b.act("prim::RaiseException", &[message, class]);
    b.graph.set_span(raise, Some(span("return y")));
    b.finish(&[])
}

#[test]
fn raised_exceptions_keep_their_class_and_show_one_frame() {
    let unit = unit(true);
    let inner = define(&unit, "__torch__.inner", raiser());
    let mut b = Builder::new();
    let function = b.function(&inner);
    b.prim(Prim::CallFunction, &[function], Type::None);
    let outer = define(&unit, "__torch__.outer", b.finish(&[]));
    let fault = invoke(&outer, Vec::new()).unwrap_err();
    assert_eq!(fault.raised_class(), Some("builtins.ValueError"));
    let trace = ScriptTrace::of(&fault).unwrap();
    assert_eq!(trace.frames.len(), 1);
    assert_eq!(&*trace.frames[0].function, "outer");
    assert_eq!(trace.frames[0].span, Some(span("return y")));
    assert!(error_text(&fault).ends_with("builtins.ValueError: no\n"));
}

fn forking(graph: Graph) -> Graph {
    let mut b = Builder::new();
    let x = b.input(Type::Int, "x");
    let future = b.prim(Prim::Fork, &[x], Type::future(Type::Int));
    b.set(future, "Subgraph", Attr::Graph(Arc::new(graph)));
    let y = b.op_as("aten::wait", &[future], Type::Int);
    b.finish(&[y])
}

#[test]
fn forks_give_their_result_when_waited_for() {
    let graph = forking(adder(2));
    assert_eq!(
        support::run(&graph, &[Value::Int(5)]).unwrap(),
        Value::Int(7)
    );
}

#[test]
fn the_fault_of_a_fork_comes_out_of_wait_with_its_own_traceback() {
    let unit = unit(true);
    let function = define(&unit, "__torch__.f", forking(divider()));
    let fault = invoke(&function, vec![Value::Int(5)]).unwrap_err();
    assert_eq!(
        fault.message(),
        "The following operation failed in the TorchScript interpreter.\n\
         Traceback of TorchScript (most recent call last):\n  File \"f.py\", line 2, in <forked function>\n\
         def inner(x):\n    return x // 0\n           ~~~~~~ <--- HERE\ndef outer(x):\n    y = inner(x)\n\
         RuntimeError: division by 0\n"
    );
}

/// `def f(n): return 1 if n < 2 else wait(fork(f, n - 1)) + wait(fork(f, n - 2))`
fn forking_fibonacci(unit: &Arc<Unit>) -> Arc<Function> {
    let function = unit.declare("__torch__.f", None);
    let task = {
        let mut b = Builder::new();
        let n = b.input(Type::Int, "n");
        let me = b.function(&function);
        let y = b.prim(Prim::CallFunction, &[me, n], Type::Int);
        Arc::new(b.finish(&[y]))
    };
    let mut b = Builder::new();
    let n = b.input(Type::Int, "n");
    let (one, two) = (b.constant(1), b.constant(2));
    let small = b.op("aten::lt.int", &[n, two]);
    let out = b.branch(
        small,
        &[Type::Int],
        |_| vec![one],
        |b| {
            let futures: Vec<ValueId> = [one, two]
                .iter()
                .map(|step| {
                    let less = b.op("aten::sub.int", &[n, *step]);
                    let future = b.prim(Prim::Fork, &[less], Type::future(Type::Int));
                    b.set(future, "Subgraph", Attr::Graph(task.clone()));
                    future
                })
                .collect();
            let first = b.op_as("aten::wait", &[futures[0]], Type::Int);
            let second = b.op_as("aten::wait", &[futures[1]], Type::Int);
            vec![b.op("aten::add.int", &[first, second])]
        },
    );
    function.set_graph(b.finish(&out));
    function
}

#[test]
fn forks_of_forks_give_the_same_with_any_number_of_threads() {
    for threads in [0, 1, 3] {
        let unit = support::unit_with(Options {
            inter_op_threads: threads,
            ..Options::default()
        });
        let function = forking_fibonacci(&unit);
        let context = Context::silent().shared();
        let result = function.invoke(&context, vec![Value::Int(15)]).unwrap();
        assert_eq!(result, Value::Int(987), "{threads} threads");
    }
}

#[test]
fn faults_on_other_threads_come_out_of_wait() {
    let unit = support::unit_with(Options {
        inter_op_threads: 2,
        ..Options::default()
    });
    let function = define(&unit, "__torch__.f", forking(divider()));
    let context = Context::silent().shared();
    for _ in 0..50 {
        let fault = function.invoke(&context, vec![Value::Int(5)]).unwrap_err();
        assert!(
            fault.message().ends_with("RuntimeError: division by 0\n"),
            "{fault}"
        );
        assert_eq!(ScriptTrace::of(&fault).unwrap().frames.len(), 1);
    }
}

/// A sink that a test can read.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A class whose `__enter__` and `__exit__` say so.
fn speaking_class(unit: &Arc<Unit>, enter_fails: bool) -> Arc<ClassType> {
    let class = ClassType::new("__torch__.Speaks", false);
    let speak = |text: &str, parameters: usize, fails: bool| {
        let mut b = Builder::new();
        b.input(Type::Class(class.clone()), "self");
        for _ in 0..parameters {
            b.input(Type::Any, "x");
        }
        let text = b.constant(text);
        b.act("test::note", &[text]);
        if fails {
            let nothing = b.constant(Value::None);
            b.act("prim::RaiseException", &[text, nothing]);
        }
        b.finish(&[])
    };
    method(unit, &class, "__enter__", speak("enter", 0, enter_fails));
    method(unit, &class, "__exit__", speak("exit", 3, false));
    class
}

/// `with Speaks(): y = 5 // x`
fn with_statement(unit: &Arc<Unit>, enter_fails: bool) -> Arc<Function> {
    let class = speaking_class(unit, enter_fails);
    let mut b = Builder::new();
    let x = b.input(Type::Int, "x");
    let object = b.prim(Prim::CreateObject, &[], Type::Class(class));
    b.prim(Prim::Enter, &[object], Type::None);
    let five = b.constant(5);
    let y = b.op("aten::floordiv.int", &[five, x]);
    b.prim(Prim::Exit, &[object], Type::None);
    define(unit, "__torch__.f", b.finish(&[y]))
}

#[test]
fn with_statements_leave_what_they_entered_also_on_faults() {
    let said = |x: i64, enter_fails: bool| {
        let unit = unit(true);
        let function = with_statement(&unit, enter_fails);
        let sink = Sink::default();
        let context = Context::new(Box::new(sink.clone()));
        let result = function.invoke(&context, vec![Value::Int(x)]);
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        (result.ok(), text)
    };
    let both = "\"enter\"\n\"exit\"\n".to_string();
    assert_eq!(said(2, false), (Some(Value::Int(2)), both.clone()));
    assert_eq!(said(0, false), (None, both.clone()));
    assert_eq!(said(2, true), (None, both));
}

#[test]
fn unknown_operators_fail_only_when_they_are_reached() {
    let mut b = Builder::new();
    let flag = b.input(Type::Bool, "flag");
    let x = b.input(Type::TENSOR, "x");
    let unknown = rushlight_types::Symbol::new("aten::rellu");
    let out = b.branch(
        flag,
        &[Type::TENSOR],
        |b| {
            let node = b.node(
                rushlight_ir::NodeKind::Unknown(unknown),
                &[x],
                &[Type::TENSOR],
            );
            b.outputs(node)
        },
        |_| vec![x],
    );
    let graph = b.finish(&out);
    let x = || Value::Tensor(rushlight_tensor::Tensor::from_vec(vec![1.0f32], &[1]).unwrap());
    assert!(support::run(&graph, &[Value::Bool(false), x()]).is_ok());
    let fault = support::run(&graph, &[Value::Bool(true), x()]).unwrap_err();
    assert_eq!(
        fault.message(),
        "Unknown builtin op: aten::rellu (similar names: aten::relu)"
    );
}
