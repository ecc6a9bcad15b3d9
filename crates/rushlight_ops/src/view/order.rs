//! The same elements with their dimensions in another order.

use super::Ints;
use super::reshape::unique_dims;
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Dims, Fault, Result, Tensor};
use rushlight_types::warning::Notice;
use rushlight_types::{Context, op, operators};

operators! {
    /// Views with dimensions exchanged.
    pub static ROWS = [
        op!("aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", transpose),
        op!("aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor", transpose_copy).out("int_out", crate::out::exact),
        op!("aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)", transpose),
        op!("aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", transpose),
        op!("aten::t(Tensor(a) self) -> Tensor(a)", t),
        op!("aten::t_copy(Tensor self) -> Tensor", t_copy).out("out", crate::out::exact),
        op!("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", permute),
        op!("aten::permute_copy(Tensor self, int[] dims) -> Tensor", permute_copy).out("out", crate::out::exact),
        op!("aten::movedim.int(Tensor(a) self, int source, int destination) -> Tensor(a)", movedim),
        op!("aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", movedims),
        op!("aten::moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)", movedim),
        op!("aten::moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)", movedims),
        op!("aten::mT(Tensor(a) self) -> Tensor(a)", matrix_transpose),
        op!("aten::mT.a(Tensor(a) self) -> Tensor(a)", matrix_transpose),
        op!("aten::numpy_T(Tensor(a) self) -> Tensor(a)", reverse),
        op!("aten::numpy_T.a(Tensor(a) self) -> Tensor(a)", reverse),
    ];
}

fn transpose(t: &Tensor, a: i64, b: i64) -> Result<Tensor> {
    t.transpose(a, b)
}

fn transpose_copy(t: &Tensor, a: i64, b: i64) -> Result<Tensor> {
    Ok(t.transpose(a, b)?.contiguous_copy())
}

/// Refuses what has more than two dimensions.
pub(super) fn check_matrix(name: &str, t: &Tensor) -> Result<()> {
    if t.rank() <= 2 {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "{name} expects a tensor with <= 2 dimensions, but self is {}D",
        t.rank()
    )))
}

pub(super) fn t(t: &Tensor) -> Result<Tensor> {
    check_matrix("t()", t)?;
    match t.rank() {
        2 => t.transpose(0, 1),
        _ => Ok(t.alias()),
    }
}

fn t_copy(tensor: &Tensor) -> Result<Tensor> {
    Ok(t(tensor)?.contiguous_copy())
}

fn permute(t: &Tensor, order: Ints) -> Result<Tensor> {
    t.permute(&order)
}

fn permute_copy(t: &Tensor, order: Ints) -> Result<Tensor> {
    Ok(t.permute(&order)?.contiguous_copy())
}

fn movedim(t: &Tensor, source: i64, destination: i64) -> Result<Tensor> {
    let one = |d| smallvec::smallvec![d];
    movedims(t, one(source), one(destination))
}

fn movedims(t: &Tensor, source: Ints, destination: Ints) -> Result<Tensor> {
    if source.len() != destination.len() {
        return Err(Fault::runtime(format!(
            "movedim: Invalid source or destination dims: source ({source:?} dims) should contain the same number of dims as destination ({destination:?} dims)"
        )));
    }
    let dims = |role: &str, given: &Ints| {
        let wrapped: Dims = given
            .iter()
            .map(|d| wrap_dim(*d, t.rank()))
            .collect::<Result<_>>()?;
        match unique_dims(given, t.rank()) {
            Ok(_) => Ok(wrapped),
            Err(_) => Err(Fault::runtime(format!(
                "movedim: repeated dim in `{role}` ({given:?})"
            ))),
        }
    };
    let (from, to) = (dims("source", &source)?, dims("destination", &destination)?);
    if t.rank() == 0 {
        return Ok(t.alias());
    }
    let mut order: Vec<Option<usize>> = memory::filled(t.rank(), None);
    for (from, to) in from.iter().zip(&to) {
        order[*to] = Some(*from);
    }
    let mut rest = (0..t.rank()).filter(|d| !from.contains(d));
    let order: Ints = order
        .into_iter()
        .map(|place| place.or_else(|| rest.next()).unwrap_or_default() as i64)
        .collect();
    t.permute(&order)
}

fn matrix_transpose(t: &Tensor) -> Result<Tensor> {
    if t.rank() == 0 {
        return Ok(t.clone());
    }
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "tensor.mT is only supported on matrices or batches of matrices. Got {}-D tensor.",
            t.rank()
        )));
    }
    t.transpose(-2, -1)
}

/// What the first reversal of other tensors than matrices is told.
static REVERSES: Notice = Notice::new(
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
);

fn reverse(cx: &Context, t: &Tensor) -> Result<Tensor> {
    if t.rank() != 2 && t.rank() != 0 {
        REVERSES.give(cx)?;
    }
    let order: Ints = (0..t.rank() as i64).rev().collect();
    t.permute(&order)
}
