//! What is known of tensors, carried from the inputs of a graph to all its values.
//!
//! Operators are run on tensors of zeros that look like their inputs; what comes out says how the results look. Where
//! only the number of dimensions is known, each has two elements, and only the number of dimensions of the result is
//! believed. What may share memory with a tensor that is resized stays unknown.

use crate::analysis::alias::{Aliases, Class};
use crate::{BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_tensor::{Layout, Tensor};
use rushlight_types::{Context, Effect, Operator, Sizes, TensorInfo, Type, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// Operators of two tensors whose results the reference computes by a rule that says nothing of gradients.
const SILENT: &[&str] = &[
    "aten::add",
    "aten::sub",
    "aten::mul",
    "aten::div",
    "aten::eq",
    "aten::ne",
    "aten::lt",
    "aten::le",
    "aten::gt",
    "aten::ge",
    "aten::where",
    "aten::mm",
];
/// Tensors with more elements than this are not made to find out how results look.
const MAX_ELEMENTS: usize = 1 << 22;
/// How often a loop is gone through until what is known no longer changes; what is known only ever gets less.
const MAX_ROUNDS: usize = 8;
/// The size of dimensions that is used where none is known.
const ANY_SIZE: usize = 2;

/// Gives the inputs of a graph types, where there are any, and all values the types that follow: with their sizes, or only
/// with how many dimensions there are.
pub fn propagate(graph: &mut Graph, inputs: &[Option<Type>], with_sizes: bool, context: &Context) {
    let aliases = Aliases::new(graph);
    let mut resized = HashSet::new();
    for id in graph.all_nodes() {
        let node = graph.node(id);
        let Some(op) = node.operator() else { continue };
        for (formal, &input) in op.schema().arguments.iter().zip(node.inputs()) {
            let is_target = op.sizes == Sizes::OfTarget || &*formal.name == "out";
            if formal.is_written() && is_target {
                resized.extend(aliases.class(graph, input));
            }
        }
    }
    let mut shapes = Shapes {
        graph,
        aliases,
        resized,
        with_sizes,
        context,
    };
    for (i, ty) in inputs.iter().enumerate() {
        let (Some(ty), Some(&input)) = (ty, shapes.graph.inputs().get(i)) else {
            continue;
        };
        let ty = if with_sizes {
            ty.clone()
        } else {
            rank_only(ty)
        };
        shapes.set(input, ty);
    }
    let top = shapes.graph.top();
    shapes.block(top);
}

/// The type with the number of dimensions in the place of their sizes.
fn rank_only(ty: &Type) -> Type {
    let Type::Tensor(Some(info)) = ty else {
        return ty.clone();
    };
    Type::Tensor(Some(Arc::new(TensorInfo {
        sizes: info.sizes.as_ref().map(|sizes| vec![None; sizes.len()]),
        strides: None,
        ..(**info).clone()
    })))
}

struct Shapes<'a> {
    graph: &'a mut Graph,
    aliases: Aliases,
    resized: HashSet<Class>,
    with_sizes: bool,
    context: &'a Context,
}

impl Shapes<'_> {
    /// Says what is known of a value, unless its memory may be resized.
    fn set(&mut self, value: ValueId, ty: Type) {
        let class = self.aliases.class(self.graph, value);
        let ty = match ty {
            Type::Tensor(_) if class.is_some_and(|c| self.resized.contains(&c)) => Type::TENSOR,
            other => other,
        };
        self.graph.set_type(value, ty);
    }

    fn block(&mut self, block: BlockId) {
        for id in self.graph.nodes(block) {
            self.node(id);
        }
    }

    fn node(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let inputs = node.inputs().to_vec();
        let outputs = node.outputs().to_vec();
        match node.kind {
            NodeKind::Op(op) => self.operator(id, op),
            NodeKind::Prim(Prim::If) => {
                let blocks = node.blocks().to_vec();
                for &block in &blocks {
                    self.block(block);
                }
                for (i, output) in outputs.into_iter().enumerate() {
                    let [a, b] = [0, 1].map(|k| {
                        let result = self.graph.returns(blocks[k])[i];
                        self.graph.ty(result).clone()
                    });
                    self.set_common(output, &a, &b);
                }
            }
            NodeKind::Prim(Prim::Loop) => self.repeat(id),
            NodeKind::Prim(Prim::TupleConstruct) => {
                let Type::Tuple(tuple) = self.graph.ty(outputs[0]) else {
                    return;
                };
                let mut tuple = (**tuple).clone();
                tuple.elements = inputs.iter().map(|v| self.graph.ty(*v).clone()).collect();
                self.graph
                    .set_type(outputs[0], Type::Tuple(Arc::new(tuple)));
            }
            NodeKind::Prim(Prim::TupleUnpack) => {
                let Type::Tuple(tuple) = self.graph.ty(inputs[0]).clone() else {
                    return;
                };
                for (output, ty) in outputs.into_iter().zip(&tuple.elements) {
                    self.set(output, ty.clone());
                }
            }
            _ => {
                for block in node.blocks().to_vec() {
                    self.block(block);
                }
            }
        }
    }

    /// Gives a value what two types have in common, where both are those of tensors.
    fn set_common(&mut self, value: ValueId, a: &Type, b: &Type) {
        if let (Type::Tensor(a), Type::Tensor(b)) = (a, b) {
            self.set(value, common(a.as_deref(), b.as_deref()));
        }
    }

    fn repeat(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let (inputs, outputs) = (node.inputs().to_vec(), node.outputs().to_vec());
        let body = node.blocks()[0];
        let params = self.graph.params(body).to_vec();
        for (i, &input) in inputs[2..].iter().enumerate() {
            // What is carried keeps only the number of its dimensions, as in the reference.
            let ty = match self.graph.ty(input) {
                known @ Type::Tensor(_) => rank_only(known),
                other => other.clone(),
            };
            self.set_common(params[1 + i], &ty, &ty);
        }
        for round in 0..=MAX_ROUNDS {
            self.block(body);
            let mut changed = false;
            for (i, &param) in params[1..].iter().enumerate() {
                let result = self.graph.returns(body)[1 + i];
                let (before, after) = (self.graph.ty(param).clone(), self.graph.ty(result).clone());
                match round {
                    MAX_ROUNDS => self.set_common(param, &Type::TENSOR, &after),
                    _ => self.set_common(param, &before, &after),
                }
                changed |= *self.graph.ty(param) != before;
            }
            if !changed {
                break;
            }
        }
        for (i, output) in outputs.into_iter().enumerate() {
            let (param, result) = (params[1 + i], self.graph.returns(body)[1 + i]);
            let (a, b) = (self.graph.ty(param).clone(), self.graph.ty(result).clone());
            self.set_common(output, &a, &b);
        }
    }

    fn operator(&mut self, id: NodeId, op: &'static Operator) {
        let outputs = self.graph.node(id).outputs().to_vec();
        let is_tensor = |v: &ValueId| matches!(self.graph.ty(*v), Type::Tensor(_));
        if !outputs.iter().any(is_tensor) {
            return;
        }
        let (results, exact) = match self.run(id, op) {
            Some((results, exact)) => (results, exact),
            None => (Vec::new(), false),
        };
        let grads = self.requires_grad(id, op);
        for (i, output) in outputs.into_iter().enumerate() {
            if !matches!(self.graph.ty(output), Type::Tensor(_)) {
                continue;
            }
            let ty = match results.get(i) {
                Some(Value::Tensor(tensor)) => {
                    let ty = crate::analysis::known::tensor_type(tensor);
                    let exact = exact && self.with_sizes;
                    with_grad(if exact { ty } else { rank_only(&ty) }, grads)
                }
                _ => self.guess(id, op, grads),
            };
            self.set(output, ty);
        }
    }

    /// What can be said of a result that could not be computed.
    fn guess(&self, id: NodeId, op: &Operator, grads: Option<bool>) -> Type {
        let node = self.graph.node(id);
        let first = node.inputs().first().map(|v| self.graph.ty(*v));
        let Some(Type::Tensor(Some(info))) = first else {
            return Type::TENSOR;
        };
        let is_view = |r: &rushlight_types::Argument| r.alias.as_ref().is_some_and(|a| !a.is_write);
        if !op.schema().returns.iter().any(is_view) {
            return Type::TENSOR;
        }
        let listed = op.sizes == Sizes::Listed;
        let sizes = listed.then(|| self.length(node.inputs()[1])).flatten();
        Type::Tensor(Some(Arc::new(TensorInfo {
            dtype: info.dtype,
            sizes: sizes.map(|n| vec![None; n]),
            device: info.device,
            requires_grad: grads,
            ..TensorInfo::default()
        })))
    }

    /// How long a list is, where that is known.
    fn length(&self, list: ValueId) -> Option<usize> {
        let maker = self.graph.node(self.graph.value(list).node());
        if maker.is(Prim::ListConstruct) {
            return Some(maker.inputs().len());
        }
        Some(self.graph.constant(list)?.list_items().ok()?.len())
    }

    /// Whether results ask for gradients, as far as that is said.
    fn requires_grad(&self, id: NodeId, op: &Operator) -> Option<bool> {
        let node = self.graph.node(id);
        let tensors: Vec<Option<bool>> = node
            .inputs()
            .iter()
            .filter_map(|v| match self.graph.ty(*v) {
                Type::Tensor(info) => Some(info.as_ref().and_then(|i| i.requires_grad)),
                _ => None,
            })
            .collect();
        if op.name() == "aten::detach" {
            return Some(false);
        }
        if tensors.len() > 1 && SILENT.contains(&op.name()) {
            return None;
        }
        if tensors.contains(&None) {
            return None;
        }
        match tensors.is_empty() {
            true => self.list_grads(id),
            false => Some(tensors.contains(&Some(true))),
        }
    }

    /// The same for lists of tensors.
    fn list_grads(&self, id: NodeId) -> Option<bool> {
        let node = self.graph.node(id);
        let maker = self
            .graph
            .node(self.graph.value(*node.inputs().first()?).node());
        let mut any = false;
        let mut seen = false;
        for value in maker.inputs() {
            if let Type::Tensor(info) = self.graph.ty(*value) {
                any |= info.as_ref()?.requires_grad?;
                seen = true;
            }
        }
        seen.then_some(any)
    }

    /// The results of an operator on stand-ins for its inputs, and whether their sizes can be believed.
    fn run(&self, id: NodeId, op: &'static Operator) -> Option<(Vec<Value>, bool)> {
        if op.effect == Effect::SideEffect || op.schema().varargs {
            return None;
        }
        let node = self.graph.node(id);
        // Sizes follow from those of tensors; the reference does not look at the arguments of what makes new ones.
        let has_tensor = node.inputs().iter().any(|v| match self.graph.ty(*v) {
            Type::Tensor(_) => true,
            Type::List(element) => element.is_tensor(),
            _ => false,
        });
        let mut exact = has_tensor && op.sizes != Sizes::ByElements && op.effect == Effect::Pure;
        for (i, &input) in node.inputs().iter().enumerate() {
            // Constants are not written to.
            let formal = op.schema().arguments.get(i);
            if formal.is_some_and(|f| f.is_written()) && self.graph.constant(input).is_some() {
                return None;
            }
        }
        let call = |all_alike: bool, exact: &mut bool| {
            let inputs = node.inputs().iter();
            let inputs = inputs.map(|input| self.stand_in(*input, all_alike, exact));
            op.call_vec(self.context, inputs.collect::<Option<_>>()?)
                .ok()
        };
        let results = call(false, &mut exact);
        // Sizes that are known may not fit those in the place of others.
        let results = match results {
            None if !exact => call(true, &mut exact)?,
            found => found?,
        };
        Some((results, exact))
    }

    /// Something that looks like a value; all sizes are alike where that is asked.
    fn stand_in(&self, value: ValueId, all_alike: bool, exact: &mut bool) -> Option<Value> {
        if let Some(known) = self.graph.constant(value) {
            return Some(known);
        }
        Some(match self.graph.ty(value) {
            Type::Tensor(info) => {
                let info = info.as_deref()?;
                let sizes = info.sizes.as_ref()?;
                *exact &= sizes.iter().all(Option::is_some);
                let known = |n: &Option<usize>| n.filter(|_| !all_alike).unwrap_or(ANY_SIZE);
                let sizes: Vec<usize> = sizes.iter().map(known).collect();
                Value::Tensor(zeros(&sizes, info, all_alike)?)
            }
            Type::List(element) => {
                let maker = self.graph.node(self.graph.value(value).node());
                if !maker.is(Prim::ListConstruct) {
                    return None;
                }
                let items: Option<Vec<Value>> = maker
                    .inputs()
                    .iter()
                    .map(|v| self.stand_in(*v, all_alike, exact))
                    .collect();
                Value::list(element, items?).ok()?
            }
            Type::Int => {
                *exact = false;
                Value::Int(0)
            }
            Type::Float | Type::Number => {
                *exact = false;
                Value::Float(1.0)
            }
            _ => return None,
        })
    }
}

