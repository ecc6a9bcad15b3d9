//! Register code: what a graph is lowered to, once per function.
//!
//! A [`Code`] is a flat list of small instructions over one window of registers (a [`Value`] each). Operands are
//! register numbers; operands of calls are [`Operand`]s, which say whether the value is copied, moved (its last use) or
//! comes from the table of constants. What does not fit into an instruction stands in a table beside the list. Positions
//! in the source are found from the number of the instruction, when they are needed.

pub mod elements;
pub mod groups;
pub mod layers;
mod listing;
pub mod tiles;
mod uses;

use crate::autocast::Casts;
use crate::callee::Callee;
use crate::machine_code::Hot;
use rushlight_ir::{CallSite, Unit};
use rushlight_syntax::Span;
use rushlight_types::{ClassType, ElementOp, Operator, TupleType, Type, Value};
use std::sync::{Arc, Weak};

/// A register of a frame.
pub type Reg = u32;

/// Stands for a result that nobody wants.
pub const NOWHERE: Reg = u32::MAX;

/// What a register holds. Registers are reused for values of the same kind only, so that writing a number over a
/// number need not look for something to drop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RegisterKind {
    Int,
    Float,
    Bool,
    /// An int, a float, a bool or None: nothing that needs dropping.
    Optional,
    Other,
}

/// Where a value of a call or construction comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Operand(u32);

/// The forms of an [`Operand`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The register keeps its value.
    Copy(Reg),
    /// The last use: the register is left empty.
    Move(Reg),
    /// An entry of the table of constants.
    Constant(u32),
}

impl Source {
    /// The register, if it is one, and whether it is left empty.
    #[inline(always)]
    pub fn register(self) -> Option<(Reg, bool)> {
        match self {
            Source::Copy(r) => Some((r, false)),
            Source::Move(r) => Some((r, true)),
            Source::Constant(_) => None,
        }
    }
}

/// More registers or constants than this do not fit into an operand.
pub const MAX_INDEX: u32 = (1 << 30) - 1;

impl Operand {
    /// Packs a source. The lowering has checked the index against [`MAX_INDEX`].
    pub fn new(source: Source) -> Operand {
        match source {
            Source::Copy(i) => Operand(i << 2),
            Source::Move(i) => Operand(i << 2 | 1),
            Source::Constant(i) => Operand(i << 2 | 2),
        }
    }

    /// Unpacks the source.
    #[inline(always)]
    pub fn source(self) -> Source {
        let index = self.0 >> 2;
        match self.0 & 3 {
            0 => Source::Copy(index),
            1 => Source::Move(index),
            _ => Source::Constant(index),
        }
    }
}

/// A run of entries in a table of a [`Code`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Entries {
    pub start: u32,
    pub len: u32,
}

impl Entries {
    /// The entries.
    #[inline(always)]
    pub fn of<T>(self, table: &[T]) -> &[T] {
        &table[self.start as usize..(self.start + self.len) as usize]
    }
}

