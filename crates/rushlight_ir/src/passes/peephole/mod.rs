//! Small patterns: what a node gives is seen from its inputs.
//!
//! Each rule looks at one node and tells what its outputs always equal. The rules run group by group, in the reference's
//! order, so that new constants get the reference's numbers: what types say ([`basic`]), lists and dictionaries that
//! nobody writes to ([`containers`]), tensors whose aliases may change ([`tensors`]), numbers ([`numbers`]).

mod basic;
mod containers;
mod numbers;
mod shapes;
mod tensors;

use super::PassRun;
use crate::analysis::writers::Writers;
use crate::{Graph, NodeId, Prim, ValueId};
use rushlight_types::{Type, Value};

/// What the outputs of a node turned out to be.
enum Known {
    Same(Vec<ValueId>),
    Constant(Value, Type),
    /// A list of these elements, made anew.
    List(Vec<ValueId>),
}

/// Runs the pass without what rests on the sizes that types of tensors mention: those of traces are what was seen.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    all(graph, run, basic::Shapes::Declared);
}

/// Runs the pass and believes the types of tensors.
pub fn with_shapes(graph: &mut Graph, run: &mut PassRun<'_>) {
    all(graph, run, basic::Shapes::All);
    let writers = Writers::new(graph);
    rewrite(graph, run, |graph, node| {
        shapes::look(graph, &writers, node)
    });
}

/// Runs only the rules about lists.
pub fn lists(graph: &mut Graph, run: &mut PassRun<'_>) {
    containers::lists(graph, run);
}

fn all(graph: &mut Graph, run: &mut PassRun<'_>, shapes: basic::Shapes) {
    rewrite(graph, run, |graph, node| basic::look(graph, node, shapes));
    containers::lists(graph, run);
    containers::dicts(graph, run);
    tensors::run(graph, run, shapes);
    numbers::run(graph, run);
    tensors::join_concatenations(graph, run);
    // Who writes is asked where something wants to know.
    if graph
        .all_nodes()
        .iter()
        .any(|&n| graph.node(n).is_op("aten::dim"))
    {
        let writers = Writers::new(graph);
        rewrite(graph, run, |graph, node| {
            shapes::ranks(graph, &writers, node)
        });
    }
}

/// Looks at every node and puts what is known of it in its place.
fn rewrite(
    graph: &mut Graph,
    run: &mut PassRun<'_>,
    mut look: impl FnMut(&Graph, NodeId) -> Option<Known>,
) {
    for node in graph.all_nodes() {
        if graph.node(node).block().is_none() {
            continue;
        }
        let Some(known) = look(graph, node) else {
            continue;
        };
        if !run.may_change() {
            return;
        }
        replace(graph, node, known);
    }
}

fn replace(graph: &mut Graph, node: NodeId, known: Known) {
    let values = match known {
        Known::Same(values) => values,
        Known::Constant(value, ty) => vec![graph.constant_before(node, value, ty)],
        Known::List(items) => {
            let ty = graph.ty(graph.node(node).outputs()[0]).clone();
            let list = graph.create(Prim::ListConstruct, &items, &[ty]);
            graph.insert_before(node, list);
            graph.node(list).outputs().to_vec()
        }
    };
    for (i, value) in values.into_iter().enumerate() {
        let output = graph.node(node).outputs()[i];
        graph.replace_all_uses(output, value);
    }
    graph.remove(node);
}

fn constant_int(graph: &Graph, value: ValueId) -> Option<i64> {
    match graph.constant(value)? {
        Value::Int(i) => Some(i),
        _ => None,
    }
}
