//! Every built-in operator: schema, checks and their wording, kernel, facts.
//!
//! The loops are in `rushlight_kernels`, the operators on plain values in `rushlight_lang`.
//!
//! Each family is a file with a `ROWS` table and the kernels it names; each folder lists its families, [`table`] lists
//! the folders and nothing else. To add an operator see `docs/adding-an-operator.md`.

#[macro_use]
mod out;

mod create;
mod decomposed;
mod index;
mod linalg;
mod nn;
mod pointwise;
mod quantized;
mod reduce;
mod view;

use rushlight_types::{Operator, OperatorTable};
use std::sync::OnceLock;

static FOLDERS: &[&[&[Operator]]] = &[
    rushlight_lang::FAMILIES,
    &[decomposed::ROWS],
    pointwise::FAMILIES,
    reduce::FAMILIES,
    index::FAMILIES,
    view::FAMILIES,
    create::FAMILIES,
    linalg::FAMILIES,
    nn::FAMILIES,
    quantized::FAMILIES,
];

/// The table of all built-in operators, made on first use.
pub fn table() -> &'static OperatorTable {
    static TABLE: OnceLock<OperatorTable> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        OperatorTable::new(&FOLDERS.concat()).ordered(rushlight_lang::OVERLOAD_ORDER)
    });
    rushlight_lang::complete(table);
    table
}

#[cfg(test)]
mod threads_tests;

use rushlight_kernels::compute;
use rushlight_kernels::isa;

#[cfg(test)]
mod tests {
    use super::FOLDERS;
    use std::collections::HashSet;

    #[test]
    fn no_schema_is_listed_twice() {
        let mut seen = HashSet::new();
        for operator in FOLDERS.concat().into_iter().flatten() {
            assert!(
                seen.insert(operator.text),
                "listed twice: {}",
                operator.text
            );
        }
    }
}
