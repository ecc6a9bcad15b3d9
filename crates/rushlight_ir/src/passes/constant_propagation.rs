//! Computes what is known before the graph runs.
//!
//! Pure operators on constants become constants, where nobody could tell: results of mutable types stay calls, unless
//! the caller gives up telling them apart ([`with_containers`]), and so do calls that fail. An `If` on a constant becomes the branch that it takes; a `Loop` that never enters its body
//! disappears; results of an `If` on which both branches agree, and variables that a `Loop` carries without changing
//! them, become plain values.

use super::{PassRun, same_constant};
use crate::analysis::alias::is_mutable;
use crate::analysis::writers::Writers;
use crate::{Attr, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Context, Dict, Effect, Key, Operator, Tuple, Type, Value};
use std::cell::LazyCell;
use std::sync::Arc;

/// Operators with more inputs than this are not worth a try.
const MAX_INPUTS: usize = 16;
/// Longer results stay calls: `"a" * 1000000` belongs into no graph.
const MAX_TEXT: usize = 4096;
/// Lists with more elements stay calls.
const MAX_ELEMENTS: usize = 1 << 20;

/// A step of the walk.
enum FoldStep {
    Enter(NodeId),
    /// Everything nested in the node has been seen.
    Leave(NodeId),
}

/// Runs the pass on values that never change.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    run_on(graph, run, &Foldable { writers: None });
}

/// Runs the pass also on tensors, lists and dictionaries that the graph does not write to: every run of the graph then
/// gives the same ones.
pub fn with_containers(graph: &mut Graph, run: &mut PassRun<'_>) {
    let writers = Some(Writers::new(graph));
    run_on(graph, run, &Foldable { writers });
}

/// Which values may be constants.
struct Foldable {
    /// Who writes where, if values of mutable types may be.
    writers: Option<Writers>,
}

impl Foldable {
    fn allows(&self, graph: &Graph, value: ValueId) -> bool {
        let ty = graph.ty(value);
        let stays = match &self.writers {
            _ if !is_mutable(ty) => true,
            Some(writers) => !writers.has(graph, value),
            None => false,
        };
        stays && nameable(ty)
    }
}

fn run_on(graph: &mut Graph, run: &mut PassRun<'_>, foldable: &Foldable) {
    let before = run.changes;
    propagate(graph, run, foldable);
    if run.changes != before {
        super::dead_code::run(graph, run);
    }
}

/// Where what is known is computed, once anything is.
type Silent = LazyCell<Context, Box<dyn FnOnce() -> Context>>;

fn propagate(graph: &mut Graph, run: &mut PassRun<'_>, foldable: &Foldable) {
    let default_dtype = run.default_dtype;
    let context: Silent = LazyCell::new(Box::new(move || {
        let context = Context::silent();
        context.set_default_dtype(default_dtype);
        context
    }));
    let mut steps: Vec<FoldStep> = enter_all(graph.nodes(graph.top()));
    while let Some(step) = steps.pop() {
        match step {
            FoldStep::Enter(node) => enter(graph, run, &context, foldable, node, &mut steps),
            FoldStep::Leave(node) if graph.node(node).is(Prim::If) => agree(graph, run, node),
            FoldStep::Leave(node) => unchanged(graph, run, node),
        }
    }
}

/// The steps into nodes, first one on top.
fn enter_all(nodes: Vec<NodeId>) -> Vec<FoldStep> {
    nodes.into_iter().rev().map(FoldStep::Enter).collect()
}

