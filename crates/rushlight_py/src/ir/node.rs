//! `torch._C.Node`.

use super::iterators::{PyBlocks, PyValues};
use super::live::Handle;
use super::objects::{PyBlock, PyGraph, PyNode, PyValue};
use super::ty::PyType;
use crate::convert::{infer, to_python};
use crate::errors::refuse;
use crate::identity::PyTensor;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::ir::{Attr, Graph, Prim, ValueId};
use rushlight::tensor::Complex64;
use rushlight::types::{Argument, Effect, Operator, Schema, Type};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// The letters that say of what kind an attribute is. The reference's are shifted for floats and complex numbers: lists of
/// floats say `c`, complex numbers `cs`.
fn letters(attr: &Attr) -> &'static str {
    match attr {
        Attr::Int(_) => "i",
        Attr::Float(_) => "f",
        Attr::Str(_) => "s",
        Attr::Ints(_) => "is",
        Attr::Floats(_) => "c",
        Attr::Strs(_) => "ss",
        Attr::Tensor(_) => "t",
        Attr::Type(_) => "ty",
        Attr::Types(_) => "tys",
        Attr::Graph(_) => "g",
        Attr::Value(value) => match value {
            Value::Int(_) | Value::Bool(_) => "i",
            Value::Float(_) => "f",
            Value::Complex(_) => "cs",
            Value::Str(_) | Value::Device(_) | Value::Function(_) => "s",
            Value::Tensor(_) => "t",
            Value::TensorList(_) => "ts",
            _ => "ival",
        },
    }
}

fn undefined(name: &str) -> PyErr {
    refuse(format!("required keyword attribute '{name}' is undefined"))
}

/// An input or output by its number.
fn element<T: Copy>(all: &[T], index: usize) -> PyResult<T> {
    let found = all.get(index).copied();
    found.ok_or_else(|| {
        refuse(format!(
            "ArrayRef: invalid index Index = {index}; Length = {}",
            all.len()
        ))
    })
}

impl PyNode {
    /// Refuses nodes of other graphs and nodes that stand somewhere already.
    pub fn must_be_loose(&self, owner: &Handle) -> PyResult<()> {
        if !self.owner.is(owner) {
            return Err(refuse("the node belongs to another graph"));
        }
        match owner.read().node(self.id).block() {
            None => Ok(()),
            Some(_) => Err(refuse("the node stands in the graph already")),
        }
    }

    /// Refuses nodes that stand nowhere and the ends of blocks.
    fn must_stand(&self, graph: &Graph) -> PyResult<()> {
        let node = graph.node(self.id);
        if node.block().is_none() || node.is(Prim::Param) || node.is(Prim::Return) {
            return Err(refuse("the node does not stand between others"));
        }
        Ok(())
    }

    fn attr(&self, name: &str, wanted: &[&str]) -> PyResult<Attr> {
        let graph = self.owner.read();
        let found = graph.node(self.id).attr(name);
        match found.filter(|a| wanted.contains(&letters(a))) {
            Some(attr) => Ok(attr.clone()),
            None if found.is_some() => Err(refuse(format!(
                "required keyword attribute '{name}' has the wrong type"
            ))),
            None => Err(undefined(name)),
        }
    }

    fn set(&self, name: &str, attr: Attr) -> PyNode {
        self.owner.write().set_attr(self.id, name, attr);
        self.clone()
    }

    fn constant<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        wanted: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.attr(name, &[wanted])? {
            Attr::Value(value) => to_python(py, &value),
            _ => Err(refuse("not a constant")),
        }
    }

    fn only<T: Clone>(&self, all: &[T], what: &str) -> PyResult<T> {
        match all {
            [one] => Ok(one.clone()),
            _ => Err(refuse(format!(
                "Tried to access a single {what} on node '{}' which has {} outputs. You may consider using node.{what}s() instead.",
                self.kind()?,
                all.len()
            ))),
        }
    }
}

#[pymethods]
impl PyNode {
    fn kind(&self) -> PyResult<String> {
        self.owner.must_be_there(self.id)?;
        Ok(self.owner.read().node(self.id).kind.name().to_string())
    }

    fn inputs(&self) -> PyValues {
        PyValues::new(self.owner.values(self.owner.read().node(self.id).inputs()))
    }

    fn outputs(&self) -> PyValues {
        PyValues::new(self.owner.values(self.owner.read().node(self.id).outputs()))
    }

    fn input(&self) -> PyResult<PyValue> {
        let graph = self.owner.read();
        let id = self.only(graph.node(self.id).inputs(), "input")?;
        Ok(self.owner.value(id))
    }

