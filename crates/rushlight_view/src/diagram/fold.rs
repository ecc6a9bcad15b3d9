//! What is said inside a box: constants and attributes that have no box of their own, in the words of their users.

use super::versions::stays;
use rushlight::ir::{Attr, Graph, Node, NodeKind, Prim, ValueId};
use rushlight::types::{Object, Type, repr_text};
use rushlight::{Tensor, Value};
use std::sync::Arc;

/// Constants longer than this are cut.
const LONGEST: usize = 30;

/// A value without a box.
#[derive(Clone)]
pub struct Folded {
    /// How users show it: `conv1.weight [64×3×7×7]`, `[1, 1]`.
    pub text: String,
    /// Whether it is part of the module: then it is shown without the name of the argument.
    pub is_attribute: bool,
    /// `[64×3×7×7]`, of tensors among the attributes.
    sizes: String,
    /// The path of an attribute, or of the object that the value is.
    path: String,
    object: Option<Arc<Object>>,
}

/// The values of a graph that have no box, by value.
pub struct Folds(Vec<Option<Folded>>);

impl Folds {
    /// Finds them. `root` is what the first parameter stands for.
    pub fn of(graph: &Graph, root: Option<&Arc<Object>>) -> Folds {
        let mut folds = Folds(vec![None; graph.value_limit()]);
        if let (Some(&first), Some(root)) = (graph.inputs().first(), root)
            && matches!(graph.ty(first), Type::Class(_))
        {
            folds.set(first, attribute(String::new(), Some(root.clone())));
        }
        for id in graph.all_nodes() {
            let node = graph.node(id);
            if let [output] = node.outputs()
                && let Some(folded) = folds.node(graph, node)
            {
                folds.set(*output, folded);
            }
        }
        folds
    }

    fn set(&mut self, value: ValueId, folded: Folded) {
        self.0[value.as_u32() as usize] = Some(folded);
    }

    /// What is shown for a value in place of a box.
    pub fn get(&self, value: ValueId) -> Option<&Folded> {
        self.0.get(value.as_u32() as usize)?.as_ref()
    }

    fn node(&self, graph: &Graph, node: &Node) -> Option<Folded> {
        let NodeKind::Prim(prim) = node.kind else {
            return None;
        };
        match prim {
            // A function stands under its name.
            Prim::Constant => Some(plain(match node.attr("value").or(node.attr("name")) {
                Some(Attr::Value(value)) => constant(value),
                _ => "None".into(),
            })),
            Prim::Uninitialized => Some(plain("unset".into())),
            Prim::GetAttr => {
                let owner = self.get(*node.inputs().first()?)?;
                let name = node.str_attr("name")?;
                let value = owner.object.as_ref()?.get(name);
                let path = match owner.path.as_str() {
                    "" => name.to_string(),
                    path => format!("{path}.{name}"),
                };
                Some(match value {
                    Some(Value::None) => plain("None".into()),
                    Some(Value::Object(object)) => attribute(path, Some(object)),
                    Some(Value::Tensor(tensor)) => Folded {
                        text: format!("{path} {}", sizes(&tensor)),
                        sizes: sizes(&tensor),
                        ..attribute(path, None)
                    },
                    _ => attribute(path, None),
                })
            }
            // A list that somebody may write to is a thing of its own.
            Prim::ListConstruct if !stays(graph, *node.outputs().first()?) => None,
            Prim::ListConstruct | Prim::TupleConstruct => {
                let items: Option<Vec<&Folded>> =
                    node.inputs().iter().map(|v| self.get(*v)).collect();
                let items = items?;
                let texts: Vec<&str> = items.iter().map(|f| f.text.as_str()).collect();
                let inner = texts.join(", ");
                let is_list = graph.ty(node.outputs()[0]).list_element().is_some();
                let text = match is_list {
                    true => format!("[{inner}]"),
                    false => format!("({inner})"),
                };
                Some(plain(cut(&text, LONGEST)))
            }
            _ => None,
        }
    }

