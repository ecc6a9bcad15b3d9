//! What operators are on plain values: ints, floats, bools and lists.
//!
//! One vocabulary for whoever does such an operator without calling its kernel: the interpreter's instructions today. A row
//! says with `.scalar(..)` which it is; whoever does it hands what the plain form does not cover (a zero divisor, an index
//! out of range) to the kernel.

/// What an operator does with plain values. Names tell what it computes with: an operator on a float and an int computes
/// with floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarOp {
    AddInt,
    SubInt,
    MulInt,
    FloorDivInt,
    RemainderInt,
    DivInt,
    AndInt,
    OrInt,
    XorInt,
    NegInt,
    MinInt,
    MaxInt,
    LtInt,
    LeInt,
    GtInt,
    GeInt,
    EqInt,
    NeInt,
    DeriveIndex,
    AddFloat,
    SubFloat,
    MulFloat,
    DivFloat,
    NegFloat,
    LtFloat,
    LeFloat,
    GtFloat,
    GeFloat,
    EqFloat,
    NeFloat,
    FloatOf,
    IntOf,
    BoolOf,
    Not,
    AndBool,
    OrBool,
    XorBool,
    EqBool,
    NeBool,
    ListLen,
    ListGet,
    ListSet,
    ListAppend,
}
