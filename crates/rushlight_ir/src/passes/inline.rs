//! Puts the bodies of functions and methods where they are called.
//!
//! What is put there is the body with its own calls inlined, its small patterns seen through, and its constants computed
//! and pooled, as in the reference. Every node that comes out of a call remembers the call ([`CallSite`]), so that backtraces read as if nothing had been
//! inlined. Calls of interfaces, of functions that are not compiled yet, of functions without a graph and of functions
//! that call themselves stay.

use super::{PassRun, constant_pooling, constant_propagation, dead_code, peephole};
use crate::{Attr, CallSite, Function, Graph, NodeId, NodeKind, Prim, Unit, ValueId};
use rushlight_types::{OperatorTable, Type, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Calls inside calls beyond this depth stay calls.
const MAX_DEPTH: usize = 100;
/// Graphs larger than this take in no more calls.
const MAX_NODES: usize = 1 << 20;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    Inliner::default().graph(graph, run);
}

/// Puts bodies in the place of calls just as they were compiled.
pub fn as_compiled(graph: &mut Graph, run: &mut PassRun<'_>) {
    let mut inliner = Inliner {
        as_compiled: true,
        ..Inliner::default()
    };
    inliner.graph(graph, run);
    dead_code::run(graph, run);
}

/// A copy of the graph with its calls inlined.
pub fn inlined(graph: &Graph, unit: Option<&Arc<Unit>>, table: &'static OperatorTable) -> Graph {
    let mut copy = graph.copy();
    let mut run = PassRun::new(table);
    run.unit = unit;
    Inliner::default().graph(&mut copy, &mut run);
    copy
}

/// The bodies that were made ready so far.
#[derive(Default)]
struct Inliner {
    bodies: HashMap<*const Function, Arc<Graph>>,
    /// The functions whose bodies are being made ready, outermost first.
    busy: Vec<*const Function>,
    /// Whether bodies are taken as they are, without being made simpler.
    as_compiled: bool,
}

impl Inliner {
    fn graph(&mut self, graph: &mut Graph, run: &mut PassRun<'_>) {
        for call in graph.all_nodes() {
            if graph.node_limit() >= MAX_NODES {
                return;
            }
            let Some((function, body)) = self.callee(graph, run, call) else {
                continue;
            };
            if !run.may_change() {
                return;
            }
            take_in(graph, call, &function, &body, Sites::OfAll);
        }
    }

    /// What a call runs, where that is known, with the body to put in its place.
    fn callee(
        &mut self,
        graph: &Graph,
        run: &mut PassRun<'_>,
        call: NodeId,
    ) -> Option<(Arc<Function>, Arc<Graph>)> {
        let node = graph.node(call);
        let function = if node.is(Prim::CallFunction) {
            called_function(graph, node.inputs()[0])?
        } else if node.is(Prim::CallMethod) {
            let Type::Class(class) = graph.ty(node.inputs()[0]) else {
                return None;
            };
            run.unit?.method(class, node.str_attr("name")?)?
        } else {
            return None;
        };
        let body = self.body(&function, run)?;
        let given = node.inputs().len() - usize::from(node.is(Prim::CallFunction));
        let fits = body.inputs().len() == given && body.outputs().len() == node.outputs().len();
        fits.then_some((function, body))
    }

    /// The body of a function, ready to be put in the place of a call.
    fn body(&mut self, function: &Arc<Function>, run: &mut PassRun<'_>) -> Option<Arc<Graph>> {
        let key = Arc::as_ptr(function);
        if let Some(known) = self.bodies.get(&key) {
            return Some(known.clone());
        }
        if self.busy.len() >= MAX_DEPTH || self.busy.contains(&key) {
            return None;
        }
        let mut body = function.graph()?.copy();
        self.busy.push(key);
        self.graph(&mut body, run);
        self.busy.pop();
        if !self.as_compiled {
            simplify(&mut body, run);
        }
        let body = Arc::new(body);
        self.bodies.insert(key, body.clone());
        Some(body)
    }
}