fn enter(
    graph: &mut Graph,
    run: &mut PassRun<'_>,
    context: &Silent,
    foldable: &Foldable,
    node: NodeId,
    steps: &mut Vec<FoldStep>,
) {
    match graph.node(node).kind {
        NodeKind::Op(op) => {
            if let Some(values) = fold(graph, context, foldable, node, op)
                && run.may_change()
            {
                replace(graph, node, values);
            }
        }
        NodeKind::Prim(prim) if prim != Prim::If && prim != Prim::Loop => {
            match fold_prim(graph, foldable, node, prim) {
                Some(values) => {
                    if run.may_change() {
                        replace(graph, node, values);
                    }
                }
                None => descend(graph, node, steps),
            }
        }
        NodeKind::Prim(Prim::If) => {
            let condition = constant_bool(graph, graph.node(node).inputs()[0]);
            match condition {
                Some(taken) if run.may_change() => {
                    steps.extend(enter_all(take_branch(graph, node, taken)));
                }
                _ => descend(graph, node, steps),
            }
        }
        NodeKind::Prim(Prim::Loop) => {
            if never_runs(graph, node) && run.may_change() {
                for i in 0..graph.node(node).outputs().len() {
                    let data = graph.node(node);
                    let (output, initial) = (data.outputs()[i], data.inputs()[2 + i]);
                    graph.replace_all_uses(output, initial);
                }
                graph.remove(node);
            } else {
                descend(graph, node, steps);
            }
        }
        _ => descend(graph, node, steps),
    }
}

fn descend(graph: &Graph, node: NodeId, steps: &mut Vec<FoldStep>) {
    if graph.node(node).blocks().is_empty() {
        return;
    }
    steps.push(FoldStep::Leave(node));
    for &block in graph.node(node).blocks().iter().rev() {
        steps.extend(enter_all(graph.nodes(block)));
    }
}

/// The results of an operator call that can be computed now.
fn fold(
    graph: &Graph,
    context: &Silent,
    foldable: &Foldable,
    id: NodeId,
    op: &'static Operator,
) -> Option<Vec<Value>> {
    let node = graph.node(id);
    let schema = op.schema();
    if op.effect != Effect::Pure
        || schema.varargs
        || schema.varrets
        || schema.is_mutable()
        || node.inputs().len() > MAX_INPUTS
        || node.outputs().is_empty()
    {
        return None;
    }
    let values = node.inputs().iter().chain(node.outputs());
    if !values.copied().all(|v| foldable.allows(graph, v)) {
        return None;
    }
    let inputs: Option<Vec<Value>> = node.inputs().iter().map(|v| graph.constant(*v)).collect();
    let values = op.call_vec(context, inputs?).ok()?;
    let fits = values.len() == node.outputs().len() && values.iter().all(is_small);
    fits.then_some(values)
}

/// Whether a constant of the type can be written down.
fn nameable(ty: &Type) -> bool {
    match ty {
        Type::Tuple(tuple) => tuple.elements.iter().all(nameable),
        Type::Optional(inner) | Type::List(inner) => nameable(inner),
        Type::Dict(pair) => nameable(&pair.0) && nameable(&pair.1),
        Type::Union(members) => members.iter().all(nameable),
        Type::Function(_) | Type::Any | Type::Class(_) | Type::Interface(_) => false,
        Type::Future(_) | Type::Await(_) | Type::RRef(_) => false,
        _ => true,
    }
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::Str(s) => s.as_bytes().len() <= MAX_TEXT,
        Value::Tuple(t) => t.items.iter().all(is_small),
        Value::IntList(_) | Value::FloatList(_) | Value::BoolList(_) => {
            value.list_items().is_ok_and(|l| l.len() <= MAX_ELEMENTS)
        }
        Value::TensorList(_) | Value::List(_) => value
            .list_items()
            .is_ok_and(|l| l.len() <= MAX_ELEMENTS && l.iter().all(is_small)),
        Value::Object(_) | Value::Future(_) | Value::Await(_) | Value::Foreign(_) => false,
        _ => true,
    }
}

