//! The `fft_*` operators: dimensions, lengths and normalisation by name.

use super::transform::{
    Direction, complex_across, complex_to_complex, complex_to_real, real_to_complex, spectrum_dtype,
};
use rushlight_tensor::layout::contiguous_strides;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{OutDtype, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Fourier transforms.
    pub static ROWS = [
        op!("aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", fft).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("fft expects a complex output tensor, but got {out}")),
        op!("aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", ifft).out("out", rushlight_ops::out::cast_like).out_dtype(OutDtype::Castable("ifft expects a complex output tensor, but got {out}")),
        op!("aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", rfft).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("rfft expects a complex output tensor, but got {out}")),
        op!("aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", irfft).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("irfft expects a floating point output tensor, but got {out}")),
        op!("aten::fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", hfft).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("hfft expects a floating point output tensor, but got {out}")),
        op!("aten::fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", ihfft).out("out", rushlight_ops::out::cast_like).out_dtype(OutDtype::Castable("ihfft expects a complex output tensor, but got {out}")),
        op!("aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", fftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("fftn expects a complex output tensor, but got {out}")),
        op!("aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", ifftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("fftn expects a complex output tensor, but got {out}")),
        op!("aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", rfftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("rfftn expects a complex output tensor, but got {out}")),
        op!("aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", irfftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("irfftn expects a floating point output tensor, but got {out}")),
        op!("aten::fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", hfftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("hfftn expects a floating point output tensor, but got {out}")),
        op!("aten::fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", ihfftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("ihfftn expects a complex output tensor, but got {out}")),
        op!("aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", fftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("fftn expects a complex output tensor, but got {out}")),
        op!("aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", ifftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("fftn expects a complex output tensor, but got {out}")),
        op!("aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", rfftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("rfftn expects a complex output tensor, but got {out}")),
        op!("aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", irfftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("irfftn expects a floating point output tensor, but got {out}")),
        op!("aten::fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", hfftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("hfftn expects a floating point output tensor, but got {out}")),
        op!("aten::fft_ihfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", ihfftn).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("ihfftn expects a complex output tensor, but got {out}")),
        op!("aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor", c2c).out("out", rushlight_ops::out::cast),
        op!("aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", r2c).out("out", rushlight_ops::out::cast),
        op!("aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor", c2r).out("out", rushlight_ops::out::cast),
    ];
}

/// What goes in and comes out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SpectrumKind {
    Complex,
    /// Real in, half a spectrum out.
    FromReal {
        onesided: bool,
    },
    /// Half a spectrum in, real out.
    ToReal,
}

/// The dimensions to transform, in order, with their lengths in the time domain.
struct Plan {
    dims: Vec<usize>,
    lengths: Vec<usize>,
}

impl Plan {
    fn new(
        t: &Tensor,
        lengths: Option<&[i64]>,
        dims: Option<&[i64]>,
        kind: SpectrumKind,
    ) -> Result<Plan> {
        let fail = |message: String| Err(Fault::runtime(message));
        let rank = t.rank();
        if let Some(dim) = dims.and_then(|d| d.first()).filter(|_| rank == 0) {
            return Err(rushlight_tensor::view::no_dimensions(*dim));
        }
        let dims: Vec<usize> = match (dims, lengths) {
            (Some(dims), _) => dims
                .iter()
                .map(|d| wrap_dim(*d, rank))
                .collect::<Result<_>>()?,
            (None, Some(s)) if s.len() > rank => {
                return fail(format!(
                    "Got shape with {} values but input tensor only has {rank} dimensions.",
                    s.len()
                ));
            }
            (None, Some(s)) => (rank - s.len()..rank).collect(),
            (None, None) => (0..rank).collect(),
        };
        for (i, d) in dims.iter().enumerate() {
            if dims[..i].contains(d) {
                return fail("FFT dims must be unique".to_string());
            }
        }
        if lengths.is_some_and(|s| s.len() != dims.len()) {
            return fail(
                "When given, dim and shape arguments must have the same length".to_string(),
            );
        }
        let last = dims.len().wrapping_sub(1);
        let mut out = Vec::new();
        for (i, d) in dims.iter().enumerate() {
            let given = lengths.map(|s| s[i]).filter(|n| *n != -1);
            let own = t.size(*d) as i64;
            let n = given.unwrap_or(if kind == SpectrumKind::ToReal && i == last {
                2 * (own - 1)
            } else {
                own
            });
            if n < 1 {
                return fail(format!("Invalid number of data points ({n}) specified"));
            }
            out.push(n as usize);
        }
        Ok(Plan { dims, lengths: out })
    }

