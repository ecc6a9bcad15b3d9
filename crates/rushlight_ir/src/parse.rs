//! Graphs from text, in the form in which they print.
//!
//! What a node calls is found by name and by the types of its inputs and outputs, since the text leaves overload names
//! out. Positions (`# file:line:column`) are passed over. Values that text does not hold (`<Tensor>`, objects) are
//! errors.

mod literal;
mod resolve;

pub(crate) use resolve::overload;

use crate::{Attr, BlockId, Graph, NodeId, NodeKind, Prim, ValueId, verify};
use rushlight_syntax::schema::{found_token, marked_text, parse_type_prefix};
use rushlight_types::{
    Callable, FunctionType, Operator, OperatorTable, Symbol, Type, TypeLookup, Value,
};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Blocks and literals nest at most this deep.
const MAX_DEPTH: usize = 200;

/// Why a text is no graph, and the line where that shows.
#[derive(Clone, Debug, PartialEq)]
pub struct ParseError {
    /// Counted from one.
    pub line: usize,
    pub message: String,
    /// The byte of the text.
    pub at: usize,
}

impl ParseError {
    /// The error as the reference words it, with the place in the text marked.
    pub fn marked(&self, text: &str) -> String {
        let mut out = match self.message.starts_with("expected ") {
            true => format!("{}:\n", self.message),
            false => format!("\n{}:\n", self.message),
        };
        out.push_str(&marked_text(text, self.at, 1));
        out
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

/// What names in the text stand for.
pub struct Lookup<'a> {
    pub table: &'a OperatorTable,
    /// Classes, enums, interfaces and NamedTuples by qualified name.
    pub types: TypeLookup<'a>,
    /// Functions by the name that constants show.
    pub functions: &'a dyn Fn(&str) -> Option<Arc<dyn Callable>>,
    /// Whether zeros may stand for the elements that `<Tensor>` leaves out.
    pub makes_tensors: bool,
}

impl<'a> Lookup<'a> {
    /// Operators only.
    pub fn operators(table: &'a OperatorTable) -> Lookup<'a> {
        Lookup {
            table,
            types: &|_| None,
            functions: &|_| None,
            makes_tensors: false,
        }
    }
}

impl Graph {
    /// Finds the operators of nodes that were made by name only, where inputs and outputs tell.
    pub fn resolve_operators(&mut self, table: &OperatorTable) {
        for id in self.all_nodes() {
            if let (NodeKind::Unknown(_), Some(operator)) =
                (self.node(id).kind, self.operator_of(id, table))
            {
                self.set_kind(id, operator);
            }
        }
    }

    /// The operator that a node calls: where it was made by name only, the one that fits its inputs and outputs.
    pub fn operator_of(&self, id: NodeId, table: &OperatorTable) -> Option<&'static Operator> {
        let node = self.node(id);
        let NodeKind::Unknown(name) = node.kind else {
            return node.operator();
        };
        let types = |values: &[ValueId]| -> Vec<Type> {
            values.iter().map(|v| self.ty(*v).clone()).collect()
        };
        let (inputs, outputs) = (types(node.inputs()), types(node.outputs()));
        resolve::overload(table.overloads(name.as_str()), &inputs, &outputs)
    }

    /// Reads a graph from its printed form, and checks it.
    pub fn parse(text: &str, lookup: &Lookup<'_>) -> Result<Graph> {
        Graph::parse_with(text, lookup, false)
    }

    /// As [`Graph::parse`], but values without a type are tensors, calls that no operator takes are nodes of a kind that
    /// nobody knows, a name may be given again, graphs and blocks may be called anything, calls without results need no
    /// `=`, and what follows the graph does not matter.
    pub fn parse_loosely(text: &str, lookup: &Lookup<'_>) -> Result<Graph> {
        Graph::parse_with(text, lookup, true)
    }