/// What bodies go through before they are put in the place of calls.
fn simplify(body: &mut Graph, run: &mut PassRun<'_>) {
    let before = run.changes;
    peephole::run(body, run);
    if run.changes != before {
        dead_code::run(body, run);
    }
    constant_propagation::run(body, run);
    constant_pooling::run(body, run);
}

/// Bodies of more nodes stay functions.
const SMALL: usize = 120;
/// Graphs of more nodes take in no more small bodies.
const ENOUGH: usize = 2000;

/// The graph with calls of small functions replaced by their bodies, for running it; `None` where there are none. Bodies
/// that call others in turn or raise exceptions stay: backtraces show those as calls.
pub fn with_small_inlined(graph: &Graph, unit: Option<&Arc<Unit>>) -> Option<Graph> {
    let mut bodies = HashMap::new();
    let mut busy = Vec::new();
    let mut small = |graph: &Graph, call| small_callee(graph, unit, call, &mut bodies, &mut busy);
    let is_small = |call: &NodeId| small(graph, *call).is_some();
    if !graph.all_nodes().iter().any(is_small) {
        return None;
    }
    let mut out = graph.copy();
    for call in out.all_nodes() {
        if out.node_limit() >= ENOUGH {
            break;
        }
        if let Some((function, body)) = small_callee(&out, unit, call, &mut bodies, &mut busy) {
            take_in(&mut out, call, &function, &body, Sites::OfResults);
        }
    }
    Some(out)
}

type SmallBodies = HashMap<*const Function, Option<Arc<Graph>>>;

/// What a call runs, if that is small.
fn small_callee(
    graph: &Graph,
    unit: Option<&Arc<Unit>>,
    call: NodeId,
    bodies: &mut SmallBodies,
    busy: &mut Vec<*const Function>,
) -> Option<(Arc<Function>, Arc<Graph>)> {
    let node = graph.node(call);
    let (function, first) = if node.is(Prim::CallFunction) {
        (called_function(graph, node.inputs()[0])?, 1)
    } else if node.is(Prim::CallMethod) {
        let Type::Class(class) = graph.ty(node.inputs()[0]) else {
            return None;
        };
        (unit?.method(class, node.str_attr("name")?)?, 0)
    } else {
        return None;
    };
    let key = Arc::as_ptr(&function);
    if busy.contains(&key) || busy.len() > 8 {
        return None;
    }
    let body = match bodies.get(&key) {
        Some(known) => known.clone(),
        None => {
            busy.push(key);
            let body = small_body(&function, unit, bodies, busy);
            busy.pop();
            bodies.insert(key, body.clone());
            body
        }
    }?;
    let given = node.inputs().len() - first;
    let fits = body.inputs().len() == given && body.outputs().len() == node.outputs().len();
    fits.then_some((function, body))
}

fn small_body(
    function: &Arc<Function>,
    unit: Option<&Arc<Unit>>,
    bodies: &mut SmallBodies,
    busy: &mut Vec<*const Function>,
) -> Option<Arc<Graph>> {
    let graph = function.graph()?;
    let nodes = graph.all_nodes();
    if nodes.len() > SMALL {
        return None;
    }
    let mut body = graph.copy();
    for call in body.all_nodes() {
        let node = body.node(call);
        if node.is(Prim::CallFunction) || node.is(Prim::CallMethod) {
            let (function, inner) = small_callee(&body, unit, call, bodies, busy)?;
            take_in(&mut body, call, &function, &inner, Sites::OfResults);
        }
    }
    let nodes = body.all_nodes();
    let is_plain = |id: &NodeId| match body.node(*id).kind {
        NodeKind::Op(operator) => operator.call_stack.is_none(),
        NodeKind::Prim(prim) => PLAIN.contains(&prim),
        NodeKind::Unknown(_) => false,
    };
    (nodes.len() <= SMALL && nodes.iter().all(is_plain)).then(|| Arc::new(body))
}

/// What small bodies consist of beside operators.
const PLAIN: &[Prim] = &[
    Prim::Constant,
    Prim::Uninitialized,
    Prim::If,
    Prim::Loop,
    Prim::TupleConstruct,
    Prim::TupleUnpack,
    Prim::TupleIndex,
    Prim::TupleSlice,
    Prim::ListConstruct,
    Prim::ListUnpack,
    Prim::DictConstruct,
    Prim::GetAttr,
    Prim::SetAttr,
    Prim::CreateObject,
    Prim::IsInstance,
    Prim::UncheckedCast,
    Prim::UncheckedUnwrapOptional,
];

