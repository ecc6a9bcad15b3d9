//! Operators on tensors: schema, checks and their wording, kernel, facts.
//!
//! The loops are in `rushlight_kernels`, the operators on plain values in `rushlight_lang`, those of layers (and the table
//! of all) in `rushlight_nn`.
//!
//! Each family is a file with a `ROWS` table and the kernels it names; each folder lists its families, [`FOLDERS`] lists
//! the folders and nothing else. To add an operator see `docs/adding-an-operator.md`.

#[macro_use]
pub mod out;

mod create;
mod decomposed;
mod index;
mod linalg;
mod pointwise;
mod reduce;
mod view;

use rushlight_types::Operator;

/// The families of this crate, by folder.
pub static FOLDERS: &[&[&[Operator]]] = &[
    &[decomposed::ROWS],
    pointwise::FAMILIES,
    reduce::FAMILIES,
    index::FAMILIES,
    view::FAMILIES,
    create::FAMILIES,
    linalg::FAMILIES,
];

// What layers are made of.
pub use create::options::Options;
pub use create::random::dropout::dropout;
pub use linalg::product::{linear, linear_agrees, matmul, multiply};
pub use linalg::{norm_except_dim, pairwise_distance, vector_norm};
pub use pointwise::steps::Steps;
pub use reduce::sort::order;
pub use reduce::sum::{mean, mean_all, sum, sum_all};
pub use view::identity::{clone as copied, view_as_real};
pub use view::join_quantized::cat as cat_quantized;

use rushlight_kernels::compute;

/// The table of this crate and the language, for tests of both.
#[cfg(test)]
fn table() -> &'static rushlight_types::OperatorTable {
    use rushlight_types::OperatorTable;
    static TABLE: std::sync::OnceLock<OperatorTable> = std::sync::OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let folders = [&[rushlight_lang::FAMILIES], FOLDERS].concat();
        OperatorTable::new(&folders.concat()).ordered(rushlight_lang::OVERLOAD_ORDER)
    });
    rushlight_lang::complete(table);
    table
}
