//! Transforms along the last dimension of complex and real tensors.

use super::abreast::{self, root};
use rushlight_tensor::layout::{Layout, checked_numel};
use rushlight_tensor::{Buffer, Complex, DType, Dims, Element, Result, Tensor, watch};
use rushlight_tensor::{memory, threads};
use rustfft::{Fft, FftNum, FftPlanner};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Which sign the exponent has: forward is minus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Forward,
    Inverse,
}

/// What rows are, and what is made of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Complex,
    /// Real rows, of which the first half of the spectrum is wanted.
    FromReal,
    /// The first halves of spectra of real rows.
    ToReal,
}

/// Rows of numbers, the parts of complex ones next to one another.
pub struct Rows<'a, T> {
    pub data: &'a [T],
    pub count: usize,
    /// How many rows begin `step` numbers after another, before the next do so from `outer` numbers on.
    pub per: usize,
    pub outer: usize,
    pub step: usize,
    /// What real rows are multiplied by.
    pub window: Option<&'a [T]>,
}

impl<T> Rows<'_, T> {
    /// Where a row begins.
    pub fn start(&self, row: usize) -> usize {
        row / self.per * self.outer + row % self.per * self.step
    }
}

/// A number of a type.
fn number<T: Element>(value: f64) -> T {
    T::from_f64(value)
}

/// What is to be done.
pub struct Task<'a, T> {
    pub kind: Kind,
    /// Numbers of a whole row, real or complex.
    pub n: usize,
    pub direction: Direction,
    pub scale: f64,
    pub rows: Rows<'a, T>,
}

impl<T> Task<'_, T> {
    /// Parts of numbers in a row, before and after.
    pub fn width_in(&self) -> usize {
        match self.kind {
            Kind::Complex => 2 * self.n,
            Kind::FromReal => self.n,
            Kind::ToReal => 2 * (self.n / 2 + 1),
        }
    }

    /// See [`Task::width_in`].
    pub fn width_out(&self) -> usize {
        match self.kind {
            Kind::Complex => 2 * self.n,
            Kind::FromReal => 2 * (self.n / 2 + 1),
            Kind::ToReal => self.n,
        }
    }

    /// Numbers of the complex row that is transformed: real ones are taken in pairs where that comes out even.
    fn length(&self) -> usize {
        match self.kind != Kind::Complex && self.n.is_multiple_of(2) {
            true => self.n / 2,
            false => self.n,
        }
    }
}

/// A plan for rows one after the other.
pub struct Single<T: FftNum> {
    fft: Arc<dyn Fft<T>>,
    /// `-i exp(-2πi k / 2n)` up to the middle, by which pairs of real numbers are taken apart.
    halves: Vec<Complex<T>>,
}

impl<T: Part> Single<T> {
    fn new(n: usize, direction: Direction) -> Single<T> {
        let mut planner = FftPlanner::<T>::new();
        let half = |k| {
            let [re, im] = root(k, 2 * n);
            T::complex(number(im), number(-re))
        };
        Single {
            fft: match direction {
                Direction::Forward => planner.plan_fft_forward(n),
                Direction::Inverse => planner.plan_fft_inverse(n),
            },
            halves: (0..=n / 2).map(half).collect(),
        }
    }
}

/// A plan.
#[derive(Clone)]
pub enum Plan<T: FftNum> {
    Abreast(Arc<abreast::Plan>),
    Single(Arc<Single<T>>),
}

/// Which plan it is: the length, and the direction where rows go one after the other.
type PlanKey = (usize, Option<Direction>);
/// The plans that were asked for last, the latest at the end.
pub type Kept<T> = Mutex<Vec<(PlanKey, Plan<T>)>>;

/// Plans that are kept, and the longest of them.
const PLANS: usize = 16;
const LONGEST_KEPT: usize = 1 << 13;

