//! What a pickle describes: nodes in an arena, found by id, so that shared and cyclic values stay what they are.

use std::fmt;

/// Index of a node in its [`Pickle`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    pub(super) const NONE: NodeId = NodeId(0);
    pub(super) const FALSE: NodeId = NodeId(1);
    pub(super) const TRUE: NodeId = NodeId(2);

    pub(super) fn from_index(index: usize) -> Option<NodeId> {
        u32::try_from(index).ok().map(NodeId)
    }

    /// Position in the arena, for tables kept beside it (see [`Pickle::len`]).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// One value of a pickle. Nothing has been imported, called or looked up to make it.
#[derive(Clone, Debug, PartialEq)]
pub enum PickleValue {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// An integer of at most 64 bits.
    Int(i64),
    /// Any longer integer: two's complement, least significant byte first.
    BigInt(Box<[u8]>),
    /// A float.
    Float(f64),
    /// A string. Python 2's byte strings are strings too where they are UTF-8.
    Str(Box<str>),
    /// Bytes, a bytearray, or a string that is not UTF-8.
    Bytes(Box<[u8]>),
    /// A list.
    List(Vec<NodeId>),
    /// A tuple.
    Tuple(Box<[NodeId]>),
    /// A dict in the order of insertion; a key may occur again, and then the later value holds.
    Dict(Vec<(NodeId, NodeId)>),
    /// A set, or a frozenset, in the order of insertion.
    Set(Vec<NodeId>),
    /// A name that Python would import.
    Global(Box<GlobalName>),
    /// An object that Python would make by a call.
    Object(Box<Object>),
    /// A value kept outside the pickle, as tensors' storages are; the id says which.
    PersistentId(NodeId),
}

const _: () = assert!(size_of::<PickleValue>() <= 32);

/// A global name: what `GLOBAL` and `STACK_GLOBAL` refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalName {
    /// Module, such as `torch._utils`.
    pub module: Box<str>,
    /// Name in the module, such as `_rebuild_tensor_v2`; may be dotted in protocol 4.
    pub name: Box<str>,
}

/// How an object would be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// `callable(*args)`.
    Reduce,
    /// `class.__new__(class, *args, **kwargs)`.
    NewObj,
}

/// An object that Python would make by a call, and what would be done to it afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// How it would be made.
    pub kind: ObjectKind,
    /// What would be called, or the class: usually a [`PickleValue::Global`].
    pub callable: NodeId,
    /// The arguments: a [`PickleValue::Tuple`].
    pub args: NodeId,
    /// Keyword arguments (`NEWOBJ_EX` only): a [`PickleValue::Dict`].
    pub kwargs: Option<NodeId>,
    /// The state that `BUILD` would hand to `__setstate__` or put into `__dict__`.
    pub state: Option<NodeId>,
    /// Values that would be appended (or added, for a set).
    pub items: Vec<NodeId>,
    /// Keys and values that would be set, as for an `OrderedDict`.
    pub pairs: Vec<(NodeId, NodeId)>,
}

impl PickleValue {
    /// The kind of value, in Python's word where there is one.
    pub fn kind(&self) -> &'static str {
        match self {
            PickleValue::None => "None",
            PickleValue::Bool(_) => "bool",
            PickleValue::Int(_) | PickleValue::BigInt(_) => "int",
            PickleValue::Float(_) => "float",
            PickleValue::Str(_) => "str",
            PickleValue::Bytes(_) => "bytes",
            PickleValue::List(_) => "list",
            PickleValue::Tuple(_) => "tuple",
            PickleValue::Dict(_) => "dict",
            PickleValue::Set(_) => "set",
            PickleValue::Global(_) => "global",
            PickleValue::Object(_) => "object",
            PickleValue::PersistentId(_) => "persistent id",
        }
    }

    /// Calls `visit` with each value that this one refers to, in order.
    pub fn for_each_child(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            PickleValue::List(ids) | PickleValue::Set(ids) => ids.iter().for_each(|&id| visit(id)),
            PickleValue::Tuple(ids) => ids.iter().for_each(|&id| visit(id)),
            PickleValue::Dict(pairs) => pairs.iter().for_each(|&(k, v)| {
                visit(k);
                visit(v);
            }),
            PickleValue::PersistentId(id) => visit(*id),
            PickleValue::Object(object) => {
                visit(object.callable);
                visit(object.args);
                object
                    .kwargs
                    .into_iter()
                    .chain(object.state)
                    .for_each(&mut visit);
                object.items.iter().for_each(|&id| visit(id));
                object.pairs.iter().for_each(|&(k, v)| {
                    visit(k);
                    visit(v);
                });
            }
            _ => {}
        }
    }
}

