//! What single nodes look like: one rule per kind that is not simply `torch.name(arguments)`.

use super::body::Body;
use super::constant::tells_itself;
use super::names::is_identifier;
use super::{CannotPrint, Text};
use crate::code::names::IN_AUTOGRAD;
use rushlight_ir::{Attr, Node, NodeKind, Prim};
use rushlight_syntax::{Diagnostic, Span};
use rushlight_types::{Operator, Type, Value, unify_list};

type Printed = Result<Text, CannotPrint>;

/// How an operator that has a form of its own is printed.
type PrintForm = fn(&mut Body<'_, '_>, &Node) -> Printed;

/// Operators that are not printed as `torch.name(...)` or `ops.space.name(...)`.
const FORMS: &[(&str, PrintForm)] = &[
    ("aten::Bool", |b, n| b.call("bool", n)),
    ("aten::BoolImplicit", |b, n| b.annotated("bool", n)),
    ("aten::Float", |b, n| b.call("float", n)),
    ("aten::FloatImplicit", |b, n| b.annotated("float", n)),
    ("aten::Int", |b, n| b.call("int", n)),
    ("aten::IntImplicit", |b, n| b.annotated("int", n)),
    ("aten::ScalarImplicit", |b, n| b.annotated("number", n)),
    ("aten::StringImplicit", |b, n| b.annotated("str", n)),
    ("aten::__getitem__", |b, n| b.subscript(n)),
    ("aten::_unwrap_optional", |b, n| b.unwrapped(n)),
    ("aten::sorted", |b, n| b.call("sorted", n)),
    ("aten::str", |b, n| b.call("str", n)),
    ("prim::EnumName", |b, n| b.member(n, "name")),
    ("prim::EnumValue", |b, n| b.member(n, "value")),
    ("prim::ModuleContainerIndex", |b, n| b.subscript(n)),
    ("prim::Print", |b, n| b.call("print", n)),
    ("prim::tolist", |b, n| b.tolist(n)),
    ("prim::unchecked_cast", |b, n| b.cast("unchecked_cast", n)),
];

impl Body<'_, '_> {
    /// The expression that a node stands for.
    pub(super) fn expression(&mut self, node: &Node) -> Printed {
        let mut out = match &node.kind {
            NodeKind::Op(operator) => match FORMS.iter().find(|f| f.0 == operator.name()) {
                Some((_, form)) => form(self, node)?,
                None => self.operator(operator, node)?,
            },
            NodeKind::Prim(prim) => self.language(*prim, node)?,
            NodeKind::Unknown(name) => self.unknown(name.as_str(), node),
        };
        // The name of a called function comes from nowhere, as in PyTorch's archives.
        if !node.is(Prim::CallFunction) {
            out.marks.insert(0, (0, node.span.clone()));
        }
        Ok(out)
    }