/// f32 and f64, with their complex element types.
pub trait Part: FftNum + Element {
    fn complex(re: Self, im: Self) -> Complex<Self>;
    /// Where plans are kept.
    fn kept() -> MutexGuard<'static, Vec<(PlanKey, Plan<Self>)>>;
    /// The plan for rows that are transformed together, where there is one.
    fn abreast(_: usize) -> Option<abreast::Plan> {
        None
    }
    /// Transforms some rows together.
    fn run_abreast(_: &abreast::Plan, _: &Task<'_, Self>, _: Range<usize>, _: &mut [Self]) {}
}

macro_rules! parts_of {
    ($t:ty $(, $more:item)*) => {
        impl Part for $t {
            fn complex(re: $t, im: $t) -> Complex<$t> {
                Complex::new(re, im)
            }
            fn kept() -> MutexGuard<'static, Vec<(PlanKey, Plan<$t>)>> {
                static KEPT: Kept<$t> = Mutex::new(Vec::new());
                KEPT.lock().unwrap_or_else(PoisonError::into_inner)
            }
            $($more)*
        }
    };
}
parts_of!(f64);
parts_of!(
    f32,
    fn abreast(n: usize) -> Option<abreast::Plan> {
        abreast::Plan::of(n)
    },
    fn run_abreast(
        plan: &abreast::Plan,
        task: &Task<'_, f32>,
        rows: Range<usize>,
        out: &mut [f32],
    ) {
        abreast::rows(plan, task, rows, out);
    }
);

/// Binds `$T` to the real type behind a complex dtype.
macro_rules! parts {
    ($dtype:expr, $T:ident => $body:expr) => {
        if matches!(
            $dtype,
            rushlight_tensor::DType::C128 | rushlight_tensor::DType::F64
        ) {
            type $T = f64;
            $body
        } else {
            type $T = f32;
            $body
        }
    };
}

/// Fewer rows are transformed one after the other.
const FEW: usize = 3;

/// The plan of a task, kept from an earlier one if there was any. What it is depends on the whole task, so that it gives the same bits
/// in whatever parts it is run.
fn plan<T: Part>(task: &Task<'_, T>) -> Plan<T> {
    let n = task.length();
    let single = (n, Some(task.direction));
    let odd = task.kind != Kind::Complex && n == task.n;
    let wanted: &[PlanKey] = match odd || task.rows.count < FEW {
        true => &[single],
        false => &[(n, None), single],
    };
    let mut kept = T::kept();
    for key in wanted {
        if let Some(at) = kept.iter().position(|(k, _)| k == key) {
            kept[at..].rotate_left(1);
            return kept[kept.len() - 1].1.clone();
        }
        let made = match key.1 {
            None => T::abreast(n).map(|plan| Plan::Abreast(Arc::new(plan))),
            Some(direction) => Some(Plan::Single(Arc::new(Single::new(n, direction)))),
        };
        let Some(made) = made else { continue };
        if n <= LONGEST_KEPT {
            if kept.len() == PLANS {
                kept.remove(0);
            }
            kept.push((*key, made.clone()));
        }
        return made;
    }
    unreachable!("every length has a plan")
}

/// Does a task.
fn run<T: Part>(task: &Task<'_, T>) -> Buffer<T> {
    let target = task.width_out();
    let mut out = Buffer::<T>::unspecified(memory::times([task.rows.count, target]));
    if out.is_empty() {
        return out;
    }
    let plan = plan(task);
    threads::split_rows(&mut out, target, 8, 8 * task.n, &|some, out| match &plan {
        Plan::Abreast(plan) => T::run_abreast(plan, task, some, out),
        Plan::Single(plan) => {
            let zero = Complex::<T>::default();
            let mut row = memory::filled(plan.fft.len() + 1, zero);
            let mut scratch = memory::filled(plan.fft.get_inplace_scratch_len(), zero);
            for (i, out) in some.zip(out.chunks_exact_mut(target)) {
                watch::poll();
                let from = &task.rows.data[task.rows.start(i)..][..task.width_in()];
                one_row(plan, task, from, &mut row, &mut scratch, out);
            }
        }
    });
    out
}

/// Transforms one row, which is worked on in `row`.
fn one_row<T: Part>(
    plan: &Single<T>,
    task: &Task<'_, T>,
    from: &[T],
    row: &mut [Complex<T>],
    scratch: &mut [Complex<T>],
    out: &mut [T],
) {
    let n = plan.fft.len();
    let paired = n != task.n;
    let backward = task.direction == Direction::Inverse;
    load(task, paired, from, row);
    if task.kind == Kind::ToReal && paired {
        let (a, b) = (row[0].re, row[n].re);
        // Forward it is the conjugates that are transformed.
        row[0] = match backward {
            true => T::complex(a + b, a - b),
            false => T::complex(a + b, b - a),
        };
        untangle(plan, row, backward);
    }
    plan.fft.process_with_scratch(&mut row[..n], scratch);
    let mut scale = number::<T>(task.scale);
    if task.kind == Kind::FromReal && paired {
        let two = number::<T>(2.0);
        let (a, b) = (row[0].re, row[0].im);
        row[0] = T::complex(two * (a + b), number(0.0));
        row[n] = T::complex(two * (a - b), number(0.0));
        untangle(plan, row, false);
        scale = scale * number(0.5);
    }
    if task.kind == Kind::ToReal && !paired {
        for (out, z) in out.iter_mut().zip(row) {
            *out = z.re * scale;
        }
        return;
    }
    let turned = task.kind == Kind::ToReal && !backward;
    let imaginary = if turned { -scale } else { scale };
    for (out, z) in out.chunks_exact_mut(2).zip(row) {
        (out[0], out[1]) = (z.re * scale, z.im * imaginary);
    }
}

