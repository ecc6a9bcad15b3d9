//! `gradient`: central differences inside, one-sided ones at the edges, on even or uneven grids.

use super::dims::listed;
use crate::pointwise::steps::Steps;
use rushlight_kernels::reduce::differences::{joined, neighbours};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor};
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

/// Where the samples along a dimension lie.
enum Grid {
    Even(Scalar),
    At(Tensor),
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
    let mut out = Vec::new();
    for (i, &dim) in dims.iter().enumerate() {
        let d = wrap_dim(dim, t.rank())?;
        let n = t.sizes().get(d).copied().unwrap_or(1);
        if (n as i64) < edge_order + 1 {
            return Err(Fault::runtime(
                "torch.gradient expected each dimension size to be at least edge_order+1",
            ));
        }
        let lane = Lane {
            steps: Steps(cx),
            t,
            dim: d,
            n,
        };
        let [first, inside, last] = match grid(i)? {
            Grid::Even(step) => lane.even(step, edge_order)?,
            Grid::At(points) if (points.numel() as i64) < edge_order + 1 => {
                return Err(Fault::index(format!(
                    "select(): index {} out of range for tensor of size [{}] at dimension 0",
                    edge_order - 1,
                    points.numel().saturating_sub(1)
                )));
            }
            Grid::At(points) => lane.uneven(&points, edge_order)?,
        };
        out.push(joined(&[first, inside, last], d, cx.default_dtype())?);
    }
    Ok(out)
}

/// A tensor of at least two samples along a dimension, and the steps that its gradient is made of.
struct Lane<'a> {
    steps: Steps<'a>,
    t: &'a Tensor,
    dim: usize,
    n: usize,
}

impl Lane<'_> {
    /// Samples `from` and on.
    fn rows(&self, from: usize, count: usize) -> Result<Tensor> {
        self.t.narrow(self.dim, from, count)
    }

    /// The first sample, those inside and the last one, where all are as far from the next.
    fn even(&self, step: Scalar, edge_order: i64) -> Result<[Tensor; 3]> {
        let (s, n) = (self.steps, self.n);
        let twice = match step {
            Scalar::Int(step) => step
                .checked_mul(2)
                .map_or(Scalar::Float(2.0 * step as f64), Scalar::Int),
            Scalar::Complex(step) => Scalar::Complex(step + step),
            step => Scalar::Float(2.0 * step.to_f64()),
        };
        let inside = s.div(&s.sub(&self.rows(2, n - 2)?, &self.rows(0, n - 2)?)?, twice)?;
        let edge = |near: usize, other: usize| {
            if edge_order == 1 {
                let (low, high) = (near.min(other), near.max(other));
                return s.div(&s.sub(&self.rows(high, 1)?, &self.rows(low, 1)?)?, step);
            }
            let four = s.mul(&self.rows(other, 1)?, Scalar::Int(4))?;
            let sum = if near == 0 {
                let three = s.mul(&self.rows(0, 1)?, Scalar::Int(-3))?;
                s.sub(&s.add(&three, &four)?, &self.rows(2, 1)?)?
            } else {
                let three = s.mul(&self.rows(near, 1)?, Scalar::Int(3))?;
                s.add(&s.sub(&self.rows(n - 3, 1)?, &four)?, &three)?
            };
            s.div(&sum, twice)
        };
        Ok([edge(0, 1)?, inside, edge(n - 1, n - 2)?])
    }

    /// The same for samples at `points`; one sample inside stands for as many as there are points for.
    fn uneven(&self, points: &Tensor, edge_order: i64) -> Result<[Tensor; 3]> {
        let (s, n, m) = (self.steps, self.n, points.numel());
        let mut sizes: Dims = smallvec::smallvec![1; self.t.rank()];
        sizes[self.dim] = m - 1;
        let apart = neighbours(points, 0).reshape_to(&sizes)?;
        let apart = |from: usize, count: usize| apart.narrow(self.dim, from, count);
        let sum = |from: usize, count: usize, weights: [Tensor; 3]| -> Result<Tensor> {
            let [a, b, c] = weights;
            let two = s.add(
                &s.mul(&a, &self.rows(from, count)?)?,
                &s.mul(&b, &self.rows(from + 1, count)?)?,
            )?;
            s.add(&two, &s.mul(&c, &self.rows(from + 2, count)?)?)
        };
        let (before, after) = (apart(0, m - 2)?, apart(1, m - 2)?);
        let both = s.add(&before, &after)?;
        let inside = [
            s.div(&s.neg(&after)?, &s.mul(&before, &both)?)?,
            s.div(&s.sub(&after, &before)?, &s.mul(&before, &after)?)?,
            s.div(&before, &s.mul(&after, &both)?)?,
        ];
        let inside = sum(0, n - 2, inside)?;
        if edge_order == 1 {
            let edge = |low: usize, step: usize| {
                let rise = s.sub(&self.rows(low + 1, 1)?, &self.rows(low, 1)?)?;
                s.div(&rise, &apart(step, 1)?)
            };
            return Ok([edge(0, 0)?, inside, edge(n - 2, m - 2)?]);
        }
        let edge = |last: bool| -> Result<Tensor> {
            let from = if last { n - 3 } else { 0 };
            let step = if last { m - 3 } else { 0 };
            let (one, two) = (apart(step, 1)?, apart(step + 1, 1)?);
            let both = s.add(&one, &two)?;
            // The step at the edge, and the one next to it.
            let (near, far) = if last { (&two, &one) } else { (&one, &two) };
            let edge = s.div(
                &s.add(&s.mul(near, Scalar::Int(2))?, far)?,
                &s.mul(near, &both)?,
            )?;
            let middle = s.div(&both, &s.mul(near, far)?)?;
            let other = s.div(near, &s.mul(far, &both)?)?;
            match last {
                true => sum(from, 1, [other, s.neg(&middle)?, edge]),
                false => sum(from, 1, [s.neg(&edge)?, middle, s.neg(&other)?]),
            }
        };
        Ok([edge(false)?, inside, edge(true)?])
    }
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
    Grid::Even(step)
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
        Ok(Grid::At(spacing[i].clone()))
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