    fn output(&self) -> PyResult<PyValue> {
        let graph = self.owner.read();
        let id = self.only(graph.node(self.id).outputs(), "output")?;
        Ok(self.owner.value(id))
    }

    #[pyo3(name = "inputsAt")]
    fn inputs_at(&self, index: usize) -> PyResult<PyValue> {
        let graph = self.owner.read();
        let id = element(graph.node(self.id).inputs(), index)?;
        Ok(self.owner.value(id))
    }

    #[pyo3(name = "outputsAt")]
    fn outputs_at(&self, index: usize) -> PyResult<PyValue> {
        let graph = self.owner.read();
        let id = element(graph.node(self.id).outputs(), index)?;
        Ok(self.owner.value(id))
    }

    /// The input for a parameter of the operator's schema.
    #[pyo3(name = "namedInput")]
    fn named_input(&self, name: &str) -> PyResult<PyValue> {
        let graph = self.owner.read();
        let node = graph.node(self.id);
        let index = graph
            .operator_of(self.id, rushlight::table())
            .and_then(|op| op.schema().argument_index(name));
        match index.and_then(|i| node.inputs().get(i)) {
            Some(id) => Ok(self.owner.value(*id)),
            None => Err(refuse(format!("Couldn't find an argument called {name}"))),
        }
    }

    #[pyo3(name = "inputsSize")]
    fn inputs_size(&self) -> usize {
        self.owner.read().node(self.id).inputs().len()
    }

    #[pyo3(name = "outputsSize")]
    fn outputs_size(&self) -> usize {
        self.owner.read().node(self.id).outputs().len()
    }

    #[pyo3(name = "hasMultipleOutputs")]
    fn has_multiple_outputs(&self) -> bool {
        self.outputs_size() > 1
    }

    #[pyo3(name = "hasUses")]
    fn has_uses(&self) -> bool {
        let graph = self.owner.read();
        let mut outputs = graph.node(self.id).outputs().iter();
        outputs.any(|o| !graph.value(*o).uses().is_empty())
    }

    fn blocks(&self) -> PyBlocks {
        let graph = self.owner.read();
        let blocks = graph.node(self.id).blocks().iter();
        PyBlocks::new(blocks.map(|b| self.owner.block(*b)).collect())
    }

    #[pyo3(name = "addBlock")]
    fn add_block(&self) -> PyBlock {
        let block = self.owner.write().add_block(self.id);
        self.owner.block(block)
    }

    #[pyo3(name = "owningBlock")]
    fn owning_block(&self) -> Option<PyBlock> {
        let block = self.owner.read().node(self.id).block();
        block.map(|b| self.owner.block(b))
    }

    fn prev(&self) -> Option<PyNode> {
        let prev = self.owner.read().prev(self.id);
        prev.map(|id| self.owner.node(id))
    }

    #[pyo3(name = "isBefore")]
    fn is_before(&self, other: &PyNode) -> bool {
        self.owner.read().is_before(self.id, other.id)
    }

    #[pyo3(name = "isAfter")]
    fn is_after(&self, other: &PyNode) -> bool {
        other.is_before(self)
    }

    #[pyo3(name = "findNode", signature = (kind, recurse=true))]
    fn find_node(&self, kind: &str, recurse: bool) -> Option<PyNode> {
        self.find_all_nodes(kind, recurse).into_iter().next()
    }

    #[pyo3(name = "findAllNodes", signature = (kind, recurse=true))]
    fn find_all_nodes(&self, kind: &str, recurse: bool) -> Vec<PyNode> {
        let blocks = self.owner.read().node(self.id).blocks().to_vec();
        let found = blocks
            .into_iter()
            .map(|b| self.owner.find(b, kind, recurse));
        found.flatten().collect()
    }

    #[pyo3(name = "insertBefore")]
    fn insert_before(&self, other: &PyNode) -> PyResult<PyNode> {
        self.must_be_loose(&other.owner)?;
        let mut graph = self.owner.write();
        other.must_stand(&graph)?;
        graph.insert_before(other.id, self.id);
        Ok(self.clone())
    }

    #[pyo3(name = "insertAfter")]
    fn insert_after(&self, other: &PyNode) -> PyResult<PyNode> {
        self.must_be_loose(&other.owner)?;
        let mut graph = self.owner.write();
        other.must_stand(&graph)?;
        graph.insert_after(other.id, self.id);
        Ok(self.clone())
    }

    #[pyo3(name = "moveBefore")]
    fn move_before(&self, other: &PyNode) -> PyResult<()> {
        let mut graph = self.owner.write();
        self.must_stand(&graph)?;
        other.must_stand(&graph)?;
        graph.move_before(other.id, self.id);
        Ok(())
    }

