//! Rules that hold where values are what their types say, beyond what tensors' types say by themselves.

use super::Known;
use crate::analysis::writers::Writers;
use crate::{Graph, NodeId, ValueId};
use rushlight_types::{Functional, Type, Value};

pub fn look(graph: &Graph, writers: &Writers, id: NodeId) -> Option<Known> {
    let node = graph.node(id);
    let input = *node.inputs().first()?;
    let is_length = node.is_op("aten::len") && !writers.has(graph, input);
    let rank = rank_of_sizes(graph, input).filter(|_| is_length)?;
    Some(Known::Constant(Value::Int(rank as i64), Type::Int))
}

/// What is known without sizes: how many dimensions a convolution gives.
pub fn ranks(graph: &Graph, writers: &Writers, id: NodeId) -> Option<Known> {
    let node = graph.node(id);
    let input = *node.inputs().first()?;
    let asks = node.is_op("aten::dim") && !writers.has(graph, input);
    let rank = convolution_rank(graph, input).filter(|_| asks)?;
    Some(Known::Constant(Value::Int(rank as i64), Type::Int))
}

/// The number of dimensions of what a convolution over a batch gives.
fn convolution_rank(graph: &Graph, value: ValueId) -> Option<usize> {
    let maker = graph.node(graph.value(value).node());
    match maker.operator()?.functional? {
        Functional::Convolution { dims } => Some(usize::from(dims) + 2),
        _ => None,
    }
}

/// The length of a list of sizes, where the type of the tensor tells its dimensions.
fn rank_of_sizes(graph: &Graph, list: ValueId) -> Option<usize> {
    let source = graph.node(graph.value(list).node());
    let tensor = *source
        .inputs()
        .first()
        .filter(|_| source.is_op("aten::size"))?;
    match graph.ty(tensor) {
        Type::Tensor(Some(info)) => Some(info.sizes.as_ref()?.len()),
        _ => None,
    }
}
