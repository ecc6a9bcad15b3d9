//! The emitter: where nodes go, what names stand for, and the small steps that all families share.

use super::environment::{Bound, Environment, Frame};
use super::ssa::Decided;
use crate::error::problem;
use crate::{Outcome, Resolver, Sugared, script::Compiler};
use rushlight_ir::analysis::effect;
use rushlight_ir::passes::unsigned_zero;
use rushlight_ir::{Attr, BlockId, Graph, NodeId, NodeKind, Prim, Unit, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::stack::deep;
use rushlight_syntax::tree::Expr;
use rushlight_types::{OperatorTable, Type, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// A value passed by keyword (or position, with an empty name).
#[derive(Clone)]
pub struct Named {
    pub name: Arc<str>,
    pub value: Sugared,
    pub span: Span,
}

/// The arguments of a call, in order of evaluation.
#[derive(Clone, Default)]
pub struct Arguments {
    pub positional: Vec<(Sugared, Span)>,
    pub keywords: Vec<Named>,
    /// Set where the first positional argument is the object that a method was taken from.
    pub has_receiver: bool,
}

impl Arguments {
    /// Positional arguments of simple values, all at one place.
    pub fn of(values: &[ValueId], span: &Span) -> Arguments {
        Arguments {
            positional: values
                .iter()
                .map(|&v| (Sugared::Value(v), span.clone()))
                .collect(),
            keywords: Vec::new(),
            has_receiver: false,
        }
    }

    /// The same arguments with one more in front: `self`.
    pub fn with_self(&self, value: ValueId, span: &Span) -> Arguments {
        let mut out = self.clone();
        out.positional
            .insert(0, (Sugared::Value(value), span.clone()));
        out.has_receiver = true;
        out
    }
}

/// Nodes that print without a place in the source.
const UNPLACED: &[Prim] = &[
    Prim::TupleConstruct,
    Prim::TupleUnpack,
    Prim::TupleIndex,
    Prim::TupleSlice,
    Prim::ListConstruct,
    Prim::EmptyListLiteral,
    Prim::ListUnpack,
    Prim::DictConstruct,
    Prim::GetAttr,
    Prim::SetAttr,
    Prim::IsInstance,
    Prim::UncheckedCast,
    Prim::Uninitialized,
    Prim::Enter,
    Prim::Exit,
];

/// The function being emitted.
pub(crate) struct FunctionState {
    pub name: Arc<str>,
    /// The annotated return type, if there is one.
    pub declared_return: Option<Type>,
    /// The types returned so far, where they must be inferred.
    pub returned: Option<Type>,
    pub return_span: Option<Span>,
    /// What messages put behind the type of the first result.
    pub returned_mark: &'static str,
    /// The mark of what was returned last.
    pub last_returned_mark: &'static str,
    /// Set while the body of a class's `__init__` runs: attributes are declared by assignment.
    pub initialising: Option<Arc<rushlight_types::ClassType>>,
}

/// A number as it stands in a program: floats are the same where all their bits are, complex numbers where they are equal.
#[derive(PartialEq, Eq, Hash)]
enum Literal {
    Int(i64),
    Float(u64),
    Complex(u64, u64),
}

impl Literal {
    fn of(value: &Value) -> Option<Literal> {
        match value {
            Value::Int(value) => Some(Literal::Int(*value)),
            Value::Float(value) => Some(Literal::Float(value.to_bits())),
            Value::Complex(value) => {
                let [re, im] = [value.re, value.im].map(unsigned_zero);
                Some(Literal::Complex(re, im))
            }
            _ => None,
        }
    }
}

/// A graph under construction.
pub struct Emitter<'c> {
    pub compiler: &'c Compiler,
    pub graph: Graph,
    pub(crate) block: BlockId,
    pub(crate) env: Environment,
    pub(crate) resolver: Rc<dyn Resolver>,
    pub(crate) function: FunctionState,
    /// How many loops are around.
    pub(crate) loops: usize,
    /// Set once the current block has returned, broken or continued: what follows is dead.
    pub(crate) exited: bool,
    /// Whether the last exit was `break` or `continue`.
    pub(crate) left_loop: bool,
    pub(crate) depth: usize,
    /// Temporaries are numbered so that they never clash with names of the program.
    pub(crate) temporaries: usize,
    /// The number literals met so far, which share one constant each.
    literals: HashMap<Literal, ValueId>,
    /// Parameters taken for tensors because the source says nothing: messages about them say so.
    pub(crate) inferred: HashSet<ValueId>,
    /// Lists displayed as `[]` with nothing to say of what: they become the list that a call wants.
    pub(crate) empty_lists: Vec<ValueId>,
    /// The statement or value being emitted, as errors of functions compiled on its behalf report it.
    pub(crate) pending: Span,
    /// How many expressions around the current one are being evaluated once more; see [`Emitter::repeated`].
    repeating: usize,
    /// The types that variables have behind `If` nodes, where more than the branches decides.
    pub(crate) decided: Decided,
    /// How many bodies have been begun.
    pub(crate) bodies: usize,
    /// The first problem that was gone on after.
    pub(crate) failed: Option<crate::Problem>,
    /// Set while the body of a composed operator is emitted: its variables are no variables of the program.
    pub(crate) composing: bool,
}

impl<'c> Emitter<'c> {
    /// An emitter into an empty graph of a function.
    pub fn new(compiler: &'c Compiler, resolver: Rc<dyn Resolver>, name: Arc<str>) -> Emitter<'c> {
        let graph = Graph::new();
        Emitter {
            compiler,
            block: graph.top(),
            graph,
            env: Environment {
                frames: vec![Frame::default()],
            },
            resolver,
            function: FunctionState {
                name,
                declared_return: None,
                returned: None,
                return_span: None,
                returned_mark: "",
                last_returned_mark: "",
                initialising: None,
            },
            loops: 0,
            exited: false,
            left_loop: false,
            depth: 0,
            temporaries: 0,
            literals: HashMap::new(),
            inferred: HashSet::new(),
            empty_lists: Vec::new(),
            pending: Span::unknown(),
            repeating: 0,
            decided: Decided::new(),
            bodies: 0,
            failed: None,
            composing: false,
        }
    }

    /// The operator table.
    pub fn table(&self) -> &'static OperatorTable {
        self.compiler.table
    }

    /// Whether this is the `__init__` of a module, which only a check compiles.
    pub(crate) fn initialises_module(&self) -> bool {
        let class = self.function.initialising.as_ref();
        class.is_some_and(|class| class.is_module())
    }

    /// The unit that compiled functions and types go to.
    pub fn unit(&self) -> &'c Arc<Unit> {
        &self.compiler.unit
    }

    /// Gives a value the name of a variable. Names like `_` and `_3` are nobody's: printed code is full of them.
    pub fn name_value(&mut self, value: ValueId, name: &str) {
        if rushlight_ir::is_telling(name) {
            self.graph.set_name(value, name);
        }
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &Type {
        self.graph.ty(value)
    }

    /// What messages put behind the type of a value: ` (inferred)` for parameters without annotation.
    pub(crate) fn inferred_mark(&self, value: ValueId) -> &'static str {
        if self.inferred.contains(&value) {
            " (inferred)"
        } else {
            ""
        }
    }

    /// Whether a value is an empty list of which nothing is known.
    pub(crate) fn is_empty_list(&self, value: ValueId) -> bool {
        self.empty_lists.contains(&value)
    }

    /// Appends a node to the current block.
    pub fn node(
        &mut self,
        kind: impl Into<rushlight_ir::NodeKind>,
        inputs: &[ValueId],
        outputs: &[Type],
        span: &Span,
    ) -> NodeId {
        let node = self.graph.create(kind, inputs, outputs);
        if !matches!(self.graph.node(node).kind, NodeKind::Prim(prim) if UNPLACED.contains(&prim)) {
            self.graph.set_span(node, Some(span.clone()));
        }
        self.graph.append(self.block, node);
        node
    }

    /// The value again, its node without a place in the source.
    pub fn without_place(&mut self, value: ValueId) -> ValueId {
        let node = self.graph.value(value).node();
        self.graph.set_span(node, None);
        value
    }

    /// A number that the reference makes for every condition and every cast: lengths are compared with it.
    pub(crate) fn count_condition(&mut self) -> ValueId {
        self.unplaced_constant(0i64)
    }

    /// Runs `body` without giving out numbers to the values it makes.
    pub(crate) fn unnumbered<T>(&mut self, body: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.graph.pause_numbers(true);
        let result = body(self);
        self.graph.pause_numbers(before);
        result
    }

    /// Appends a node with one output and returns the output.
    pub fn value(
        &mut self,
        kind: impl Into<rushlight_ir::NodeKind>,
        inputs: &[ValueId],
        output: Type,
        span: &Span,
    ) -> ValueId {
        let node = self.node(kind, inputs, &[output], span);
        self.graph.node(node).outputs()[0]
    }

    /// Sets an attribute of a node.
    pub fn set_attr(&mut self, node: NodeId, name: &str, attr: Attr) {
        self.graph.set_attr(node, name, attr);
    }

    /// A constant with the type of its value.
    pub fn constant(&mut self, value: impl Into<Value>, span: &Span) -> ValueId {
        let value = value.into();
        let ty = value.type_of();
        self.typed_constant(value, ty, span)
    }

    /// A constant with a given type.
    pub fn typed_constant(&mut self, value: Value, ty: Type, span: &Span) -> ValueId {
        let node = self.graph.create_constant(value, ty);
        self.graph.set_span(node, Some(span.clone()));
        self.graph.append(self.block, node);
        self.graph.node(node).outputs()[0]
    }

    /// A number that stands in the program: one constant at the start of the graph for all equal ones.
    pub fn literal(&mut self, value: impl Into<Value>, span: &Span) -> ValueId {
        let value = value.into();
        if self.composing {
            return self.constant(value, span);
        }
        let literal = Literal::of(&value);
        if let Some(id) = literal.as_ref().and_then(|l| self.literals.get(l)) {
            return *id;
        }
        let ty = value.type_of();
        let node = self.graph.create_constant(value, ty);
        self.graph.set_span(node, Some(span.clone()));
        self.graph.prepend(self.graph.top(), node);
        let id = self.graph.node(node).outputs()[0];
        self.literals.extend(literal.map(|literal| (literal, id)));
        id
    }

    /// None.
    pub fn none(&mut self, span: &Span) -> ValueId {
        self.constant(Value::None, span)
    }

    /// Appends a node that stands for no place in the source and returns its output.
    pub(crate) fn unplaced(&mut self, prim: Prim, inputs: &[ValueId], output: Type) -> ValueId {
        let node = self.graph.create(prim, inputs, &[output]);
        self.graph.append(self.block, node);
        self.graph.node(node).outputs()[0]
    }

    /// A constant that stands for no place in the source.
    pub fn unplaced_constant(&mut self, value: impl Into<Value>) -> ValueId {
        let value = value.into();
        let ty = value.type_of();
        let node = self.graph.create_constant(value, ty);
        self.graph.append(self.block, node);
        self.graph.node(node).outputs()[0]
    }

    /// A tuple of values.
    pub fn tuple(&mut self, items: &[ValueId], _span: &Span) -> ValueId {
        let ty = Type::tuple(items.iter().map(|&v| self.ty(v).clone()).collect());
        self.unplaced(Prim::TupleConstruct, items, ty)
    }

    /// A list of values of one element type.
    pub fn list(&mut self, element: Type, items: &[ValueId], _span: &Span) -> ValueId {
        self.unplaced(Prim::ListConstruct, items, Type::list(element))
    }

    /// The elements of a tuple value.
    pub fn unpack_tuple(&mut self, value: ValueId, span: &Span) -> Vec<ValueId> {
        // A tuple that was never assigned to a variable is taken for its parts.
        let source = self.graph.value(value).node();
        if self.graph.node(source).is(Prim::TupleConstruct) {
            return self.graph.node(source).inputs().to_vec();
        }
        self.take_apart(value, span)
    }

    /// As [`Emitter::unpack_tuple`], by a node in any case.
    pub fn take_apart(&mut self, value: ValueId, span: &Span) -> Vec<ValueId> {
        let Type::Tuple(tuple) = self.ty(value).clone() else {
            return Vec::new();
        };
        let node = self.node(Prim::TupleUnpack, &[value], &tuple.elements, span);
        self.graph.node(node).outputs().to_vec()
    }

    /// `unchecked_cast` to a narrower type.
    pub fn cast(&mut self, value: ValueId, ty: Type, _span: &Span) -> ValueId {
        self.unplaced(Prim::UncheckedCast, &[value], ty)
    }

    /// A value of a type that is never looked at.
    pub fn uninitialized(&mut self, ty: Type, _span: &Span) -> ValueId {
        self.unplaced(Prim::Uninitialized, &[], ty)
    }

    /// Calls a built-in by name on simple values.
    pub fn builtin(&mut self, name: &str, arguments: &[ValueId], span: &Span) -> Outcome<ValueId> {
        self.builtin_with(name, &Arguments::of(arguments, span), span)
    }

    /// Calls a built-in by name; several results become a tuple.
    pub fn builtin_with(
        &mut self,
        name: &str,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<ValueId> {
        let result = crate::sugared::builtin::call(self, name, None, arguments, span)?;
        result.as_value(self, span)
    }

    /// Runs `body` with nodes going to another block, in a frame of its own, and returns the frame.
    pub(crate) fn in_block<T>(
        &mut self,
        block: BlockId,
        body: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<(T, Frame, bool)> {
        let outer = std::mem::replace(&mut self.block, block);
        let outer_exited = std::mem::replace(&mut self.exited, false);
        self.env.frames.push(Frame::default());
        let result = body(self);
        let frame = self.env.frames.pop().expect("pushed above");
        let exited = std::mem::replace(&mut self.exited, outer_exited);
        self.block = outer;
        Ok((result?, frame, exited))
    }

    /// Runs `body` with nodes going to another block. What it binds is gone behind it; why a name cannot be used stays.
    pub fn within<T>(
        &mut self,
        block: BlockId,
        body: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let (result, frame, _) = self.in_block(block, body)?;
        for (name, bound) in frame {
            let is_lost = matches!(
                bound,
                Bound::Unusable {
                    behind: Some(_),
                    ..
                }
            );
            if is_lost && self.env.find(&name).is_none() {
                self.env.bind(&name, bound);
            }
        }
        Ok(result)
    }

    /// A name no program can use.
    pub fn temporary(&mut self) -> Arc<str> {
        self.temporaries += 1;
        super::environment::temporary(self.temporaries)
    }

    /// Evaluates an expression whose value nobody reads, where the reference does so on its way to the value.
    pub(crate) fn repeated(&mut self, expr: &Expr) -> Outcome<()> {
        if !self.may_repeat() {
            return Ok(());
        }
        self.repeating += 1;
        let value = self.expression(expr, None);
        self.repeating -= 1;
        value.map(drop)
    }

    /// Evaluates what a condition calls a method of once more: the reference does so to see what is called. Where that would
    /// do something it does not, here: only its numbers are taken.
    pub(crate) fn looked_at(&mut self, expr: &Expr) -> Outcome<()> {
        let before = self.last_node();
        self.repeated(expr)?;
        self.leave_out_deeds(before);
        Ok(())
    }

    /// An expression that is evaluated once to see what it is, and once more for its value unless it `is_it`, as the reference
    /// does. What the first time would do is left out.
    pub(crate) fn looked_through(
        &mut self,
        expr: &Expr,
        is_it: impl FnOnce(&Self, &Sugared) -> bool,
    ) -> Outcome<Sugared> {
        let before = self.last_node();
        self.repeating += 1;
        let found = self.sugared(expr, None);
        self.repeating -= 1;
        let found = found?;
        if is_it(self, &found) || !self.may_repeat() {
            return Ok(found);
        }
        self.leave_out_deeds(before);
        self.sugared(expr, None)
    }

    /// Whether something may be evaluated once more. Nesting multiplies the work, so it stops inside many others, and in functions
    /// that are large already.
    fn may_repeat(&self) -> bool {
        const MOST: usize = 8;
        const MOST_NODES: usize = 20_000;
        self.repeating < MOST && self.graph.node_limit() <= MOST_NODES
    }

    /// The last node of the block that is emitted into.
    fn last_node(&self) -> Option<NodeId> {
        self.graph.prev(self.graph.return_node(self.block))
    }

    /// Takes away what was emitted since a node if any of it does something.
    fn leave_out_deeds(&mut self, before: Option<NodeId>) {
        let emitted = std::iter::successors(self.last_node(), |n| self.graph.prev(*n));
        let emitted: Vec<NodeId> = emitted.take_while(|n| Some(*n) != before).collect();
        let does = |n: &NodeId| effect::does_something(&self.graph, *n);
        if emitted.iter().any(does) {
            self.graph.remove_all(emitted);
        }
    }

    /// Emits something nested, within a depth that memory allows.
    pub(crate) fn nested<T>(
        &mut self,
        span: &Span,
        body: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        const MAX_DEPTH: usize = 8_000;
        // Some forms evaluate their parts more than once, so nesting them multiplies; no program needs this many.
        const MAX_NODES: usize = 400_000;
        if self.graph.node_limit() > MAX_NODES {
            return Err(problem(
                "too-large",
                "this function is too large to compile",
                span,
            ));
        }
        if self.depth >= MAX_DEPTH {
            return Err(problem(
                "too-deep",
                "this is nested too deeply to compile",
                span,
            ));
        }
        self.depth += 1;
        let result = deep(|| body(self));
        self.depth -= 1;
        result
    }
}

/// The candidate nearest to a name by edit distance, if one is near; of several, one that begins alike.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    // One letter is near to every other.
    let limit = match name.len() {
        0 | 1 => return None,
        longer => (longer / 3).clamp(1, 3),
    };
    let begins_alike = |c: &str| c.chars().next() == name.chars().next();
    candidates
        .map(|c| (distance(name, c, true), !begins_alike(c), c))
        .filter(|(d, ..)| *d <= limit)
        .min()
        .map(|(.., c)| c)
}

/// The candidates that are at most two letters away from a name, the nearest first.
pub(crate) fn all_near<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(usize, &str)> = candidates
        .map(|c| (distance(name, c, false), c))
        .filter(|(d, _)| *d <= 2)
        .collect();
    rushlight_tensor::order::sort(&mut near);
    near.dedup();
    near.into_iter().map(|(_, c)| c).collect()
}

/// How many letters are to be inserted, left out, replaced or, where that counts as one, exchanged with their neighbour.
fn distance(a: &str, b: &str, exchanges: bool) -> usize {
    if a.len().abs_diff(b.len()) > 3 {
        return usize::MAX;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let first: Vec<usize> = (0..=b.len()).collect();
    let (mut before, mut last) = (first.clone(), first);
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut cost = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if exchanges && i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(before[j - 2] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
