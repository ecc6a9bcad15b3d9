//! Functions that do what convolutions are followed by: normalise channels by known statistics, as modules do outside training,
//! and apply an activation.

use crate::freeze::activations::Activation;
use crate::passes::{PassRun, constant_propagation, dead_code, inline};
use crate::{Graph, NodeId, Prim, Unit, ValueId};
use rushlight_types::{Functional, OperatorTable, ScalarOp, Type, Value};
use std::sync::Arc;

/// The attribute that tells whether a module is trained.
const TRAINING: &str = "training";

/// Where a value is found: an argument of the function, or an attribute of an attribute .. of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    pub argument: usize,
    pub slots: Vec<usize>,
}

/// A normalisation by known statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelNorm {
    /// Weight, bias, mean and variance.
    pub parameters: [Option<Origin>; 4],
    pub eps: f64,
}

/// What a function does to one of its arguments as long as some flags are not set.
pub struct LayerTail {
    /// Which argument.
    pub input: usize,
    /// What comes first,
    pub norm: Option<ChannelNorm>,
    /// and then.
    pub activation: Option<Activation>,
    /// The flags.
    pub unset: Vec<Origin>,
}

impl LayerTail {
    /// What a graph does with an argument of so many dimensions, where it does nothing else.
    pub fn of(
        graph: &Graph,
        unit: Option<&Arc<Unit>>,
        table: &'static OperatorTable,
        input: usize,
        dims: usize,
    ) -> Option<LayerTail> {
        let mut graph = inline::inlined(graph, unit, table);
        let data = *graph.inputs().get(input)?;
        let mut unset = Vec::new();
        for id in graph.all_nodes() {
            let node = graph.node(id);
            let known = if is_flag(&graph, id) {
                let flag = origin(&graph, *node.outputs().first()?)?;
                if !unset.contains(&flag) {
                    unset.push(flag);
                }
                (Value::Bool(false), Type::Bool)
            } else if node.operator().and_then(|op| op.scalar) == Some(ScalarOp::RankOf)
                && node.inputs().first() == Some(&data)
            {
                (Value::Int(i64::try_from(dims).ok()?), Type::Int)
            } else {
                continue;
            };
            let output = node.outputs()[0];
            let constant = graph.constant_before(id, known.0, known.1);
            graph.replace_all_uses(output, constant);
        }
        let mut run = PassRun::new(table);
        constant_propagation::run(&mut graph, &mut run);
        dead_code::run(&mut graph, &mut run);
        let (norm, activation) = steps(&graph, data)?;
        Some(LayerTail {
            input,
            norm,
            activation,
            unset,
        })
    }
}

/// Whether a node reads the flag of a module.
fn is_flag(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let is_bool = |value: &ValueId| matches!(graph.ty(*value), Type::Bool);
    node.is(Prim::GetAttr)
        && node
            .str_attr("name")
            .is_some_and(|name| **name == *TRAINING)
        && node.outputs().first().is_some_and(is_bool)
}

/// The steps from a value to the only result, where a graph has no others.
fn steps(graph: &Graph, data: ValueId) -> Option<(Option<ChannelNorm>, Option<Activation>)> {
    let &[mut value] = graph.outputs() else {
        return None;
    };
    let activation = activation(graph, value);
    if activation.is_some() {
        value = *graph.node(graph.value(value).node()).inputs().first()?;
    }
    let norm = norm(graph, value);
    if norm.is_some() {
        value = *graph.node(graph.value(value).node()).inputs().first()?;
    }
    let is_step = |id: &NodeId| {
        let node = graph.node(*id);
        !node.is(Prim::Constant) && !node.is(Prim::GetAttr)
    };
    let count = usize::from(activation.is_some()) + usize::from(norm.is_some());
    let others = graph.all_nodes().iter().filter(|id| is_step(id)).count();
    (value == data && count > 0 && others == count).then_some((norm, activation))
}

/// The activation that a value is the result of.
fn activation(graph: &Graph, value: ValueId) -> Option<Activation> {
    let node = graph.node(graph.value(value).node());
    let constant = |i: usize| graph.constant(*node.inputs().get(i)?);
    Activation::of(node.operator()?, constant)
}

/// The normalisation that a value is the result of.
fn norm(graph: &Graph, value: ValueId) -> Option<ChannelNorm> {
    let node = graph.node(graph.value(value).node());
    let &[_, weight, bias, mean, variance, training, _, eps, _] = node.inputs() else {
        return None;
    };
    if node.operator()?.functional != Some(Functional::BatchNorm)
        || !matches!(graph.constant(training), Some(Value::Bool(false)))
    {
        return None;
    }
    let Some(Value::Float(eps)) = graph.constant(eps) else {
        return None;
    };
    let mut parameters = [const { None }; 4];
    for (to, value) in parameters.iter_mut().zip([weight, bias, mean, variance]) {
        if !matches!(graph.constant(value), Some(Value::None)) {
            *to = Some(origin(graph, value)?);
        }
    }
    Some(ChannelNorm { parameters, eps })
}

/// Where a value comes from, if it is an argument or read from one.
fn origin(graph: &Graph, value: ValueId) -> Option<Origin> {
    let (mut value, mut slots) = (value, Vec::new());
    // A chain that is longer than there are nodes does not exist.
    while slots.len() <= graph.value_limit() {
        if let Some(argument) = graph.inputs().iter().position(|input| *input == value) {
            slots.reverse();
            return Some(Origin { argument, slots });
        }
        let node = graph.node(graph.value(value).node());
        if !node.is(Prim::GetAttr) {
            return None;
        }
        let object = *node.inputs().first()?;
        let Type::Class(class) = graph.ty(object) else {
            return None;
        };
        slots.push(class.slot(node.str_attr("name")?)?);
        value = object;
    }
    None
}
