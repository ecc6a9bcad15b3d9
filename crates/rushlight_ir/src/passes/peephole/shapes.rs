//! Rules about what types say of tensors.

use super::{Known, Unwritten};
use crate::{Graph, Node, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{TensorInfo, Type, Value};

/// Rules that hold wherever a program has declared sizes.
pub fn declared(graph: &Graph, node: &Node, name: &str) -> Option<Known> {
    let input = |i: usize| node.inputs().get(i).copied();
    let sizes = |value| declared_sizes(graph, value);
    match name {
        "aten::dim" => dims(sizes(input(0)?)?.len()),
        "aten::size.int" => size(graph, &sizes(input(0)?)?, input(1)?),
        _ => None,
    }
}

/// Rules that hold where tensors are what their types say. Types of traced graphs are what was seen, not what will be.
pub fn look(graph: &Graph, unwritten: &Unwritten, id: NodeId) -> Option<Known> {
    let node = graph.node(id);
    if node.is(Prim::GetAttr) && *graph.ty(node.outputs()[0]) == Type::None {
        return Some(Known::Constant(Value::None));
    }
    let NodeKind::Op(op) = node.kind else {
        return None;
    };
    let input = |i: usize| node.inputs().get(i).copied();
    match op.full_name() {
        "aten::dim" => {
            let known = info(graph, input(0)?).and_then(|i| i.sizes.as_ref());
            match known {
                Some(sizes) => dims(sizes.len()),
                None => dims(convolution_rank(graph, unwritten, input(0)?)?),
            }
        }
        "aten::size.int" => size(graph, info(graph, input(0)?)?.sizes.as_ref()?, input(1)?),
        "aten::len.t" => {
            let source = graph.node(graph.value(input(0)?).node());
            let is_size = source.is_op("aten::size") && unwritten.holds(input(0)?);
            let tensor = *source.inputs().first().filter(|_| is_size)?;
            dims(info(graph, tensor)?.sizes.as_ref()?.len())
        }
        "aten::type_as" => {
            let (own, other) = (info(graph, input(0)?)?, info(graph, input(1)?)?);
            let same = own.dtype.is_some() && own.dtype == other.dtype;
            let there = own.device.is_some() && own.device == other.device;
            (same && there).then_some(Known::Same(vec![input(0)?]))
        }
        "aten::is_floating_point" => {
            let dtype = info(graph, input(0)?)?.dtype?;
            Some(Known::Constant(Value::Bool(dtype.is_float())))
        }
        "aten::is_complex" => {
            let dtype = info(graph, input(0)?)?.dtype?;
            Some(Known::Constant(Value::Bool(dtype.is_complex())))
        }
        _ => None,
    }
}

fn dims(rank: usize) -> Option<Known> {
    Some(Known::Constant(Value::Int(rank as i64)))
}

fn size(graph: &Graph, sizes: &[Option<usize>], dim: ValueId) -> Option<Known> {
    let dim = graph.constant(dim)?.as_int().ok()?;
    let at = if dim < 0 {
        dim + sizes.len() as i64
    } else {
        dim
    };
    let size = usize::try_from(at).ok().and_then(|i| sizes.get(i))?;
    Some(Known::Constant(Value::Int((*size)? as i64)))
}

fn info(graph: &Graph, value: ValueId) -> Option<&TensorInfo> {
    match graph.ty(value) {
        Type::Tensor(Some(info)) => Some(info),
        _ => None,
    }
}

/// What a tensor's type says about its sizes where a program has said so itself.
fn declared_sizes(graph: &Graph, value: ValueId) -> Option<Vec<Option<usize>>> {
    let is_declared = graph
        .node(graph.value(value).node())
        .is(Prim::UncheckedCast);
    info(graph, value).filter(|_| is_declared)?.sizes.clone()
}

/// The dimensions of what a convolution over batches gives.
fn convolution_rank(graph: &Graph, unwritten: &Unwritten, value: ValueId) -> Option<usize> {
    let NodeKind::Op(op) = graph.node(graph.value(value).node()).kind else {
        return None;
    };
    let rank = match op.name() {
        "aten::conv1d" => 3,
        "aten::conv2d" => 4,
        "aten::conv3d" => 5,
        _ => return None,
    };
    unwritten.holds(value).then_some(rank)
}
