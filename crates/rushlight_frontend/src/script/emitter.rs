//! The emitter: where nodes go, what names stand for, and the small steps that all families share.

use super::environment::{Environment, Frame, Variable};
use super::joins::Step;
use super::recover;
use crate::error::problem;
use crate::script::BoundBy;
use crate::{Outcome, Resolver, Sugared, script::Compiler};
use rushlight_ir::{Attr, BlockId, Graph, NodeId, NodeKind, Prim, Unit, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::stack::deep;
use rushlight_syntax::tree::Expr;
use rushlight_types::{OperatorTable, Type, Value};
use std::collections::HashMap;
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

/// What a loop needs to know at `break` and `continue`.
#[derive(Clone)]
pub(crate) struct LoopScope {
    /// The variables that the loop carries, in order.
    pub carried: Vec<Arc<str>>,
    /// The condition of a `while`, evaluated again at `continue`; `None` for `for` loops.
    pub test: Option<Rc<Expr>>,
    /// The condition that the loop starts with, which is also the one to go on with for `for` loops.
    pub start: ValueId,
}

/// Nodes that print without a place in the source.
const UNPLACED: &[Prim] = &[
    Prim::TupleConstruct,
    Prim::TupleUnpack,
    Prim::TupleIndex,
    Prim::TupleSlice,
    Prim::ListConstruct,
    Prim::ListUnpack,
    Prim::DictConstruct,
    Prim::GetAttr,
    Prim::SetAttr,
    Prim::IsInstance,
    Prim::UncheckedCast,
    Prim::Upcast,
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
    /// Set while the body of a class's `__init__` runs: attributes are declared by assignment.
    pub initialising: Option<Arc<rushlight_types::ClassType>>,
}

/// A graph under construction.
pub struct Emitter<'c> {
    pub compiler: &'c Compiler,
    pub graph: Graph,
    pub(crate) block: BlockId,
    pub(crate) env: Environment,
    pub(crate) resolver: Rc<dyn Resolver>,
    pub(crate) function: FunctionState,
    pub(crate) loops: Vec<LoopScope>,
    /// Set once the current block has returned, broken or continued: what follows is dead.
    pub(crate) exited: bool,
    /// Whether the last exit was `break` or `continue`.
    pub(crate) left_loop: bool,
    pub(crate) depth: usize,
    /// Temporaries are numbered so that they never clash with names of the program.
    pub(crate) temporaries: usize,
    /// The number literals met so far, which share one constant each.
    literals: Vec<(Value, ValueId)>,
    /// Parameters taken for tensors because the source says nothing: messages about them say so.
    pub(crate) inferred: Vec<ValueId>,
    /// Lists displayed as `[]` with nothing to say of what: they become the list that a call wants.
    pub(crate) empty_lists: Vec<ValueId>,
    /// The statement or value being emitted, as errors of functions compiled on its behalf report it.
    pub(crate) pending: Span,
    /// The statements behind which variables could not be used any more.
    pub(crate) unusable: HashMap<Arc<str>, Span>,
    /// What the condition of a `while` makes, while it is emitted.
    pub(crate) reads: Option<Vec<Step>>,
    /// Set while a value goes to one of several targets, and so takes no name from it.
    pub(crate) assign_shared: bool,
    /// How many expressions around the current one are being evaluated once more; see [`Emitter::repeated`].
    repeating: usize,
    /// The `continue` statements of the innermost `while` loop so far, with the conditions that they repeat.
    pub(crate) continued: Vec<(NodeId, Vec<Step>)>,
    /// How the values that join control flow are numbered once the body is there.
    pub(crate) joins: super::joins::Joins,
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
                initialising: None,
            },
            loops: Vec::new(),
            exited: false,
            left_loop: false,
            depth: 0,
            temporaries: 0,
            literals: Vec::new(),
            inferred: Vec::new(),
            empty_lists: Vec::new(),
            pending: Span::unknown(),
            unusable: HashMap::new(),
            reads: None,
            assign_shared: false,
            repeating: 0,
            continued: Vec::new(),
            joins: Default::default(),
            bodies: 0,
            failed: None,
            composing: false,
        }
    }

    /// The operator table.
    pub fn table(&self) -> &'static OperatorTable {
        self.compiler.table
    }

    /// The unit that compiled functions and types go to.
    pub fn unit(&self) -> &'c Arc<Unit> {
        &self.compiler.unit
    }

    /// Gives a value the name of a variable. Names like `_` and `_3` are nobody's: printed code is full of them.
    pub fn name_value(&mut self, value: ValueId, name: &str) {
        if is_telling(name) {
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
        self.note_made(node);
        node
    }

    /// Adds an output to a node that stands in the graph already.
    pub(crate) fn result(&mut self, node: NodeId, ty: Type) -> ValueId {
        let value = self.graph.add_output(node, ty, None);
        if let Some(steps) = &mut self.reads {
            steps.push(Step::Made(value));
        }
        value
    }

    fn note_made(&mut self, node: NodeId) {
        if let Some(steps) = &mut self.reads {
            let outputs = self.graph.node(node).outputs();
            steps.extend(outputs.iter().map(|v| Step::Made(*v)));
        }
    }

    /// The value again, its node without a place in the source.
    pub fn without_place(&mut self, value: ValueId) -> ValueId {
        let node = self.graph.value(value).node();
        self.graph.set_span(node, None);
        value
    }

    /// Counts the read of a variable: the reference makes a value of it.
    pub(crate) fn count_read(&mut self, name: &str) {
        if self.composing {
            return;
        }
        let passed = self
            .graph
            .pass_over(Some(name).filter(|n| !n.starts_with('$') && is_telling(n)));
        if let Some(reads) = &mut self.reads {
            reads.push(Step::Read(passed));
        }
    }

    /// A number that the reference makes for every condition and every cast, and that nobody needs.
    pub(crate) fn count_condition(&mut self) {
        let zero = self.constant(0i64, &Span::unknown());
        self.without_place(zero);
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
        self.note_made(node);
        self.graph.node(node).outputs()[0]
    }

    /// A number that stands in the program: one constant at the start of the graph for all equal ones.
    pub fn literal(&mut self, value: impl Into<Value>, span: &Span) -> ValueId {
        let value = value.into();
        if self.composing {
            return self.constant(value, span);
        }
        let same = |known: &Value| match (known, &value) {
            (Value::Complex(a), Value::Complex(b)) => {
                (a.re.to_bits(), a.im.to_bits()) == (b.re.to_bits(), b.im.to_bits())
            }
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Int(a), Value::Int(b)) => a == b,
            _ => false,
        };
        if let Some((_, id)) = self.literals.iter().find(|(known, _)| same(known)) {
            return *id;
        }
        let ty = value.type_of();
        let node = self.graph.create_constant(value.clone(), ty);
        self.graph.set_span(node, Some(span.clone()));
        self.graph.prepend(self.graph.top(), node);
        let id = self.graph.node(node).outputs()[0];
        self.literals.push((value, id));
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
        self.note_made(node);
        self.graph.node(node).outputs()[0]
    }

    /// A constant that stands for no place in the source.
    pub fn unplaced_constant(&mut self, value: impl Into<Value>) -> ValueId {
        let value = value.into();
        let ty = value.type_of();
        let node = self.graph.create_constant(value, ty);
        self.graph.append(self.block, node);
        self.note_made(node);
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
        let Type::Tuple(tuple) = self.ty(value).clone() else {
            return Vec::new();
        };
        // A tuple that was never assigned to a variable is taken for its parts.
        let source = self.graph.value(value).node();
        if self.graph.node(source).is(Prim::TupleConstruct)
            && self.graph.value(value).name.is_none()
        {
            return self.graph.node(source).inputs().to_vec();
        }
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

    /// Runs `body` with nodes going to another block.
    pub fn within<T>(
        &mut self,
        block: BlockId,
        body: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        self.in_block(block, body).map(|(result, _, _)| result)
    }

    /// The value of a variable or of a name outside.
    pub fn name(&mut self, name: &str, span: &Span) -> Outcome<Sugared> {
        match self.name_opt(name, span)? {
            Some(value) => Ok(value),
            None => Err(self.undefined(name, span)),
        }
    }

    /// As [`Emitter::name`]; `None` for names that are not defined at all.
    pub fn name_opt(&mut self, name: &str, span: &Span) -> Outcome<Option<Sugared>> {
        if let Some(variable) = self.env.find(name) {
            return match &variable.value {
                Ok(value) => {
                    let value = value.clone();
                    if matches!(value, Sugared::Value(_)) {
                        self.count_read(name);
                    }
                    Ok(Some(value))
                }
                Err(why) if recover::is_lost(why) => Err(recover::follows(span)),
                Err(why) => Err(match self.unusable.get(name) {
                    Some(at) => Box::new(
                        problem("undefined-name", format!("\n{why}"), at)
                            .note("and was used here", Some(span)),
                    ),
                    None => problem("undefined-name", why.to_string(), span),
                }),
            };
        }
        if let Some(value) = crate::sugared::globals::language_name(name) {
            // A definition of the program wins over the language's own name.
            let resolver = self.resolver.clone();
            return Ok(Some(resolver.lookup(self, name, span)?.unwrap_or(value)));
        }
        let resolver = self.resolver.clone();
        if let Some(found) = resolver.lookup(self, name, span)? {
            return Ok(Some(found));
        }
        if let Some(missing) = crate::sugared::globals::missing(name, span) {
            return Err(missing);
        }
        resolver.host_name(self, name, span)
    }

    fn undefined(&self, name: &str, span: &Span) -> crate::Problem {
        // A function that its own decorator compiles has no name outside yet.
        let own = self.compiler.unit.function(&self.function.name);
        if let Some(own) = own.filter(|own| own.class.is_none() && own.basename() == name) {
            return problem("recursion", super::compiler::recursion(&own), span);
        }
        let mut diagnostic = problem("undefined-name", format!("undefined value {name}"), span);
        let names = self.env.names();
        if let Some(near) = nearest(name, names.iter().map(|n| &**n)) {
            diagnostic.hint = Some(format!("a variable with a similar name exists: `{near}`"));
        }
        diagnostic
    }

    /// Assigns a variable, checking the type that it had before.
    pub fn assign(
        &mut self,
        name: &str,
        value: Sugared,
        annotation: Option<Type>,
        span: &Span,
    ) -> Outcome<()> {
        let mut declared = annotation;
        let mut value = value;
        if declared.is_some() && self.env.find_outside(name).is_some() {
            return Err(problem(
                "assignment-type",
                format!(
                    "Attempting to declare and annotate the type of variable '{name}' but it is already defined in an outer block"
                ),
                span,
            ));
        }
        if let Sugared::Value(id) = value {
            // A variable has its type: only `[]` itself takes any.
            self.empty_lists.retain(|list| *list != id);
            let ty = self.ty(id).clone();
            let mut named = false;
            if let Some(wanted) = &declared {
                let converted = super::convert::implicitly(self, id, wanted, false, span);
                let mark = self.inferred_mark(id);
                if !self.ty(converted).is_subtype_of(wanted) {
                    return Err(problem(
                        "assignment-type",
                        format!(
                            "Variable '{name}' is annotated with type {} but is being assigned to a value of type {}{mark}",
                            wanted.message_form(),
                            ty.message_form()
                        ),
                        span,
                    ));
                }
                value = Sugared::Value(self.widen(converted, wanted, span));
            }
            if let Some(before) = self.env.find_outside(name).and_then(|v| self.held_type(v)) {
                if matches!(&before, Type::Class(class) if class.is_module()) {
                    return Err(problem(
                        "assignment-kind",
                        format!(
                            "Cannot re-assign '{name}' because it has type value of type '{}' and {name} is not a first-class value.  Only reassignments to first-class values are allowed",
                            self.ty(id).message_form()
                        ),
                        span,
                    ));
                }
                // A tensor assigned to a number's variable becomes a number; the name stays with the tensor.
                if !self.ty(id).is_subtype_of(&before) {
                    self.name_assigned(id, name);
                    named = true;
                }
                let converted = super::convert::implicitly(self, id, &before, true, span);
                if !self.ty(converted).is_subtype_of(&before) {
                    return Err(self.retyped(name, &before, id, span));
                }
                value = Sugared::Value(converted);
                declared.get_or_insert(self.ty(converted).clone());
            }
            declared.get_or_insert(ty);
            if let (Sugared::Value(id), false) = (&value, named) {
                self.name_assigned(*id, name);
            }
        } else if let Some(outer) = self.env.find_outside(name)
            && (outer.declared.is_some() || outer.value.is_ok() && self.env.frames.len() > 1)
        {
            // Only simple values can be merged at the end of a block.
            if let Ok(id) = value.as_value(self, span) {
                return self.assign(name, Sugared::Value(id), declared, span);
            }
            return Err(problem(
                "assignment-kind",
                format!(
                    "Cannot re-assign '{name}' to a value of type {} because {name} is not a first-class value.  Only reassignments to first-class values are allowed",
                    value.describe(self)
                ),
                span,
            ));
        }
        self.env.bind(
            name,
            Variable {
                value: Ok(value),
                declared,
                by: BoundBy::Assigned,
            },
        );
        Ok(())
    }

    /// The type that a variable has where it is bound: what assignments in inner blocks must fit.
    pub(crate) fn held_type(&self, variable: &Variable) -> Option<Type> {
        match (&variable.declared, &variable.value) {
            (Some(declared), _) => Some(declared.clone()),
            (None, Ok(Sugared::Value(value))) => Some(self.ty(*value).clone()),
            (None, _) => None,
        }
    }

    /// A value made in this block takes the name of the first variable that it is assigned to.
    fn name_assigned(&mut self, value: ValueId, name: &str) {
        let source = self.graph.value(value).node();
        if self.graph.value(value).name.is_none()
            && self.graph.node(source).block() == Some(self.block)
            && !name.starts_with('$')
            && !self.assign_shared
            && !self.joins.is_variable(value)
        {
            self.name_value(value, name);
        }
        self.count_outer(name);
    }

    /// Assigning a variable of an outer block reads it, to compare the types.
    pub(crate) fn count_outer(&mut self, name: &str) {
        if let Some(Variable {
            value: Ok(Sugared::Value(_)),
            ..
        }) = self.env.find_outside(name)
        {
            self.count_read(name);
        }
    }

    /// The value with the type that an annotation gives it.
    pub(crate) fn widen(&mut self, value: ValueId, wanted: &Type, span: &Span) -> ValueId {
        let is_wider = matches!(
            wanted,
            Type::Optional(_) | Type::Union(_) | Type::Any | Type::Tuple(_)
        );
        if !is_wider || self.ty(value) == wanted {
            return value;
        }
        self.unnumbered(|e| match e.graph.constant(value) {
            Some(known) => {
                let wide = e.typed_constant(known, wanted.clone(), span);
                e.graph.hand_over_name(value, wide);
                let place = e.graph.node(e.graph.value(value).node()).span.clone();
                e.graph.set_span(e.graph.value(wide).node(), place);
                wide
            }
            None => e.unplaced(Prim::Upcast, &[value], wanted.clone()),
        })
    }

    fn retyped(&self, name: &str, before: &Type, value: ValueId, span: &Span) -> crate::Problem {
        let now = self.ty(value);
        let mark = self.inferred_mark(value);
        let mut message = format!(
            "Variable '{name}' previously had type {before} but is now being assigned to a value of type {now}{mark}\n"
        );
        if let (Type::List(_), Type::List(_)) = (before, now)
            && *before == Type::list(Type::TENSOR)
        {
            message.truncate(message.trim_end().len());
            message.push_str(
                    ".\nEmpty lists default to List[Tensor]. Add a variable annotation to the assignment to create an empty list of another type (torch.jit.annotate(List[T, []]) where T is the type of elements in the list for Python 2)",
                );
        }
        problem("assignment-type", message, span)
    }

    /// A name no program can use.
    pub fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("${}", self.temporaries)
    }

    /// Evaluates an expression whose value nobody reads, where the reference does so on its way to the value. Inside
    /// others it stops, so that nesting does not multiply the work.
    pub(crate) fn repeated(&mut self, expr: &Expr) -> Outcome<()> {
        const MOST: usize = 1;
        if self.repeating == MOST {
            return Ok(());
        }
        self.repeating += 1;
        let value = self.expression(expr, None);
        self.repeating -= 1;
        value.map(drop)
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

/// The candidate nearest to a name by edit distance, if one is near.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (name.len() / 3).clamp(1, 3);
    candidates
        .filter(|c| !c.starts_with('$'))
        .map(|c| (distance(name, c), c))
        .filter(|(d, _)| *d <= limit)
        .min()
        .map(|(_, c)| c)
}

fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 3 {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + (x != *y) as usize;
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Whether a name says anything: an underscore with at most digits behind does not.
pub(crate) fn is_telling(name: &str) -> bool {
    let digits = name.strip_prefix('_');
    digits.is_none_or(|rest| !rest.bytes().all(|b| b.is_ascii_digit()))
}
