//! What types say: casts to the type that a value has, and what is known of tensors.

use super::{Known, constant_int};
use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{TensorInfo, Type, Value};
use std::sync::Arc;

/// Which types of tensors are believed.
#[derive(Clone, Copy, PartialEq)]
pub enum Shapes {
    All,
    /// Those that a program states.
    Declared,
}

impl Shapes {
    /// What is known of a tensor.
    pub fn of(self, graph: &Graph, value: ValueId) -> Option<Arc<TensorInfo>> {
        let Type::Tensor(Some(info)) = graph.ty(value) else {
            return None;
        };
        let maker = graph.node(graph.value(value).node());
        (self == Shapes::All || maker.is(Prim::UncheckedCast)).then(|| info.clone())
    }
}

pub fn look(graph: &Graph, id: NodeId, shapes: Shapes) -> Option<Known> {
    let node = graph.node(id);
    let input = |i: usize| node.inputs().get(i).copied();
    let maker = |value: ValueId| graph.node(graph.value(value).node());
    match node.kind {
        NodeKind::Prim(Prim::UncheckedCast | Prim::UncheckedUnwrapOptional) => {
            let (from, to) = (input(0)?, node.outputs()[0]);
            (graph.ty(from) == graph.ty(to)).then(|| Known::Same(vec![from]))
        }
        NodeKind::Prim(Prim::GetAttr) if *graph.ty(node.outputs()[0]) == Type::None => {
            Some(Known::Constant(Value::None, Type::None))
        }
        NodeKind::Op(op) => match op.full_name() {
            "aten::t" => {
                let inner = maker(input(0)?);
                let from = *inner.inputs().first().filter(|_| inner.is_op("aten::t"))?;
                Some(Known::Same(vec![from]))
            }
            "aten::Int.Tensor"
            | "aten::Float.Tensor"
            | "aten::IntImplicit"
            | "aten::FloatImplicit"
            | "aten::ScalarImplicit" => {
                let inner = maker(input(0)?);
                let number = inner.is_op("prim::NumToTensor");
                let from = *inner.inputs().first().filter(|_| number)?;
                let fits = graph.ty(from).is_subtype_of(graph.ty(node.outputs()[0]));
                fits.then(|| Known::Same(vec![from]))
            }
            "aten::Int.Scalar" => {
                let from = input(0)?;
                (*graph.ty(from) == Type::Int).then(|| Known::Same(vec![from]))
            }
            "aten::type_as" => {
                let (a, b) = (shapes.of(graph, input(0)?)?, shapes.of(graph, input(1)?)?);
                let known = a.dtype.is_some() && a.device.is_some();
                let same = a.dtype == b.dtype && a.device == b.device;
                (known && same).then(|| Known::Same(vec![node.inputs()[0]]))
            }
            _ => {
                let info = shapes.of(graph, input(0)?)?;
                let (value, ty) = of_tensor(graph, op.full_name(), node.inputs(), &info)?;
                Some(Known::Constant(value, ty))
            }
        },
        _ => None,
    }
}

fn of_tensor(
    graph: &Graph,
    operator: &str,
    inputs: &[ValueId],
    info: &TensorInfo,
) -> Option<(Value, Type)> {
    Some(match operator {
        "aten::dim" => (Value::Int(info.sizes.as_ref()?.len() as i64), Type::Int),
        "aten::size" => {
            let sizes = all_sizes(info)?;
            (Value::IntList(sizes.into()), Type::list(Type::Int))
        }
        "aten::size.int" => {
            let sizes = info.sizes.as_ref()?;
            let dim = constant_int(graph, *inputs.get(1)?)?;
            let size = *sizes.get(position(dim, sizes.len())?)?;
            (Value::Int(size? as i64), Type::Int)
        }
        "aten::is_floating_point" => (Value::Bool(info.dtype?.is_float()), Type::Bool),
        "aten::is_complex" => (Value::Bool(info.dtype?.is_complex()), Type::Bool),
        "prim::dtype" => (Value::Int(info.dtype?.code()), Type::Int),
        "prim::device" => (Value::Device(info.device?), Type::Device),
        "prim::is_cuda" => {
            let kind = info.device?.kind;
            let cuda = kind == rushlight_tensor::DeviceKind::Cuda;
            (Value::Bool(cuda), Type::Bool)
        }
        _ => return None,
    })
}

/// The sizes of a tensor, where all are known.
pub fn all_sizes(info: &TensorInfo) -> Option<Vec<i64>> {
    let sizes = info.sizes.as_ref()?.iter();
    sizes.map(|size| size.map(|n| n as i64)).collect()
}

/// The position that an index means, which may count from the end.
pub fn position(index: i64, len: usize) -> Option<usize> {
    let at = match index < 0 {
        true => index + len as i64,
        false => index,
    };
    usize::try_from(at).ok()
}
