//! What a picture leaves out: checks that only raise, what is computed for them alone, tuples that are
//! taken apart at once, and arms that the module as it is saved does not take (`if self.training`).

use rushlight::Value;
use rushlight::ir::passes::{PassRun, constant_propagation, dead_code, tuples};
use rushlight::ir::{Graph, NodeId, Prim, ValueId};
use rushlight::types::{Object, Type};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// What was left out.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct LeftOut {
    /// Branches that do nothing but raise.
    pub checks: usize,
    /// Branches that attributes of the module decide.
    pub decided: usize,
}

/// A copy of a graph without what would hide the rest.
pub fn simplified(graph: &Graph, root: Option<&Arc<Object>>) -> (Graph, LeftOut) {
    let mut graph = graph.copy();
    let mut run = PassRun::new(rushlight::table());
    let before = branches(&graph).len();
    for (value, known) in settled(&graph, root) {
        let ty = known.type_of();
        let maker = graph.value(value).node();
        let constant = graph.constant_before(maker, known, ty);
        graph.replace_all_uses(value, constant);
    }
    constant_propagation::run(&mut graph, &mut run);
    let rest = branches(&graph);
    let mut left_out = LeftOut {
        checks: 0,
        decided: before.saturating_sub(rest.len()),
    };
    // An arm that goes is chosen by a constant; what follows from that is a pass that there is.
    for id in rest {
        let blocks = graph.node(id).blocks();
        let raises: Vec<bool> = blocks.iter().map(|b| raises(&graph, *b)).collect();
        let taken = match raises.as_slice() {
            [true, false] => false,
            [false, true] => true,
            _ => continue,
        };
        left_out.checks += 1;
        let chosen = graph.constant_before(id, Value::Bool(taken), Type::Bool);
        graph.set_input(id, 0, chosen);
    }
    constant_propagation::run(&mut graph, &mut run);
    tuples::run(&mut graph, &mut run);
    dead_code::run(&mut graph, &mut run);
    (graph, left_out)
}

fn branches(graph: &Graph) -> Vec<NodeId> {
    let mut nodes = graph.all_nodes();
    nodes.retain(|id| graph.node(*id).is(Prim::If));
    nodes
}

/// Whether a block ends by raising.
fn raises(graph: &Graph, block: rushlight::ir::BlockId) -> bool {
    let nodes = graph.nodes(block);
    nodes
        .iter()
        .any(|n| graph.node(*n).is_op("prim::RaiseException"))
}

/// The attributes that are true, false or None and never set by the graph.
fn settled(graph: &Graph, root: Option<&Arc<Object>>) -> Vec<(ValueId, Value)> {
    let nodes = graph.all_nodes();
    let set: BTreeSet<&str> = nodes
        .iter()
        .map(|id| graph.node(*id))
        .filter(|node| node.is(Prim::SetAttr))
        .filter_map(|node| node.str_attr("name").map(|n| &**n))
        .collect();
    let attributes = attributes(graph, root).into_iter();
    attributes
        .filter(|(_, name, value)| {
            matches!(value, Value::Bool(_) | Value::None) && !set.contains(&**name)
        })
        .map(|(value, _, known)| (value, known))
        .collect()
}

/// The values that are attributes of the module and of what is in it, with their names and what they are.
pub fn attributes(graph: &Graph, root: Option<&Arc<Object>>) -> Vec<(ValueId, Arc<str>, Value)> {
    let mut objects: HashMap<ValueId, Arc<Object>> = HashMap::new();
    let mut found = Vec::new();
    if let (Some(&first), Some(root)) = (graph.inputs().first(), root) {
        objects.insert(first, root.clone());
    }
    for id in graph.all_nodes() {
        let node = graph.node(id);
        let owner = node.inputs().first().and_then(|v| objects.get(v));
        let name = node.str_attr("name").filter(|_| node.is(Prim::GetAttr));
        let (Some(owner), Some(name), Some(&output)) = (owner, name, node.outputs().first()) else {
            continue;
        };
        match owner.get(name) {
            Some(Value::Object(object)) => {
                objects.insert(output, object);
            }
            Some(value) => found.push((output, name.clone(), value)),
            None => {}
        }
    }
    found
}
