//! Facts of operators, which their rows state and everybody else asks for: nobody lists operators by name.

use rushlight_tensor::tiles::TileOp;

/// How the results of a call depend on anything but its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// The same arguments always give the same results, and nothing else happens (writes are in the schema).
    Pure,
    /// Draws from a random stream.
    Random,
    /// Prints, raises, waits, touches state: never removed, folded or reordered.
    SideEffect,
}

/// How a kernel looks at the elements of its arguments. Most know nothing of [marks](rushlight_tensor::Marks).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elements {
    /// Reads and writes them as they lie in memory.
    Plain,
    /// Reads and writes what they stand for.
    ThroughMarks,
    /// Looks at none: takes tensors as they are.
    Untouched,
}

/// What the sizes of results follow from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// Sizes and other things that are known without looking at elements; what is written keeps its own.
    ByArguments,
    /// As the first: those of all tensors among the arguments, broadcast.
    Broadcast,
    /// As the first: those of the first argument, which the one result has, too.
    OfFirst,
    /// As the first: a list of sizes among the arguments, which the one result has.
    Listed,
    /// Elements.
    ByElements,
    /// As the first, and a tensor that is written gets other sizes or steps.
    OfTarget,
}

/// How a tensor that is only read has to lie to what a call writes, in place or into `out`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside {
    /// As the kernel says.
    ByKernel,
    /// Beside it, or where it is.
    OrSame,
    /// Beside it.
    Wholly,
}

/// How what a call writes and the tensors that it only reads have to lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Apart {
    /// The first argument, where that is only read.
    pub first: Beside,
    pub others: Beside,
}

impl Apart {
    pub const BY_KERNEL: Apart = Apart::new(Beside::ByKernel, Beside::ByKernel);
    pub const PARTLY: Apart = Apart::new(Beside::OrSame, Beside::OrSame);
    pub const WHOLLY: Apart = Apart::new(Beside::Wholly, Beside::Wholly);
    pub const FROM_FIRST: Apart = Apart::new(Beside::OrSame, Beside::ByKernel);
    pub const FROM_OTHERS: Apart = Apart::new(Beside::OrSame, Beside::Wholly);
    pub const FROM_FIRST_WHOLLY: Apart = Apart::new(Beside::Wholly, Beside::OrSame);

    pub const fn new(first: Beside, others: Beside) -> Apart {
        Apart { first, others }
    }
}

/// What is said of a tensor for a result whose dtype does not do, with `{result}` and `{out}` for the names of both dtypes
/// (`{result:c}` and `{out:c}` for those of C++, `{result:is int}` for whether that is `torch.int32`). The words for several
/// results have `|` between them, the last stand for all that follow.
#[derive(Clone, Copy, Debug)]
pub enum OutDtype {
    /// By how the results are delivered.
    ByDelivery,
    /// It has to be that of the result.
    Same(&'static str),
    /// That of the result has to be castable to it.
    Castable(&'static str),
    /// As `Castable`, refused as a `TypeError`.
    CastableType(&'static str),
    /// It has to be that of truth values, or of bytes.
    Truth(&'static str),
}

/// What an operator is as a function of `torch.nn.functional`, for rules that hold of layers of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Functional {
    /// `conv1d`, `conv2d`, `conv3d`: input, weight and bias first, the groups last.
    Convolution {
        dims: u8,
    },
    /// `conv_transpose1d` and its kin, likewise.
    TransposedConvolution {
        dims: u8,
    },
    /// `_convolution`, which is told whether it is transposed.
    AnyConvolution,
    /// `linear`: input, weight and bias.
    Linear,
    /// A product with a matrix, which is the second argument.
    MatMul,
    /// A product with a matrix that is added to the first argument; the matrix is the third.
    AddMm,
    BatchNorm,
    LayerNorm,
    Embedding,
    /// `lstm`, `gru` and plain ones, of several layers.
    Recurrent,
    /// `dropout` and `feature_dropout`: the input itself outside training, which the third argument tells.
    Dropout,
    /// An activation that passes exchange for its form in place, where there is one.
    Activation,
    MaxPool {
        dims: u8,
    },
    AvgPool {
        dims: u8,
    },
}

impl Functional {
    /// Which argument of a convolution says the groups; how it moves is told by the fourth to the sixth.
    pub fn groups_at(self) -> Option<usize> {
        match self {
            Functional::Convolution { .. } => Some(6),
            Functional::AnyConvolution => Some(8),
            _ => None,
        }
    }
}

/// How the reference's dispatcher, which profiles watch, sees a call of an operator with tensors among its arguments or results;
/// it sees no others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dispatch {
    /// Under the operator's own name.
    Own,
    /// As a call of `aten::item`: the operator reads an element and is the language's besides.
    Item,
    /// Not at all: the operator is the language's, or reads what the tensor says of itself.
    Never,
}

/// What an operator has to do with the stack of script calls, which kernels know nothing of: the interpreter does it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallStack {
    /// Waits for a task, which may be run meanwhile.
    Waits,
    /// Raises an exception, which is told where it comes from.
    Raises,
    /// Warns, naming the line of a caller.
    Warns,
}

/// How a call of an operator is a step of a chain of elementwise operators (see [`rushlight_tensor::tiles`]).
pub struct TileForm {
    /// The elementwise operator.
    pub op: &'static dyn TileOp,
    /// The arguments that are its operands, by their places.
    pub operands: &'static [u8],
    /// Those that are its own numbers. All others have to be None, or what `texts` says.
    pub numbers: &'static [u8],
    /// Arguments that have to be these texts.
    pub texts: &'static [(u8, &'static str)],
}
