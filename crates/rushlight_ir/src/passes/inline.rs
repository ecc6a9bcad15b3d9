//! Puts the bodies of functions and methods where they are called.
//!
//! Every node that comes out of a call remembers the call ([`CallSite`]), so that backtraces read as if nothing had been
//! inlined. Calls of interfaces, of functions that are not compiled yet and of functions without a graph stay.

use super::Run;
use crate::{Attr, CallSite, Function, Graph, NodeId, Prim, ValueId};
use rushlight_types::{Type, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Calls inside calls beyond this depth stay calls.
const MAX_DEPTH: usize = 100;
/// Graphs larger than this take in no more calls.
const MAX_NODES: usize = 1 << 20;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    let mut pending: Vec<(NodeId, usize)> = with_depth(graph.all_nodes(), 0);
    while let Some((call, depth)) = pending.pop() {
        if depth >= MAX_DEPTH || graph.node_limit() >= MAX_NODES {
            continue;
        }
        let Some((function, body)) = callee(graph, run, call) else {
            continue;
        };
        if !run.may_change() {
            return;
        }
        let new = take_in(graph, call, &function, &body);
        pending.extend(with_depth(new, depth + 1));
    }
}

/// Nodes to look at, the first one on top.
fn with_depth(nodes: Vec<NodeId>, depth: usize) -> Vec<(NodeId, usize)> {
    nodes.into_iter().rev().map(|n| (n, depth)).collect()
}

/// What a call runs, where that is known.
fn callee(graph: &Graph, run: &Run<'_>, call: NodeId) -> Option<(Arc<Function>, Arc<Graph>)> {
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
    let body = function.graph()?;
    let given = node.inputs().len() - usize::from(node.is(Prim::CallFunction));
    let fits = body.inputs().len() == given && body.outputs().len() == node.outputs().len();
    fits.then_some((function, body))
}

/// The function that a constant names.
fn called_function(graph: &Graph, value: ValueId) -> Option<Arc<Function>> {
    let constant = graph.node(graph.value(value).node());
    match constant.attr("name")? {
        Attr::Value(Value::Function(callee)) => {
            let function = callee.as_any().downcast_ref::<Function>()?;
            Some(function.handle())
        }
        _ => None,
    }
}

/// Replaces a call by the body of what it calls, and returns the new nodes.
fn take_in(graph: &mut Graph, call: NodeId, function: &Function, body: &Graph) -> Vec<NodeId> {
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
    let first = graph.node_limit();
    for inner in body.nodes(body.top()) {
        graph.clone_node_before(call, body, inner, &mut map);
    }
    let mut sites = HashMap::new();
    let mut new = Vec::new();
    for id in first..graph.node_limit() {
        let inner = NodeId::from_u32(id as u32);
        let from = around(graph.node(inner).call_site.as_ref(), &site, &mut sites);
        graph.set_call_site(inner, Some(from));
        new.push(inner);
    }
    for (i, &result) in body.outputs().iter().enumerate() {
        let output = graph.node(call).outputs()[i];
        let value = map[&result];
        graph.replace_all_uses(output, value);
    }
    graph.remove(call);
    new
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