    fn language(&mut self, prim: Prim, node: &Node) -> Printed {
        match prim {
            Prim::TupleConstruct => self.tuple(node),
            Prim::ListConstruct => self.list(node),
            Prim::DictConstruct => self.dict(node),
            Prim::TupleUnpack | Prim::ListUnpack => Ok(self.input(node, 0)),
            Prim::TupleIndex => {
                let mut out = self.in_parentheses(node, 0);
                out.push("[").append(&self.input(node, 1)).push("]");
                Ok(out)
            }
            Prim::TupleSlice => {
                let mut out = self.in_parentheses(node, 0);
                let bound = |name: &str| match node.attr(name) {
                    Some(Attr::Int(i)) => *i,
                    _ => 0,
                };
                out.push(&format!("[{}:{}]", bound("beg"), bound("end")));
                Ok(out)
            }
            Prim::GetAttr => {
                let name = node.str_attr("name").cloned().unwrap_or_default();
                let object = self.input(node, 0);
                Ok(if is_identifier(&name) {
                    let mut out = object;
                    out.push(&format!(".{name}"));
                    out
                } else {
                    let mut out = Text::from("getattr(");
                    out.append(&object).push(&format!(", {})", quoted(&name)));
                    out
                })
            }
            Prim::CreateObject => {
                let ty = self.output_type(node);
                let name = self.type_text(&ty);
                Ok(format!("{name}.__new__({name})").into())
            }
            Prim::CallFunction => self.function_call(node),
            Prim::CallMethod => self.method_call(node),
            Prim::IsInstance => {
                let types = match node.attr("types") {
                    Some(Attr::Types(types)) => types.clone(),
                    _ => Vec::new(),
                };
                let mut names: Vec<String> = types.iter().map(|t| self.type_text(t)).collect();
                // As the reference writes the two names for any list and any tuple.
                if names == ["tuple", "list"] {
                    names.reverse();
                }
                let mut out = Text::from("isinstance(");
                out.append(&self.input(node, 0)).push(", ");
                match names.as_slice() {
                    [one] => out.push(one),
                    several => out.push(&format!("({})", several.join(", "))),
                };
                out.push(")");
                Ok(out)
            }
            Prim::UncheckedCast | Prim::UncheckedUnwrapOptional => {
                self.cast("unchecked_cast", node)
            }
            Prim::Uninitialized => {
                let ty = self.output_type(node);
                Ok(format!("uninitialized({})", self.type_text(&ty)).into())
            }
            Prim::PythonOp if !self.printer.for_archive => Ok(self.python_call(node)),
            Prim::PythonOp => Err(CannotPrint(no_python(node))),
            other => Err(CannotPrint(format!(
                "{} has no form in source code",
                other.name()
            ))),
        }
    }

    /// `^name()(arguments)`, which nothing reads back.
    fn python_call(&mut self, node: &Node) -> Text {
        let name = match node.attr("name") {
            Some(Attr::Str(name)) => name.to_string(),
            _ => String::new(),
        };
        let scalars = node.str_attr("scalars").map_or("", |s| s);
        let mut out = Text::from(format!("^{name}({scalars})("));
        for i in 0..node.inputs().len() {
            out.push(if i > 0 { ", " } else { "" });
            out.append(&self.input(node, i));
        }
        out.push(")");
        out
    }

    /// `torch.name(...)`, `ops.space.name(...)`, without arguments at the end that have their default.
    fn operator(&mut self, operator: &'static Operator, node: &Node) -> Printed {
        let name = operator.name();
        self.printer.needs.note_operator(name);
        let mut out = Text::from(path(name));
        out.push("(");
        let schema = operator.schema();
        // `.code` of the reference shows nothing of what goes to other processes.
        let hidden = !self.printer.for_archive && super::inline::is_remote(node.kind);
        let all = if hidden { 0 } else { node.inputs().len() };
        let known = |i: usize| schema.arguments.get(i).filter(|_| !schema.varargs);
        // Tensors to write results to stand last and are always named.
        let is_out = |i: usize| known(i).is_some_and(|a| a.kwarg_only && a.is_written());
        let first_out = (0..all)
            .rev()
            .take_while(|i| is_out(*i))
            .last()
            .unwrap_or(all);
        let mut count = first_out;
        while count > 0
            && let Some(argument) = known(count - 1)
            && let Some(default) = argument.repeated_default()
            && self.graph.constant(node.inputs()[count - 1]) == Some(default)
        {
            count -= 1;
        }
        for (nth, i) in (0..count).chain(first_out..all).enumerate() {
            out.push(if nth > 0 { ", " } else { "" });
            if let Some(argument) = schema.arguments.get(i)
                && argument.kwarg_only
            {
                out.push(&argument.name).push("=");
            }
            out.append(&self.input(node, i)).mark(node.span.as_ref());
        }
        out.push(")");
        Ok(out)
    }

    /// A call of an operator that this build lacks, as the archive had it.
    fn unknown(&mut self, name: &str, node: &Node) -> Text {
        let keywords = match node.attr("keywords") {
            Some(Attr::Strs(names)) => names.as_slice(),
            _ => &[],
        };
        let first_keyword = node.inputs().len() - keywords.len().min(node.inputs().len());
        let mut out = Text::from(path(name));
        out.push("(");
        for i in 0..node.inputs().len() {
            out.push(if i > 0 { ", " } else { "" });
            if let Some(keyword) = i.checked_sub(first_keyword).and_then(|k| keywords.get(k)) {
                out.push(keyword).push("=");
            }
            out.append(&self.input(node, i)).mark(node.span.as_ref());
        }
        out.push(")");
        out
    }

