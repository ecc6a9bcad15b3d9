//! The language's own operators: numbers, strings, lists, dicts, casts and the rest of `prim::`.

mod arithmetic;
mod bytes;
mod cast;
mod compare;
mod decomposed;
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

use rushlight_types::Operator;

/// The families of this folder.
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
    decomposed::ROWS,
    profiler::ROWS,
    remote::ROWS,
];