/// A tensor of zeros, laid out as is known; in order where the sizes are not those that are known.
fn zeros(sizes: &[usize], info: &TensorInfo, in_order: bool) -> Option<Tensor> {
    let dtype = info.dtype?;
    let all = |n: usize, size: &usize| n.checked_mul(*size);
    let elements = sizes.iter().try_fold(1usize, all)?;
    if elements > MAX_ELEMENTS {
        return None;
    }
    let strides: Option<Vec<usize>> = info
        .strides
        .as_ref()
        .and_then(|strides| strides.iter().copied().collect());
    let tensor = Tensor::zeros(sizes, dtype).ok()?;
    let Some(strides) = strides.filter(|s| !in_order && s.len() == sizes.len()) else {
        return Some(tensor);
    };
    let layout = Layout::strided(sizes, &strides, 0);
    if !layout.is_non_overlapping_and_dense() {
        return Some(tensor);
    }
    tensor.view_with(layout).ok()
}

/// The type of a tensor of which it is said whether it asks for gradients.
pub fn with_grad(ty: Type, grads: Option<bool>) -> Type {
    match ty {
        Type::Tensor(Some(info)) => Type::Tensor(Some(Arc::new(TensorInfo {
            requires_grad: grads,
            ..(*info).clone()
        }))),
        other => other,
    }
}