/// A pickle that has been read.
///
/// Its nesting is bounded by [`super::PickleLimits::max_depth`], so that a consumer may recurse; where [`Pickle::is_cyclic`]
/// says so, some value contains itself and the consumer must remember which nodes it is inside of.
#[derive(Clone, Debug)]
pub struct Pickle {
    pub(super) nodes: Vec<PickleValue>,
    pub(super) root: NodeId,
    pub(super) protocol: u8,
    pub(super) depth: usize,
    pub(super) cyclic: bool,
}

impl Pickle {
    /// The value that the whole pickle describes.
    pub fn root(&self) -> NodeId {
        self.root
    }

    /// The value of a node.
    ///
    /// # Panics
    /// If `id` comes from another pickle and that one is larger.
    pub fn get(&self, id: NodeId) -> &PickleValue {
        &self.nodes[id.index()]
    }

    /// All nodes, in the order in which they were made.
    pub fn nodes(&self) -> impl Iterator<Item = &PickleValue> {
        self.nodes.iter()
    }

    /// Number of nodes; every id's index is below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes; never so for a pickle that was read.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The protocol that the pickle declares (0 where it declares none).
    pub fn protocol(&self) -> u8 {
        self.protocol
    }

    /// Nesting of the result: 1 for a number, 2 for a list of numbers.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether some value contains itself.
    pub fn is_cyclic(&self) -> bool {
        self.cyclic
    }

    /// The string that the node is, if it is one.
    pub fn as_str(&self, id: NodeId) -> Option<&str> {
        match self.get(id) {
            PickleValue::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The integer that the node is, if it is one of at most 64 bits. A bool is none.
    pub fn as_int(&self, id: NodeId) -> Option<i64> {
        match self.get(id) {
            PickleValue::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The bool that the node is, if it is one.
    pub fn as_bool(&self, id: NodeId) -> Option<bool> {
        match self.get(id) {
            PickleValue::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The elements, if the node is a tuple.
    pub fn as_tuple(&self, id: NodeId) -> Option<&[NodeId]> {
        match self.get(id) {
            PickleValue::Tuple(ids) => Some(ids),
            _ => None,
        }
    }

    /// The elements, if the node is a list.
    pub fn as_list(&self, id: NodeId) -> Option<&[NodeId]> {
        match self.get(id) {
            PickleValue::List(ids) => Some(ids),
            _ => None,
        }
    }

    /// Keys and values, if the node is a dict.
    pub fn as_dict(&self, id: NodeId) -> Option<&[(NodeId, NodeId)]> {
        match self.get(id) {
            PickleValue::Dict(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// Module and name, if the node is a global.
    pub fn as_global(&self, id: NodeId) -> Option<(&str, &str)> {
        match self.get(id) {
            PickleValue::Global(global) => Some((&global.module, &global.name)),
            _ => None,
        }
    }

    /// The object, if the node is one.
    pub fn as_object(&self, id: NodeId) -> Option<&Object> {
        match self.get(id) {
            PickleValue::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Keys and values of a dict, or of an object that values are set on as on an `OrderedDict`.
    pub fn mapping(&self, id: NodeId) -> Option<&[(NodeId, NodeId)]> {
        match self.get(id) {
            PickleValue::Dict(pairs) => Some(pairs),
            PickleValue::Object(object)
                if self.as_global(object.callable) == Some(("collections", "OrderedDict")) =>
            {
                Some(&object.pairs)
            }
            _ => None,
        }
    }

    /// The value under the string `key` in a dict or an `OrderedDict`.
    pub fn lookup(&self, id: NodeId, key: &str) -> Option<NodeId> {
        let pairs = self.mapping(id)?;
        pairs
            .iter()
            .rev()
            .find(|(k, _)| self.as_str(*k) == Some(key))
            .map(|&(_, value)| value)
    }
}
