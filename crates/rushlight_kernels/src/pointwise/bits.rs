//! Bits of integers.

use super::definition::{FOUND, Pointwise, loops1, loops2};
use rushlight_tensor::Bool8;
use rushlight_tensor::lanes::{map1, map2};

macro_rules! bitwise {
    ($($(#[$meta:meta])* $static:ident $name:literal $operator:tt;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops2![
                Bool8: map2 |x: Bool8, y: Bool8| Bool8::from(x.get() $operator y.get()),
                i64: map2 |x: i64, y: i64| x $operator y,
            ],
        )
        .with_unsigned();
    )*};
}

bitwise! {
    /// `self & other`.
    AND "bitwise_and_cpu" &;
    /// `self | other`.
    OR "bitwise_or_cpu" |;
    /// `self ^ other`.
    XOR "bitwise_xor_cpu" ^;
}

/// `~self`.
pub static NOT: Pointwise = Pointwise::new(
    "bitwise_not_cpu",
    loops1![Bool8: map1 |x: Bool8| Bool8::from(!x.get()), i64: map1 |x: i64| !x],
)
.of_one_dtype(FOUND);

/// `self << other`; nothing is left of shifts by more than the width.
pub static LEFT: Pointwise =
    Pointwise::new("lshift_cpu", loops2![i64: map2 shift_left]).without_bool();

/// `self >> other`; the sign fills up.
pub static RIGHT: Pointwise =
    Pointwise::new("rshift_cpu", loops2![i64: map2 shift_right]).without_bool();

pub fn shift_left(x: i64, by: i64) -> i64 {
    if (0..64).contains(&by) { x << by } else { 0 }
}

fn shift_right(x: i64, by: i64) -> i64 {
    x >> if (0..64).contains(&by) { by } else { 63 }
}
