//! What the code of an archive has fixed that its user may want otherwise: devices, precisions, sizes of a batch, files.

use rushlight::ir::{Graph, NodeId, Prim, ValueId};
use rushlight::types::{Callable, Sizes, Type};
use rushlight::{DType, Device, Module, Value};
use std::collections::BTreeMap;

/// Places that are listed for one remark; more are counted.
const SHOWN: usize = 3;

/// Operators that reach files.
const FILES: &[&str] = &["aten::from_file", "aten::save"];

/// The remarks on a module, with where each holds.
pub fn remarks(module: &Module) -> Vec<String> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for function in module.loaded().unit.functions() {
        let Some(graph) = function.graph() else {
            continue;
        };
        for id in graph.all_nodes() {
            for remark in remarks_on(&graph, id) {
                found
                    .entry(remark)
                    .or_default()
                    .push(place(&graph, id, function.name()));
            }
        }
    }
    found
        .into_iter()
        .map(|(remark, places)| listed(&remark, &places))
        .collect()
}

fn listed(remark: &str, places: &[String]) -> String {
    let shown = places[..places.len().min(SHOWN)].join(", ");
    match places.len().saturating_sub(SHOWN) {
        0 => format!("{remark}\n    {shown}"),
        more => format!("{remark}\n    {shown} and {more} more"),
    }
}

/// Where a node stands: the line of the archive's code.
fn place(graph: &Graph, id: NodeId, function: &str) -> String {
    match &graph.node(id).span {
        Some(span) if !span.is_unknown() => format!("{}:{}", span.source().name(), span.line()),
        _ => function.to_string(),
    }
}

fn remarks_on(graph: &Graph, id: NodeId) -> Vec<String> {
    let node = graph.node(id);
    let mut remarks = Vec::new();
    if node.is(Prim::Constant)
        && let Some(Value::Device(device)) = graph.constant(node.outputs()[0])
        && device != Device::CPU
    {
        remarks.push(format!(
            "the code asks for the device {device}; `--device cpu` (device='cpu' in Python) changes that"
        ));
    }
    let Some(operator) = node.operator() else {
        return remarks;
    };
    for (argument, input) in operator.schema().arguments.iter().zip(node.inputs()) {
        let is_dtype = match &argument.ty {
            Type::ScalarType => true,
            Type::Optional(inner) => **inner == Type::ScalarType,
            _ => false,
        };
        if is_dtype
            && let Some(Value::Int(code)) = graph.constant(*input)
            && let Some(dtype @ (DType::F16 | DType::BF16)) = DType::from_code(code)
        {
            remarks.push(format!(
                "the code computes in {dtype}; `--dtype float32` (dtype=torch.float32 in Python) changes that"
            ));
        }
    }
    if FILES.contains(&operator.name()) {
        remarks.push(format!(
            "{} reads or writes files; it is refused unless a folder is allowed",
            operator.name()
        ));
    }
    remarks.extend(fixed_batch(graph, id));
    remarks
}

/// Reshaping to a first size that is written into the code, as traces do with the batch that they saw.
fn fixed_batch(graph: &Graph, id: NodeId) -> Option<String> {
    let node = graph.node(id);
    let operator = node.operator().filter(|op| op.sizes == Sizes::Listed)?;
    let name = operator.name();
    let (&tensor, &sizes) = (node.inputs().first()?, node.inputs().get(1)?);
    let source = graph.node(graph.value(tensor).node());
    let is_own = source.is(Prim::GetAttr) || source.is(Prim::Constant);
    if is_own && name != "aten::expand" {
        return None;
    }
    let first = first_size(graph, sizes).filter(|size| *size > 0)?;
    Some(format!(
        "{name} has {first} as its first size in the code: a batch of another size may fail or give something else"
    ))
}

/// The first of several sizes, where it is a constant.
fn first_size(graph: &Graph, sizes: ValueId) -> Option<i64> {
    if let Some(Value::IntList(list)) = graph.constant(sizes) {
        let list = list.lock();
        return list.first().copied().filter(|_| list.len() > 1);
    }
    let node = graph.node(graph.value(sizes).node());
    if !node.is(Prim::ListConstruct) || node.inputs().len() < 2 {
        return None;
    }
    match graph.constant(node.inputs()[0]) {
        Some(Value::Int(size)) => Some(size),
        _ => None,
    }
}
