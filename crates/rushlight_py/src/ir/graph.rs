//! `torch._C.Graph` and `torch._C.Block`.

use super::insert::{self, InsertPoint};
use super::iterators::{PyNodes, PyValues};
use super::live::{self, Handle};
use super::objects::{PyBlock, PyGraph, PyNode, PyValue};
use crate::convert::infer;
use crate::errors::refuse;
use crate::handles::ScriptFunction;
use crate::state;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use rushlight::frontend::trace::modules;
use rushlight::ir::parse::Lookup;
use rushlight::ir::passes::PassRun;
use rushlight::ir::pipeline::Pipeline;
use rushlight::ir::{Function, Graph, NodeKind, Positions, Prim, verify};
use rushlight::syntax::grammar;
use rushlight::types::{Symbol, Type};
use std::sync::Arc;

/// Graphs with more nodes than this have no picture.
const MOST_DRAWN: usize = 1000;

impl PyGraph {
    /// A function's graph: the same object for as long as somebody has it.
    pub fn of(py: Python<'_>, function: &Arc<Function>) -> PyResult<Py<PyGraph>> {
        let handle =
            live::graph_of(function).ok_or_else(|| refuse("this function has no graph"))?;
        let mut known = handle.object();
        if let Some(weak) = &*known
            && let Ok(alive) = weak.bind(py).call0()?.cast_into::<PyGraph>()
        {
            return Ok(alive.unbind());
        }
        let object = Bound::new(py, PyGraph(handle.clone()))?;
        *known = Some(PyWeakrefReference::new(&object)?.into_any().unbind());
        Ok(object.unbind())
    }
}

/// The graph of a function with its calls inlined.
pub fn inlined(function: &Arc<Function>) -> PyResult<PyGraph> {
    let graph = function
        .graph()
        .ok_or_else(|| refuse("this function has no graph"))?;
    let unit = function.unit();
    let graph = (*rushlight::inlined(&graph, unit.as_ref())).clone();
    Ok(PyGraph(Handle::new(graph, unit)))
}

/// The graph of a function as it runs: nothing is said of tensors, all that is known is a constant, and
/// what is computed twice is computed once.
pub fn executed(function: &Arc<Function>) -> PyResult<PyGraph> {
    const PASSES: &[&str] = &[
        "erase_shapes",
        "scalar_constants",
        "constant_propagation",
        "constant_pooling",
        "common_subexpressions",
        "dead_code",
    ];
    let graph = inlined(function)?;
    let pipeline = Pipeline::named(PASSES).map_err(|pass| refuse(format!("no pass {pass}")))?;
    pipeline.run(&mut graph.0.write(), &mut PassRun::new(rushlight::table()));
    Ok(graph.copy())
}

/// The kind that a name stands for. Operators have several overloads; which one is meant is not known here.
fn kind_of(name: &str) -> NodeKind {
    if let Some(prim) = Prim::from_name(name) {
        return prim.into();
    }
    match rushlight::table().overloads(name) {
        [only] => NodeKind::Op(only),
        _ => NodeKind::Unknown(Symbol::new(name)),
    }
}

/// Reads a graph from its printed form, and refuses what the reference does.
#[pyfunction]
#[pyo3(signature = (text, parse_tensor_constants=false))]
pub fn parse_ir(text: &str, parse_tensor_constants: bool) -> PyResult<PyGraph> {
    match grammar::graph_misfit(text, parse_tensor_constants) {
        Some(misfit) => Err(refuse(misfit.shown(text))),
        None => read_ir(text, parse_tensor_constants),
    }
}

/// Reads a graph in any form in which graphs print here.
#[pyfunction]
#[pyo3(signature = (text, parse_tensor_constants=false))]
pub fn read_ir(text: &str, parse_tensor_constants: bool) -> PyResult<PyGraph> {
    let lookup = Lookup {
        makes_tensors: parse_tensor_constants,
        ..Lookup::operators(rushlight::table())
    };
    let text = text.trim();
    let mut graph =
        Graph::parse_loosely(text, &lookup).map_err(|error| refuse(error.marked(text)))?;
    // As in the reference, only parameters keep the names that the text gives them.
    for node in graph.all_nodes() {
        for output in graph.node(node).outputs().to_vec() {
            graph.clear_name(output);
        }
    }
    Ok(PyGraph(Handle::new(graph, None)))
}