/// The complex row that is transformed: of real numbers pairs, if they are `paired`.
fn load<T: Part>(task: &Task<'_, T>, paired: bool, from: &[T], row: &mut [Complex<T>]) {
    let windowed = |j: usize| match task.rows.window {
        Some(window) => from[j] * window[j],
        None => from[j],
    };
    match task.kind {
        Kind::FromReal if paired => {
            for (j, z) in row[..task.n / 2].iter_mut().enumerate() {
                *z = T::complex(windowed(2 * j), windowed(2 * j + 1));
            }
        }
        Kind::FromReal => {
            for (j, z) in row[..task.n].iter_mut().enumerate() {
                *z = T::complex(windowed(j), number(0.0));
            }
        }
        Kind::Complex | Kind::ToReal => {
            for (z, pair) in row.iter_mut().zip(from.chunks_exact(2)) {
                *z = T::complex(pair[0], pair[1]);
            }
        }
    }
    if task.kind == Kind::ToReal && !paired {
        // The second half mirrors the first; what has no partner is taken as real.
        row[0].im = number(0.0);
        for k in task.n / 2 + 1..task.n {
            row[k] = row[task.n - k].conj();
        }
    }
}

/// As [`abreast`] does for many rows.
fn untangle<T: Part>(plan: &Single<T>, row: &mut [Complex<T>], conj: bool) {
    let n = plan.fft.len();
    let (first, second) = row[1..n].split_at_mut(n / 2);
    // With an even number the one in the middle is its own partner.
    let middle = first.last_mut().filter(|_| n.is_multiple_of(2));
    if let Some(z) = middle {
        let two = number::<T>(2.0);
        // A difference, so that zero stays without a sign.
        *z = T::complex(z.re * two, number::<T>(0.0) - z.im * two);
    }
    for ((a, c), h) in first
        .iter_mut()
        .zip(second.iter_mut().rev())
        .zip(&plan.halves[1..])
    {
        let h = if conj { h.conj() } else { *h };
        let (sum, difference) = (*a + c.conj(), *a - c.conj());
        let turned = difference * h;
        *a = sum + turned;
        *c = (sum - turned).conj();
    }
}

/// `sizes` with another last size.
fn with_last(sizes: &[usize], last: usize) -> Dims {
    let mut out = Dims::from_slice(sizes);
    if let Some(end) = out.last_mut() {
        *end = last;
    }
    out
}

/// How many rows a tensor has along its last dimension, rows of no elements included.
fn row_count(t: &Tensor) -> usize {
    let (_, outer) = t.sizes().split_last().unwrap_or((&1, &[]));
    outer.iter().product()
}

/// The elements of a tensor in row-major order, as a row of the numbers that they are made of.
fn flat(t: &Tensor) -> Result<Tensor> {
    let t = t.contiguous();
    let parts = if t.dtype().is_complex() { 2 } else { 1 };
    let layout = Layout::contiguous(&[memory::times([t.numel(), parts])]);
    let offset = t.layout().offset() * parts;
    Tensor::view_of(&t.storage(), t.dtype().to_real(), layout.at_offset(offset))
}

/// Copies `count` rows of `from` elements into rows of `to`, padded with zeros.
fn padded<T: Part>(data: &[T], count: usize, from: usize, to: usize) -> Buffer<T> {
    let mut out = Buffer::zeroed(memory::times([count, to]));
    if from > 0 {
        for (row, target) in data.chunks_exact(from).zip(out.chunks_exact_mut(to)) {
            watch::poll();
            target[..from].copy_from_slice(row);
        }
    }
    out
}

