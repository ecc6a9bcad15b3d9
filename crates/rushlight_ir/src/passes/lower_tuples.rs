//! Takes tuples out of the edges of a graph and its blocks: their elements go in and come out one by one.
//!
//! What is left between is taken apart by [`super::tuples`].

use super::PassRun;
use super::last_round::is_number;
use crate::{Attr, BlockId, Graph, NodeId, Prim, ValueId};
use rushlight_types::{OperatorTable, Type, Value};
use std::sync::OnceLock;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    for node in graph.all_nodes() {
        lower_constant(graph, run, node);
    }
    for node in graph.all_nodes().into_iter().rev() {
        if graph.node(node).is(Prim::If) || graph.node(node).is(Prim::Loop) {
            lower_node(graph, run, node);
        }
    }
    for node in graph.all_nodes() {
        if graph.node(node).is(Prim::TupleSlice) {
            lower_slice(graph, run, node);
        }
    }
    let top = graph.top();
    lower_params(graph, run, top, 0);
    lower_returns(graph, run, top, 0);
}

/// Makes a constant that is a tuple one that is put together, so that its parts are constants.
fn lower_constant(graph: &mut Graph, run: &mut PassRun<'_>, node: NodeId) {
    let data = graph.node(node);
    if !data.is(Prim::Constant) {
        return;
    }
    let output = data.outputs()[0];
    let (Some(Value::Tuple(tuple)), Some(types)) =
        (graph.constant(output), elements(graph, output))
    else {
        return;
    };
    if tuple.items.len() != types.len() || !run.may_change() {
        return;
    }
    let items: Vec<ValueId> = tuple
        .items
        .iter()
        .zip(types)
        .map(|(item, ty)| graph.constant_before(node, item.clone(), ty))
        .collect();
    let whole = [graph.ty(output).clone()];
    let made = graph.create(Prim::TupleConstruct, &items, &whole);
    graph.insert_before(node, made);
    let new = graph.node(made).outputs()[0];
    graph.replace_all_uses(output, new);
    graph.remove(node);
    // Tuples in tuples.
    for item in items {
        lower_constant(graph, run, graph.value(item).node());
    }
}

/// The graph with tuples of numbers that branches and loops give taken apart, for running it; `None` where there are
/// none, or tuples of anything else too, which would be taken apart and put together again for nothing.
pub fn with_numbers_apart(graph: &Graph) -> Option<Graph> {
    let nodes = graph.all_nodes();
    let outputs = nodes
        .iter()
        .map(|id| graph.node(*id))
        .filter(|node| !node.blocks().is_empty());
    let mut tuples = outputs
        .flat_map(|node| node.outputs())
        .filter_map(|output| elements(graph, *output))
        .peekable();
    tuples.peek()?;
    if !tuples.all(|types| types.len() <= 8 && types.iter().all(is_number)) {
        return None;
    }
    static NONE: OnceLock<OperatorTable> = OnceLock::new();
    let mut run = PassRun::new(NONE.get_or_init(|| OperatorTable::new(&[])));
    let mut out = graph.copy();
    for node in out.all_nodes() {
        lower_constant(&mut out, &mut run, node);
    }
    for node in out.all_nodes().into_iter().rev() {
        if out.node(node).is(Prim::If) || out.node(node).is(Prim::Loop) {
            lower_node(&mut out, &mut run, node);
        }
    }
    super::tuples::run(&mut out, &mut run);
    // Nothing else that is not needed goes: it might raise an exception.
    for node in out.all_nodes().into_iter().rev() {
        let data = out.node(node);
        let is_unused = data
            .outputs()
            .iter()
            .all(|o| out.value(*o).uses().is_empty());
        if data.is(Prim::TupleConstruct) && is_unused {
            out.remove(node);
        }
    }
    Some(out)
}

fn elements(graph: &Graph, value: ValueId) -> Option<Vec<Type>> {
    match graph.ty(value) {
        Type::Tuple(tuple) => Some(tuple.elements.clone()),
        _ => None,
    }
}

/// The parts of a tuple before a node: those that it was made of, else it is taken apart.
fn parts(graph: &mut Graph, value: ValueId, types: &[Type], before: NodeId) -> Vec<ValueId> {
    let maker = graph.node(graph.value(value).node());
    if maker.is(Prim::TupleConstruct) {
        return maker.inputs().to_vec();
    }
    if maker.is(Prim::Uninitialized) {
        // A tuple that is not there yet has no parts to take out.
        let part = |ty: &Type| {
            let made = graph.create(Prim::Uninitialized, &[], std::slice::from_ref(ty));
            graph.insert_before(before, made);
            graph.node(made).outputs()[0]
        };
        return types.iter().map(part).collect();
    }
    let unpack = graph.create(Prim::TupleUnpack, &[value], types);
    graph.insert_before(before, unpack);
    graph.node(unpack).outputs().to_vec()
}

