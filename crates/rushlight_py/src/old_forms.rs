//! Old forms of operators: the factor before the operand that it belongs to (`add_(-rate, gradient)`), both factors among the
//! operands (`addmm(beta, input, alpha, mat1, mat2)`), or the first alone. They are found from the factors of the present
//! form and tried where no present form fits.

use crate::binding::{Arguments, Reading, Slots, bind};
use crate::signature;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use rushlight::frontend::trace::Stash;
use rushlight::types::{Argument, Operator, Schema, Type};
use std::sync::atomic::{AtomicBool, Ordering};

/// An old form of an operator's row.
struct OldForm {
    schema: Schema,
    /// Where each of its arguments stands in the row.
    places: Vec<usize>,
}

/// A call in an old form, as its row takes it.
pub struct Found {
    pub operator: &'static Operator,
    pub slots: Slots,
    pub traced: Vec<Stash>,
}

/// The row that a call in an old form means, with a warning at the first such call of the process.
pub fn find(py: Python<'_>, arguments: &Arguments<'_, '_>) -> PyResult<Option<Found>> {
    let rows = arguments.overloads.rows().iter();
    for &operator in rows.filter(|row| row.has_old_form) {
        for form in forms(operator.schema(), arguments.is_method) {
            let mut reading = Reading::new(&arguments.overloads, true);
            let mut given = Slots::new();
            if bind(&form.schema, arguments, &mut reading, &mut given).is_none() {
                continue;
            }
            warn(py, arguments, &form.schema)?;
            let formals = operator.schema().arguments.iter();
            let mut slots: Slots = formals
                .map(|formal| formal.repeated_default().unwrap_or_default())
                .collect();
            for (value, &place) in given.into_iter().zip(&form.places) {
                slots[place] = value;
            }
            let mut traced = reading.traced;
            for stash in &mut traced {
                stash.argument = form.places[stash.argument];
            }
            return Ok(Some(Found {
                operator,
                slots,
                traced,
            }));
        }
    }
    Ok(None)
}

/// The old forms of a row: none where it has no factors that are given by name.
fn forms(schema: &Schema, is_method: bool) -> Vec<OldForm> {
    let is_factor = |argument: &Argument| argument.kwarg_only && argument.ty == Type::Number;
    let arguments = &schema.arguments;
    let factors: Vec<usize> = (0..arguments.len())
        .filter(|i| is_factor(&arguments[*i]))
        .collect();
    let operands = (1..arguments.len()).filter(|i| !arguments[*i].kwarg_only);
    let outs = (1..arguments.len()).filter(|i| arguments[*i].is_written());
    // A receiver stands before the dot.
    let heads: Vec<Vec<usize>> = match (factors.as_slice(), is_method) {
        ([], _) => Vec::new(),
        ([factor], _) => vec![vec![0, *factor]],
        ([first, second, ..], true) => vec![vec![0, *first, *second], vec![0, *first]],
        ([first, second, ..], false) => vec![vec![*first, 0, *second], vec![*first, 0]],
    };
    let form = |head: Vec<usize>| {
        let places = head.into_iter().chain(operands.clone()).chain(outs.clone());
        let places: Vec<usize> = places.collect();
        let formals = places.iter().map(|&place| match &arguments[place] {
            factor if is_factor(factor) => Argument::new(&factor.name, Type::Number),
            other => other.clone(),
        });
        OldForm {
            schema: Schema {
                arguments: formals.collect(),
                ..schema.clone()
            },
            places,
        }
    };
    heads.into_iter().map(form).collect()
}

fn warn(py: Python<'_>, arguments: &Arguments<'_, '_>, old: &Schema) -> PyResult<()> {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if WARNED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let text = signature::deprecation(arguments, old);
    let category = py.get_type::<PyUserWarning>();
    py.import("warnings")?
        .call_method1("warn", (text, category))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(schema: &str, is_method: bool) -> Vec<String> {
        let schema = Schema::parse(schema).unwrap();
        let names = |form: OldForm| {
            let names = form.schema.arguments.iter().map(|a| a.name.to_string());
            names.collect::<Vec<_>>().join(" ")
        };
        forms(&schema, is_method).into_iter().map(names).collect()
    }

    #[test]
    fn factors_stand_before_what_they_belong_to() {
        let add = "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)";
        assert_eq!(shown(add, false), ["self alpha other out"]);
        let product = "aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
        let asked = ["beta self alpha mat vec", "beta self mat vec"];
        assert_eq!(shown(product, false), asked);
        let asked = ["self beta alpha mat vec", "self beta mat vec"];
        assert_eq!(shown(product, true), asked);
        assert_eq!(
            shown("aten::mul(Tensor self, Tensor other) -> Tensor", true),
            [""; 0]
        );
    }
}
