//! Operators of layers, on plain and on quantized tensors, and the table of all built-in operators.
//!
//! A file per family with a `ROWS` table, as in `rushlight_ops`, of which these are made; [`table`] puts the rows of the
//! language, of `rushlight_ops`, of `rushlight_linalg` and of this crate together. To add an operator see `docs/adding-an-operator.md`.

mod nn;
mod quantized;

use rushlight_types::{Operator, OperatorTable};
use std::sync::OnceLock;

/// All families, by crate and folder.
fn families() -> Vec<&'static [Operator]> {
    let own = [
        rushlight_linalg::FAMILIES,
        nn::FAMILIES,
        quantized::FAMILIES,
    ];
    [&[rushlight_lang::FAMILIES], rushlight_ops::FOLDERS, &own]
        .concat()
        .concat()
}

/// The table of all built-in operators, made on first use.
pub fn table() -> &'static OperatorTable {
    static TABLE: OnceLock<OperatorTable> = OnceLock::new();
    let table = TABLE
        .get_or_init(|| OperatorTable::new(&families()).ordered(rushlight_lang::OVERLOAD_ORDER));
    rushlight_lang::complete(table);
    table
}

#[cfg(test)]
mod threads_tests;

#[cfg(test)]
mod tests {
    use super::families;
    use std::collections::HashSet;

    #[test]
    fn no_schema_is_listed_twice() {
        let mut seen = HashSet::new();
        for operator in families().into_iter().flatten() {
            assert!(
                seen.insert(operator.text),
                "listed twice: {}",
                operator.text
            );
        }
    }
}
