//! Differences and integrals along a dimension: `diff`, `trapezoid`, `cumulative_trapezoid`.

use crate::pointwise::steps::Steps;
use crate::view::identity::clone;
use crate::view::rearrange::{in_own_order, order_in_memory};
use rushlight_kernels::reduce::differences::{joined, neighbours};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::{no_dimensions, wrap_dim};
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::{Apart, Context, OutDtype, op, operators};

operators! {
    /// Differences and integrals.
    pub static ROWS = [
        op!("aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", diff).out("out", crate::out::cast).out_dtype(OutDtype::Same("expected scalar_type {result} but found {out}")).apart(Apart::PARTLY),
        op!("aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", trapezoid),
        op!("aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", trapezoid_dx),
        op!("aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", trapezoid),
        op!("aten::trapz.dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor", trapz_dx),
        op!("aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", cumulative_trapezoid),
        op!("aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", cumulative_trapezoid_dx),
    ];
}

fn check_edge(input: &Tensor, edge: &Tensor, dim: i64) -> Result<()> {
    if edge.rank() != input.rank() {
        return Err(Fault::runtime(
            "diff expects prepend or append to be the same dimension as input",
        ));
    }
    let dim = wrap_dim(dim, input.rank())?;
    let differs = |d: &usize| *d != dim && edge.size(*d) != input.size(*d);
    if let Some(d) = (0..input.rank()).find(differs) {
        return Err(Fault::runtime(format!(
            "diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; input.size({d}) = {}, but got tensor.size({d}) = {}",
            input.size(d),
            edge.size(d)
        )));
    }
    Ok(())
}

/// `diff`.
fn diff(
    cx: &Context,
    input: &Tensor,
    n: i64,
    dim: i64,
    prepend: Option<&Tensor>,
    append: Option<&Tensor>,
) -> Result<Tensor> {
    if input.rank() == 0 {
        return Err(Fault::runtime(
            "diff expects input to be at least one-dimensional",
        ));
    }
    if n < 0 {
        return Err(Fault::runtime(format!(
            "order must be non-negative but got {n}"
        )));
    }
    for edge in prepend.iter().chain(append.iter()) {
        check_edge(input, edge, dim)?;
    }
    // No step asks for a dimension.
    if n == 0 {
        return clone(input, None);
    }
    let d = wrap_dim(dim, input.rank())?;
    input.dtype().computes_in_full("add_stub")?;
    let parts: Vec<Tensor> = prepend
        .into_iter()
        .chain([input])
        .chain(append)
        .cloned()
        .collected();
    let mut out = match parts.len() {
        1 => input.clone(),
        _ => joined(&parts, d, cx.default_dtype())?,
    };
    let steps = n as usize;
    // Every step leaves one less.
    if steps >= out.size(d) {
        return Ok(out.narrow(d, 0, 0)?.contiguous_copy());
    }
    let order = order_in_memory(&out);
    let place = order.iter().position(|o| *o as usize == d).unwrap_or(d);
    out = out.permute(&order)?;
    for _ in 0..steps {
        out = neighbours(&out, place);
    }
    in_own_order(&out, &order)
}

/// All but the last of a dimension, and all but the first.
fn ends(y: &Tensor, dim: usize) -> Result<(Tensor, Tensor)> {
    let n = y.size(dim).saturating_sub(1);
    Ok((y.narrow(dim, 0, n)?, y.narrow(dim, y.size(dim) - n, n)?))
}

fn check_values(name: &str, y: &Tensor, x: Option<&Tensor>) -> Result<()> {
    let is_bool = |t: &Tensor| t.dtype() == DType::Bool;
    if is_bool(y) || x.is_some_and(is_bool) {
        let what = if x.is_some() { "`x` or `y`" } else { "`y`" };
        return Err(Fault::not_implemented(format!(
            "{name}: received a bool input for {what}, but bool is not supported"
        )));
    }
    Ok(())
}

/// Distances of the sample points, shaped to meet the values.
fn distances(name: &str, y: &Tensor, x: &Tensor, dim: usize) -> Result<Tensor> {
    if x.rank() == 1 {
        let n = y.size(dim);
        if x.numel() != n {
            return Err(Fault::runtime(format!(
                "{name}: There must be one `x` value for each sample point"
            )));
        }
        let mut sizes: Dims = smallvec::smallvec![1; y.rank()];
        sizes[dim] = n;
        return Ok(neighbours(&x.reshape_to(&sizes)?, dim));
    }
    // Points in more dimensions only have to broadcast; the dimension counts from the left of both.
    let mut sizes: Dims = smallvec::smallvec![1; y.rank().saturating_sub(x.rank())];
    sizes.extend_from_slice(x.sizes());
    Ok(neighbours(&x.reshape_to(&sizes)?, dim))
}

