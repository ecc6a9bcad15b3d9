//! Calls that stay with the host program: differentiation that it defines is called as it is wherever the trace runs.

use super::arguments::{requires_grad, traced_type};
use super::recorder::Recorder;
use rushlight_ir::{Attr, NodeId, Prim};
use rushlight_tensor::Tensor;
use rushlight_types::{Result, Type, Value};

/// A call that a trace hands back to the host program.
pub struct HostCall<'a> {
    /// The name that graphs show.
    pub name: &'a str,
    /// The module of the host program that it is of.
    pub module: &'a str,
    /// The arguments that are no tensors, as text.
    pub scalars: &'a str,
}

/// What a call gave: a tensor, or a tuple in which what is no tensor counts as one that nobody knows.
pub enum HostResult {
    One(Option<Tensor>),
    Tuple(Vec<Option<Tensor>>),
}

impl HostResult {
    /// Its type, with nothing said about the tensors.
    pub fn flat_type(&self) -> Type {
        match self {
            HostResult::One(_) => Type::TENSOR,
            HostResult::Tuple(parts) => Type::tuple(vec![Type::TENSOR; parts.len()]),
        }
    }
}

impl Recorder {
    /// Begins a call: its node stands before everything that is recorded while it runs.
    pub fn begin_host_call(&self, call: HostCall<'_>, tensors: &[Tensor]) -> Result<NodeId> {
        let mut state = self.state();
        let mut inputs = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            inputs.push(self.value_of(&mut state, tensor)?);
        }
        let node = state.append(Prim::PythonOp, &inputs, &[]);
        let graph = &mut state.graph;
        graph.set_span(node, self.position());
        graph.set_attr(node, "name", Attr::Str(call.name.into()));
        graph.set_attr(node, "module", Attr::Str(call.module.into()));
        graph.set_attr(node, "scalars", Attr::Str(call.scalars.into()));
        graph.set_attr(node, "inplace", Attr::Int(0));
        Ok(node)
    }

    /// Ends a call: what it gave stands for the results of its node. `function` runs it on the tensors alone; `writes` says
    /// that it has written an argument, `has_gradients` that gradients are recorded around it.
    pub fn end_host_call(
        &self,
        node: NodeId,
        function: Value,
        writes: bool,
        has_gradients: bool,
        result: &HostResult,
    ) {
        let mut state = self.state();
        let inputs = state.graph.node(node).inputs().to_vec();
        let gradient = has_gradients && inputs.iter().any(|v| requires_grad(&state, *v));
        let known = |part: &Option<Tensor>| match part {
            Some(tensor) => traced_type(tensor, gradient),
            None => Type::TENSOR,
        };
        let graph = &mut state.graph;
        graph.set_attr(node, "inplace", Attr::Int(writes.into()));
        graph.set_attr(node, "function", Attr::Value(function));
        match result {
            HostResult::One(one) => {
                let output = graph.add_output(node, known(one), None);
                if let Some(tensor) = one {
                    state.bind(tensor, output);
                }
            }
            HostResult::Tuple(parts) => {
                let types: Vec<Type> = parts.iter().map(known).collect();
                let output = graph.add_output(node, Type::tuple(types.clone()), None);
                let unpack = state.append(Prim::TupleUnpack, &[output], &types);
                for (i, part) in parts.iter().enumerate() {
                    let value = state.graph.node(unpack).outputs()[i];
                    if let Some(tensor) = part {
                        state.bind(tensor, value);
                    }
                }
            }
        }
    }
}