/// A function with a copy of a graph as its body.
#[pyfunction]
pub fn create_function_from_graph(name: &str, graph: PyGraph) -> PyResult<ScriptFunction> {
    let mut body = graph.0.read().clone();
    body.resolve_operators(rushlight::table());
    verify::verify(&body).map_err(refuse)?;
    let unit = match graph.0.unit() {
        Some(unit) => unit.clone(),
        None => state::unit().clone(),
    };
    let function = unit.declare(&unit.free_name(name), None);
    function.set_schema(modules::schema(&body, name));
    function.set_graph(body);
    Ok(ScriptFunction::of(&function))
}

impl PyGraph {
    /// A node that stands nowhere yet.
    fn made(
        &self,
        kind: &str,
        inputs: &[Option<PyRef<'_, PyValue>>],
        outputs: usize,
    ) -> PyResult<PyNode> {
        let mut ids = Vec::with_capacity(inputs.len());
        for input in inputs {
            let input = input
                .as_ref()
                .ok_or_else(|| PyValueError::new_err("cannot pass None in inputs"))?;
            input.belongs_to(&self.0)?;
            ids.push(input.id);
        }
        let types = vec![Type::TENSOR; outputs];
        let node = self.0.write().create(kind_of(kind), &ids, &types);
        Ok(self.0.node(node))
    }
}

#[pymethods]
impl PyGraph {
    #[new]
    fn new() -> PyGraph {
        PyGraph(Handle::new(Graph::new(), None))
    }

    fn __str__(&self) -> String {
        self.0.read().to_text(!insert::source_ranges_are_hidden())
    }

    fn __repr__(&self) -> String {
        self.__str__()
    }

    /// The picture that notebooks show, as `rushlight graph --svg` draws it; None for a graph of so many nodes that its text
    /// is easier to read.
    fn _repr_svg_(&self) -> Option<String> {
        let graph = self.0.read();
        let few = graph.nodes(graph.top()).len() <= MOST_DRAWN;
        few.then(|| rushlight_cli::diagram::Picture::of("graph", &graph, None, &[], true).svg())
    }

    #[pyo3(signature = (print_source_ranges=true))]
    fn str(&self, print_source_ranges: bool) -> String {
        // Without its positions the graph still shows those of nested blocks, as in the reference.
        let positions = match print_source_ranges {
            true => Positions::Everywhere,
            false => Positions::Inside,
        };
        self.0.read().to_text_with(positions)
    }

    fn nodes(&self) -> PyNodes {
        let graph = self.0.read();
        PyNodes::new(self.0.nodes(graph.nodes(graph.top())))
    }

    fn inputs(&self) -> PyValues {
        PyValues::new(self.0.values(self.0.read().inputs()))
    }

    fn outputs(&self) -> PyValues {
        PyValues::new(self.0.values(self.0.read().outputs()))
    }

    fn param_node(&self) -> PyNode {
        let graph = self.0.read();
        self.0.node(graph.param_node(graph.top()))
    }

    fn return_node(&self) -> PyNode {
        let graph = self.0.read();
        self.0.node(graph.return_node(graph.top()))
    }

    fn block(&self) -> PyBlock {
        self.0.block(self.0.read().top())
    }

    #[pyo3(name = "findNode", signature = (kind, recurse=true))]
    fn find_node(&self, kind: &str, recurse: bool) -> Option<PyNode> {
        self.find_all_nodes(kind, recurse).into_iter().next()
    }

    #[pyo3(name = "findAllNodes", signature = (kind, recurse=true))]
    fn find_all_nodes(&self, kind: &str, recurse: bool) -> Vec<PyNode> {
        let top = self.0.read().top();
        self.0.find(top, kind, recurse)
    }

    /// A copy whose values are numbered in order, with or without their names.
    fn canonical(&self, keep_names: bool) -> PyGraph {
        let mut graph = self.0.read().copy();
        if !keep_names {
            for input in graph.inputs().to_vec() {
                graph.clear_name(input);
            }
            for node in graph.all_nodes() {
                let outputs = graph.node(node).outputs().to_vec();
                let blocks = graph.node(node).blocks().iter();
                let params = blocks.flat_map(|b| graph.params(*b).to_vec());
                let values: Vec<_> = outputs.into_iter().chain(params).collect();
                values.into_iter().for_each(|value| graph.clear_name(value));
            }
        }
        PyGraph(Handle::new(graph, self.0.unit().cloned()))
    }