    fn parse_with(text: &str, lookup: &Lookup<'_>, is_loose: bool) -> Result<Graph> {
        let mut parser = Parser {
            text,
            at: 0,
            lookup,
            is_loose,
        };
        let graph = parser.graph()?;
        parser.space();
        if parser.at < text.len() && !is_loose {
            return Err(parser.error("nothing may follow the graph"));
        }
        verify::verify(&graph).map_err(|message| parser.error(message))?;
        Ok(graph)
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    lookup: &'t Lookup<'t>,
    is_loose: bool,
}

/// One graph while it is read.
struct Scope<'t> {
    graph: Graph,
    values: HashMap<&'t str, ValueId>,
    /// Nodes whose graph comes after this one, by printed kind.
    waiting: Vec<(&'t str, NodeId)>,
}

impl<'t> Parser<'t> {
    fn error(&self, message: impl Into<String>) -> ParseError {
        let before = &self.text.as_bytes()[..self.at.min(self.text.len())];
        ParseError {
            line: 1 + before.iter().filter(|b| **b == b'\n').count(),
            message: message.into(),
            at: self.at,
        }
    }

    /// What stands here instead of what was expected.
    fn unexpected(&mut self, wanted: &str) -> ParseError {
        self.space();
        let (found, _) = found_token(self.rest());
        self.error(format!("expected {wanted} but found '{found}' here"))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Passes over white space and comments.
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn sees(&mut self, token: &str) -> bool {
        self.space();
        self.rest().starts_with(token)
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.sees(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            return Ok(());
        }
        Err(self.unexpected(token))
    }

    /// The longest run of characters that `fits`; never empty.
    fn word(&mut self, what: &str, fits: impl Fn(char) -> bool) -> Result<&'t str> {
        self.space();
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.unexpected(what));
        }
        self.at += end;
        Ok(&rest[..end])
    }

