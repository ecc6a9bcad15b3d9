//! Which values may share memory, and who writes where.
//!
//! Every value of a mutable type belongs to a class of values that may share memory; classes only ever merge
//! (Steensgaard's analysis). What comes from outside or out of a container, and what goes into one, belongs to the
//! *wildcard* of its kind of type: it may be anything else there. The alias sets of schemas say the rest. Where nothing
//! is known, everything may alias.

use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{AliasInfo, Argument, Type};

/// Kinds of mutable types: values of different kinds never share memory, unless one of them may be of any kind.
#[derive(Clone, PartialEq)]
enum MemoryKind {
    Tensor,
    IntList,
    FloatList,
    BoolList,
    StrList,
    /// A list of anything else, or a dictionary; each type has its own.
    Container(Type),
    Object,
    /// Any of the others, or a container of several.
    Mixed,
}

/// The kind of a type; `None` for types whose values never change.
fn kind_of(ty: &Type) -> Option<MemoryKind> {
    match ty {
        Type::Tensor(_) => Some(MemoryKind::Tensor),
        Type::List(element) => Some(list_kind(element, ty)),
        Type::Dict(_) => Some(MemoryKind::Container(ty.shapeless())),
        Type::Class(_) | Type::Interface(_) | Type::AnyClass => Some(MemoryKind::Object),
        Type::Optional(inner) => kind_of(inner),
        Type::Union(members) => join(members.iter().filter_map(kind_of)),
        Type::Tuple(tuple) => join(tuple.elements.iter().filter_map(kind_of)),
        Type::None
        | Type::Number
        | Type::Bool
        | Type::Int
        | Type::Float
        | Type::Complex
        | Type::Str
        | Type::Device
        | Type::ScalarType
        | Type::Layout
        | Type::MemoryFormat
        | Type::QScheme
        | Type::SymInt
        | Type::SymFloat
        | Type::SymBool
        | Type::Dimname
        | Type::Enum(_)
        | Type::AnyEnum
        | Type::Function(_) => None,
        _ => Some(MemoryKind::Mixed),
    }
}

fn list_kind(element: &Type, ty: &Type) -> MemoryKind {
    match element {
        Type::Int | Type::SymInt => MemoryKind::IntList,
        Type::Float | Type::SymFloat => MemoryKind::FloatList,
        Type::Bool | Type::SymBool => MemoryKind::BoolList,
        Type::Str => MemoryKind::StrList,
        _ => MemoryKind::Container(ty.shapeless()),
    }
}

fn join(kinds: impl Iterator<Item = MemoryKind>) -> Option<MemoryKind> {
    kinds.reduce(|a, b| if a == b { a } else { MemoryKind::Mixed })
}

/// Whether values of a type can change: tensors, lists, dicts, objects and what contains them.
pub fn is_mutable(ty: &Type) -> bool {
    kind_of(ty).is_some()
}

/// A class of values that may share memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Class(u32);

/// The alias classes of a graph at the time of the analysis; by default those of a graph without values.
#[derive(Default)]
pub struct Aliases {
    /// A union-find forest: values first, then the wildcards of the kinds that have one.
    parents: Vec<u32>,
    values: usize,
    kinds: Vec<MemoryKind>,
}

impl Aliases {
    /// Analyses a graph.
    pub fn new(graph: &Graph) -> Aliases {
        let values = graph.value_limit();
        let mut aliases = Aliases {
            parents: (0..values as u32).collect(),
            values,
            kinds: Vec::new(),
        };
        for &input in graph.inputs() {
            aliases.wild(graph, input);
        }
        for node in graph.all_nodes() {
            aliases.node(graph, node);
        }
        aliases
    }

    /// The class of a value; `None` where its type cannot change, and for values made after the analysis.
    pub fn class(&self, graph: &Graph, value: ValueId) -> Option<Class> {
        kind_of(graph.ty(value))?;
        let known = (slot(value) as usize) < self.values;
        known.then(|| Class(self.find(slot(value))))
    }