/// A tensor transformed along its last dimension, which is cut or padded to what a row of `n` numbers takes.
fn along_last(
    t: &Tensor,
    n: usize,
    kind: Kind,
    direction: Direction,
    scale: f64,
) -> Result<Tensor> {
    let from = t.sizes().last().copied().unwrap_or(1);
    let (needed, wanted) = match kind {
        Kind::Complex => (n, n),
        Kind::FromReal => (n, n / 2 + 1),
        Kind::ToReal => (n / 2 + 1, n),
    };
    let sizes = with_last(t.sizes(), wanted);
    checked_numel(&sizes)?;
    checked_numel(&with_last(t.sizes(), needed))?;
    let parts = if kind == Kind::FromReal { 1 } else { 2 };
    let count = row_count(t);
    parts!(t.dtype(), T => {
        let flat = flat(t)?;
        let data = flat.data::<T>();
        let longer = (from < needed).then(|| padded::<T>(&data, count, parts * from, parts * needed));
        let rows = Rows {
            data: longer.as_deref().unwrap_or(&data),
            count,
            per: count.max(1),
            outer: 0,
            step: parts * from.max(needed),
            window: None,
        };
        let out = run::<T>(&Task { kind, n, direction, scale, rows });
        match kind {
            Kind::ToReal => Ok(out.into_tensor(&sizes)),
            _ => out.into_elements(T::DTYPE.to_complex(), &sizes),
        }
    })
}

/// A complex tensor transformed along its last dimension, which is cut or padded to `n`.
pub fn complex_to_complex(
    t: &Tensor,
    n: usize,
    direction: Direction,
    scale: f64,
) -> Result<Tensor> {
    along_last(t, n, Kind::Complex, direction, scale)
}

/// The first half (or all) of the spectrum of a real tensor along its last dimension, cut or padded to `n`.
pub fn real_to_complex(t: &Tensor, n: usize, scale: f64, onesided: bool) -> Result<Tensor> {
    let half = along_last(t, n, Kind::FromReal, Direction::Forward, scale)?;
    if onesided {
        return Ok(half);
    }
    let sizes = with_last(t.sizes(), n);
    checked_numel(&sizes)?;
    parts!(t.dtype(), T => {
        let data = half.data::<Complex<T>>();
        let mut out = memory::filled(memory::numel(&sizes), Complex::<T>::default());
        let kept = n / 2 + 1;
        for (row, half) in out.chunks_exact_mut(n).zip(data.chunks_exact(kept)) {
            watch::poll();
            row[..kept.min(n)].copy_from_slice(&half[..kept.min(n)]);
            for k in kept..n {
                row[k] = half[n - k].conj();
            }
        }
        Tensor::from_vec(out, &sizes)
    })
}

/// The real tensor whose half spectrum along the last dimension is given, of length `n`.
pub fn complex_to_real(t: &Tensor, n: usize, direction: Direction, scale: f64) -> Result<Tensor> {
    along_last(t, n, Kind::ToReal, direction, scale)
}

/// The first halves of the spectra of `count` frames of each row of a row-major matrix of real numbers. Frames have `n` numbers and begin `hop` after
/// the one before; a window of as many is of the same dtype.
pub fn frames_to_complex(
    t: &Tensor,
    [count, n, hop]: [usize; 3],
    window: Option<&Tensor>,
    scale: f64,
) -> Result<Tensor> {
    let (batch, outer) = (t.size(0), t.size(1));
    let sizes = [batch, count, n / 2 + 1];
    checked_numel(&sizes)?;
    parts!(t.dtype(), T => {
        let data = t.data::<T>();
        let window = window.map(|w| w.data::<T>());
        let rows = Rows {
            data: &data,
            count: batch * count,
            per: count,
            outer,
            step: hop,
            window: window.as_deref(),
        };
        let direction = Direction::Forward;
        let out = run::<T>(&Task { kind: Kind::FromReal, n, direction, scale, rows });
        out.into_elements(T::DTYPE.to_complex(), &sizes)
    })
}

/// The dtype in which a tensor is transformed: complex, or real where `real` allows it.
pub fn spectrum_dtype(dtype: DType, real: bool) -> Result<DType> {
    use rushlight_tensor::Fault;
    let float = match dtype {
        DType::F16 | DType::BF16 => {
            return Err(Fault::not_implemented(format!(
                "Unsupported dtype {}",
                dtype.class_name()
            )));
        }
        d if d.is_integral(true) => DType::F32,
        other => other,
    };
    Ok(if real { float } else { float.to_complex() })
}

#[cfg(test)]
mod tests;