    fn copy(&self) -> PyGraph {
        let graph = self.0.read().copy();
        PyGraph(Handle::new(graph, self.0.unit().cloned()))
    }

    /// Checks that the graph is well formed.
    fn lint(&self) -> PyResult<()> {
        verify::verify_structure(&self.0.read()).map_err(refuse)
    }

    #[pyo3(name = "addInput", signature = (name=None))]
    fn add_input(&self, name: Option<&str>) -> PyValue {
        let mut graph = self.0.write();
        let top = graph.top();
        let value = graph.add_param(top, Type::TENSOR, name.filter(|n| !n.is_empty()));
        self.0.value(value)
    }

    #[pyo3(name = "registerOutput")]
    fn register_output(&self, value: &PyValue) -> PyResult<usize> {
        value.belongs_to(&self.0)?;
        let mut graph = self.0.write();
        let top = graph.top();
        graph.add_return(top, value.id);
        Ok(graph.outputs().len())
    }

    #[pyo3(name = "eraseInput")]
    fn erase_input(&self, index: usize) -> PyResult<()> {
        let mut graph = self.0.write();
        let top = graph.top();
        match graph.inputs().get(index) {
            Some(value) if graph.value(*value).uses().is_empty() => {
                graph.remove_param(top, index);
                Ok(())
            }
            Some(_) => Err(refuse("the input is still used")),
            None => Err(refuse("the graph has no such input")),
        }
    }

    #[pyo3(name = "eraseOutput")]
    fn erase_output(&self, index: usize) -> PyResult<()> {
        let mut graph = self.0.write();
        let top = graph.top();
        if index >= graph.outputs().len() {
            return Err(refuse("the graph has no such output"));
        }
        graph.remove_return(top, index);
        Ok(())
    }

    /// Makes a node that stands nowhere yet; in place of its inputs the number of its outputs may stand.
    #[pyo3(signature = (kind, inputs=None, outputs=1))]
    fn create(
        &self,
        kind: &str,
        inputs: Option<&Bound<'_, PyAny>>,
        outputs: usize,
    ) -> PyResult<PyNode> {
        let count = inputs.and_then(|given| given.extract::<usize>().ok());
        let outputs = count.unwrap_or(outputs);
        let inputs: Vec<Option<PyRef<'_, PyValue>>> = match inputs {
            Some(given) if count.is_none() => given.extract()?,
            _ => Vec::new(),
        };
        self.made(kind, &inputs, outputs)
    }

    /// A copy of a node of any graph that stands nowhere yet; a function says what its inputs, and those of nodes inside it,
    /// are here.
    #[pyo3(name = "createClone")]
    fn create_clone(&self, node: &PyNode, value_map: &Bound<'_, PyAny>) -> PyResult<PyNode> {
        insert::clone_node(&self.0, node, value_map)
    }

    #[pyo3(name = "appendNode")]
    fn append_node(&self, node: &PyNode) -> PyResult<PyNode> {
        node.must_be_loose(&self.0)?;
        let mut graph = self.0.write();
        let top = graph.top();
        graph.append(top, node.id);
        Ok(node.clone())
    }

    #[pyo3(name = "insertNode")]
    fn insert_node(&self, node: &PyNode) -> PyResult<PyNode> {
        node.must_be_loose(&self.0)?;
        let point = self.0.insert_point();
        self.0.write().insert_before(point, node.id);
        Ok(node.clone())
    }

    /// The node before which nodes are inserted.
    #[pyo3(name = "insertPoint")]
    fn insert_point(&self) -> PyNode {
        self.0.node(self.0.insert_point())
    }

    #[pyo3(name = "setInsertPoint")]
    fn set_insert_point(&self, at: &Bound<'_, PyAny>) -> PyResult<()> {
        let node = insert::point(&self.0, at)?;
        self.0.set_insert_point(Some(node));
        Ok(())
    }

    /// Within, nodes are inserted before a node or at the end of a block.
    fn insert_point_guard(&self, at: &Bound<'_, PyAny>) -> PyResult<InsertPoint> {
        InsertPoint::new(self.0.clone(), at)
    }

