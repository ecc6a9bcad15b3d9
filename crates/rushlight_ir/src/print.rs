//! Graphs as text, in the reference's form.

use crate::{Attr, BlockId, Graph, Node, NodeId, Prim, ValueId};
use rushlight_tensor::{Scalar, Tensor};
use rushlight_types::{Type, Value};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::{self, Write};

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(true))
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The printed names of a graph's values, and the numbers of its nodes that hold graphs, as long as nothing in it changes.
#[derive(Clone)]
pub struct Names {
    values: HashMap<ValueId, String>,
    subgraphs: Vec<(NodeId, usize)>,
}

impl Names {
    /// Values print as their name or their number. Where a graph was put together so that two are the same, the later
    /// value prints as a number that nobody has.
    pub fn of(graph: &Graph) -> Names {
        let mut names = Names {
            values: HashMap::new(),
            subgraphs: Vec::new(),
        };
        let (mut taken, mut clashes) = (HashSet::new(), Vec::new());
        let mut define = |value: ValueId| {
            let data = graph.value(value);
            let own = match (&data.name, data.number()) {
                (Some(name), _) => Some(name.to_string()),
                (None, number) => number.map(|n| n.to_string()),
            };
            match own {
                Some(text) if taken.insert(text.clone()) => {
                    names.values.insert(value, text);
                }
                _ => clashes.push(value),
            }
        };
        for &param in graph.inputs() {
            define(param);
        }
        for node in graph.all_nodes() {
            if subgraph(graph.node(node)).is_some() {
                names.subgraphs.push((node, names.subgraphs.len()));
            }
            for &output in graph.node(node).outputs() {
                define(output);
            }
            for &block in graph.node(node).blocks() {
                for &param in graph.params(block) {
                    define(param);
                }
            }
        }
        let mut free = (0u64..).map(|n| n.to_string());
        for value in clashes {
            let text = free.find(|text| !taken.contains(text));
            names.values.insert(value, text.unwrap_or_default());
        }
        names
    }

    /// The printed name of a value, without `%`.
    pub fn get(&self, value: ValueId) -> &str {
        self.values.get(&value).map_or("?", String::as_str)
    }
}

/// Behind which nodes `# file:line:column` stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Positions {
    Everywhere,
    /// Behind those of nested blocks and of the graphs that nodes hold.
    Inside,
    Nowhere,
}

impl Graph {
    /// The text of the graph; `positions` adds `# file:line:column` behind nodes.
    pub fn to_text(&self, positions: bool) -> String {
        self.to_text_with(match positions {
            true => Positions::Everywhere,
            false => Positions::Nowhere,
        })
    }

    /// The text of the graph with positions behind some of its nodes.
    pub fn to_text_with(&self, positions: Positions) -> String {
        let names = Names::of(self);
        let mut out = String::from("graph(");
        for (i, &param) in self.inputs().iter().enumerate() {
            if i > 0 {
                out.push_str(",\n      ");
            }
            let _ = write!(
                out,
                "%{} : {}",
                names.get(param),
                self.ty(param).graph_form()
            );
        }
        out.push_str("):\n");
        self.write_block(&mut out, self.top(), 1, &names, positions);
        out.push_str("  return (");
        self.write_values(&mut out, self.outputs(), &names);
        out.push_str(")\n");
        self.write_subgraphs(&mut out, &names, positions);
        out
    }

    /// The text of one node (with nested blocks), as it prints inside its graph.
    pub fn node_text(&self, node: NodeId) -> String {
        self.node_text_by(&Names::of(self), node)
    }

    /// As [`Graph::node_text`], with the names of this graph.
    pub fn node_text_by(&self, names: &Names, node: NodeId) -> String {
        let data = self.node(node);
        let values = || data.inputs().iter().chain(data.outputs());
        let mut names = Cow::Borrowed(names);
        if values().any(|value| !names.values.contains_key(value)) {
            // A node that stands nowhere has values that the graph does not show.
            let names = &mut names.to_mut().values;
            for &value in values() {
                let own = self.value(value);
                let number = || own.number().map(|n| n.to_string());
                let text = own.name.as_ref().map(|n| n.to_string()).or_else(number);
                names.entry(value).or_insert(text.unwrap_or_default());
            }
        }
        let mut out = String::new();
        self.write_node(&mut out, node, 0, &names, Positions::Everywhere);
        out
    }

    fn write_values(&self, out: &mut String, values: &[ValueId], names: &Names) {
        for (i, &value) in values.iter().enumerate() {
            let _ = write!(
                out,
                "{}%{}",
                if i > 0 { ", " } else { "" },
                names.get(value)
            );
        }
    }

