//! A graph as statements.

use super::inline::inlined_nodes;
use super::names::{ANONYMOUS, sanitized};
use super::{CannotPrint, Printer, Text};
use rushlight_ir::{Attr, BlockId, Graph, Node, NodeId, Prim, ValueId};
use rushlight_types::{Type, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

type Done = Result<(), CannotPrint>;

/// Expressions this long (with their indentation) become statements of their own before they are used in another.
const LONG: usize = 40;

/// Graphs inside graphs (forks) deeper than this are refused.
const MAX_NESTED: usize = 32;

/// Prints one graph.
pub(super) struct Body<'p, 'a> {
    pub printer: &'p mut Printer<'a>,
    pub graph: &'p Graph,
    inlined: HashSet<NodeId>,
    /// The text of each value: a variable, or the expression that its only use will hold.
    texts: HashMap<ValueId, Text>,
    /// Expressions that wait for their user, in the order of their evaluation.
    waiting: Vec<ValueId>,
    level: usize,
    nested: usize,
}

impl<'p, 'a> Body<'p, 'a> {
    /// A body whose parameters are called as given.
    pub fn new(
        printer: &'p mut Printer<'a>,
        graph: &'p Graph,
        parameters: Vec<Text>,
        level: usize,
    ) -> Body<'p, 'a> {
        let texts = graph.inputs().iter().copied().zip(parameters).collect();
        Body {
            printer,
            graph,
            inlined: HashSet::new(),
            texts,
            waiting: Vec::new(),
            level,
            nested: 0,
        }
    }

    /// Prints the statements and the return.
    pub fn print(&mut self) -> Done {
        let start = self.printer.out.len();
        let top = self.graph.top();
        self.constants(top);
        self.block(top)?;
        let ret = self.graph.node(self.graph.return_node(top)).clone();
        self.split_long(&ret);
        if !ret.inputs().is_empty() {
            self.line_start(None);
            self.printer.out.push("return ");
            for i in 0..ret.inputs().len() {
                self.printer.out.push(if i > 0 { ", " } else { "" });
                let text = self.input(&ret, i);
                self.printer.out.append(&text).mark(None);
            }
            self.line_end();
        }
        self.or_pass(start);
        Ok(())
    }

    fn or_pass(&mut self, start: usize) {
        if self.printer.out.len() == start {
            self.line_start(None);
            self.printer.out.push("pass");
            self.line_end();
        }
    }

    fn line_start(&mut self, node: Option<&Node>) {
        self.printer.out.mark(node.and_then(|n| n.span.as_ref()));
        for _ in 0..self.level {
            self.printer.out.push("  ");
        }
    }

    fn line_end(&mut self) {
        self.printer.out.push("\n");
    }

    fn statement(&mut self, node: &Node, text: &Text) {
        self.line_start(Some(node));
        self.printer.out.append(text).mark(node.span.as_ref());
        self.line_end();
    }

    fn block(&mut self, block: BlockId) -> Done {
        inlined_nodes(self.graph, block, &mut self.inlined);
        let nodes = self.graph.nodes(block);
        let mut at = 0;
        self.nodes(&nodes, &mut at, None)
    }

    /// Prints nodes up to the one that leaves `scope`.
    fn nodes(&mut self, nodes: &[NodeId], at: &mut usize, scope: Option<ValueId>) -> Done {
        while let Some(&id) = nodes.get(*at) {
            *at += 1;
            let node = self.graph.node(id).clone();
            if node.is(Prim::Exit) && node.inputs().first().copied() == scope {
                return Ok(());
            }
            if node.is(Prim::Enter) {
                self.with(&node, nodes, at)?;
            } else {
                self.node(id, &node)?;
            }
        }
        Ok(())
    }

    fn node(&mut self, id: NodeId, node: &Node) -> Done {
        if node.is(Prim::Constant) {
            return Ok(());
        }
        if matches!(
            node.kind,
            rushlight_ir::NodeKind::Prim(Prim::Fork | Prim::Awaitable | Prim::Closure)
        ) {
            return self.nested_function(node);
        }
        self.split_long(node);
        match node.kind {
            rushlight_ir::NodeKind::Prim(Prim::If) => self.branch(node),
            rushlight_ir::NodeKind::Prim(Prim::Loop) => self.looped(node),
            rushlight_ir::NodeKind::Prim(Prim::SetAttr) => {
                self.consume(node);
                let mut text = self.input(node, 0);
                let name = node.str_attr("name").cloned().unwrap_or_default();
                text.push(&format!(".{name} = "))
                    .append(&self.input(node, 1));
                self.statement(node, &text);
                Ok(())
            }
            _ => {
                let text = self.expression(node)?;
                self.consume(node);
                if self.inlined.contains(&id) {
                    self.texts.insert(node.outputs()[0], text);
                    self.waiting.push(node.outputs()[0]);
                } else {
                    self.assign_outputs(node, text);
                }
                Ok(())
            }
        }
    }

    /// Constants are written where they are used; long ones get variables before everything else, in the order of use.
    fn constants(&mut self, top: BlockId) {
        let graph = self.graph;
        let mut blocks = vec![(top, graph.next(graph.param_node(top)))];
        while let Some((block, at)) = blocks.pop() {
            let Some(id) = at else { continue };
            let node = graph.node(id);
            for &input in node.inputs() {
                let owner = graph.node(graph.value(input).node());
                if owner.is(Prim::Constant) && !self.texts.contains_key(&input) {
                    self.constant_node(owner);
                }
            }
            if id != graph.return_node(block) {
                blocks.push((block, graph.next(id)));
            }
            let inner = node.blocks().iter().rev();
            blocks.extend(inner.map(|&b| (b, graph.next(graph.param_node(b)))));
        }
    }

    fn constant_node(&mut self, node: &Node) {
        let output = node.outputs()[0];
        let ty = self.graph.ty(output).clone();
        let text = match (&ty, node.attr("name")) {
            (Type::Function(_), Some(Attr::Value(Value::Function(callee)))) => {
                self.printer.callee(&***callee)
            }
            _ => {
                let value = self.graph.constant(output).unwrap_or(Value::None);
                let mut text = self.printer.constant(&value, &ty);
                text.marks.insert(0, (0, node.span.clone()));
                Some(text)
            }
        };
        let Some(text) = text else { return };
        let is_long = text.len() + self.level * 2 >= LONG;
        self.texts.insert(output, text);
        if is_long {
            self.move_out(output);
        }
    }

    /// Gives the expression of a value a variable.
    fn move_out(&mut self, value: ValueId) {
        let text = self.value(value);
        let owner = self.graph.node(self.graph.value(value).node()).clone();
        let name = self.name_value(value);
        let mut line = Text::from(format!("{name} = "));
        line.append(&text);
        self.statement(&owner, &line);
    }

    fn assign_outputs(&mut self, node: &Node, value: Text) {
        let mut text = Text::default();
        let unpacks = node.is(Prim::TupleUnpack) || node.is(Prim::ListUnpack);
        let outputs = node.outputs();
        if outputs.is_empty() {
            if !unpacks {
                self.statement(node, &value);
            }
            return;
        }
        for (i, &output) in outputs.iter().enumerate() {
            let name = self.name_value(output);
            text.push(if i > 0 { ", " } else { "" }).push(&name);
        }
        if node.is_op("prim::ModuleContainerIndex") {
            // A part of a module is one of the interface that says what it is.
            let ty = self.graph.ty(outputs[0]).clone();
            let ty = self.type_text(&ty);
            text.push(" : ").push(&ty);
        }
        text.push(if unpacks { ", = " } else { " = " })
            .append(&value);
        self.statement(node, &text);
    }

    /// Gives a value a variable.
    fn name_value(&mut self, value: ValueId) -> String {
        let wanted = match self.graph.value(value).base_name() {
            Some(name) => sanitized(name),
            None => ANONYMOUS.to_string(),
        };
        let name = self.printer.names.fresh(&wanted);
        self.texts.insert(value, name.as_str().into());
        name
    }

    /// Gives what a loop carries a variable. Printed code is full of names that say nothing: they are given out anew.
    fn name_carried(&mut self, value: ValueId) -> String {
        let named = self.graph.value(value).base_name();
        if named.is_some_and(rushlight_ir::is_telling) {
            return self.name_value(value);
        }
        let name = self.printer.names.fresh(ANONYMOUS);
        self.texts.insert(value, name.as_str().into());
        name
    }

    /// The text of an input.
    pub fn input(&mut self, node: &Node, index: usize) -> Text {
        self.value(node.inputs()[index])
    }

    fn value(&mut self, value: ValueId) -> Text {
        self.texts.get(&value).cloned().unwrap_or_default()
    }

    /// The annotation of a type, which the file will have to define.
    pub fn type_text(&mut self, ty: &Type) -> String {
        let ty = spelled(ty);
        self.printer.need_type(&ty);
        ty.annotation()
    }

    /// Where an input of a node is a long expression, it and all expressions evaluated before it become statements.
    fn split_long(&mut self, node: &Node) {
        let limit = LONG.saturating_sub(self.level * 2);
        let is_long = |value: &ValueId| {
            node.inputs().contains(value) && self.texts.get(value).is_some_and(|t| t.len() >= limit)
        };
        let Some(last) = self.waiting.iter().rposition(is_long) else {
            return;
        };
        let first: Vec<ValueId> = self.waiting.drain(..=last).collect();
        for value in first {
            self.move_out(value);
        }
    }

    /// The expressions that a node uses wait no longer.
    fn consume(&mut self, node: &Node) {
        self.waiting.retain(|value| !node.inputs().contains(value));
    }

    // Control flow.

    fn branch(&mut self, node: &Node) -> Done {
        self.consume(node);
        let names: Vec<String> = node.outputs().iter().map(|&o| self.name_value(o)).collect();
        let condition = self.input(node, 0);
        self.line_start(Some(node));
        self.printer
            .out
            .push("if ")
            .append(&condition)
            .mark(node.span.as_ref())
            .push(":");
        self.line_end();
        let declared = match node.outputs() {
            [one] => needs_annotation(self.graph.ty(*one)).then(|| self.graph.ty(*one).clone()),
            _ => None,
        };
        for (i, &block) in node.blocks().iter().enumerate() {
            if i > 0 {
                self.line_start(Some(node));
                self.printer.out.push("else:");
                self.line_end();
            }
            self.level += 1;
            let start = self.printer.out.len();
            self.block(block)?;
            let ret = self.graph.node(self.graph.return_node(block)).clone();
            self.split_long(&ret);
            self.consume(&ret);
            let mut targets = names.join(", ");
            if let (0, Some(ty)) = (i, &declared) {
                let ty = self.type_text(ty);
                targets = format!("{targets} : {ty}");
            }
            self.assign(node, &targets, &ret, 0);
            self.or_pass(start);
            self.level -= 1;
        }
        Ok(())
    }

    /// `targets = a, b` of the inputs of a return from `first` on; nothing where there are none.
    fn assign(&mut self, node: &Node, targets: &str, ret: &Node, first: usize) {
        if ret.inputs().len() <= first {
            return;
        }
        let mut line = Text::from(format!("{targets} = "));
        for i in first..ret.inputs().len() {
            line.push(if i > first { ", " } else { "" })
                .append(&self.input(ret, i));
        }
        self.statement(node, &line);
    }

    fn looped(&mut self, node: &Node) -> Done {
        self.consume(node);
        let block = node.blocks()[0];
        let params = self.graph.params(block).to_vec();
        let ret = self.graph.node(self.graph.return_node(block)).clone();
        let always =
            |body: &Body<'_, '_>, v: ValueId| body.graph.constant(v) == Some(Value::Bool(true));
        let endless = self.graph.constant(node.inputs()[0]) == Some(Value::Int(i64::MAX));
        let always = always(self, node.inputs()[1]) && always(self, ret.inputs()[0]);
        // `while True` has no number of steps either.
        let counted = always && !endless;
        if !always && !endless {
            return Err(CannotPrint(
                "loop cannot be printed as python because it has gone through an optimization that combined while and for loops".into(),
            ));
        }
        let mut names = Vec::new();
        for (i, &param) in params.iter().enumerate().skip(1) {
            let name = self.name_carried(param);
            let ty = self.graph.ty(param).clone();
            let target = if needs_annotation(&ty) {
                format!("{name}: {}", self.type_text(&ty))
            } else {
                name.clone()
            };
            let mut line = Text::from(format!("{target} = "));
            line.append(&self.input(node, i + 1));
            self.statement(node, &line);
            names.push(name);
        }
        let first = if counted {
            let index = self.name_value(params[0]);
            let count = self.input(node, 0);
            self.line_start(Some(node));
            let out = &mut self.printer.out;
            out.push(&format!("for {index} in range("))
                .append(&count)
                .mark(node.span.as_ref())
                .push("):");
            self.line_end();
            1
        } else {
            let condition = self.printer.names.fresh(ANONYMOUS);
            let mut line = Text::from(format!("{condition} = "));
            line.append(&self.input(node, 1));
            self.statement(node, &line);
            self.line_start(Some(node));
            self.printer.out.push(&format!("while {condition}:"));
            self.line_end();
            names.insert(0, condition);
            0
        };
        for (&output, name) in node.outputs().iter().zip(&names[1 - first..]) {
            self.texts.insert(output, name.as_str().into());
        }
        self.level += 1;
        let start = self.printer.out.len();
        self.block(block)?;
        self.split_long(&ret);
        self.consume(&ret);
        self.assign(node, &names.join(", "), &ret, first);
        self.or_pass(start);
        self.level -= 1;
        Ok(())
    }

    fn with(&mut self, enter: &Node, nodes: &[NodeId], at: &mut usize) -> Done {
        self.split_long(enter);
        self.consume(enter);
        let mut line = Text::from("with ");
        line.append(&self.input(enter, 0));
        let entered = enter.outputs()[0];
        if !self.graph.value(entered).uses().is_empty() {
            let name = self.name_value(entered);
            line.push(" as ").push(&name);
        }
        line.push(":");
        self.statement(enter, &line);
        self.level += 1;
        let start = self.printer.out.len();
        self.nodes(nodes, at, Some(enter.inputs()[0]))?;
        self.or_pass(start);
        self.level -= 1;
        Ok(())
    }

    /// `fork`, and the function around what it runs.
    fn nested_function(&mut self, node: &Node) -> Done {
        let (verb, wanted) = match node.kind {
            rushlight_ir::NodeKind::Prim(Prim::Fork) => ("fork", "__forked_function"),
            rushlight_ir::NodeKind::Prim(Prim::Awaitable) => ("awaitable", "__awaitable_function"),
            _ => {
                return Err(CannotPrint("a closure has no form in source code".into()));
            }
        };
        let Some(Attr::Graph(graph)) = node.attr("Subgraph") else {
            return Err(CannotPrint(format!("{} has no body", node.kind.name())));
        };
        if self.nested == MAX_NESTED {
            return Err(CannotPrint("functions are nested too deeply".into()));
        }
        let graph: Arc<Graph> = graph.clone();
        let parameters: Vec<Text> = (0..node.inputs().len())
            .map(|i| self.input(node, i))
            .collect();
        let name = self.printer.names.fresh(wanted);
        self.statement(node, &Text::from(format!("def {name}():")));
        let mut inner = Body::new(self.printer, &graph, parameters, self.level + 1);
        inner.nested = self.nested + 1;
        inner.print()?;
        self.assign_outputs(node, Text::from(format!("{verb}({name})")));
        Ok(())
    }
}

/// Whether a variable of the type must say so where it is first set: what it is set to may be narrower.
fn needs_annotation(ty: &Type) -> bool {
    matches!(ty, Type::Optional(_) | Type::Union(_))
}

/// The type as code spells it: the results of operators have names that only graphs show.
pub(super) fn spelled(ty: &Type) -> Type {
    let ty = ty.map_parts(spelled);
    match &ty {
        Type::Tuple(tuple) if tuple.name.as_ref().is_some_and(|n| !n.contains('.')) => {
            Type::tuple(tuple.elements.to_vec())
        }
        _ => ty,
    }
}
