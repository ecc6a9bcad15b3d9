//! Inserting into graphs from Python, and running a graph as it stands.

use super::live::Handle;
use super::objects::{PyBlock, PyGraph, PyNode, PyValue};
use crate::errors::refuse;
use crate::handles::ScriptFunction;
use crate::state;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::frontend::trace::modules;
use rushlight::ir::passes::lift_closures;
use rushlight::ir::{Graph, NodeId, Prim, verify};
use rushlight::types::Type;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Whether graphs print without where their nodes come from.
pub fn source_ranges_are_hidden() -> bool {
    HIDDEN.load(Ordering::Relaxed)
}

/// Says whether graphs print without where their nodes come from; how it was.
#[pyfunction]
pub fn hide_source_ranges(hidden: bool) -> bool {
    HIDDEN.swap(hidden, Ordering::Relaxed)
}

/// The node before which things are inserted that go before a node or at the end of a block.
pub fn point(owner: &Handle, at: &Bound<'_, PyAny>) -> PyResult<NodeId> {
    if let Ok(node) = at.cast::<PyNode>() {
        let node = node.get();
        let graph = owner.read();
        let stands = node.owner.is(owner)
            && !graph.node(node.id).is(Prim::Param)
            && (graph.node(node.id).block().is_some() || graph.node(node.id).is(Prim::Return));
        return match stands {
            true => Ok(node.id),
            false => Err(refuse("the node does not stand in this graph")),
        };
    }
    let block = at.cast::<PyBlock>()?.get();
    match block.owner.is(owner) {
        true => Ok(owner.read().return_node(block.id)),
        false => Err(refuse("the block belongs to another graph")),
    }
}

/// `with graph.insert_point_guard(node):`
#[pyclass(name = "_InsertPointGuard", module = "torch._C")]
pub struct InsertPoint {
    owner: Handle,
    point: NodeId,
    before: Option<Option<NodeId>>,
}

impl InsertPoint {
    pub fn new(owner: Handle, at: &Bound<'_, PyAny>) -> PyResult<InsertPoint> {
        let point = point(&owner, at)?;
        Ok(InsertPoint {
            owner,
            point,
            before: None,
        })
    }
}

#[pymethods]
impl InsertPoint {
    fn __enter__(&mut self) {
        self.before = Some(self.owner.set_insert_point(Some(self.point)));
    }

    #[pyo3(signature = (*_args))]
    fn __exit__(&mut self, _args: &Bound<'_, PyTuple>) {
        if let Some(before) = self.before.take() {
            self.owner.set_insert_point(before);
        }
    }
}

/// Inserts the nodes of another graph; its results.
pub fn insert_graph(
    owner: &Handle,
    source: &Handle,
    inputs: &[PyRef<'_, PyValue>],
) -> PyResult<Vec<PyValue>> {
    let body = source.read().clone();
    if body.inputs().len() != inputs.len() {
        return Err(refuse(format!(
            "the graph takes {} values, not {}",
            body.inputs().len(),
            inputs.len()
        )));
    }
    let mut map = HashMap::new();
    for (param, value) in body.inputs().iter().zip(inputs) {
        value.belongs_to(owner)?;
        map.insert(*param, value.id);
    }
    let at = owner.insert_point();
    let mut graph = owner.write();
    for node in body.nodes(body.top()) {
        graph.clone_node_before(at, &body, node, &mut map);
    }
    drop(graph);
    let results = body.outputs().iter().map(|result| owner.value(map[result]));
    Ok(results.collect())
}

/// A copy of a node that stands nowhere yet. What it uses of the graph around it, a function says what that is here.
pub fn clone_node(owner: &Handle, node: &PyNode, value_map: &Bound<'_, PyAny>) -> PyResult<PyNode> {
    let source = node.owner.read().clone();
    let mut map = HashMap::new();
    let mut outside = source.node(node.id).inputs().to_vec();
    for &block in source.node(node.id).blocks() {
        outside.extend(lift_closures::captures(&source, block));
    }
    for outer in outside {
        let here = value_map.call1((node.owner.value(outer),))?;
        let here = here.cast::<PyValue>()?.get();
        here.belongs_to(owner)?;
        map.insert(outer, here.id);
    }
    let mut graph = owner.write();
    let end = graph.return_node(graph.top());
    let copy = graph.clone_node_before(end, &source, node.id, &mut map);
    graph.detach(copy);
    drop(graph);
    Ok(owner.node(copy))
}

/// Puts the parameters of a graph in another order.
pub fn permute_inputs(owner: &Handle, order: &[usize]) -> PyResult<()> {
    let mut graph = owner.write();
    let mut seen = vec![false; graph.inputs().len()];
    let fits = order.len() == seen.len()
        && order
            .iter()
            .all(|&i| i < seen.len() && !std::mem::replace(&mut seen[i], true));
    if !fits {
        return Err(refuse("every parameter must have one place"));
    }
    let param = graph.param_node(graph.top());
    graph.permute_outputs(param, order);
    Ok(())
}

/// Makes one tuple of the results of a graph, unless there is one.
pub fn outputs_as_tuple(owner: &Handle) {
    let mut graph = owner.write();
    let outputs = graph.outputs().to_vec();
    if outputs.len() == 1 {
        return;
    }
    let types = outputs.iter().map(|v| graph.ty(*v).clone()).collect();
    let node = graph.create(Prim::TupleConstruct, &outputs, &[Type::tuple(types)]);
    let end = graph.return_node(graph.top());
    graph.insert_before(end, node);
    let (top, tuple) = (graph.top(), graph.node(node).outputs()[0]);
    graph.set_returns(top, &[tuple]);
}

/// Runs a graph on values, as it stands.
#[pyfunction]
pub fn interpret_graph<'py>(
    py: Python<'py>,
    graph: &PyGraph,
    arguments: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let body: Graph = graph.0.read().clone();
    verify::verify(&body).map_err(refuse)?;
    let unit = match graph.0.unit() {
        Some(unit) => unit.clone(),
        None => state::unit().clone(),
    };
    let function = unit.declare(&unit.free_name("interpreted"), None);
    function.set_schema(modules::schema(&body, "interpreted"));
    function.set_graph(body);
    ScriptFunction::of(&function)
        .into_pyobject(py)?
        .call1(arguments)
}
