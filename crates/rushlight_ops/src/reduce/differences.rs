//! Differences and integrals along a dimension: `diff`, `trapezoid`, `cumulative_trapezoid`.

use rushlight_kernels::reduce::differences::{joined, neighbours, pairwise};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::promote::promote_types;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Complex64, DType, Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, op, operators};

operators! {
    /// Differences and integrals.
    pub static ROWS = [
        op!("aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", diff).out("out", crate::out::cast),
        op!("aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", trapezoid),
        op!("aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", trapezoid_dx),
        op!("aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", trapezoid),
        op!("aten::trapz.dx(Tensor y, *, float dx=1., int dim=-1) -> Tensor", trapz_dx),
        op!("aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", cumulative_trapezoid),
        op!("aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", cumulative_trapezoid_dx),
    ];
}

fn check_edge(input: &Tensor, edge: &Tensor, dim: usize) -> Result<()> {
    if edge.rank() != input.rank() {
        return Err(Fault::runtime(
            "diff expects prepend or append to be the same dimension as input",
        ));
    }
    if (0..input.rank()).any(|d| d != dim && edge.size(d) != input.size(d)) {
        return Err(Fault::runtime(
            "diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension",
        ));
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
    let d = wrap_dim(dim, input.rank())?;
    if n < 0 {
        return Err(Fault::runtime(format!(
            "order must be non-negative but got {n}"
        )));
    }
    for edge in prepend.iter().chain(append.iter()) {
        check_edge(input, edge, d)?;
    }
    if n == 0 {
        return Ok(input.contiguous_copy());
    }
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
    let steps = (n as usize).min(out.size(d));
    for _ in 0..steps {
        out = neighbours(&out, d);
    }
    Ok(out)
}

/// The dtype that integrals of values and sample points have.
fn integral_dtype(cx: &Context, y: &Tensor, x: Option<DType>) -> DType {
    let dtype = x.map_or(y.dtype(), |x| promote_types(x, y.dtype()));
    if dtype.is_integral(true) {
        cx.default_dtype()
    } else {
        dtype
    }
}

/// The areas between neighbouring samples, as complex numbers: the mean of two values times their distance.
fn areas(y: &Tensor, dim: usize, distances: Option<&Tensor>, dx: Complex64) -> Result<Tensor> {
    let means = pairwise(
        &y.to_dtype(DType::C128),
        dim,
        |a: Complex64, b: Complex64| (a + b) * 0.5,
    );
    let mut values = means.to_vec::<Complex64>();
    match distances {
        None => values.iter_mut().for_each(|v| *v *= dx),
        Some(distances) => {
            let distances = distances.to_dtype(DType::C128).expand_to(means.sizes())?;
            for (v, d) in values.iter_mut().zip(distances.data::<Complex64>().iter()) {
                *v *= d;
            }
        }
    }
    Tensor::from_vec(values, means.sizes())
}

fn check_values(name: &str, y: &Tensor, x: Option<&Tensor>) -> Result<()> {
    for (what, t) in [("y", Some(y)), ("x", x)] {
        if t.is_some_and(|t| t.dtype() == DType::Bool) {
            return Err(Fault::not_implemented(format!(
                "{name}: received a bool input for `{what}`, but bool is not supported"
            )));
        }
    }
    Ok(())
}

/// Distances of the sample points, shaped to meet the values.
fn distances(name: &str, y: &Tensor, x: &Tensor, dim: usize) -> Result<Tensor> {
    let n = y.sizes().get(dim).copied().unwrap_or(1);
    let mismatch = || {
        Fault::runtime(format!(
            "{name}: There must be one `x` value for each sample point"
        ))
    };
    if x.rank() <= 1 {
        if x.numel() != n {
            return Err(mismatch());
        }
        let mut sizes: Dims = smallvec::smallvec![1; y.rank()];
        sizes[dim] = n;
        return Ok(neighbours(&x.reshape_to(&sizes)?, dim));
    }
    let mut sizes: Dims = smallvec::smallvec![1; y.rank().saturating_sub(x.rank())];
    sizes.extend_from_slice(x.sizes());
    let x = x.reshape_to(&sizes)?;
    let dim = dim + x.rank().saturating_sub(y.rank());
    if x.size(dim) != n {
        return Err(mismatch());
    }
    Ok(neighbours(&x, dim))
}

fn integrate(
    cx: &Context,
    name: &str,
    y: &Tensor,
    x: Option<&Tensor>,
    dx: Scalar,
    dim: i64,
    finish: fn(&Tensor, usize) -> Result<Tensor>,
) -> Result<Tensor> {
    let d = wrap_dim(dim, y.rank())?;
    if y.rank() == 0 {
        let named = if x.is_some() { 0 } else { dim };
        return Err(Fault::index(match name {
            "trapezoid" => format!("Dimension specified as {named} but tensor has no dimensions"),
            _ => "slice() cannot be applied to a 0-dim tensor.".to_string(),
        }));
    }
    let (dtype, areas) = match x {
        Some(x) => {
            check_values(name, y, Some(x))?;
            let distances = distances(name, y, x, d)?;
            (
                integral_dtype(cx, y, Some(x.dtype())),
                areas(y, d, Some(&distances), Complex64::default())?,
            )
        }
        None => {
            check_values(name, y, None)?;
            if matches!(dx, Scalar::Complex(_) | Scalar::Bool(_)) {
                return Err(Fault::runtime(format!(
                    "{name}: Currently, we only support dx as a real number."
                )));
            }
            (
                integral_dtype(cx, y, None),
                areas(y, d, None, dx.to_complex())?,
            )
        }
    };
    Ok(finish(&areas, d)?.to_dtype(dtype))
}

fn total(areas: &Tensor, dim: usize) -> Result<Tensor> {
    super::sum::sum(areas, Some(smallvec::smallvec![dim as i64]), false, None)
}

fn running(areas: &Tensor, dim: usize) -> Result<Tensor> {
    super::cumulative::cumsum(areas, dim as i64, None)
}

fn trapezoid(cx: &Context, y: &Tensor, x: &Tensor, dim: i64) -> Result<Tensor> {
    integrate(cx, "trapezoid", y, Some(x), Scalar::Int(1), dim, total)
}

fn trapezoid_dx(cx: &Context, y: &Tensor, dx: Scalar, dim: i64) -> Result<Tensor> {
    integrate(cx, "trapezoid", y, None, dx, dim, total)
}

fn trapz_dx(cx: &Context, y: &Tensor, dx: f64, dim: i64) -> Result<Tensor> {
    trapezoid_dx(cx, y, Scalar::Float(dx), dim)
}

fn cumulative_trapezoid(cx: &Context, y: &Tensor, x: &Tensor, dim: i64) -> Result<Tensor> {
    integrate(
        cx,
        "cumulative_trapezoid",
        y,
        Some(x),
        Scalar::Int(1),
        dim,
        running,
    )
}

fn cumulative_trapezoid_dx(cx: &Context, y: &Tensor, dx: Scalar, dim: i64) -> Result<Tensor> {
    integrate(cx, "cumulative_trapezoid", y, None, dx, dim, running)
}
