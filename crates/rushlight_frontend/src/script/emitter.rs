//! The emitter: where nodes go, what names stand for, and the small steps that all families share.

use super::environment::{Bound, Environment, Frame, Variable};
use super::recover;
use super::ssa::Decided;
use crate::error::problem;
use crate::{Outcome, Resolver, Sugared, script::Compiler};
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
    literals: Vec<(Value, ValueId)>,
    /// Parameters taken for tensors because the source says nothing: messages about them say so.
    pub(crate) inferred: HashSet<ValueId>,
    /// Lists displayed as `[]` with nothing to say of what: they become the list that a call wants.
    pub(crate) empty_lists: Vec<ValueId>,
    /// The statement or value being emitted, as errors of functions compiled on its behalf report it.
    pub(crate) pending: Span,
    /// The statements behind which variables could not be used any more.
    pub(crate) unusable: HashMap<Arc<str>, Span>,
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
                initialising: None,
            },
            loops: 0,
            exited: false,
            left_loop: false,
            depth: 0,
            temporaries: 0,
            literals: Vec::new(),
            inferred: HashSet::new(),
            empty_lists: Vec::new(),
            pending: Span::unknown(),
            unusable: HashMap::new(),
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

    /// Reads a variable.
    pub(crate) fn load(&mut self, name: &str, variable: &Variable) -> ValueId {
        let value = self.unplaced(Prim::Load, &[], variable.ty.clone());
        let node = self.graph.value(value).node();
        self.graph
            .set_attr(node, "name", Attr::Str(variable.slot.clone()));
        if !name.starts_with('$') {
            self.name_value(value, name);
        }
        if variable.inferred {
            self.inferred.insert(value);
        }
        value
    }

    /// Assigns a variable and binds its name.
    pub(crate) fn store(&mut self, name: &str, value: ValueId, variable: Variable) {
        self.write(value, &variable);
        self.env.bind(name, Bound::Variable(variable));
    }

    /// Assigns a variable, whatever its name stands for here.
    pub(crate) fn write(&mut self, value: ValueId, variable: &Variable) {
        let node = self.graph.create(Prim::Store, &[value], &[]);
        self.graph
            .set_attr(node, "name", Attr::Str(variable.slot.clone()));
        if *self.ty(value) != variable.ty {
            let declared = Attr::Type(variable.ty.clone());
            self.graph.set_attr(node, "type", declared);
        }
        self.graph.append(self.block, node);
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
        let Type::Tuple(tuple) = self.ty(value).clone() else {
            return Vec::new();
        };
        // A tuple that was never assigned to a variable is taken for its parts.
        let source = self.graph.value(value).node();
        if self.graph.node(source).is(Prim::TupleConstruct) {
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
        match self.env.find(name).cloned() {
            Some(Bound::Variable(variable)) => {
                return Ok(Some(Sugared::Value(self.load(name, &variable))));
            }
            Some(Bound::Fixed(value)) => return Ok(Some(value)),
            Some(Bound::Unusable { why, .. }) if recover::is_lost(&why) => {
                return Err(recover::follows(span));
            }
            Some(Bound::Unusable { why, .. }) => {
                return Err(match self.unusable.get(name) {
                    Some(at) => Box::new(
                        problem("undefined-name", format!("\n{why}"), at)
                            .note("and was used here", Some(span)),
                    ),
                    None => problem("undefined-name", why.to_string(), span),
                });
            }
            None => {}
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
        let outer = self.env.find_outside(name).cloned();
        if annotation.is_some() && outer.is_some() {
            return Err(problem(
                "assignment-type",
                format!(
                    "Attempting to declare and annotate the type of variable '{name}' but it is already defined in an outer block"
                ),
                span,
            ));
        }
        // What is known while compiling is a value like any other once a variable holds it.
        let value = match value.static_bool() {
            Some(_) => Sugared::Value(value.as_value(self, span)?),
            None => value,
        };
        let Sugared::Value(mut id) = value else {
            return self.assign_special(name, value, annotation, outer.as_ref(), span);
        };
        // A variable has its type: only `[]` itself takes any.
        self.empty_lists.retain(|list| *list != id);
        let given = self.ty(id).clone();
        if let Some(wanted) = &annotation {
            let converted = super::convert::implicitly(self, id, wanted, false, span);
            if !self.ty(converted).is_subtype_of(wanted) {
                let mark = self.inferred_mark(id);
                return Err(problem(
                    "assignment-type",
                    format!(
                        "Variable '{name}' is annotated with type {} but is being assigned to a value of type {}{mark}",
                        wanted.message_form(),
                        given.message_form()
                    ),
                    span,
                ));
            }
            id = converted;
        }
        // A tensor assigned to a number's variable becomes a number; the name stays with the tensor.
        self.name_assigned(id, name);
        let mut ty = annotation.unwrap_or(given);
        if let Some(before) = outer.as_ref().and_then(Bound::held_type) {
            if matches!(before, Type::Class(class) if class.is_module()) {
                return Err(problem(
                    "assignment-kind",
                    format!(
                        "Cannot re-assign '{name}' because it has type value of type '{}' and {name} is not a first-class value.  Only reassignments to first-class values are allowed",
                        self.ty(id).message_form()
                    ),
                    span,
                ));
            }
            self.compare_outer(name, outer.as_ref());
            let converted = super::convert::implicitly(self, id, before, true, span);
            if !self.ty(converted).is_subtype_of(before) {
                return Err(self.retyped(name, before, id, span));
            }
            id = converted;
            ty = self.ty(id).clone();
        }
        self.store(name, id, Variable::assigned(name, ty));
        Ok(())
    }

    /// Binds a name to something that is no simple value.
    fn assign_special(
        &mut self,
        name: &str,
        value: Sugared,
        annotation: Option<Type>,
        outer: Option<&Bound>,
        span: &Span,
    ) -> Outcome<()> {
        let is_defined = match outer {
            Some(Bound::Unusable { declared, .. }) => declared.is_some(),
            other => other.is_some(),
        };
        if is_defined {
            // Only simple values can be merged at the end of a block.
            if let Ok(id) = value.as_value(self, span) {
                return self.assign(name, Sugared::Value(id), annotation, span);
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
        self.env.bind(name, Bound::Fixed(value));
        Ok(())
    }

    /// A value made in this block takes the name of the first variable that it is assigned to.
    pub(crate) fn name_assigned(&mut self, value: ValueId, name: &str) {
        let source = self.graph.value(value).node();
        if self.graph.value(value).name.is_none()
            && self.graph.node(source).block() == Some(self.block)
            && !name.starts_with('$')
        {
            self.name_value(value, name);
        }
    }

    /// Assigning a variable of an outer block reads it, to compare the types.
    pub(crate) fn compare_outer(&mut self, name: &str, outer: Option<&Bound>) {
        if let Some(variable) = outer.and_then(Bound::variable) {
            self.load(name, &variable.clone());
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
