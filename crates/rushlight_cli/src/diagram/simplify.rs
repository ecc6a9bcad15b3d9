//! What a picture leaves out: checks that only raise, what is computed for them alone, tuples that are
//! taken apart at once, and arms that the module as it is saved does not take (`if self.training`).

use rushlight::Value;
use rushlight::ir::passes::{Run, constant_propagation, dead_code, tuples};
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
    let mut left_out = LeftOut::default();
    let flags = flags(&graph, root);
    // An arm that goes is chosen by a constant; what follows from that is a pass that there is.
    let mut branches: Vec<NodeId> = graph.all_nodes();
    branches.retain(|id| graph.node(*id).is(Prim::If));
    for id in branches {
        let Some(&condition) = graph.node(id).inputs().first() else {
            continue;
        };
        if graph.constant(condition).is_some() {
            continue;
        }
        let raises: Vec<bool> = graph
            .node(id)
            .blocks()
            .iter()
            .map(|b| raises(&graph, *b))
            .collect();
        let taken = match (flags.get(&condition), raises.as_slice()) {
            (Some(&flag), _) => {
                left_out.decided += 1;
                flag
            }
            (None, [true, false]) => {
                left_out.checks += 1;
                false
            }
            (None, [false, true]) => {
                left_out.checks += 1;
                true
            }
            _ => continue,
        };
        let chosen = graph.constant_before(id, Value::Bool(taken), Type::Bool);
        graph.set_input(id, 0, chosen);
    }
    // A flag that is an argument (`training=`) is told as what it is, too.
    for (&value, &flag) in flags.iter().collect::<std::collections::BTreeMap<_, _>>() {
        let maker = graph.value(value).node();
        let known = graph.constant_before(maker, Value::Bool(flag), Type::Bool);
        graph.replace_all_uses(value, known);
    }
    let mut run = Run::new(rushlight::table());
    constant_propagation::run(&mut graph, &mut run);
    tuples::run(&mut graph, &mut run);
    dead_code::run(&mut graph, &mut run);
    (graph, left_out)
}

/// Whether a block ends by raising.
fn raises(graph: &Graph, block: rushlight::ir::BlockId) -> bool {
    let nodes = graph.nodes(block);
    nodes
        .iter()
        .any(|n| graph.node(*n).is_op("prim::RaiseException"))
}

/// The values that are attributes which are true or false and never set by the graph.
fn flags(graph: &Graph, root: Option<&Arc<Object>>) -> HashMap<ValueId, bool> {
    let mut objects: HashMap<ValueId, Arc<Object>> = HashMap::new();
    let mut flags = HashMap::new();
    if let (Some(&first), Some(root)) = (graph.inputs().first(), root) {
        objects.insert(first, root.clone());
    }
    let nodes = graph.all_nodes();
    let set: BTreeSet<&str> = nodes
        .iter()
        .map(|id| graph.node(*id))
        .filter(|node| node.is(Prim::SetAttr))
        .filter_map(|node| node.str_attr("name").map(|n| &**n))
        .collect();
    for node in nodes.iter().map(|id| graph.node(*id)) {
        let owner = node.inputs().first().and_then(|v| objects.get(v));
        let name = node.str_attr("name").filter(|_| node.is(Prim::GetAttr));
        let (Some(owner), Some(name), Some(&output)) = (owner, name, node.outputs().first()) else {
            continue;
        };
        match owner.get(name) {
            Some(Value::Object(object)) => {
                objects.insert(output, object);
            }
            Some(Value::Bool(flag)) if !set.contains(&**name) => {
                flags.insert(output, flag);
            }
            _ => {}
        }
    }
    flags
}