    /// Makes a node and inserts it; its result.
    fn insert(&self, kind: &str, inputs: Vec<PyRef<'_, PyValue>>) -> PyResult<PyValue> {
        let inputs: Vec<_> = inputs.into_iter().map(Some).collect();
        let node = self.made(kind, &inputs, 1)?;
        self.insert_node(&node)?;
        Ok(self.0.value(self.0.read().node(node.id).outputs()[0]))
    }

    /// Inserts the nodes of another graph, these values in the place of its parameters; its results.
    #[pyo3(name = "insertGraph")]
    fn insert_graph(
        &self,
        source: &PyGraph,
        inputs: Vec<PyRef<'_, PyValue>>,
    ) -> PyResult<Vec<PyValue>> {
        insert::insert_graph(&self.0, &source.0, &inputs)
    }

    /// Puts the parameters in another order: the first is the one that was number `order[0]`.
    #[pyo3(name = "permuteInputs")]
    fn permute_inputs(&self, order: Vec<usize>) -> PyResult<()> {
        insert::permute_inputs(&self.0, &order)
    }

    /// Makes one tuple of several results.
    #[pyo3(name = "makeMultiOutputIntoTuple")]
    fn make_tuple_of_outputs(&self) {
        insert::outputs_as_tuple(&self.0);
    }

    #[pyo3(name = "prependNode")]
    fn prepend_node(&self, node: &PyNode) -> PyResult<PyNode> {
        node.must_be_loose(&self.0)?;
        let mut graph = self.0.write();
        let top = graph.top();
        graph.prepend(top, node.id);
        Ok(node.clone())
    }

    /// Inserts a constant.
    #[pyo3(name = "insertConstant")]
    fn insert_constant(&self, value: &Bound<'_, PyAny>) -> PyResult<PyValue> {
        let value = infer(value)?;
        let ty = value.type_of();
        let point = self.0.insert_point();
        let mut graph = self.0.write();
        let node = graph.create_constant(value, ty);
        graph.insert_before(point, node);
        Ok(self.0.value(graph.node(node).outputs()[0]))
    }
}

#[pymethods]
impl PyBlock {
    fn nodes(&self) -> PyNodes {
        PyNodes::new(self.owner.nodes(self.owner.read().nodes(self.id)))
    }

    fn inputs(&self) -> PyValues {
        PyValues::new(self.owner.values(self.owner.read().params(self.id)))
    }

    fn outputs(&self) -> PyValues {
        PyValues::new(self.owner.values(self.owner.read().returns(self.id)))
    }

    #[pyo3(name = "paramNode")]
    fn param_node(&self) -> PyNode {
        self.owner.node(self.owner.read().param_node(self.id))
    }

    #[pyo3(name = "returnNode")]
    fn return_node(&self) -> PyNode {
        self.owner.node(self.owner.read().return_node(self.id))
    }

    #[pyo3(name = "owningNode")]
    fn owning_node(&self) -> Option<PyNode> {
        let owner = self.owner.read().block(self.id).owner();
        owner.map(|id| self.owner.node(id))
    }

    #[pyo3(name = "findNode", signature = (kind, recurse=true))]
    fn find_node(&self, kind: &str, recurse: bool) -> Option<PyNode> {
        self.find_all_nodes(kind, recurse).into_iter().next()
    }

    #[pyo3(name = "findAllNodes", signature = (kind, recurse=true))]
    fn find_all_nodes(&self, kind: &str, recurse: bool) -> Vec<PyNode> {
        self.owner.find(self.id, kind, recurse)
    }

    #[pyo3(name = "registerOutput")]
    fn register_output(&self, value: &PyValue) -> PyResult<usize> {
        value.belongs_to(&self.owner)?;
        let mut graph = self.owner.write();
        graph.add_return(self.id, value.id);
        Ok(graph.returns(self.id).len())
    }

    #[pyo3(name = "addInputToBlock")]
    fn add_input(&self) -> PyValue {
        let value = self.owner.write().add_param(self.id, Type::TENSOR, None);
        self.owner.value(value)
    }

    fn __eq__(&self, other: &PyBlock) -> bool {
        self.owner.is(&other.owner) && self.id == other.id
    }
}