    /// What results are multiplied by.
    fn scale(&self, norm: Option<&str>, direction: Direction) -> Result<f64> {
        let n: f64 = self.lengths.iter().map(|n| *n as f64).product();
        Ok(match (norm.unwrap_or("backward"), direction) {
            ("ortho", _) => 1.0 / n.sqrt(),
            ("forward", Direction::Forward) | ("backward", Direction::Inverse) => 1.0 / n,
            ("forward", Direction::Inverse) | ("backward", Direction::Forward) => 1.0,
            (other, _) => {
                return Err(Fault::runtime(format!(
                    "Invalid normalization mode: \"{other}\""
                )));
            }
        })
    }

    /// How the result's dimensions lie in memory, the outermost first: those that are transformed behind the others, each
    /// by the steps that they had.
    fn order(&self, t: &Tensor, kind: SpectrumKind, direction: Direction) -> Vec<usize> {
        let last = self.dims.len().saturating_sub(1);
        let is_longer = |(i, (d, n)): (usize, (&usize, &usize))| {
            let is_halved = kind == SpectrumKind::ToReal && i == last;
            let needed = if is_halved { n / 2 + 1 } else { *n };
            needed > t.size(*d)
        };
        let places = self.dims.iter().zip(&self.lengths).enumerate();
        let mut steps = match places.into_iter().any(is_longer) {
            true => contiguous_strides(t.sizes()).to_vec(),
            false => t.strides().to_vec(),
        };
        let (rest, halved) = self.dims.split_at(last);
        let turns: [&[usize]; 2] = match kind {
            SpectrumKind::FromReal { .. } if direction == Direction::Forward => [&self.dims, &[]],
            SpectrumKind::FromReal { .. } => [halved, rest],
            SpectrumKind::Complex => [&self.dims, &[]],
            SpectrumKind::ToReal => [rest, halved],
        };
        let mut sizes = t.sizes().to_vec();
        for (d, n) in self.dims.iter().zip(&self.lengths) {
            sizes[*d] = *n;
        }
        let mut order: Vec<usize> = (0..t.rank()).collected();
        for dims in turns.into_iter().filter(|dims| !dims.is_empty()) {
            order = (0..t.rank()).filter(|d| !dims.contains(d)).collected();
            rushlight_tensor::order::sort_by_key(&mut order, |d| std::cmp::Reverse(steps[*d]));
            let sorted = match kind {
                SpectrumKind::FromReal { .. } if dims.len() > 1 => dims.len() - 1,
                _ => dims.len(),
            };
            let mut dims = dims.to_vec();
            rushlight_tensor::order::sort_by_key(&mut dims[..sorted], |d| {
                std::cmp::Reverse(steps[*d])
            });
            order.extend(dims);
            steps = row_major_steps(&order, &sizes);
        }
        order
    }

    /// Transforms, with the transformed dimensions last in memory.
    fn run(
        &self,
        t: &Tensor,
        kind: SpectrumKind,
        direction: Direction,
        scale: f64,
    ) -> Result<Tensor> {
        let dtype = spectrum_dtype(t.dtype(), matches!(kind, SpectrumKind::FromReal { .. }))?;
        if self.dims.is_empty() {
            return Ok(t.to_dtype(dtype.to_complex()));
        }
        let rank = t.rank();
        let mut order: Vec<usize> = (0..rank).filter(|d| !self.dims.contains(d)).collected();
        order.extend(&self.dims);
        let to: Vec<i64> = order.iter().map(|d| *d as i64).collected();
        let mut x = t.to_dtype(dtype).permute(&to)?;
        let first = rank - self.dims.len();
        let last = self.dims.len() - 1;
        match kind {
            SpectrumKind::Complex => {
                x = complex_to_complex(&x, self.lengths[last], direction, scale)?;
            }
            SpectrumKind::FromReal { onesided } => {
                x = real_to_complex(&x, self.lengths[last], scale, onesided)?;
                // Backwards real numbers give the conjugates, zeros of the imaginary part with their sign.
                if direction == Direction::Inverse {
                    x = x.marked(rushlight_tensor::Marks::CONJUGATED).resolved();
                }
            }
            SpectrumKind::ToReal => {}
        }
        for i in 0..last {
            x = complex_across(&x, first + i, self.lengths[i], direction, 1.0)?;
        }
        if kind == SpectrumKind::ToReal {
            x = complex_to_real(&x, self.lengths[last], direction, scale)?;
        }
        let x = x.permute(&places(&order))?;
        let order = self.order(t, kind, direction);
        let to: Vec<i64> = order.iter().map(|d| *d as i64).collected();
        x.permute(&to)?.contiguous().permute(&places(&order))
    }
}