/// The results of one of the language's own kinds on constants.
fn fold_prim(graph: &Graph, foldable: &Foldable, id: NodeId, prim: Prim) -> Option<Vec<Value>> {
    let node = graph.node(id);
    if prim == Prim::GetAttr {
        return fold_attribute(graph, foldable, id).map(|v| vec![v]);
    }
    let outputs = node.outputs().iter().copied();
    if !outputs.into_iter().all(|v| foldable.allows(graph, v)) {
        return None;
    }
    match prim {
        Prim::TupleConstruct => fold_tuple(graph, id).map(|v| vec![v]),
        Prim::UncheckedCast | Prim::UncheckedUnwrapOptional => {
            fold_cast(graph, id).map(|v| vec![v])
        }
        Prim::TupleIndex | Prim::TupleUnpack => fold_parts(graph, id),
        Prim::ListConstruct => {
            let Type::List(element) = graph.ty(node.outputs()[0]) else {
                return None;
            };
            Some(vec![Value::list(element, constants(graph, id)?).ok()?])
        }
        Prim::DictConstruct => {
            let Type::Dict(types) = graph.ty(node.outputs()[0]) else {
                return None;
            };
            let dict = Dict::new(types.0.clone(), types.1.clone());
            for pair in constants(graph, id)?.chunks_exact(2) {
                dict.insert(Key::new(pair[0].clone()).ok()?, pair[1].clone());
            }
            Some(vec![Value::Dict(Arc::new(dict))])
        }
        Prim::ListUnpack => {
            let items = graph.constant(node.inputs()[0])?.list_items().ok()?;
            (items.len() == node.outputs().len()).then_some(items)
        }
        Prim::IsInstance => {
            let Some(Attr::Types(types)) = node.attr("types") else {
                return None;
            };
            let ty = graph.constant(node.inputs()[0])?.type_of();
            let fits = types.iter().any(|t| ty.is_subtype_of(t));
            Some(vec![Value::Bool(fits)])
        }
        _ => None,
    }
}

/// What an object that is a constant, and that nothing writes to, has as an attribute.
fn fold_attribute(graph: &Graph, foldable: &Foldable, id: NodeId) -> Option<Value> {
    let node = graph.node(id);
    let writers = foldable.writers.as_ref()?;
    let Value::Object(object) = graph.constant(node.inputs()[0])? else {
        return None;
    };
    let stays = !object.class().is_module()
        && !writers.has(graph, node.inputs()[0])
        && foldable.allows(graph, node.outputs()[0]);
    let value = stays.then(|| object.get(node.str_attr("name")?))??;
    is_small(&value).then_some(value)
}

/// The inputs of a node, if all are constants.
fn constants(graph: &Graph, id: NodeId) -> Option<Vec<Value>> {
    let inputs = graph.node(id).inputs().iter();
    inputs.map(|v| graph.constant(*v)).collect()
}

fn fold_tuple(graph: &Graph, id: NodeId) -> Option<Value> {
    let node = graph.node(id);
    let output = node.outputs()[0];
    let Type::Tuple(ty) = graph.ty(output) else {
        return None;
    };
    let items = constants(graph, id);
    Some(match &ty.name {
        Some(_) => Value::Tuple(Arc::new(Tuple {
            items: items?.into(),
            ty: Some(ty.clone()),
        })),
        None => Value::tuple(items?),
    })
}

/// What a constant is after a cast to a type that it has.
fn fold_cast(graph: &Graph, id: NodeId) -> Option<Value> {
    let node = graph.node(id);
    let ty = graph.ty(node.outputs()[0]);
    let value = graph.constant(node.inputs()[0])?;
    value.type_of().is_subtype_of(ty).then_some(value)
}

fn fold_parts(graph: &Graph, id: NodeId) -> Option<Vec<Value>> {
    let node = graph.node(id);
    let Value::Tuple(tuple) = graph.constant(node.inputs()[0])? else {
        return None;
    };
    if node.is(Prim::TupleUnpack) {
        return (tuple.items.len() == node.outputs().len()).then(|| tuple.items.to_vec());
    }
    let index = graph.constant(node.inputs()[1])?.as_int().ok()?;
    let at = if index < 0 {
        index + tuple.items.len() as i64
    } else {
        index
    };
    let item = usize::try_from(at).ok().and_then(|i| tuple.items.get(i))?;
    Some(vec![item.clone()])
}

/// Puts constants in the place of a node.
fn replace(graph: &mut Graph, node: NodeId, values: Vec<Value>) {
    for (i, value) in values.into_iter().enumerate() {
        let output = graph.node(node).outputs()[i];
        let constant = new_constant(graph, node, value, output);
        graph.replace_all_uses(output, constant);
    }
    graph.remove(node);
}

