//! What operators are on single elements of tensors: `d[i, j] = d[i - 1, j] + 1` reads an element, computes with it and
//! writes another one, and needs no tensors for that.
//!
//! A row says with `.element(..)` which it is; whoever does it (the runtime's element groups) does so only where elements are
//! as it expects them, and leaves everything else to the kernels. An operator that writes into its first argument is the
//! same as the one that does not.

/// What an operator does with tensors that have no dimensions, and how it gets at them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementOp {
    /// `(tensor, dimension, index)`: the part at an index.
    Select,
    /// `(a, b, alpha)`, or `(a, b)`.
    Add,
    Sub,
    Mul,
    /// The true quotient.
    Div,
    Neg,
    Abs,
    /// The larger one; NaN if there is one.
    Maximum,
    Minimum,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// `(to, from, non_blocking)`.
    Copy,
    /// The number that a tensor of one element holds.
    Item,
    /// The same as an int.
    Int,
    /// The same as a float.
    Float,
    /// Whether it is not zero.
    Bool,
    /// The code of the dtype.
    DTypeOf,
    DeviceOf,
    /// `(number, dtype, device, requires_grad)`: a tensor of a number.
    Make,
}