/// The function that a constant names.
pub fn called_function(graph: &Graph, value: ValueId) -> Option<Arc<Function>> {
    let constant = graph.node(graph.value(value).node());
    match constant.attr("name")? {
        Attr::Value(Value::Function(callee)) => {
            let function = callee.as_any().downcast_ref::<Function>()?;
            Some(function.handle())
        }
        _ => None,
    }
}

/// Which nodes of a body remember the call that the body was put in the place of.
#[derive(Clone, Copy, PartialEq)]
enum Sites {
    OfAll,
    /// As in the reference: those with results, and what stands inside them.
    OfResults,
}

/// Replaces a call by the body of what it calls.
fn take_in(graph: &mut Graph, call: NodeId, function: &Function, body: &Graph, sites: Sites) {
    let node = graph.node(call);
    let is_method = node.is(Prim::CallMethod);
    let given = &node.inputs()[usize::from(!is_method)..];
    let mut map: HashMap<ValueId, ValueId> = body
        .inputs()
        .iter()
        .copied()
        .zip(given.iter().copied())
        .collect();
    let site = Arc::new(CallSite {
        function: function.qualified_name().clone(),
        span: node.span.clone(),
        module: match is_method {
            true => module_path(graph, node.inputs()[0]).into(),
            false => "".into(),
        },
        caller: node.call_site.clone(),
    });
    let mut known = HashMap::new();
    for inner in body.nodes(body.top()) {
        let first = graph.node_limit();
        graph.clone_node_before(call, body, inner, &mut map);
        if sites == Sites::OfResults && body.node(inner).outputs().is_empty() {
            continue;
        }
        for id in first..graph.node_limit() {
            let inner = NodeId::from_u32(id as u32);
            let from = around(graph.node(inner).call_site.as_ref(), &site, &mut known);
            graph.set_call_site(inner, Some(from));
        }
    }
    for (i, &result) in body.outputs().iter().enumerate() {
        let output = graph.node(call).outputs()[i];
        let value = map[&result];
        // The result goes on under the name of what it was assigned to.
        if let Some(name) = graph.value(output).name.clone()
            && !graph.inputs().contains(&value)
        {
            graph.set_name(value, &name);
        }
        graph.replace_all_uses(output, value);
    }
    graph.remove(call);
}

/// The call that a node of the body came from already, inside the call that is being inlined.
fn around(
    inner: Option<&Arc<CallSite>>,
    site: &Arc<CallSite>,
    known: &mut HashMap<*const CallSite, Arc<CallSite>>,
) -> Arc<CallSite> {
    // From the innermost call outwards, until one that is known; then back inwards.
    let mut chain = Vec::new();
    let mut at = inner;
    let mut out = loop {
        match at {
            None => break site.clone(),
            Some(call) => match known.get(&Arc::as_ptr(call)) {
                Some(done) => break done.clone(),
                None => chain.push(call),
            },
        }
        at = at.and_then(|call| call.caller.as_ref());
    };
    for call in chain.into_iter().rev() {
        out = Arc::new(CallSite {
            function: call.function.clone(),
            span: call.span.clone(),
            module: call.module.clone(),
            caller: Some(out),
        });
        known.insert(Arc::as_ptr(call), out.clone());
    }
    out
}

/// `top(A)::layer(B)`: the way from the module that the graph belongs to.
fn module_path(graph: &Graph, mut value: ValueId) -> String {
    let mut parts = Vec::new();
    loop {
        let class = match graph.ty(value) {
            Type::Class(class) => class.basename().to_string(),
            other => other.to_string(),
        };
        let source = graph.node(graph.value(value).node());
        match source.str_attr("name").filter(|_| source.is(Prim::GetAttr)) {
            Some(name) => {
                parts.push(format!("{name}({class})"));
                value = source.inputs()[0];
            }
            None => {
                parts.push(format!("top({class})"));
                break;
            }
        }
    }
    parts.reverse();
    parts.join("::")
}