    fn write_typed(&self, out: &mut String, values: &[ValueId], names: &Names) {
        for (i, &value) in values.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let _ = write!(
                out,
                "{comma}%{} : {}",
                names.get(value),
                self.ty(value).graph_form()
            );
        }
    }

    fn write_block(
        &self,
        out: &mut String,
        block: BlockId,
        level: usize,
        names: &Names,
        positions: Positions,
    ) {
        for node in self.nodes(block) {
            self.write_node(out, node, level, names, positions);
        }
    }

    fn write_node(
        &self,
        out: &mut String,
        id: NodeId,
        level: usize,
        names: &Names,
        positions: Positions,
    ) {
        let node = self.node(id);
        let indent = |out: &mut String, level: usize| (0..level).for_each(|_| out.push_str("  "));
        indent(out, level);
        self.write_typed(out, node.outputs(), names);
        out.push_str(" = ");
        match (node.is(Prim::PythonOp), node.attr("name")) {
            // A call into Python: its name, and the arguments that are no tensors.
            (true, Some(Attr::Str(name))) => {
                let _ = write!(out, "^{name}[");
                if let (Some(Attr::Int(inplace)), Some(Attr::Str(module))) =
                    (node.attr("inplace"), node.attr("module"))
                {
                    let _ = write!(out, "inplace={inplace}, module=");
                    quoted(out, module);
                    // What it did while it was recorded is not kept.
                    out.push_str(", Subgraph=<Graph>");
                }
                let _ = write!(out, "]({})", node.str_attr("scalars").map_or("", |s| s));
            }
            _ => {
                out.push_str(node.kind.name());
                if let Some((_, number)) = names.subgraphs.iter().find(|(n, _)| *n == id) {
                    let _ = write!(out, "_{number}");
                }
                write_attrs(out, node.attrs());
            }
        }
        out.push('(');
        self.write_values(out, node.inputs(), names);
        out.push(')');
        if let Some(scope) = &node.scope {
            let _ = write!(out, ", scope: {scope}");
        }
        let shown = match positions {
            Positions::Everywhere => true,
            Positions::Inside => level > 1,
            Positions::Nowhere => false,
        };
        if let (true, Some(span)) = (shown, &node.span) {
            match span.origin_of_start() {
                Some(span) => {
                    let (line, column) = (span.line(), span.column());
                    let _ = write!(out, " # {}:{line}:{column}", span.source().name());
                }
                None => out.push_str(" # :0:0"),
            }
        }
        out.push('\n');
        for (i, &block) in node.blocks().iter().enumerate() {
            indent(out, level + 1);
            let _ = write!(out, "block{i}(");
            self.write_typed(out, self.params(block), names);
            out.push_str("):\n");
            self.write_block(out, block, level + 2, names, positions);
            indent(out, level + 2);
            out.push_str("-> (");
            self.write_values(out, self.returns(block), names);
            out.push_str(")\n");
        }
    }

    /// The graphs that nodes hold, which print after the graph itself: `with prim::fork_0 = graph(...)`.
    fn write_subgraphs(&self, out: &mut String, names: &Names, positions: Positions) {
        let positions = match positions {
            Positions::Inside => Positions::Everywhere,
            other => other,
        };
        for (node, number) in &names.subgraphs {
            let node = self.node(*node);
            if let Some(Attr::Graph(graph)) = subgraph(node) {
                let _ = write!(
                    out,
                    "with {}_{number} = {}",
                    node.kind.name(),
                    graph.to_text_with(positions)
                );
            }
        }
    }
}

/// The graph that a node holds.
fn subgraph(node: &Node) -> Option<&Attr> {
    let mut attrs = node.attrs().iter().map(|(_, attr)| attr);
    attrs.find(|attr| matches!(attr, Attr::Graph(_)))
}

fn write_attrs(out: &mut String, attrs: &[(rushlight_types::Symbol, Attr)]) {
    let shown: Vec<_> = attrs
        .iter()
        .filter(|(_, attr)| !matches!(attr, Attr::Graph(_)))
        .collect();
    if shown.is_empty() {
        return;
    }
    out.push('[');
    for (i, (name, attr)) in shown.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        let _ = write!(out, "{name}=");
        write_attr(out, attr);
    }
    out.push(']');
}

fn quoted(out: &mut String, text: &str) {
    let quoted = rushlight_types::repr_text(&Value::str(text));
    out.push_str(&quoted);
}

fn types(out: &mut String, types: &[Type]) {
    out.push('[');
    for (i, ty) in types.iter().enumerate() {
        let _ = write!(out, "{}{}", if i > 0 { ", " } else { "" }, ty.graph_form());
    }
    out.push(']');
}

