//! Complex numbers: parts, conjugates, angles, and making them.
//!
//! `conj` and `_neg_view` compute nothing: their results are marked (see `rushlight_tensor::Marks`).

use super::definition::Pointwise;
use super::in_context::InContext;
use super::table::{Tables, forms, table};
pub(crate) use rushlight_kernels::pointwise::complex::*;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Fault, Layout, Marks, Result, Tensor};
use rushlight_types::{Context, Elements, op};

/// Makes complex numbers; a given tensor must have exactly their dtype.
fn of_parts_of(
    op: &Pointwise,
    cx: &Context,
    form: ResultForm<'_>,
    a: &Tensor,
    b: &Tensor,
) -> Result<Tensor> {
    if let ResultForm::Out(given) = form
        && given.dtype() != a.dtype().to_complex()
    {
        check_parts(&[a.into(), b.into()], a.dtype(), &[])?;
        return Err(Fault::runtime(format!(
            "Expected object of scalar type {} but got scalar type {} for argument 'out'",
            a.dtype().to_complex().class_name(),
            given.dtype().class_name()
        )));
    }
    op.call(cx, form, &[a.into(), b.into()], &[])
}

fn conj(cx: &Context, a: &Tensor) -> Result<Tensor> {
    match a.dtype().is_complex() {
        true => CONJ.call(cx, ResultForm::Fresh, &[a.into()], &[]),
        false => Ok(a.clone()),
    }
}

/// The real parts (`part` 0) or imaginary parts (1) of a complex tensor as a view.
fn part(a: &Tensor, part: usize) -> Result<Tensor> {
    let strides: Vec<usize> = a.strides().iter().map(|s| s.saturating_mul(2)).collected();
    let layout = Layout::strided(a.sizes(), &strides, a.layout().offset() * 2 + part);
    let view = Tensor::view_of(&a.storage(), a.dtype().to_real(), layout)?;
    let marks = a.marks();
    Ok(view.marked(match part {
        // The imaginary part of a conjugate is negated.
        1 if marks.has(Marks::CONJUGATED) => marks.and(Marks::CONJUGATED).and(Marks::NEGATED),
        _ => marks.without(Marks::CONJUGATED),
    }))
}

fn real(a: &Tensor) -> Result<Tensor> {
    if a.dtype().is_complex() {
        part(a, 0)
    } else {
        Ok(a.clone())
    }
}

fn imag(a: &Tensor) -> Result<Tensor> {
    if a.dtype().is_complex() {
        return part(a, 1);
    }
    Err(Fault::type_error(
        "imag is not implemented for tensors with non-complex dtypes.",
    ))
}

/// The conjugate as a view; a real tensor is its own.
pub fn conjugated(a: &Tensor) -> Tensor {
    match a.dtype().is_complex() {
        true => a.marked(Marks::CONJUGATED),
        false => a.clone(),
    }
}

fn conjugate_view(a: &Tensor) -> Result<Tensor> {
    match a.dtype().is_complex() {
        true => Ok(conjugated(a)),
        false => Err(Fault::runtime(
            "_conj is only supported for complex tensors",
        )),
    }
}

fn negated(a: &Tensor) -> Tensor {
    a.marked(Marks::NEGATED)
}

fn resolve_conj(a: &Tensor) -> Tensor {
    match a.is_conjugated() {
        true => a.resolved(),
        false => a.clone(),
    }
}

fn resolve_neg(a: &Tensor) -> Tensor {
    match a.is_negated() {
        true => a.resolved(),
        false => a.clone(),
    }
}

fn positive(a: &Tensor) -> Result<Tensor> {
    if a.dtype() == DType::Bool {
        return Err(Fault::not_implemented(
            "The `+` operator, on a bool tensor is not supported.",
        ));
    }
    Ok(a.clone())
}

forms! {
    /// Conjugates that are always computed.
    pub mod conjugates ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => match form {
        ResultForm::Fresh => conj(cx, a),
        _ => op.call(cx, form, &[a.into()], &[]),
    })
    { "conj_physical" => CONJ }
}
forms! {
    /// The same without a form in place, and angles.
    pub mod functions ("self", "") fresh "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    { "_conj_physical" => CONJ, "angle" => ANGLE }
}
forms! {
    /// Complex numbers of their parts.
    pub mod of_parts ("real", ", Tensor imag") fresh "", out ".out";
    (|cx, form, a, b: &Tensor| op => of_parts_of(op, cx, form, a, b))
    { "complex" => COMPLEX }
}
forms! {
    /// Complex numbers of magnitudes and angles.
    pub mod of_angles ("abs", ", Tensor angle") fresh "", out ".out";
    (|cx, form, a, b: &Tensor| op => of_parts_of(op, cx, form, a, b))
    { "polar" => POLAR }
}
rushlight_types::operators! {
    /// Views and marks.
    static VIEWS = [
        op!("aten::real(Tensor(a) self) -> Tensor(a)", real),
        op!("aten::imag(Tensor(a) self) -> Tensor(a)", imag),
        op!("aten::conj(Tensor(a) self) -> Tensor(a)", conjugated),
        op!("aten::_conj(Tensor(a) self) -> Tensor(a)", conjugate_view),
        op!("aten::_neg_view(Tensor(a) self) -> Tensor(a)", negated),
        op!("aten::resolve_conj(Tensor(a) self) -> Tensor(a)", resolve_conj).elements_are(Elements::Untouched),
        op!("aten::resolve_neg(Tensor(a) self) -> Tensor(a)", resolve_neg).elements_are(Elements::Untouched),
        op!("aten::positive(Tensor(a) self) -> Tensor(a)", positive),
        op!("aten::is_conj(Tensor self) -> bool", Tensor::is_conjugated).elements_are(Elements::Untouched),
        op!("aten::is_neg(Tensor self) -> bool", Tensor::is_negated).elements_are(Elements::Untouched),
    ];
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    conjugates::TABLES,
    functions::TABLES,
    of_parts::TABLES,
    of_angles::TABLES,
    &[VIEWS],
];