    fn value_name(&mut self) -> Result<&'t str> {
        self.expect("%")?;
        self.word("ident", |c| c.is_alphanumeric() || c == '_' || c == '.')
    }

    /// Items between `open` and `close`, separated by commas.
    fn items<T>(
        &mut self,
        open: &str,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.expect(open)?;
        let mut out = Vec::new();
        while !self.eat(close) {
            if !out.is_empty() {
                if !self.eat(",") {
                    return Err(self.unexpected(close));
                }
                if self.eat(close) {
                    break;
                }
            }
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// A type; `None` for `Function`, which only the constant itself tells.
    fn ty(&mut self) -> Result<Option<Type>> {
        self.space();
        let rest = self.rest();
        let ends_word = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if rest.strip_prefix("Function").is_some_and(ends_word) {
            self.at += "Function".len();
            return Ok(None);
        }
        let (syntax, length) =
            parse_type_prefix(rest).map_err(|e| self.error(format!("no type: {e}")))?;
        let ty =
            Type::from_syntax(&syntax, self.lookup.types).map_err(|message| self.error(message))?;
        self.at += length;
        Ok(Some(ty))
    }

    /// `%x.1 : int`; without a type it is a tensor.
    fn typed_value(&mut self) -> Result<(&'t str, Option<Type>)> {
        let name = self.value_name()?;
        let next = self.rest().trim_start();
        if next.starts_with([',', ')', '=']) || self.is_loose && !self.sees(":") {
            return Ok((name, Some(Type::TENSOR)));
        }
        self.expect(":")?;
        Ok((name, self.ty()?))
    }

    fn graph(&mut self) -> Result<Graph> {
        let mut scope = Scope {
            graph: Graph::new(),
            values: HashMap::new(),
            waiting: Vec::new(),
        };
        match self.is_loose {
            true => self.word("ident", is_of_name).map(drop)?,
            false => self.expect("graph")?,
        }
        let top = scope.graph.top();
        self.params(&mut scope, top)?;
        self.nodes(&mut scope, top, 0)?;
        self.expect("return")?;
        let results = self.uses(&scope)?;
        scope.graph.set_returns(top, &results);
        self.subgraphs(&mut scope)?;
        Ok(scope.graph)
    }

    fn params(&mut self, scope: &mut Scope<'t>, block: BlockId) -> Result<()> {
        let params = self.items("(", ")", Self::typed_value)?;
        self.expect(":")?;
        for (name, ty) in params {
            let ty = ty.ok_or_else(|| self.error("a parameter of type Function"))?;
            let value = scope.graph.add_param(block, ty, plain_name(name));
            self.define(scope, name, value)?;
        }
        Ok(())
    }

    fn define(&self, scope: &mut Scope<'t>, name: &'t str, value: ValueId) -> Result<()> {
        match scope.values.insert(name, value) {
            None => Ok(()),
            Some(_) if self.is_loose => Ok(()),
            Some(_) => Err(self.error(format!("%{name} is defined twice"))),
        }
    }

    /// `(%a, %b)`.
    fn uses(&mut self, scope: &Scope<'t>) -> Result<Vec<ValueId>> {
        self.items("(", ")", |p| {
            let name = p.value_name()?;
            let known = scope.values.get(name).copied();
            known.ok_or_else(|| {
                p.at -= name.len() + 1;
                p.error(format!("Cannot find a variable with name '{name}'"))
            })
        })
    }

    /// Nodes up to the results of the block.
    fn nodes(&mut self, scope: &mut Scope<'t>, block: BlockId, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(self.error("blocks are nested too deeply"));
        }
        while self.sees("%") || self.sees("=") || self.sees_call() {
            self.node(scope, block, depth)?;
        }
        Ok(())
    }

    /// Whether a call without results stands here.
    fn sees_call(&self) -> bool {
        let called = self.rest().trim_start_matches(is_of_name);
        self.is_loose && called.starts_with("::")
    }

    /// Passes over the name of the next block of a node.
    fn eat_block(&mut self, index: usize) -> bool {
        if !self.is_loose {
            return self.eat(&format!("block{index}"));
        }
        self.space();
        let rest = self.rest();
        let behind = rest.trim_start_matches(is_of_name);
        let name = &rest[..rest.len() - behind.len()];
        let is_block = !matches!(name, "" | "return") && behind.trim_start().starts_with('(');
        if is_block {
            self.at += name.len();
        }
        is_block
    }

    fn node(&mut self, scope: &mut Scope<'t>, block: BlockId, depth: usize) -> Result<()> {
        let mut outputs = Vec::new();
        while !self.sees_call() && !self.eat("=") {
            if !outputs.is_empty() {
                self.expect(",")?;
            }
            outputs.push(self.typed_value()?);
        }
        let kind = self.word("ident", |c| c.is_alphanumeric() || c == '_' || c == ':')?;
        let constant = outputs.first().and_then(|(_, ty)| ty.clone());
        let attrs = if self.sees("[") {
            let is_constant = kind == Prim::Constant.name();
            self.items("[", "]", |p| p.attribute(is_constant, constant.as_ref()))?
        } else {
            Vec::new()
        };
        let inputs = self.uses(scope)?;
        let function = self.function(&attrs);
        let types = outputs.iter().map(|(_, ty)| {
            let ty = ty.clone().or_else(|| function.clone());
            ty.ok_or_else(|| self.error("only function constants have the type Function"))
        });
        let types = types.collect::<Result<Vec<Type>>>()?;
        let (resolved, waits) = self.kind(scope, kind, &inputs, &types)?;
        let resolved = resolve::told_apart(self.lookup.table, resolved, &attrs);
        let node = scope.graph.create(resolved, &inputs, &types);
        scope.graph.append(block, node);
        for (name, attr) in attrs {
            scope.graph.set_attr(node, name, attr);
        }
        if waits {
            scope.waiting.push((kind, node));
        }
        if self.eat(", scope:") {
            let line = self.rest().lines().next().unwrap_or_default();
            let text = line.split(" #").next().unwrap_or_default();
            self.at += text.len();
            scope.graph.set_scope(node, Some(text.trim().into()));
        }
        for i in 0.. {
            if !self.eat_block(i) {
                break;
            }
            let inner = scope.graph.add_block(node);
            self.params(scope, inner)?;
            self.nodes(scope, inner, depth + 1)?;
            self.expect("->")?;
            let results = self.uses(scope)?;
            scope.graph.set_returns(inner, &results);
        }
        for (i, (name, _)) in outputs.into_iter().enumerate() {
            let value = scope.graph.node(node).outputs()[i];
            // Who has been given a name first keeps it.
            if let Some(plain) = plain_name(name)
                && !scope.values.contains_key(name)
            {
                scope.graph.set_name(value, plain);
            }
            self.define(scope, name, value)?;
        }
        Ok(())
    }

    /// The type of a function constant.
    fn function(&self, attrs: &[(&str, Attr)]) -> Option<Type> {
        let callee = attrs.iter().find_map(|(_, attr)| match attr {
            Attr::Value(Value::Function(f)) => Some((**f).clone()),
            _ => None,
        })?;
        let name = callee.name().rsplit('.').next().unwrap_or_default();
        Some(Type::Function(Arc::new(FunctionType {
            name: name.into(),
            schema: callee.schema(),
            callee,
        })))
    }

    /// What the node does, and whether its graph comes later.
    fn kind(
        &self,
        scope: &Scope<'t>,
        name: &'t str,
        inputs: &[ValueId],
        outputs: &[Type],
    ) -> Result<(NodeKind, bool)> {
        if let Some(prim) = Prim::from_name(name) {
            return Ok((prim.into(), false));
        }
        let types: Vec<Type> = inputs.iter().map(|v| scope.graph.ty(*v).clone()).collect();
        let overloads = self.lookup.table.overloads(name);
        if let Some(op) = resolve::overload(overloads, &types, outputs) {
            return Ok((op.into(), false));
        }
        let numbered = name
            .rsplit_once('_')
            .filter(|(_, n)| n.parse::<u32>().is_ok());
        if let Some(prim) = numbered.and_then(|(name, _)| Prim::from_name(name)) {
            return Ok((prim.into(), true));
        }
        if self.is_loose {
            return Ok((NodeKind::Unknown(Symbol::new(name)), false));
        }
        let shown: Vec<String> = types.iter().map(|t| t.graph_form().to_string()).collect();
        Err(self.error(match overloads.is_empty() {
            true => format!("there is no operator {name}"),
            false => format!("no overload of {name} takes ({})", shown.join(", ")),
        }))
    }

    /// `with prim::fork_0 = graph(...)`.
    fn subgraphs(&mut self, scope: &mut Scope<'t>) -> Result<()> {
        // Each of them is only as deep as the graphs around it: they follow one another, the innermost last.
        while !scope.waiting.is_empty() {
            self.expect("with")?;
            let kind = self.word("ident", |c| c.is_alphanumeric() || c == '_' || c == ':')?;
            let Some(at) = scope.waiting.iter().position(|(name, _)| *name == kind) else {
                return Err(self.error(format!("no node {kind} waits for a graph")));
            };
            self.expect("=")?;
            let (_, node) = scope.waiting.remove(at);
            let graph = self.graph()?;
            scope
                .graph
                .set_attr(node, "Subgraph", Attr::Graph(Arc::new(graph)));
        }
        Ok(())
    }
}