    #[pyo3(name = "moveAfter")]
    fn move_after(&self, other: &PyNode) -> PyResult<()> {
        let mut graph = self.owner.write();
        self.must_stand(&graph)?;
        other.must_stand(&graph)?;
        if self.id != other.id {
            graph.detach(self.id);
            graph.insert_after(other.id, self.id);
        }
        Ok(())
    }

    /// Removes the node, whose outputs nobody uses.
    fn destroy(&self) -> PyResult<()> {
        if self.has_uses() {
            return Err(refuse("the outputs of the node are still used"));
        }
        let mut graph = self.owner.write();
        self.must_stand(&graph)?;
        graph.remove(self.id);
        Ok(())
    }

    #[pyo3(name = "addInput")]
    fn add_input(&self, value: &PyValue) -> PyResult<PyValue> {
        value.belongs_to(&self.owner)?;
        self.owner.write().push_input(self.id, value.id);
        Ok(value.clone())
    }

    #[pyo3(name = "replaceInput")]
    fn replace_input(&self, index: usize, value: &PyValue) -> PyResult<PyValue> {
        value.belongs_to(&self.owner)?;
        let before = self.inputs_at(index)?;
        self.owner.write().set_input(self.id, index, value.id);
        Ok(before)
    }

    #[pyo3(name = "replaceInputWith")]
    fn replace_input_with(&self, from: &PyValue, to: &PyValue) -> PyResult<()> {
        to.belongs_to(&self.owner)?;
        let mut graph = self.owner.write();
        for i in 0..graph.node(self.id).inputs().len() {
            if graph.node(self.id).inputs()[i] == from.id {
                graph.set_input(self.id, i, to.id);
            }
        }
        Ok(())
    }

    #[pyo3(name = "removeInput")]
    fn remove_input(&self, index: usize) -> PyResult<()> {
        self.inputs_at(index)?;
        self.owner.write().remove_input(self.id, index);
        Ok(())
    }

    #[pyo3(name = "removeAllInputs")]
    fn remove_all_inputs(&self) {
        self.owner.write().set_inputs(self.id, &[]);
    }

    #[pyo3(name = "addOutput")]
    fn add_output(&self) -> PyValue {
        let value = self.owner.write().add_output(self.id, Type::TENSOR, None);
        self.owner.value(value)
    }

    #[pyo3(name = "eraseOutput")]
    fn erase_output(&self, index: usize) -> PyResult<()> {
        let output = self.outputs_at(index)?;
        let mut graph = self.owner.write();
        if !graph.value(output.id).uses().is_empty() {
            return Err(refuse("the output is still used"));
        }
        graph.remove_output(self.id, index);
        Ok(())
    }

    #[pyo3(name = "replaceAllUsesWith")]
    fn replace_all_uses_with(&self, other: &PyNode) -> PyResult<()> {
        let mut graph = self.owner.write();
        let (old, new) = (
            graph.node(self.id).outputs().to_vec(),
            graph.node(other.id).outputs().to_vec(),
        );
        if old.len() != new.len() || !self.owner.is(&other.owner) {
            return Err(refuse("the nodes do not have the same outputs"));
        }
        for (old, new) in old.into_iter().zip(new) {
            graph.replace_all_uses(old, new);
        }
        Ok(())
    }

    #[pyo3(name = "attributeNames")]
    fn attribute_names(&self) -> Vec<String> {
        let graph = self.owner.read();
        let node = graph.node(self.id);
        if node.is(Prim::PythonOp) && node.attr("module").is_some() {
            return ["inplace", "module", "Subgraph"].map(String::from).to_vec();
        }
        let attrs = node.attrs().iter();
        attrs.map(|(name, _)| name.as_str().to_string()).collect()
    }

    #[pyo3(name = "hasAttributes")]
    fn has_attributes(&self) -> bool {
        !self.owner.read().node(self.id).attrs().is_empty()
    }

    #[pyo3(name = "hasAttribute")]
    fn has_attribute(&self, name: &str) -> bool {
        self.owner.read().node(self.id).attr(name).is_some()
    }