    /// Whether two values may share memory.
    pub fn may_alias(&self, graph: &Graph, a: ValueId, b: ValueId) -> bool {
        match (self.class(graph, a), self.class(graph, b)) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// Whether a class holds memory that the graph did not make itself, or that has been in a container.
    pub fn is_wild(&self, class: Class) -> bool {
        let mut wildcards = self.values as u32..self.parents.len() as u32;
        wildcards.any(|wildcard| self.find(wildcard) == class.0)
    }

    /// The classes that a node itself writes to (what is nested in it aside). `None` stands for all.
    pub fn written(&self, graph: &Graph, node: NodeId) -> Option<Vec<Class>> {
        let data = graph.node(node);
        match data.kind {
            NodeKind::Op(op) => {
                let schema = op.schema();
                let mut out = Vec::new();
                for (formal, &input) in schema.arguments.iter().zip(data.inputs()) {
                    let Some(alias) = &formal.alias else { continue };
                    if alias.is_write {
                        out.extend(self.class(graph, input));
                    }
                    if alias.contained.iter().any(|c| c.is_write) {
                        return None;
                    }
                }
                Some(out)
            }
            NodeKind::Prim(Prim::SetAttr) => {
                Some(self.class(graph, data.inputs()[0]).into_iter().collect())
            }
            NodeKind::Prim(
                Prim::CallFunction
                | Prim::CallMethod
                | Prim::Enter
                | Prim::Exit
                | Prim::PythonOp
                | Prim::Fork
                | Prim::Awaitable
                | Prim::TracedModuleForward,
            )
            | NodeKind::Unknown(_) => None,
            _ => Some(Vec::new()),
        }
    }

    fn find(&self, mut at: u32) -> u32 {
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        at
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (low, high) = (a.min(b), a.max(b));
        self.parents[high as usize] = low;
    }

    /// Both values may share memory from now on.
    fn merge(&mut self, graph: &Graph, a: ValueId, b: ValueId) {
        match (kind_of(graph.ty(a)), kind_of(graph.ty(b))) {
            (Some(x), Some(y)) => {
                self.union(slot(a), slot(b));
                // A value that changes its kind on the way is of any kind.
                if x != y {
                    self.wild(graph, a);
                    self.wild(graph, b);
                }
            }
            (Some(_), None) => self.wild(graph, a),
            (None, Some(_)) => self.wild(graph, b),
            (None, None) => {}
        }
    }

    fn wild(&mut self, graph: &Graph, value: ValueId) {
        let Some(kind) = kind_of(graph.ty(value)) else {
            return;
        };
        let wildcard = self.wildcard(kind);
        self.union(wildcard, slot(value));
    }

    /// The wildcard of a kind. That of any kind is the wildcard of all others.
    fn wildcard(&mut self, kind: MemoryKind) -> u32 {
        let first = self.values as u32;
        if let Some(known) = self.kinds.iter().position(|k| *k == kind) {
            return first + known as u32;
        }
        let new = self.parents.len() as u32;
        self.parents.push(new);
        let is_mixed = kind == MemoryKind::Mixed;
        for (i, other) in self.kinds.clone().iter().enumerate() {
            if is_mixed || *other == MemoryKind::Mixed {
                self.union(first + i as u32, new);
            }
        }
        self.kinds.push(kind);
        new
    }

    fn all_wild(&mut self, graph: &Graph, values: &[ValueId]) {
        for &value in values {
            self.wild(graph, value);
        }
    }

    fn node(&mut self, graph: &Graph, id: NodeId) {
        let node = graph.node(id);
        match node.kind {
            NodeKind::Op(op) => {
                let schema = op.schema();
                self.operator(graph, id, &schema.arguments, &schema.returns);
            }
            NodeKind::Prim(prim) => self.prim(graph, id, prim),
            NodeKind::Unknown(_) => {
                self.all_wild(graph, node.inputs());
                self.all_wild(graph, node.outputs());
            }
        }
    }

    fn prim(&mut self, graph: &Graph, id: NodeId, prim: Prim) {
        let node = graph.node(id);
        match prim {
            Prim::If => {
                for &block in node.blocks() {
                    for (&result, &output) in graph.returns(block).iter().zip(node.outputs()) {
                        // What nobody asks for brings nothing together.
                        if !graph.value(output).uses().is_empty() {
                            self.merge(graph, result, output);
                        }
                    }
                }
            }
            Prim::Loop => {
                let body = node.blocks()[0];
                for (i, &output) in node.outputs().iter().enumerate() {
                    let is_asked_for = |value: ValueId| !graph.value(value).uses().is_empty();
                    if !is_asked_for(output) && !is_asked_for(graph.params(body)[1 + i]) {
                        continue;
                    }
                    self.merge(graph, node.inputs()[2 + i], output);
                    self.merge(graph, graph.params(body)[1 + i], output);
                    self.merge(graph, graph.returns(body)[1 + i], output);
                }
            }
            Prim::UncheckedCast | Prim::UncheckedUnwrapOptional => {
                self.merge(graph, node.inputs()[0], node.outputs()[0]);
            }
            // The container is new, its elements may be reached through it.
            Prim::ListConstruct | Prim::DictConstruct => self.all_wild(graph, node.inputs()),
            // What comes out of a container may be reached through others.
            Prim::ListUnpack => self.all_wild(graph, node.outputs()),
            Prim::IsInstance | Prim::Uninitialized => {}
            // As in the reference, nobody else sees a tensor or container that a graph keeps.
            Prim::Constant
                if matches!(
                    graph.ty(node.outputs()[0]),
                    Type::Tensor(_) | Type::List(_) | Type::Dict(_)
                ) => {}
            _ => {
                self.all_wild(graph, node.inputs());
                self.all_wild(graph, node.outputs());
            }
        }
    }

    fn operator(
        &mut self,
        graph: &Graph,
        id: NodeId,
        arguments: &[Argument],
        returns: &[Argument],
    ) {
        let node = graph.node(id);
        let inputs = node.inputs();
        // Arguments beyond the schema's (varargs) may go anywhere.
        self.all_wild(graph, inputs.get(arguments.len()..).unwrap_or_default());
        for (formal, &input) in arguments.iter().zip(inputs) {
            let escapes = |a: &AliasInfo| a.after.iter().chain(&a.before).any(|s| &**s == "*");
            if formal.alias.as_ref().is_some_and(escapes) {
                self.wild(graph, input);
            }
        }
        for (i, &output) in node.outputs().iter().enumerate() {
            let Some(alias) = returns.get(i).and_then(|r| r.alias.as_ref()) else {
                continue;
            };
            if alias.after.iter().chain(&alias.before).any(|s| &**s == "*") {
                self.wild(graph, output);
            }
            for (formal, &input) in arguments.iter().zip(inputs) {
                let Some(other) = &formal.alias else { continue };
                if other.after.iter().any(|s| alias.before.contains(s)) {
                    self.merge(graph, input, output);
                }
            }
        }
    }
}

fn slot(value: ValueId) -> u32 {
    value.as_u32()
}
