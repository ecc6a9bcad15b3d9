//! What a node does: a built-in operator, or one of the language's own kinds.

use rushlight_types::{Operator, Symbol};
use std::fmt;

/// The kind of a node.
#[derive(Clone, Copy, PartialEq)]
pub enum NodeKind {
    /// A row of the operator table.
    Op(&'static Operator),
    /// One of the language's own kinds, which every part of the compiler knows.
    Prim(Prim),
    /// A kind that nobody here knows: an operator that an archive names and this build lacks. It fails when reached.
    Unknown(Symbol),
}

macro_rules! prims {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// The language's own node kinds.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Prim {
            $($(#[$doc])* $variant,)*
        }

        impl Prim {
            /// All kinds.
            pub const ALL: &[Prim] = &[$(Prim::$variant,)*];

            /// The name in printed graphs.
            pub fn name(self) -> &'static str {
                match self {
                    $(Prim::$variant => $name,)*
                }
            }
        }
    };
}

prims! {
    /// Owns the parameters of a block as its outputs; not printed.
    Param = "prim::Param",
    /// Owns the results of a block as its inputs; not printed.
    Return = "prim::Return",
    /// `value=` holds the constant; None has no attribute.
    Constant = "prim::Constant",
    /// Two blocks; the condition is the input, the outputs are what the blocks return.
    If = "prim::If",
    /// Inputs: trip count, initial condition, carried values. The block takes the iteration number and the carried
    /// values and returns the next condition and the carried values.
    Loop = "prim::Loop",
    TupleConstruct = "prim::TupleConstruct",
    TupleUnpack = "prim::TupleUnpack",
    /// Inputs: tuple and a constant index.
    TupleIndex = "prim::TupleIndex",
    /// `beg=`, `end=`.
    TupleSlice = "prim::TupleSlice",
    ListConstruct = "prim::ListConstruct",
    ListUnpack = "prim::ListUnpack",
    /// Keys and values alternate.
    DictConstruct = "prim::DictConstruct",
    /// `name=`.
    GetAttr = "prim::GetAttr",
    /// `name=`.
    SetAttr = "prim::SetAttr",
    CreateObject = "prim::CreateObject",
    /// First input is the function constant.
    CallFunction = "prim::CallFunction",
    /// `name=`; first input is the object.
    CallMethod = "prim::CallMethod",
    /// `types=`.
    IsInstance = "prim::isinstance",
    UncheckedCast = "prim::unchecked_cast",
    /// The body of a `with` statement in one block, what leaves its objects in another; gone when exits are structured.
    With = "prim::With",
    UncheckedUnwrapOptional = "prim::unchecked_unwrap_optional",
    Uninitialized = "prim::Uninitialized",
    Enter = "prim::Enter",
    Exit = "prim::Exit",
    /// `Subgraph=` holds the forked graph (or, before lambda lifting, the closure).
    Fork = "prim::fork",
    Awaitable = "prim::awaitable",
    Closure = "prim::Closure",
    PythonOp = "prim::PythonOp",
    /// During emission only: `[]` of which nobody said what it holds.
    EmptyListLiteral = "prim::EmptyListLiteral",
    /// During emission only: leave the innermost loop.
    BreakStmt = "prim::BreakStmt",
    /// During emission only: go on with the next iteration.
    ContinueStmt = "prim::ContinueStmt",
    /// During emission only: return from the function.
    ReturnStmt = "prim::ReturnStmt",
    /// During emission only: the value of a variable that SSA conversion resolves; `name=`.
    Load = "prim::Load",
    /// During emission only: sets a variable; `name=`.
    Store = "prim::Store",
    /// During emission only: a block whose variables nobody sees behind it.
    ComprehensionScope = "prim::ComprehensionScope",
    TracedModuleForward = "prim::TracedModuleForward",
    TracedAttr = "prim::TracedAttr",
}

impl Prim {
    /// The kind printed with this name.
    pub fn from_name(name: &str) -> Option<Prim> {
        Prim::ALL.iter().copied().find(|p| p.name() == name)
    }
}

impl NodeKind {
    /// The name in printed graphs, without the overload.
    pub fn name(&self) -> &'static str {
        match self {
            NodeKind::Op(op) => op.name(),
            NodeKind::Prim(prim) => prim.name(),
            NodeKind::Unknown(symbol) => symbol.as_str(),
        }
    }

    /// Whether such a node may write to tensors: what calls others is taken to; of an unknown one nobody can say.
    pub fn may_write(&self) -> Option<bool> {
        match self {
            NodeKind::Op(operator) => Some(operator.schema().is_mutable()),
            NodeKind::Prim(prim) => Some(matches!(
                prim,
                Prim::CallFunction | Prim::CallMethod | Prim::Fork
            )),
            NodeKind::Unknown(_) => None,
        }
    }
}

impl From<Prim> for NodeKind {
    fn from(prim: Prim) -> NodeKind {
        NodeKind::Prim(prim)
    }
}

impl From<&'static Operator> for NodeKind {
    fn from(op: &'static Operator) -> NodeKind {
        NodeKind::Op(op)
    }
}

impl fmt::Debug for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
