//! Choosing by a mask.

use super::definition::{Pointwise, slices};
use rushlight_tensor::lanes::map3;
use rushlight_tensor::{Bool8, Complex64, Element, Scalar};

/// `mask ? a : b`.
pub static WHERE: Pointwise = Pointwise::new(
    "where_cpu",
    slices![Loop3: choose::<f32>, choose::<i64>, choose::<i32>, choose::<u8>, choose::<f64>, choose::<Bool8>, choose::<Complex64>],
)
.with_eights().with_unsigned();

/// `mask ? value : self`, the operands in the order self, mask, value.
pub static MASKED_FILL: Pointwise = Pointwise::new(
    "masked_fill",
    slices![Loop3: replace::<f32>, replace::<i64>, replace::<i32>, replace::<u8>, replace::<f64>, replace::<Bool8>, replace::<Complex64>],
);

fn choose<T: Element>(r: &mut [T], mask: &[Bool8], a: &[T], b: &[T], _: &[Scalar]) {
    map3(
        r,
        mask,
        a,
        b,
        |m: Bool8, x: T, y: T| if m.get() { x } else { y },
    );
}

fn replace<T: Element>(r: &mut [T], a: &[T], mask: &[Bool8], value: &[T], _: &[Scalar]) {
    map3(
        r,
        a,
        mask,
        value,
        |x: T, m: Bool8, y: T| if m.get() { y } else { x },
    );
}
