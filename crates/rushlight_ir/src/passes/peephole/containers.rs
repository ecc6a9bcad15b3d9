//! Lists and dictionaries that stay as they were constructed.

use super::basic::position;
use super::{Known, PassRun, constant_int, rewrite};
use crate::analysis::writers::Writers;
use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Type, Value};

/// Runs the rules about lists.
pub fn lists(graph: &mut Graph, run: &mut PassRun<'_>) {
    if let Some(writers) = writers(graph, Prim::ListConstruct) {
        rewrite(graph, run, |graph, id| {
            let node = graph.node(id);
            let input = |i: usize| node.inputs().get(i).copied();
            let items = |i: usize| parts(graph, &writers, Prim::ListConstruct, input(i)?);
            match node.kind {
                NodeKind::Prim(Prim::ListUnpack) => {
                    let items = items(0)?;
                    (items.len() == node.outputs().len()).then_some(Known::Same(items))
                }
                NodeKind::Op(op) => match op.full_name() {
                    "aten::len.t" => length(items(0)?.len()),
                    "aten::__getitem__.t" => {
                        let items = items(0)?;
                        let index = constant_int(graph, input(1)?)?;
                        let item = items.get(position(index, items.len())?)?;
                        Some(Known::Same(vec![*item]))
                    }
                    "aten::add.t" => Some(Known::List([items(0)?, items(1)?].concat())),
                    "aten::slice.t" => {
                        let bound = |i: usize| match graph.constant(input(i)?)? {
                            Value::None => Some(None),
                            Value::Int(i) => Some(Some(i)),
                            _ => None,
                        };
                        let step = constant_int(graph, input(3)?)?;
                        Some(Known::List(slice(&items(0)?, bound(1)?, bound(2)?, step)?))
                    }
                    _ => None,
                },
                _ => None,
            }
        });
    }
}

/// Runs the rules about dictionaries.
pub fn dicts(graph: &mut Graph, run: &mut PassRun<'_>) {
    if let Some(writers) = writers(graph, Prim::DictConstruct) {
        rewrite(graph, run, |graph, id| {
            let node = graph.node(id);
            let op = node.operator()?;
            let is_length = op.name() == "aten::len";
            if !is_length && op.name() != "aten::__getitem__" {
                return None;
            }
            let dict = *node.inputs().first()?;
            let entries = entries(graph, &parts(graph, &writers, Prim::DictConstruct, dict)?)?;
            if is_length {
                return length(entries.len());
            }
            let key = graph.constant(*node.inputs().get(1)?)?;
            let found = entries.into_iter().find(|(known, _)| *known == key)?;
            Some(Known::Same(vec![found.1]))
        });
    }
}

/// Who writes where; `None` in graphs that construct nothing of the kind.
fn writers(graph: &Graph, maker: Prim) -> Option<Writers> {
    let mut nodes = graph.all_nodes().into_iter();
    let any = nodes.any(|n| graph.node(n).is(maker));
    any.then(|| Writers::new(graph))
}

fn length(len: usize) -> Option<Known> {
    Some(Known::Constant(Value::Int(len as i64), Type::Int))
}

/// What a container was constructed of, if it stays so.
fn parts(graph: &Graph, writers: &Writers, maker: Prim, value: ValueId) -> Option<Vec<ValueId>> {
    let source: NodeId = graph.value(value).node();
    let node = graph.node(source);
    (node.is(maker) && !writers.has(graph, value)).then(|| node.inputs().to_vec())
}

/// The entries of a dictionary, where all keys are known and differ.
fn entries(graph: &Graph, parts: &[ValueId]) -> Option<Vec<(Value, ValueId)>> {
    let mut entries: Vec<(Value, ValueId)> = Vec::with_capacity(parts.len() / 2);
    for pair in parts.chunks_exact(2) {
        let key = graph.constant(pair[0])?;
        let plain = matches!(key, Value::Int(_) | Value::Float(_) | Value::Str(_));
        if !plain || entries.iter().any(|(known, _)| *known == key) {
            return None;
        }
        entries.push((key, pair[1]));
    }
    Some(entries)
}

/// The elements of a slice; `None` for steps that no slice has.
fn slice<T: Copy>(items: &[T], start: Option<i64>, end: Option<i64>, step: i64) -> Option<Vec<T>> {
    let len = items.len() as i64;
    let (first, last) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let place = |bound: Option<i64>, default: i64| match bound {
        None => default,
        Some(at) if at < 0 => at.saturating_add(len).clamp(first, last),
        Some(at) => at.clamp(first, last),
    };
    let (mut at, end) = match step {
        0 => return None,
        1.. => (place(start, 0), place(end, len)),
        _ => (place(start, len - 1), place(end, -1)),
    };
    let mut out = Vec::new();
    while (step > 0 && at < end) || (step < 0 && at > end) {
        out.push(items[at as usize]);
        at = at.saturating_add(step);
    }
    Some(out)
}