/// A constant before `node` that takes the type of `like`.
fn new_constant(graph: &mut Graph, node: NodeId, value: Value, like: ValueId) -> ValueId {
    let ty = match (&value, graph.ty(like)) {
        (Value::None, _) => Type::None,
        (Value::Tensor(tensor), _) => crate::analysis::known::tensor_type(tensor),
        (Value::Tuple(tuple), _) if tuple.ty.is_none() => value.type_of(),
        (_, Type::Optional(inner)) => (**inner).clone(),
        (_, ty @ (Type::Number | Type::Union(_))) => {
            let exact = value.type_of();
            if exact.is_subtype_of(ty) {
                exact
            } else {
                ty.clone()
            }
        }
        (_, ty) => ty.clone(),
    };
    graph.constant_before(node, value, ty)
}

fn constant_bool(graph: &Graph, value: ValueId) -> Option<bool> {
    graph.constant(value)?.as_bool().ok()
}

fn never_runs(graph: &Graph, node: NodeId) -> bool {
    let inputs = graph.node(node).inputs();
    let most = graph.constant(inputs[0]).and_then(|v| v.as_int().ok());
    most.is_some_and(|n| n <= 0) || constant_bool(graph, inputs[1]) == Some(false)
}

/// Replaces an `If` by one of its branches and returns the nodes of that branch.
fn take_branch(graph: &mut Graph, node: NodeId, taken: bool) -> Vec<NodeId> {
    let block = graph.node(node).blocks()[usize::from(!taken)];
    let nodes = graph.nodes(block);
    for &inner in &nodes {
        graph.move_before(node, inner);
    }
    for i in 0..graph.node(node).outputs().len() {
        let (output, result) = (graph.node(node).outputs()[i], graph.returns(block)[i]);
        graph.replace_all_uses(output, result);
    }
    graph.remove(node);
    nodes
}

/// Results of an `If` that are the same in both branches.
fn agree(graph: &mut Graph, run: &mut PassRun<'_>, node: NodeId) {
    let blocks = graph.node(node).blocks();
    let (then, otherwise) = (blocks[0], blocks[1]);
    let mut i = 0;
    while let Some(&output) = graph.node(node).outputs().get(i) {
        let (a, b) = (graph.returns(then)[i], graph.returns(otherwise)[i]);
        let common = if a == b {
            Some(None)
        } else {
            agreed_constant(graph, a, b).map(Some)
        };
        let Some(constant) = common else {
            i += 1;
            continue;
        };
        if !run.may_change() {
            return;
        }
        let value = match constant {
            None => a,
            Some(value) => new_constant(graph, node, value, a),
        };
        graph.replace_all_uses(output, value);
        graph.remove_output(node, i);
        graph.remove_return(then, i);
        graph.remove_return(otherwise, i);
    }
}

fn agreed_constant(graph: &Graph, a: ValueId, b: ValueId) -> Option<Value> {
    if graph.ty(a) != graph.ty(b) {
        return None;
    }
    let (x, y) = (graph.constant(a)?, graph.constant(b)?);
    same_constant(&x, &y).then_some(x)
}

/// Variables that a `Loop` carries without ever changing them.
fn unchanged(graph: &mut Graph, run: &mut PassRun<'_>, node: NodeId) {
    if !graph.node(node).is(Prim::Loop) {
        return;
    }
    let body = graph.node(node).blocks()[0];
    for i in (0..graph.node(node).outputs().len()).rev() {
        let (param, result) = (graph.params(body)[1 + i], graph.returns(body)[1 + i]);
        let initial = graph.node(node).inputs()[2 + i];
        if result != param || !run.may_change() {
            continue;
        }
        let output = graph.node(node).outputs()[i];
        graph.replace_all_uses(output, initial);
        graph.remove_return(body, 1 + i);
        graph.replace_all_uses(param, initial);
        graph.remove_param(body, 1 + i);
        graph.remove_output(node, i);
        graph.remove_input(node, 2 + i);
    }
}
