//! Views, reshaping, joining and splitting.

mod conjugate;
mod expand;
pub(crate) mod identity;
mod in_place;
pub(crate) mod join;
pub(crate) mod join_quantized;
mod order;
pub(crate) mod part;
mod property;
pub(crate) mod rearrange;
mod reshape;
mod shuffle;
mod sparse;
mod split;

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    conjugate::ROWS,
    expand::ROWS,
    identity::ROWS,
    in_place::ROWS,
    join::ROWS,
    order::ROWS,
    part::ROWS,
    property::ROWS,
    rearrange::ROWS,
    reshape::ROWS,
    shuffle::ROWS,
    sparse::ROWS,
    sparse::MAKERS,
    split::ROWS,
];

/// Sizes, strides or dimensions as an argument.
pub(crate) type Ints = smallvec::SmallVec<[i64; 6]>;

/// Sizes given by a program, as sizes: negative ones are refused.
pub(crate) fn checked_sizes(sizes: &[i64]) -> rushlight_tensor::Result<rushlight_tensor::Dims> {
    let negative = sizes.iter().find(|s| **s < 0);
    match negative {
        None => Ok(sizes.iter().map(|s| *s as usize).collect()),
        Some(size) => Err(rushlight_tensor::Fault::negative_size(*size, sizes)),
    }
}