/// Where each dimension is in an order.
fn places(order: &[usize]) -> Vec<i64> {
    let mut places = memory::filled(order.len(), 0i64);
    for (at, d) in order.iter().enumerate() {
        places[*d] = at as i64;
    }
    places
}

/// The steps of a tensor whose dimensions lie in memory in an order, the outermost first.
fn row_major_steps(order: &[usize], sizes: &[usize]) -> Vec<usize> {
    let mut steps = memory::filled(sizes.len(), 0usize);
    let mut step = 1usize;
    for d in order.iter().rev() {
        steps[*d] = step;
        step = step.saturating_mul(sizes[*d].max(1));
    }
    steps
}

/// One dimension.
fn single(
    t: &Tensor,
    n: Option<i64>,
    dim: i64,
    norm: Option<&str>,
    kind: SpectrumKind,
    direction: Direction,
) -> Result<Tensor> {
    spectrum_dtype(t.dtype(), matches!(kind, SpectrumKind::FromReal { .. }))?;
    if t.rank() == 0 {
        return Err(rushlight_tensor::view::no_dimensions(dim));
    }
    wrap_dim(dim, t.rank())?;
    if let Some(n) = n.filter(|n| *n < 1) {
        return Err(Fault::runtime(format!(
            "Invalid number of data points ({n}) specified"
        )));
    }
    let lengths = n.map(|n| [n]);
    let plan = Plan::new(
        t,
        lengths.as_ref().map(|n| n.as_slice()),
        Some(&[dim]),
        kind,
    )?;
    let scale = plan.scale(norm, direction)?;
    plan.run(t, kind, direction, scale)
}

fn need_real(name: &str, t: &Tensor) -> Result<()> {
    if t.dtype().is_complex() {
        let found = t.dtype().class_name();
        return Err(Fault::type_error(match name {
            "rfftn" => format!("{name} expects a real-valued input tensor, but got {found}"),
            "ihfftn" => format!("Only supports floating-point dtypes, but found: {found}"),
            _ => format!("{name} expects a real input tensor, but got {found}"),
        }));
    }
    Ok(())
}

const HALF: SpectrumKind = SpectrumKind::FromReal { onesided: true };

fn fft(t: &Tensor, n: Option<i64>, dim: i64, norm: Option<&str>) -> Result<Tensor> {
    single(t, n, dim, norm, SpectrumKind::Complex, Direction::Forward)
}

fn ifft(t: &Tensor, n: Option<i64>, dim: i64, norm: Option<&str>) -> Result<Tensor> {
    let kind = match t.dtype().is_complex() {
        true => SpectrumKind::Complex,
        false => SpectrumKind::FromReal { onesided: false },
    };
    single(t, n, dim, norm, kind, Direction::Inverse)
}

pub(super) fn rfft(t: &Tensor, n: Option<i64>, dim: i64, norm: Option<&str>) -> Result<Tensor> {
    need_real("rfft", t)?;
    single(t, n, dim, norm, HALF, Direction::Forward)
}

pub(super) fn irfft(t: &Tensor, n: Option<i64>, dim: i64, norm: Option<&str>) -> Result<Tensor> {
    single(t, n, dim, norm, SpectrumKind::ToReal, Direction::Inverse)
}

fn hfft(t: &Tensor, n: Option<i64>, dim: i64, norm: Option<&str>) -> Result<Tensor> {
    single(t, n, dim, norm, SpectrumKind::ToReal, Direction::Forward)
}

fn ihfft(t: &Tensor, n: Option<i64>, dim: i64, norm: Option<&str>) -> Result<Tensor> {
    need_real("ihfft", t)?;
    single(t, n, dim, norm, HALF, Direction::Inverse)
}

/// Several dimensions.
fn several(
    t: &Tensor,
    s: Option<Ints>,
    dims: Option<Ints>,
    norm: Option<&str>,
    kind: SpectrumKind,
    direction: Direction,
) -> Result<Tensor> {
    let plan = Plan::new(t, s.as_deref(), dims.as_deref(), kind)?;
    let scale = plan.scale(norm, direction)?;
    plan.run(t, kind, direction, scale)
}

fn fftn(t: &Tensor, s: Option<Ints>, dims: Option<Ints>, norm: Option<&str>) -> Result<Tensor> {
    several(t, s, dims, norm, SpectrumKind::Complex, Direction::Forward)
}