/// Makes the parameters of a block from number `first` on no tuples.
fn lower_params(graph: &mut Graph, run: &mut PassRun<'_>, block: BlockId, first: usize) {
    let mut at = first;
    while let Some(&param) = graph.params(block).get(at) {
        let Some(types) = elements(graph, param).filter(|_| run.may_change()) else {
            at += 1;
            continue;
        };
        split_param(graph, block, at, &types);
    }
}

/// Makes the results of a block from number `first` on no tuples.
fn lower_returns(graph: &mut Graph, run: &mut PassRun<'_>, block: BlockId, first: usize) {
    let mut at = first;
    while let Some(&value) = graph.returns(block).get(at) {
        let Some(types) = elements(graph, value).filter(|_| run.may_change()) else {
            at += 1;
            continue;
        };
        split_return(graph, block, at, &types);
    }
}

/// Makes what an `If` or a `Loop` gives no tuples, and what a loop carries.
fn lower_node(graph: &mut Graph, run: &mut PassRun<'_>, node: NodeId) {
    let is_loop = graph.node(node).is(Prim::Loop);
    let skipped = usize::from(is_loop);
    let mut at = 0;
    while let Some(&output) = graph.node(node).outputs().get(at) {
        let Some(types) = elements(graph, output).filter(|_| run.may_change()) else {
            at += 1;
            continue;
        };
        for (i, ty) in types.iter().enumerate() {
            graph.insert_output(node, at + 1 + i, ty.clone());
        }
        let new = graph.node(node).outputs()[at + 1..=at + types.len()].to_vec();
        let ty = graph.ty(output).clone();
        let tuple = graph.create(Prim::TupleConstruct, &new, &[ty]);
        graph.insert_after(node, tuple);
        let whole = graph.node(tuple).outputs()[0];
        graph.replace_all_uses(output, whole);
        graph.remove_output(node, at);
        if is_loop {
            let initial = graph.node(node).inputs()[2 + at];
            let parts = parts(graph, initial, &types, node);
            graph.remove_input(node, 2 + at);
            for (i, part) in parts.into_iter().enumerate() {
                graph.insert_input(node, 2 + at + i, part);
            }
        }
        for block in graph.node(node).blocks().to_vec() {
            if is_loop {
                split_param(graph, block, 1 + at, &types);
            }
            split_return(graph, block, skipped + at, &types);
        }
    }
}

/// Makes a slice of a tuple a tuple of its elements.
fn lower_slice(graph: &mut Graph, run: &mut PassRun<'_>, node: NodeId) {
    let data = graph.node(node);
    let (source, output) = (data.inputs()[0], data.outputs()[0]);
    let bound = |name: &str| match data.attr(name) {
        Some(Attr::Int(at)) => usize::try_from(*at).ok(),
        _ => None,
    };
    let (Some(first), Some(end)) = (bound("beg"), bound("end")) else {
        return;
    };
    let Some(types) = elements(graph, source).filter(|types| first <= end && end <= types.len())
    else {
        return;
    };
    if !run.may_change() {
        return;
    }
    let parts = parts(graph, source, &types, node);
    let ty = graph.ty(output).clone();
    let tuple = graph.create(Prim::TupleConstruct, &parts[first..end], &[ty]);
    graph.insert_before(node, tuple);
    let whole = graph.node(tuple).outputs()[0];
    graph.replace_all_uses(output, whole);
    graph.remove(node);
}

fn split_param(graph: &mut Graph, block: BlockId, at: usize, types: &[Type]) {
    let param = graph.params(block)[at];
    let new: Vec<ValueId> = (types.iter().enumerate())
        .map(|(i, ty)| graph.insert_param(block, at + 1 + i, ty.clone()))
        .collect();
    let ty = graph.ty(param).clone();
    let tuple = graph.create(Prim::TupleConstruct, &new, &[ty]);
    graph.prepend(block, tuple);
    let whole = graph.node(tuple).outputs()[0];
    graph.replace_all_uses(param, whole);
    graph.remove_param(block, at);
}

fn split_return(graph: &mut Graph, block: BlockId, at: usize, types: &[Type]) {
    let value = graph.returns(block)[at];
    let end = graph.return_node(block);
    let parts = parts(graph, value, types, end);
    graph.remove_return(block, at);
    for (i, part) in parts.into_iter().enumerate() {
        graph.insert_return(block, at + i, part);
    }
}
