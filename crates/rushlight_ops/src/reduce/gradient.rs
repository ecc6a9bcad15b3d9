//! `gradient`: central differences inside, one-sided ones at the edges, on even or uneven grids.

use super::dims::listed;
use rushlight_kernels::reduce::gradient::{Grid, along};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Complex64, DType, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, Value, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// `gradient`.
    pub static ROWS = [
        op!("aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]", even_one),
        op!("aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]", even_same),
        op!("aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]", unit),
        op!("aten::gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]", even_list),
        op!("aten::gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]", even_each),
        op!("aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]", uneven_list),
        op!("aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]", uneven_each),
    ];
}

fn gradients(
    cx: &Context,
    t: &Tensor,
    dims: &[i64],
    edge_order: i64,
    grid: impl Fn(usize) -> Result<Grid>,
) -> Result<Vec<Tensor>> {
    if t.dtype() == DType::U8 {
        return Err(Fault::not_implemented(
            "torch.gradient does not support uint8 input.",
        ));
    }
    if !(1..=2).contains(&edge_order) {
        return Err(Fault::runtime(
            "torch.gradient only supports edge_order=1 and edge_order=2.",
        ));
    }
    listed(dims, t.rank())?;
    if t.dtype() == DType::Bool {
        return Err(Fault::not_implemented(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
        ));
    }
    let dtype = if t.dtype().is_integral(true) {
        cx.default_dtype()
    } else {
        t.dtype()
    };
    let wide = t.to_dtype(match dtype {
        DType::F32 => DType::F32,
        d if d.is_complex() => DType::C128,
        _ => DType::F64,
    });
    let mut out = Vec::new();
    for (i, &dim) in dims.iter().enumerate() {
        let d = wrap_dim(dim, t.rank())?;
        let n = t.sizes().get(d).copied().unwrap_or(1);
        if (n as i64) < edge_order + 1 {
            return Err(Fault::runtime(
                "torch.gradient expected each dimension size to be at least edge_order+1",
            ));
        }
        let grid = grid(i)?;
        if let Grid::At(points) = &grid
            && points.len() != n
        {
            return Err(Fault::runtime(
                "torch.gradient expected each element in the spacing argument to be a coordinate for each element of the dimension",
            ));
        }
        let gradient = match wide.dtype() {
            DType::F32 => along::<f32>(&wide, d, &grid, edge_order)?,
            DType::F64 => along::<f64>(&wide, d, &grid, edge_order)?,
            _ => along::<Complex64>(&wide, d, &grid, edge_order)?,
        };
        out.push(gradient.to_dtype(dtype));
    }
    Ok(out)
}

/// The given dimension, or all of them.
fn one_or_all(t: &Tensor, dim: Option<i64>) -> Ints {
    match dim {
        Some(dim) => smallvec::smallvec![dim],
        None => (0..t.rank() as i64).collect(),
    }
}

fn check_count(t: &Tensor, have: usize, dims: &[i64], given: bool) -> Result<()> {
    if have == dims.len() {
        return Ok(());
    }
    Err(Fault::runtime(if given {
        format!(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same length, but got a spacing argument of length {have} and a dim argument of length {}.",
            dims.len()
        )
    } else {
        format!(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = {}', since dim argument was not given, but got a list of length {have}",
            t.rank()
        )
    }))
}

fn even(step: Scalar) -> Grid {
    Grid::Even(step.to_complex())
}

fn even_one(
    cx: &Context,
    t: &Tensor,
    spacing: Option<Scalar>,
    dim: Option<i64>,
    edge_order: i64,
) -> Result<Vec<Tensor>> {
    let step = spacing.unwrap_or(Scalar::Int(1));
    gradients(cx, t, &one_or_all(t, dim), edge_order, |_| Ok(even(step)))
}

fn even_same(
    cx: &Context,
    t: &Tensor,
    spacing: Scalar,
    dim: Ints,
    edge_order: i64,
) -> Result<Vec<Tensor>> {
    gradients(cx, t, &dim, edge_order, |_| Ok(even(spacing)))
}

fn unit(cx: &Context, t: &Tensor, dim: Ints, edge_order: i64) -> Result<Vec<Tensor>> {
    gradients(cx, t, &dim, edge_order, |_| Ok(even(Scalar::Int(1))))
}

fn even_steps(
    cx: &Context,
    t: &Tensor,
    spacing: &Value,
    dims: &[i64],
    given: bool,
    edge_order: i64,
) -> Result<Vec<Tensor>> {
    let steps: Vec<Scalar> = spacing
        .list_items()?
        .iter()
        .map(Value::as_scalar)
        .collect::<Result<_>>()?;
    check_count(t, steps.len(), dims, given)?;
    gradients(cx, t, dims, edge_order, |i| Ok(even(steps[i])))
}

fn even_list(
    cx: &Context,
    t: &Tensor,
    spacing: &Value,
    dim: Option<i64>,
    edge_order: i64,
) -> Result<Vec<Tensor>> {
    even_steps(
        cx,
        t,
        spacing,
        &one_or_all(t, dim),
        dim.is_some(),
        edge_order,
    )
}

fn even_each(
    cx: &Context,
    t: &Tensor,
    spacing: &Value,
    dim: Ints,
    edge_order: i64,
) -> Result<Vec<Tensor>> {
    even_steps(cx, t, spacing, &dim, true, edge_order)
}

fn uneven(
    cx: &Context,
    t: &Tensor,
    spacing: &[Tensor],
    dims: &[i64],
    given: bool,
    edge_order: i64,
) -> Result<Vec<Tensor>> {
    check_count(t, spacing.len(), dims, given)?;
    gradients(cx, t, dims, edge_order, |i| {
        if spacing[i].rank() != 1 {
            return Err(Fault::runtime(format!(
                "torch.gradient expected each element of spacing to have one dimension, but got an element with {} dimensions",
                spacing[i].rank()
            )));
        }
        Ok(Grid::At(spacing[i].to_vec()))
    })
}

fn uneven_list(
    cx: &Context,
    t: &Tensor,
    spacing: Vec<Tensor>,
    dim: Option<i64>,
    edge_order: i64,
) -> Result<Vec<Tensor>> {
    uneven(
        cx,
        t,
        &spacing,
        &one_or_all(t, dim),
        dim.is_some(),
        edge_order,
    )
}

fn uneven_each(
    cx: &Context,
    t: &Tensor,
    spacing: Vec<Tensor>,
    dim: Ints,
    edge_order: i64,
) -> Result<Vec<Tensor>> {
    uneven(cx, t, &spacing, &dim, true, edge_order)
}