fn ifftn(t: &Tensor, s: Option<Ints>, dims: Option<Ints>, norm: Option<&str>) -> Result<Tensor> {
    several(t, s, dims, norm, SpectrumKind::Complex, Direction::Inverse)
}

/// Real and Hermitian transforms need a dimension that is halved.
fn need_dimension(name: &str, t: &Tensor, s: &Option<Ints>, dims: &Option<Ints>) -> Result<()> {
    let named = dims.as_ref().or(s.as_ref());
    if named.map_or(t.rank() == 0, |d| d.is_empty()) {
        return Err(Fault::runtime(format!(
            "{name} must transform at least one axis"
        )));
    }
    Ok(())
}

fn rfftn(t: &Tensor, s: Option<Ints>, dims: Option<Ints>, norm: Option<&str>) -> Result<Tensor> {
    need_real("rfftn", t)?;
    need_dimension("rfftn", t, &s, &dims)?;
    several(t, s, dims, norm, HALF, Direction::Forward)
}

fn irfftn(t: &Tensor, s: Option<Ints>, dims: Option<Ints>, norm: Option<&str>) -> Result<Tensor> {
    need_dimension("irfftn", t, &s, &dims)?;
    several(t, s, dims, norm, SpectrumKind::ToReal, Direction::Inverse)
}

fn hfftn(t: &Tensor, s: Option<Ints>, dims: Option<Ints>, norm: Option<&str>) -> Result<Tensor> {
    need_dimension("hfftn", t, &s, &dims)?;
    several(t, s, dims, norm, SpectrumKind::ToReal, Direction::Forward)
}

fn ihfftn(t: &Tensor, s: Option<Ints>, dims: Option<Ints>, norm: Option<&str>) -> Result<Tensor> {
    need_real("ihfftn", t)?;
    need_dimension("ihfftn", t, &s, &dims)?;
    several(t, s, dims, norm, HALF, Direction::Inverse)
}

/// The factor behind the number of a normalisation: none, by the square root, by the count.
fn numbered_scale(normalization: i64, lengths: &[usize]) -> Result<f64> {
    let n: f64 = lengths.iter().map(|n| *n as f64).product();
    match normalization {
        0 => Ok(1.0),
        1 => Ok(1.0 / n.sqrt()),
        2 => Ok(1.0 / n),
        other => Err(Fault::runtime(format!(
            "Unsupported normalization type {other}"
        ))),
    }
}

fn c2c(t: &Tensor, dims: Ints, normalization: i64, forward: bool) -> Result<Tensor> {
    if !t.dtype().is_complex() {
        return Err(Fault::runtime("_fft_c2c expects a complex tensor"));
    }
    let plan = Plan::new(t, None, Some(&dims), SpectrumKind::Complex)?;
    let direction = if forward {
        Direction::Forward
    } else {
        Direction::Inverse
    };
    plan.run(
        t,
        SpectrumKind::Complex,
        direction,
        numbered_scale(normalization, &plan.lengths)?,
    )
}

fn r2c(t: &Tensor, dims: Ints, normalization: i64, onesided: bool) -> Result<Tensor> {
    if !matches!(t.dtype(), DType::F32 | DType::F64) {
        return Err(Fault::runtime(
            "_fft_r2c expects a tensor of float or double",
        ));
    }
    let kind = SpectrumKind::FromReal { onesided };
    let plan = Plan::new(t, None, Some(&dims), kind)?;
    plan.run(
        t,
        kind,
        Direction::Forward,
        numbered_scale(normalization, &plan.lengths)?,
    )
}

fn c2r(t: &Tensor, dims: Ints, normalization: i64, last: i64) -> Result<Tensor> {
    if !t.dtype().is_complex() || last < 1 {
        return Err(Fault::runtime(
            "_fft_c2r expects a complex tensor and a positive size",
        ));
    }
    let mut plan = Plan::new(t, None, Some(&dims), SpectrumKind::Complex)?;
    if let Some(length) = plan.lengths.last_mut() {
        *length = last as usize;
    }
    plan.run(
        t,
        SpectrumKind::ToReal,
        Direction::Inverse,
        numbered_scale(normalization, &plan.lengths)?,
    )
}

/// The spectrum of complex rows, for the short-time transform.
pub(super) fn spectrum_of_rows(t: &Tensor, n: usize, scale: f64, inverse: bool) -> Result<Tensor> {
    let direction = if inverse {
        Direction::Inverse
    } else {
        Direction::Forward
    };
    complex_to_complex(t, n, direction, scale)
}