    fn call(&mut self, function: &str, node: &Node) -> Printed {
        let mut out = Text::from(function);
        out.push("(");
        self.push_arguments(&mut out, node, 0, "");
        out.push(")");
        Ok(out)
    }

    /// `a, b` and `end` behind the last, from the input `first` on.
    fn push_arguments(&mut self, out: &mut Text, node: &Node, first: usize, end: &str) {
        for i in first..node.inputs().len() {
            out.push(if i > first { ", " } else { "" });
            out.append(&self.input(node, i)).mark(node.span.as_ref());
        }
        if node.inputs().len() > first {
            out.push(end);
        }
    }

    fn annotated(&mut self, ty: &str, node: &Node) -> Printed {
        let mut out = Text::from(format!("annotate({ty}, "));
        out.append(&self.input(node, 0)).push(")");
        Ok(out)
    }

    /// `a[b]`. What is indexed comes from where the whole does, as in PyTorch's archives.
    fn subscript(&mut self, node: &Node) -> Printed {
        let plain = is_identifier(&self.input(node, 0).text);
        let mut out = if plain {
            self.input(node, 0)
        } else {
            self.in_parentheses(node, 0)
        };
        out.marks.clear();
        let index = self.input(node, 1);
        out.push("[")
            .append(&index)
            .mark(node.span.as_ref())
            .push("]");
        Ok(out)
    }

    /// `unchecked_cast(T, x)`; a None that is unwrapped keeps the type that it was said to have.
    fn unwrapped(&mut self, node: &Node) -> Printed {
        let value = node.inputs()[0];
        let mut out = Text::from("torch._unwrap_optional(");
        if self.graph.ty(value) == &Type::None {
            let ty = Type::optional(self.output_type(node));
            out.push(&format!("annotate({}, None))", self.type_text(&ty)));
        } else {
            out.append(&self.input(node, 0)).push(")");
        }
        Ok(out)
    }

    fn member(&mut self, node: &Node, name: &str) -> Printed {
        let mut out = self.in_parentheses(node, 0);
        out.push(".").push(name);
        Ok(out)
    }

    fn tolist(&mut self, node: &Node) -> Printed {
        let ty = self.output_type(node);
        let mut out = Text::from(format!("annotate({}, ", self.type_text(&ty)));
        out.append(&self.input(node, 0)).push(".tolist())");
        Ok(out)
    }

    fn cast(&mut self, function: &str, node: &Node) -> Printed {
        let ty = self.output_type(node);
        let mut out = Text::from(format!("{function}({}, ", self.type_text(&ty)));
        out.append(&self.input(node, 0)).push(")");
        Ok(out)
    }

    fn tuple(&mut self, node: &Node) -> Printed {
        let ty = super::body::spelled(&self.output_type(node));
        let mut out = Text::default();
        if let Type::Tuple(tuple) = &ty
            && let Some(name) = &tuple.name
        {
            self.printer.need_type(&ty);
            out.push(name);
        }
        out.push("(");
        self.push_arguments(&mut out, node, 0, "");
        let single = node.inputs().len() == 1 && out.text.starts_with('(');
        out.push(if single { ",)" } else { ")" });
        Ok(out)
    }

    /// A list display, with its type where the elements do not tell it.
    fn list(&mut self, node: &Node) -> Printed {
        let ty = self.output_type(node);
        let element = ty.list_element().cloned().unwrap_or(Type::TENSOR);
        let tells = !node.inputs().is_empty()
            && tells_itself(&element)
            && self.of_inputs(node) == Some(element.unshaped());
        let mut out = Text::from("[");
        self.push_arguments(&mut out, node, 0, "");
        out.push("]");
        Ok(if tells { out } else { self.with_type(&ty, out) })
    }

