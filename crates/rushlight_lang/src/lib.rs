//! The language's own operators: numbers, strings, lists, dicts, casts and the rest of `prim::`.
//!
//! [`FAMILIES`] are their rows, for whoever makes a table; [`complete`] says which one. Nothing here computes with the
//! elements of tensors: what needs that asks the table.

mod arithmetic;
mod bytes;
mod cast;
mod compare;
mod cuda;
mod dict;
mod effect;
mod extremes;
mod format;
mod gradient;
mod identity;
mod list;
mod math;
mod number;
mod order;
mod profiler;
mod remote;
mod seed;
mod sequence;
mod sizes;
mod sort;
mod string;
mod text_search;
mod tolist;
mod truth;
pub mod whole_table;

pub use sequence::refuse_tensors;
pub use whole_table::complete;

use rushlight_types::{Operator, OperatorTable};
use std::sync::OnceLock;

/// The reference tries the overloads of an operator in this order: a line per operator, `-` for the overload without a
/// name. Operators whose only other overload is an `out` form need no line. Recorded from the reference; operators on
/// tensors stand in it, too, since many share their names with these.
pub const OVERLOAD_ORDER: &str = include_str!("overload_order.txt");

/// The table of the language alone, for programs that have no operators on tensors.
pub fn table() -> &'static OperatorTable {
    static TABLE: OnceLock<OperatorTable> = OnceLock::new();
    let table = TABLE.get_or_init(|| OperatorTable::new(FAMILIES).ordered(OVERLOAD_ORDER));
    complete(table);
    table
}

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
    cuda::ROWS,
    profiler::ROWS,
    remote::ROWS,
];