/// One instruction. Unless said otherwise the first number is the register that takes the result, the others are the
/// registers that are read; jumps name the instruction to go on with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Insn {
    /// Register, constant.
    Constant(Reg, u32),
    Move(Reg, Reg),
    Copy(Reg, Reg),
    Drop(Reg),

    Jump(u32),
    /// Condition, target.
    JumpUnless(Reg, u32),
    /// Two ints, target: goes there unless the comparison holds.
    UnlessLtInt(Reg, Reg, u32),
    UnlessLeInt(Reg, Reg, u32),
    UnlessGtInt(Reg, Reg, u32),
    UnlessGeInt(Reg, Reg, u32),
    UnlessEqInt(Reg, Reg, u32),
    UnlessNeInt(Reg, Reg, u32),

    /// Entry of [`Code::groups`], target: goes there if the group is done, else on to the instructions it stands for.
    Group(u32, u32),

    /// Counter, trip count, exit: sets the counter to zero, leaves if there is no trip.
    LoopStart(Reg, Reg, u32),
    /// Counter, trip count, body: counts and goes back while trips are left.
    LoopStep(Reg, Reg, u32),
    /// Condition, body: goes back while the condition holds.
    LoopWhile(Reg, u32),

    AddInt(Reg, Reg, Reg),
    SubInt(Reg, Reg, Reg),
    MulInt(Reg, Reg, Reg),
    FloorDivInt(Reg, Reg, Reg),
    RemainderInt(Reg, Reg, Reg),
    AndInt(Reg, Reg, Reg),
    OrInt(Reg, Reg, Reg),
    XorInt(Reg, Reg, Reg),
    MinInt(Reg, Reg, Reg),
    MaxInt(Reg, Reg, Reg),
    LtInt(Reg, Reg, Reg),
    LeInt(Reg, Reg, Reg),
    GtInt(Reg, Reg, Reg),
    GeInt(Reg, Reg, Reg),
    EqInt(Reg, Reg, Reg),
    NeInt(Reg, Reg, Reg),
    NegInt(Reg, Reg),
    /// The true quotient of two ints.
    DivInt(Reg, Reg, Reg),

    AddFloat(Reg, Reg, Reg),
    SubFloat(Reg, Reg, Reg),
    MulFloat(Reg, Reg, Reg),
    DivFloat(Reg, Reg, Reg),
    LtFloat(Reg, Reg, Reg),
    LeFloat(Reg, Reg, Reg),
    GtFloat(Reg, Reg, Reg),
    GeFloat(Reg, Reg, Reg),
    EqFloat(Reg, Reg, Reg),
    NeFloat(Reg, Reg, Reg),
    NegFloat(Reg, Reg),
    FloatOf(Reg, Reg),
    IntOf(Reg, Reg),
    BoolOf(Reg, Reg),

    Not(Reg, Reg),
    AndBool(Reg, Reg, Reg),
    OrBool(Reg, Reg, Reg),
    EqBool(Reg, Reg, Reg),
    NeBool(Reg, Reg, Reg),

    ListLen(Reg, Reg),
    /// Result, list, index.
    ListGet(Reg, Reg, Reg),
    /// List, index, element.
    ListSet(Reg, Reg, Operand),
    /// List, element.
    ListAppend(Reg, Operand),

    /// Entry of [`Code::operators`].
    Operator(u32),
    /// Entry of [`Code::calls`].
    Call(u32),
    /// Entry of [`Code::extended`].
    Extended(u32),
    /// The result of the function.
    Return(Operand),
    /// Entry of [`Code::failures`]: what cannot be run, reached.
    Fail(u32),
}

const _: () = assert!(size_of::<Insn>() == 16, "four instructions per cache line");

impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.source().fmt(f)
    }
}

/// A call of a built-in operator.
pub struct OperatorCall {
    pub operator: &'static Operator,
    /// Run of [`Code::operands`].
    pub arguments: Entries,
    /// Run of [`Code::targets`].
    pub results: Entries,
    /// How long the window is: enough for the arguments and for the results.
    pub slots: u32,
    /// What autocasting does to the call.
    pub(crate) casts: Casts,
}

/// What kind of call a frame stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallKind {
    /// A function or method known when the code was made.
    Static,
    /// A method found by the class of the object at run time, or one that the language calls by itself.
    Dynamic,
    /// The result becomes a future.
    Fork,
    /// A forked task that is run by the one who waits for it.
    Join,
}

/// A call of another function.
pub struct ScriptCall {
    pub callee: Callee,
    pub arguments: Entries,
    pub target: Reg,
    pub kind: CallKind,
    /// The type of the future of a fork.
    pub future: Option<Type>,
}