    /// The type that inputs have together, as it is found where the text is read.
    fn of_inputs(&self, node: &Node) -> Option<Type> {
        let types = node.inputs().iter().map(|&i| self.graph.ty(i).unshaped());
        unify_list(&types.collect::<Vec<_>>(), true)
    }

    fn dict(&mut self, node: &Node) -> Printed {
        let ty = self.output_type(node);
        let (key, value) = match &ty {
            Type::Dict(kv) => (kv.0.unshaped(), kv.1.unshaped()),
            _ => (Type::Any, Type::Any),
        };
        let mut tells = !node.inputs().is_empty() && tells_itself(&value);
        let mut out = Text::from("{");
        for (i, &input) in node.inputs().iter().enumerate() {
            let (before, wanted) = match i % 2 {
                0 if i == 0 => ("", &key),
                0 => (", ", &key),
                _ => (": ", &value),
            };
            tells &= self.graph.ty(input).unshaped() == *wanted;
            out.push(before)
                .append(&self.input(node, i))
                .mark(node.span.as_ref());
        }
        out.push("}");
        Ok(if tells { out } else { self.with_type(&ty, out) })
    }

    fn with_type(&mut self, ty: &Type, value: Text) -> Text {
        let mut out = Text::from(format!("annotate({}, ", self.type_text(ty)));
        out.append(&value).push(")");
        out
    }

    fn function_call(&mut self, node: &Node) -> Printed {
        let mut out = self.input(node, 0);
        if out.is_empty() {
            let owner = self.graph.value(node.inputs()[0]).node();
            return Err(CannotPrint(match self.graph.node(owner).attr("name") {
                Some(Attr::Value(Value::Function(callee))) => format!(
                    "Could not export Python function call '{}'. Remove calls to Python functions before export. Did you forget to add @script or @script_method annotation? If this is a nn.ModuleList, add it to __constants__",
                    callee.name().rsplit('.').next().unwrap_or_default()
                ),
                _ => "a call of a function that is not known beforehand has no form in source code"
                    .into(),
            }));
        }
        out.marks = vec![(0, None)];
        out.mark(node.span.as_ref()).push("(");
        self.push_arguments(&mut out, node, 1, ", ");
        out.push(")");
        Ok(out)
    }

    fn method_call(&mut self, node: &Node) -> Printed {
        let object = self.graph.ty(node.inputs()[0]).clone();
        self.printer.need_type(&object);
        let name = node.str_attr("name").cloned().unwrap_or_default();
        let mut out = self.in_parentheses(node, 0);
        out.push(&format!(".{name}("));
        self.push_arguments(&mut out, node, 1, ", ");
        out.push(")");
        Ok(out)
    }

    fn in_parentheses(&mut self, node: &Node, input: usize) -> Text {
        let mut out = Text::from("(");
        out.append(&self.input(node, input)).push(")");
        out
    }

    fn output_type(&self, node: &Node) -> Type {
        node.outputs()
            .first()
            .map_or(Type::None, |&o| self.graph.ty(o).clone())
    }
}

/// A string literal.
pub(super) fn quoted(text: &str) -> String {
    rushlight_types::repr_text(&Value::str(text))
}

/// `torch.add` of `aten::add`, `ops.quantized.add` of `quantized::add`.
fn path(operator: &str) -> String {
    match operator.split_once("::") {
        Some(("aten", name)) if IN_AUTOGRAD.contains(&name) => format!("torch.autograd.{name}"),
        Some(("aten", name)) => format!("torch.{name}"),
        Some((space, name)) => format!("ops.{space}.{name}"),
        None => operator.to_string(),
    }
}

/// Why a call into Python stays out of archives.
fn no_python(node: &Node) -> String {
    let name = match node.attr("name") {
        Some(Attr::Str(name)) => &**name,
        _ => "",
    };
    let message = format!(
        "Could not export Python function call '{name}'. Remove calls to Python functions before export. Did you forget to add @script or @script_method annotation? If this is a nn.ModuleList, add it to __constants__"
    );
    let span = node.span.clone().unwrap_or_else(Span::unknown);
    rushlight_syntax::diagnostic::highlight::render(&Diagnostic::error(
        "python-call",
        message,
        &span,
    ))
}