    /// The name of a box, and the lines below it.
    pub fn label(&self, graph: &Graph, node: &Node) -> (String, Vec<String>) {
        let input = |at: usize| node.inputs().get(at).and_then(|v| self.get(*v));
        let name = |key: &str| node.str_attr(key).map_or("?", |n| n);
        let title = match node.kind {
            NodeKind::Prim(Prim::CallMethod) => match input(0) {
                Some(object) if !object.path.is_empty() => {
                    format!("{}.{}", object.path, name("name"))
                }
                _ => name("name").to_string(),
            },
            NodeKind::Prim(Prim::CallFunction) => input(0).map_or("call", |f| &f.text).to_string(),
            NodeKind::Prim(Prim::GetAttr) => format!(".{}", name("name")),
            NodeKind::Prim(Prim::SetAttr) => match input(0) {
                Some(object) if !object.path.is_empty() => {
                    format!("set {}.{}", object.path, name("name"))
                }
                _ => format!("set {}", name("name")),
            },
            NodeKind::Prim(Prim::CreateObject) => {
                let made = node.outputs().first();
                format!(
                    "new {}",
                    made.map_or(String::new(), |v| type_text(graph.ty(*v)))
                )
            }
            NodeKind::Prim(Prim::TupleUnpack | Prim::ListUnpack) => "unpack".into(),
            NodeKind::Prim(Prim::TupleConstruct) => "tuple".into(),
            NodeKind::Prim(Prim::ListConstruct) => "list".into(),
            NodeKind::Prim(Prim::DictConstruct) => "dict".into(),
            NodeKind::Prim(Prim::UncheckedCast) => "cast".into(),
            _ => short(node.kind.name()).to_string(),
        };
        let named = matches!(
            node.kind,
            NodeKind::Prim(Prim::CallMethod | Prim::CallFunction | Prim::SetAttr)
        );
        let mut attributes: Vec<&Folded> = Vec::new();
        let arguments = node.operator().map(|op| &op.schema().arguments);
        let mut plain = Vec::new();
        for (at, &value) in node.inputs().iter().enumerate().skip(usize::from(named)) {
            let Some(folded) = self.get(value) else {
                continue;
            };
            let argument = arguments.and_then(|all| all.get(at));
            if folded.is_attribute {
                attributes.push(folded);
            } else if let Some(argument) = argument {
                let usual = argument.repeated_default().map(|v| constant(&v));
                let single = argument.default.as_ref().map(constant);
                if usual.as_ref() != Some(&folded.text) && single.as_ref() != Some(&folded.text) {
                    plain.push(format!("{}={}", argument.name, folded.text));
                }
            } else {
                plain.push(folded.text.clone());
            }
        }
        if let Some(Attr::Types(types)) = node.attr("types") {
            plain.extend(types.iter().map(type_text));
        }
        let mut lines = of_one_owner(&attributes)
            .unwrap_or_else(|| attributes.iter().map(|f| f.text.clone()).collect());
        lines.extend(joined(plain));
        (title, lines)
    }
}

/// Lines for three or more tensors of one module and one size: the module once, then their names.
fn of_one_owner(attributes: &[&Folded]) -> Option<Vec<String>> {
    let (owner, _) = attributes.first()?.path.rsplit_once('.')?;
    let sizes = &attributes.first()?.sizes;
    let mut names = Vec::new();
    for folded in attributes {
        let name = folded.path.strip_prefix(owner)?.strip_prefix('.')?;
        if folded.sizes.is_empty() || folded.sizes != *sizes || name.contains('.') {
            return None;
        }
        names.push(name.to_string());
    }
    (names.len() > 2).then(|| {
        let mut lines = vec![format!("{owner} {sizes}")];
        lines.extend(joined(names));
        lines
    })
}

/// Short pieces that share lines.
fn joined(pieces: Vec<String>) -> Vec<String> {
    const WIDEST: usize = 34;
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(last) if last.chars().count() + piece.chars().count() + 2 <= WIDEST => {
                last.push_str(", ");
                last.push_str(&piece);
            }
            _ => lines.push(piece),
        }
    }
    lines
}

fn plain(text: String) -> Folded {
    Folded {
        text,
        is_attribute: false,
        sizes: String::new(),
        path: String::new(),
        object: None,
    }
}

fn attribute(path: String, object: Option<Arc<Object>>) -> Folded {
    Folded {
        text: match path.as_str() {
            "" => "self".into(),
            path => path.into(),
        },
        is_attribute: true,
        sizes: String::new(),
        path,
        object,
    }
}

/// `[64×3×7×7]`
fn sizes(tensor: &Tensor) -> String {
    let sizes: Vec<String> = tensor.sizes().iter().map(usize::to_string).collect();
    match sizes.is_empty() {
        true => format!("[{}]", tensor.dtype().name()),
        false => format!("[{}]", sizes.join("\u{d7}")),
    }
}

/// A constant in few characters.
fn constant(value: &Value) -> String {
    match value {
        Value::Tensor(tensor) => format!("tensor {}", sizes(tensor)),
        Value::Function(function) => {
            let name = function.name();
            name.rsplit('.').next().unwrap_or("").to_string()
        }
        value if value.any_tensor(|_| true) => "tensors".into(),
        value => cut(&repr_text(value), LONGEST),
    }
}

/// A text without its end, where it is longer than so many characters.
pub fn cut(text: &str, most: usize) -> String {
    let is_long = text.chars().nth(most).is_some();
    let mut short: String = text
        .chars()
        .take(if is_long { most - 1 } else { most })
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if is_long {
        short.push('\u{2026}');
    }
    short
}

/// A name without its namespace.
pub fn short(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// A type in few characters: classes without their modules, tensors by what is known of them.
pub fn type_text(ty: &Type) -> String {
    match ty {
        Type::Class(class) => class.basename().to_string(),
        Type::Tensor(Some(info)) => {
            let dtype = info.dtype.map(|d| d.name());
            let sizes = info.sizes.as_ref().map(|sizes| {
                let text = |size: &Option<usize>| size.map_or("?".into(), |n| n.to_string());
                sizes.iter().map(text).collect::<Vec<_>>().join("\u{d7}")
            });
            match (dtype, sizes) {
                (Some(dtype), Some(sizes)) => format!("{dtype} {sizes}"),
                (Some(dtype), None) => dtype.to_string(),
                (None, Some(sizes)) => sizes,
                (None, None) => "Tensor".into(),
            }
        }
        other => cut(&other.to_string(), LONGEST),
    }
}