/// The dimension to integrate along, of values that can be.
fn checked(name: &str, y: &Tensor, x: Option<&Tensor>, dim: i64) -> Result<usize> {
    if y.rank() == 0 && x.is_none() && name == "trapezoid" {
        return Err(no_dimensions(dim));
    }
    let d = match (y.rank(), x) {
        (0, None) => 0,
        (rank, _) => wrap_dim(dim, rank)?,
    };
    if y.rank() == 0 {
        return Err(match name {
            "trapezoid" => no_dimensions(0),
            _ => Fault::index("slice() cannot be applied to a 0-dim tensor."),
        });
    }
    check_values(name, y, x)?;
    Ok(d)
}

/// Refuses distances that are no real numbers.
fn check_distance(name: &str, dx: Scalar) -> Result<()> {
    match dx {
        Scalar::Complex(_) | Scalar::Bool(_) => Err(Fault::runtime(format!(
            "{name}: Currently, we only support dx as a real number."
        ))),
        _ => Ok(()),
    }
}

/// The sums of neighbours times the distances of their points.
fn areas(cx: &Context, name: &str, y: &Tensor, x: &Tensor, dim: usize) -> Result<Tensor> {
    let (left, right) = ends(y, dim)?;
    let steps = Steps(cx);
    steps.mul(&steps.add(&left, &right)?, &distances(name, y, x, dim)?)
}

fn trapezoid(cx: &Context, y: &Tensor, x: &Tensor, dim: i64) -> Result<Tensor> {
    let d = checked("trapezoid", y, Some(x), dim)?;
    if y.size(d) == 0 {
        let mut sizes = Dims::from_slice(y.sizes());
        sizes.remove(d);
        return Tensor::zeros(&sizes, y.dtype());
    }
    let areas = areas(cx, "trapezoid", y, x, d)?;
    let total = super::sum::sum(&areas, Some(smallvec::smallvec![d as i64]), false, None)?;
    Steps(cx).div(&total, Scalar::Float(2.0))
}

fn trapezoid_dx(cx: &Context, y: &Tensor, dx: Scalar, dim: i64) -> Result<Tensor> {
    let d = checked("trapezoid", y, None, dim)?;
    check_distance("trapezoid", dx)?;
    let steps = Steps(cx);
    let total = super::sum::sum(y, Some(smallvec::smallvec![d as i64]), false, None)?;
    if y.size(d) == 0 {
        return steps.mul(&total, Scalar::Float(0.0));
    }
    // What the first and the last are counted too often.
    let edges = steps.add(&y.select(d as i64, 0)?, &y.select(d as i64, -1)?)?;
    let inner = steps.sub(&total, &steps.mul(&edges, Scalar::Float(0.5))?)?;
    steps.mul(&inner, dx)
}

fn trapz_dx(cx: &Context, y: &Tensor, dx: f64, dim: i64) -> Result<Tensor> {
    trapezoid_dx(cx, y, Scalar::Float(dx), dim)
}

fn cumulative_trapezoid(cx: &Context, y: &Tensor, x: &Tensor, dim: i64) -> Result<Tensor> {
    let name = "cumulative_trapezoid";
    let d = checked(name, y, Some(x), dim)?;
    let areas = areas(cx, name, y, x, d)?;
    let running = super::cumulative::cumsum(&areas, d as i64, None)?;
    Steps(cx).div(&running, Scalar::Float(2.0))
}

fn cumulative_trapezoid_dx(cx: &Context, y: &Tensor, dx: Scalar, dim: i64) -> Result<Tensor> {
    let name = "cumulative_trapezoid";
    let d = checked(name, y, None, dim)?;
    check_distance(name, dx)?;
    let (left, right) = ends(y, d)?;
    let steps = Steps(cx);
    let half = Scalar::Float(dx.to_f64() / 2.0);
    let areas = steps.mul(&steps.add(&left, &right)?, half)?;
    super::cumulative::cumsum(&areas, d as i64, None)
}