/// What two tensors have in common.
fn common(a: Option<&TensorInfo>, b: Option<&TensorInfo>) -> Type {
    let (Some(a), Some(b)) = (a, b) else {
        return Type::TENSOR;
    };
    fn same<T: Clone + PartialEq>(a: &Option<T>, b: &Option<T>) -> Option<T> {
        a.clone().filter(|_| a == b)
    }
    fn each(
        a: &Option<Vec<Option<usize>>>,
        b: &Option<Vec<Option<usize>>>,
    ) -> Option<Vec<Option<usize>>> {
        let (a, b) = (a.as_ref()?, b.as_ref()?);
        let pairs = || a.iter().zip(b).map(|(a, b)| same(a, b));
        (a.len() == b.len()).then(|| pairs().collect())
    }
    let info = TensorInfo {
        dtype: same(&a.dtype, &b.dtype),
        sizes: each(&a.sizes, &b.sizes),
        strides: each(&a.strides, &b.strides).filter(|s| s.iter().any(Option::is_some)),
        device: same(&a.device, &b.device),
        requires_grad: same(&a.requires_grad, &b.requires_grad),
        ..TensorInfo::default()
    };
    match info == TensorInfo::default() {
        true => Type::TENSOR,
        false => Type::Tensor(Some(Arc::new(info))),
    }
}