fn write_attr(out: &mut String, attr: &Attr) {
    match attr {
        Attr::Int(v) => {
            let _ = write!(out, "{v}");
        }
        Attr::Float(v) => out.push_str(&rushlight_types::float_text(*v)),
        Attr::Str(s) => quoted(out, s),
        Attr::Ints(v) => {
            let _ = write!(out, "{v:?}");
        }
        Attr::Floats(v) => {
            let items: Vec<String> = v.iter().map(|f| rushlight_types::float_text(*f)).collect();
            let _ = write!(out, "[{}]", items.join(", "));
        }
        Attr::Strs(v) => {
            out.push('[');
            for (i, s) in v.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                quoted(out, s);
            }
            out.push(']');
        }
        Attr::Tensor(t) => write_constant(out, &Value::Tensor(t.clone())),
        Attr::Type(ty) => {
            let _ = write!(out, "{}", ty.graph_form());
        }
        Attr::Types(all) => types(out, all),
        // Printed after the whole graph.
        Attr::Graph(_) => {}
        Attr::Value(v) => write_constant(out, v),
    }
}

/// A constant as the attribute of its node: bools as numbers, devices in quotes.
fn write_constant(out: &mut String, value: &Value) {
    match value {
        Value::Bool(b) => out.push(if *b { '1' } else { '0' }),
        Value::Device(d) => quoted(out, &d.to_string()),
        Value::Function(f) => quoted(out, f.name().rsplit('.').next().unwrap_or_default()),
        Value::Tensor(t) if t.numel() == 1 => write_number_tensor(out, t),
        Value::TensorList(_) => out.push_str("[<Tensors>]"),
        // Larger ones would drown the graph.
        Value::Tensor(t) if t.numel() <= 10 => out.push_str(&t.script_text().replace('\n', " ")),
        other => write_nested(out, other),
    }
}

/// Tensors with at most this many elements print them.
const SHOWN_ELEMENTS: usize = 10;

/// A constant as it shows inside others.
fn write_nested(out: &mut String, value: &Value) {
    match value {
        Value::Tensor(t) if t.numel() == 1 => write_number_tensor(out, t),
        Value::Tensor(t) if t.numel() <= SHOWN_ELEMENTS => {
            out.push_str(&t.script_text().replace('\n', " "));
        }
        Value::Tensor(_) => out.push_str("<Tensor>"),
        Value::Enum(e) => {
            let _ = write!(out, "{}.{}", e.ty.name, e.name());
        }
        Value::Device(d) => {
            let _ = write!(out, "torch.device(\"{d}\")");
        }
        Value::Object(o) => {
            let _ = write!(out, "object({:p})", std::sync::Arc::as_ptr(o));
        }
        Value::Tuple(tuple) => {
            let close = if tuple.items.len() == 1 { ",)" } else { ")" };
            write_items(out, "(", &tuple.items, close);
        }
        list if list.is_list() => {
            let items = list.list_items().unwrap_or_default();
            let ty = list.type_of();
            // What the elements alone would not tell.
            let optional =
                matches!(&ty, Type::List(element) if matches!(**element, Type::Optional(_)));
            if items.is_empty() || optional {
                let _ = write!(out, "annotate({}, ", ty.annotation());
                write_items(out, "[", &items, "])");
            } else {
                write_items(out, "[", &items, "]");
            }
        }
        Value::Dict(dict) => {
            out.push('{');
            for (i, (key, value)) in dict.entries().into_iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write_nested(out, &key);
                out.push_str(": ");
                write_nested(out, &value);
            }
            out.push('}');
        }
        other => out.push_str(&rushlight_types::repr_text(other)),
    }
}

fn write_items(out: &mut String, open: &str, items: &[Value], close: &str) {
    out.push_str(open);
    for (i, item) in items.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        write_nested(out, item);
    }
    out.push_str(close);
}

/// A tensor without dimensions: `{3}`.
fn write_number_tensor(out: &mut String, tensor: &Tensor) {
    let Ok(item) = tensor.item() else {
        out.push_str("<Tensor>");
        return;
    };
    out.push('{');
    match item {
        Scalar::Float(v) => out.push_str(&short(v)),
        Scalar::Complex(v) => {
            let _ = write!(out, "({},{})", short(v.re), short(v.im));
        }
        other => write_constant(out, &Value::scalar(other)),
    }
    out.push('}');
}

/// A float with six significant digits, as C++ streams write it.
fn short(v: f64) -> String {
    if !v.is_finite() {
        let text = if v.is_nan() { "nan" } else { "inf" };
        return format!("{}{text}", if v < 0.0 { "-" } else { "" });
    }
    let scientific = format!("{v:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{v:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}
