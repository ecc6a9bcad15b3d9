//! Rules that hold where values are what their types say, beyond what tensors' types say by themselves.

use super::Known;
use crate::analysis::writers::Writers;
use crate::{Graph, NodeId, Prim, ValueId};
use rushlight_types::{Type, Value};

/// Convolutions over batches and the number of dimensions of what they give.
const CONVOLUTIONS: &[(&str, usize)] = &[
    ("aten::conv1d", 3),
    ("aten::conv2d", 4),
    ("aten::conv3d", 5),
];

pub fn look(graph: &Graph, writers: &Writers, id: NodeId) -> Option<Known> {
    let node = graph.node(id);
    if node.is(Prim::GetAttr) && *graph.ty(node.outputs()[0]) == Type::None {
        return Some(Known::Constant(Value::None, Type::None));
    }
    let input = *node.inputs().first()?;
    let rank = match node.operator()?.full_name() {
        "aten::dim" if !writers.has(graph, input) => convolution_rank(graph, input)?,
        "aten::len.t" if !writers.has(graph, input) => rank_of_sizes(graph, input)?,
        _ => return None,
    };
    Some(Known::Constant(Value::Int(rank as i64), Type::Int))
}

fn convolution_rank(graph: &Graph, value: ValueId) -> Option<usize> {
    let maker = graph.node(graph.value(value).node());
    let found = CONVOLUTIONS.iter().find(|(name, _)| maker.is_op(name));
    found.map(|(_, rank)| *rank)
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
