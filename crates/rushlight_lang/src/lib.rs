//! The language's own operators: numbers, strings, lists, dicts, casts and the rest of `prim::`.
//!
//! [`FAMILIES`] are their rows, for whoever makes a table; [`complete`] says which one. Nothing here computes with the
//! elements of tensors: what needs that asks the table.

mod arithmetic;
mod bytes;
mod cast;
mod compare;
mod dict;
mod effect;
mod extremes;
mod format;
mod gradient;
mod identity;
mod list;
mod math;
mod number;
mod profiler;
mod remote;
mod seed;
mod sequence;
mod sizes;
mod sort;
mod special;
mod string;
mod text_search;
mod tolist;
mod truth;

pub use truth::complete;

use rushlight_types::Operator;

/// The families of this crate.
pub static FAMILIES: &[&[Operator]] = &[
    arithmetic::ROWS,
    compare::ROWS,
    math::ROWS,
    cast::ROWS,
    extremes::ROWS,
    list::ROWS,
    sort::ROWS,
    &dict::STR,
    &dict::INT,
    &dict::FLOAT,
    &dict::BOOL,
    &dict::COMPLEX,
    &dict::TENSOR,
    dict::EMPTY,
    string::ROWS,
    text_search::ROWS,
    tolist::ROWS,
    format::ROWS,
    gradient::ROWS,
    sizes::ROWS,
    identity::ROWS,
    seed::ROWS,
    effect::ROWS,
    profiler::ROWS,
    remote::ROWS,
];