/// The rarer instructions.
pub enum Extended {
    Tuple {
        items: Entries,
        /// The type of a NamedTuple.
        ty: Option<Arc<TupleType>>,
        target: Reg,
    },
    TupleUnpack {
        tuple: Operand,
        targets: Entries,
    },
    TupleIndex {
        tuple: Operand,
        index: Operand,
        target: Reg,
    },
    TupleSlice {
        tuple: Operand,
        begin: i64,
        end: i64,
        target: Reg,
    },
    List {
        items: Entries,
        element: Type,
        target: Reg,
    },
    ListUnpack {
        list: Operand,
        targets: Entries,
    },
    Dict {
        items: Entries,
        key: Type,
        value: Type,
        target: Reg,
    },
    GetAttr {
        object: Operand,
        slot: usize,
        target: Reg,
    },
    SetAttr {
        object: Operand,
        slot: usize,
        value: Operand,
    },
    /// For objects whose class is known at run time only.
    GetNamed {
        object: Operand,
        name: Arc<str>,
        target: Reg,
    },
    SetNamed {
        object: Operand,
        name: Arc<str>,
        value: Operand,
    },
    CreateObject {
        class: Arc<ClassType>,
        target: Reg,
    },
    IsInstance {
        value: Operand,
        types: Vec<Type>,
        target: Reg,
    },
    /// `aten::wait` on a future.
    Wait {
        future: Operand,
        target: Reg,
    },
    /// An exception that the script raises itself.
    Raise {
        message: Operand,
        class: Option<Operand>,
    },
    /// `aten::warn`, which a run says once for each place.
    Warn {
        message: Operand,
        place: Option<Span>,
    },
    /// Remembers an object whose `__exit__` must run if a fault leaves the function.
    Entered {
        object: Operand,
        exit: Callee,
        /// Whether it is an autocast, and says how operators inside compute.
        autocast: bool,
    },
    /// Forgets the last of them.
    Exited,
    /// A function value made of a graph.
    Closure {
        code: Arc<Code>,
        target: Reg,
    },
    /// A call to be made at the first wait.
    Awaitable {
        code: Arc<Code>,
        arguments: Entries,
        ty: Type,
        target: Reg,
    },
}

/// Where instructions come from.
pub struct Origin {
    pub span: Option<Span>,
    pub call_site: Option<Arc<CallSite>>,
    /// The operator that an instruction of ours stands for.
    pub operator: Option<&'static Operator>,
    pub surroundings: Surroundings,
}

/// What stands around a node outermost in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// Nothing.
    None,
    /// A branch or loop that has results.
    WithResults,
    /// A branch or loop that has none, or nothing and the node itself has none.
    WithoutResults,
}

/// A lowered function.
pub struct Code {
    /// The name that backtraces show.
    pub name: Arc<str>,
    /// Where methods are looked for at run time.
    pub unit: Weak<Unit>,
    pub insns: Vec<Insn>,
    pub parameters: u32,
    /// Registers of a frame; the window of operator calls follows them.
    pub registers: u32,
    /// Registers and window together.
    pub frame: u32,
    /// What each register holds.
    pub kinds: Vec<RegisterKind>,
    /// Constants that are put into registers when a frame is made.
    pub preloaded: Vec<(Reg, u32)>,
    pub constants: Vec<Value>,
    pub operands: Vec<Operand>,
    pub targets: Vec<Reg>,
    pub operators: Vec<OperatorCall>,
    pub calls: Vec<ScriptCall>,
    pub extended: Vec<Extended>,
    pub groups: Vec<groups::Group>,
    pub failures: Vec<String>,
    pub origins: Vec<Origin>,
    /// First instruction and origin of each stretch of instructions of one origin.
    pub stretches: Vec<(u32, u32)>,
    pub(crate) hot: Hot,
}

impl Code {
    /// The operator that an instruction calls or stands for.
    pub fn operator_at(&self, insn: usize) -> Option<&'static Operator> {
        match self.insns.get(insn) {
            Some(Insn::Operator(k)) => Some(self.operators[*k as usize].operator),
            _ => self.origin(insn)?.operator,
        }
    }

    /// What an instruction does with single elements of tensors, if it calls such an operator.
    pub fn element_op(&self, insn: Insn) -> Option<ElementOp> {
        match insn {
            Insn::Operator(k) => self.operators[k as usize].operator.element,
            _ => None,
        }
    }

    /// The constant that an operand is, also where a register has it from the start.
    pub(crate) fn constant_of(&self, source: Source) -> Option<&Value> {
        let k = match source {
            Source::Constant(k) => k,
            Source::Copy(r) | Source::Move(r) => self.preloaded.iter().find(|p| p.0 == r)?.1,
        };
        self.constants.get(k as usize)
    }

    /// Where an instruction comes from.
    pub fn origin(&self, insn: usize) -> Option<&Origin> {
        let after = self
            .stretches
            .partition_point(|(start, _)| *start as usize <= insn);
        let (_, origin) = self.stretches.get(after.checked_sub(1)?)?;
        self.origins.get(*origin as usize)
    }
}