    #[pyo3(name = "kindOf")]
    fn kind_of(&self, name: &str) -> PyResult<&'static str> {
        let graph = self.owner.read();
        let attr = graph.node(self.id).attr(name);
        attr.map(letters).ok_or_else(|| undefined(name))
    }

    fn i(&self, name: &str) -> PyResult<i64> {
        match self.attr(name, &["i"])? {
            Attr::Int(i) => Ok(i),
            Attr::Value(Value::Bool(b)) => Ok(b.into()),
            Attr::Value(value) => value.as_int().map_err(|e| refuse(e.message())),
            _ => Err(refuse("not an int")),
        }
    }

    fn f(&self, name: &str) -> PyResult<f64> {
        match self.attr(name, &["f"])? {
            Attr::Float(f) | Attr::Value(Value::Float(f)) => Ok(f),
            _ => Err(refuse("not a float")),
        }
    }

    fn s(&self, name: &str) -> PyResult<String> {
        Ok(match self.attr(name, &["s"])? {
            Attr::Str(s) => s.to_string(),
            Attr::Value(Value::Str(s)) => s.to_string(),
            Attr::Value(Value::Device(d)) => d.to_string(),
            Attr::Value(Value::Function(f)) => {
                f.name().rsplit('.').next().unwrap_or_default().to_string()
            }
            _ => return Err(refuse("not a string")),
        })
    }

    fn t<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        match self.attr(name, &["t"])? {
            Attr::Tensor(tensor) => to_python(py, &Value::Tensor(tensor)),
            Attr::Value(value) => to_python(py, &value),
            _ => Err(refuse("not a tensor")),
        }
    }

    fn is(&self, name: &str) -> PyResult<Vec<i64>> {
        match self.attr(name, &["is"])? {
            Attr::Ints(all) => Ok(all),
            _ => Err(refuse("not a list of ints")),
        }
    }

    fn ss(&self, name: &str) -> PyResult<Vec<String>> {
        match self.attr(name, &["ss"])? {
            Attr::Strs(all) => Ok(all.iter().map(|s| s.to_string()).collect()),
            _ => Err(refuse("not a list of strings")),
        }
    }

    fn ty(&self, name: &str) -> PyResult<PyType> {
        match self.attr(name, &["ty"])? {
            Attr::Type(ty) => Ok(PyType(ty)),
            _ => Err(refuse("not a type")),
        }
    }

    fn tys(&self, name: &str) -> PyResult<Vec<PyType>> {
        match self.attr(name, &["tys"])? {
            Attr::Types(all) => Ok(all.into_iter().map(PyType).collect()),
            _ => Err(refuse("not a list of types")),
        }
    }

    fn g(&self, name: &str) -> PyResult<PyGraph> {
        match self.attr(name, &["g"])? {
            Attr::Graph(graph) => Ok(PyGraph(Handle::new(
                (*graph).clone(),
                self.owner.unit().cloned(),
            ))),
            _ => Err(refuse("not a graph")),
        }
    }

    fn fs(&self, name: &str) -> PyResult<Vec<f64>> {
        match self.attr(name, &["c"])? {
            Attr::Floats(all) => Ok(all),
            _ => Err(refuse("not a list of floats")),
        }
    }

    fn ts<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.constant(py, name, "ts")
    }

    fn c<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.constant(py, name, "cs")
    }

    fn ival<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.constant(py, name, "ival")
    }

    fn i_(&self, name: &str, value: i64) -> PyNode {
        self.set(name, Attr::Int(value))
    }

    fn f_(&self, name: &str, value: f64) -> PyNode {
        self.set(name, Attr::Float(value))
    }

    fn s_(&self, name: &str, value: &str) -> PyNode {
        self.set(name, Attr::Str(value.into()))
    }

    fn c_(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<PyNode> {
        let parts: pyo3::Bound<'_, pyo3::types::PyComplex> = value.extract()?;
        let value = Value::complex(Complex64::new(parts.real(), parts.imag()));
        Ok(self.set(name, Attr::Value(value)))
    }

    fn fs_(&self, name: &str, value: Vec<f64>) -> PyNode {
        self.set(name, Attr::Floats(value))
    }

    fn ts_(&self, name: &str, value: Vec<PyRef<'_, PyTensor>>) -> PyResult<PyNode> {
        let items = value.iter().map(|t| Value::Tensor(t.0.clone())).collect();
        let list = Value::list(&Type::TENSOR, items).map_err(|e| refuse(e.message()))?;
        Ok(self.set(name, Attr::Value(list)))
    }

    fn tys_(&self, name: &str, value: Vec<PyType>) -> PyNode {
        let types = value.into_iter().map(|t| t.0).collect();
        self.set(name, Attr::Types(types))
    }

    fn g_(&self, name: &str, value: &PyGraph) -> PyNode {
        let graph = value.0.read().clone();
        self.set(name, Attr::Graph(Arc::new(graph)))
    }

    fn ival_(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<PyNode> {
        Ok(self.set(name, Attr::Value(infer(value)?)))
    }

    fn is_(&self, name: &str, value: Vec<i64>) -> PyNode {
        self.set(name, Attr::Ints(value))
    }

    fn ss_(&self, name: &str, value: Vec<String>) -> PyNode {
        self.set(name, Attr::Strs(value.into_iter().map(Arc::from).collect()))
    }

    fn t_(&self, name: &str, value: &PyTensor) -> PyNode {
        self.set(name, Attr::Tensor(value.0.clone()))
    }

    fn ty_(&self, name: &str, value: &PyType) -> PyNode {
        self.set(name, Attr::Type(value.0.clone()))
    }

    #[pyo3(name = "removeAttribute")]
    fn remove_attribute(&self, name: &str) -> PyResult<PyNode> {
        match self.owner.write().remove_attr(self.id, name) {
            Some(_) => Ok(self.clone()),
            None => Err(undefined(name)),
        }
    }

    /// Whether the operator gives something else every time.
    #[pyo3(name = "isNondeterministic")]
    fn is_nondeterministic(&self) -> bool {
        let graph = self.owner.read();
        let node = graph.node(self.id);
        let random = |op: &Operator| op.effect == Effect::Random;
        // A dropout that does not train leaves its input alone.
        let idle = node.is_op("aten::dropout")
            && node.inputs().get(2).and_then(|v| graph.constant(*v)) == Some(Value::Bool(false));
        let operator = graph.operator_of(self.id, rushlight::table());
        operator.is_some_and(random) && !idle
    }

    /// Takes over attributes of another node.
    #[pyo3(name = "copyAttributes")]
    fn copy_attributes(&self, other: &PyNode) -> PyNode {
        let attrs = other.owner.read().node(other.id).attrs().to_vec();
        let own = self.owner.read().node(self.id).attrs().to_vec();
        for (name, _) in own {
            self.owner.write().remove_attr(self.id, name.as_str());
        }
        for (name, attr) in attrs {
            self.set(name.as_str(), attr);
        }
        self.clone()
    }

    /// The schema of the operator, as text.
    fn schema(&self) -> String {
        let graph = self.owner.read();
        match graph.operator_of(self.id, rushlight::table()) {
            Some(op) => op.schema().to_string(),
            None => "(no schema)".to_string(),
        }
    }

    /// Whether the node calls the operator of a schema, its arguments fitting.
    fn matches(&self, schema: &str) -> PyResult<bool> {
        let schema = Schema::parse(schema).map_err(refuse)?;
        let graph = self.owner.read();
        let node = graph.node(self.id);
        let fits = |formal: &Argument, actual: &ValueId| {
            formal.ty.has_variables() || graph.ty(*actual).is_subtype_of(&formal.ty.runtime())
        };
        Ok(node.kind.name() == &*schema.name
            && node.inputs().len() == schema.arguments.len()
            && schema
                .arguments
                .iter()
                .zip(node.inputs())
                .all(|(formal, actual)| fits(formal, actual)))
    }

    #[pyo3(name = "scopeName")]
    fn scope_name(&self) -> String {
        let graph = self.owner.read();
        graph
            .node(self.id)
            .scope
            .as_deref()
            .unwrap_or("")
            .to_string()
    }

    /// Makes the node come from where another one does.
    #[pyo3(name = "copyMetadata")]
    fn copy_metadata(&self, other: &PyNode) -> PyNode {
        let span = other.owner.read().node(other.id).span.clone();
        self.owner.write().set_span(self.id, span);
        self.clone()
    }

    /// The lines around the place that the node comes from.
    #[pyo3(name = "sourceRange")]
    fn source_range(&self) -> String {
        let graph = self.owner.read();
        match &graph.node(self.id).span {
            Some(span) => rushlight::syntax::diagnostic::highlight::highlight(span, None),
            None => String::new(),
        }
    }

    #[pyo3(name = "mustBeNone")]
    fn must_be_none(&self) -> bool {
        let graph = self.owner.read();
        let node = graph.node(self.id);
        node.is(Prim::Constant)
            && node.attrs().is_empty()
            && node.outputs().iter().all(|o| graph.ty(*o).accepts_none())
    }

    fn __repr__(&self) -> PyResult<String> {
        self.owner.must_be_there(self.id)?;
        let graph = self.owner.read();
        let names = self.owner.names(&graph);
        Ok(graph.node_text_by(&names, self.id))
    }

    fn __eq__(&self, other: &PyNode) -> bool {
        self.owner.is(&other.owner) && self.id == other.id
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.id.hash(&mut hasher);
        hasher.finish()
    }
}