/// Whether a character may stand in a name.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The name that the program gave a value: `x` for `%x.1`, none for `%12`.
fn plain_name(name: &str) -> Option<&str> {
    let numeric = name.bytes().all(|b| b.is_ascii_digit());
    (!numeric && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loosely_read_graphs_may_be_written_in_many_ways() {
        let table = OperatorTable::new(&[]);
        let read = |text: &str| Graph::parse_loosely(text, &Lookup::operators(&table));
        let graph = read(
            "graf(%x : int):\n  a::b(%x)\n    one():\n      c::d(%x)\n      -> (%x)\n    two(%y):\n      -> (%y)\n  %x = a::c(%x)\n  return (%x)\nfoo",
        )
        .unwrap();
        let nodes = graph.nodes(graph.top());
        let blocks: Vec<usize> = nodes
            .iter()
            .map(|n| graph.node(*n).blocks().len())
            .collect();
        assert_eq!(blocks, [2, 0]);
        // Who is called `x` first goes on with the name.
        let name = |value: ValueId| graph.value(value).name.as_deref().map(str::to_string);
        assert_eq!(name(graph.params(graph.top())[0]), Some("x".to_string()));
        assert_eq!(name(graph.returns(graph.top())[0]), None);
        let strict = Graph::parse("graf():\n  return ()\n", &Lookup::operators(&table));
        assert!(strict.is_err());
    }
}
