//! Transforms along dimensions of complex and real tensors.

use super::abreast::{Abreast, Matrices};
use super::cells::Factors;
use super::line::{Line, Scratch};
use super::passes::{Columns, Pair, Roots, factors, product, rounded};
use crate::wide::{Part, lanes};
use rushlight_tensor::layout::{Layout, checked_numel};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::threads;
use rushlight_tensor::{Buffer, Complex, DType, Dims, Element, Result, Tensor, watch};
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

/// What is to be done.
pub struct Task<'a, T> {
    pub kind: Kind,
    /// Numbers of a whole row, real or complex.
    pub n: usize,
    pub direction: Direction,
    pub scale: f64,
    pub rows: Rows<'a, T>,
}

impl<T: Part> Task<'_, T> {
    pub fn backward(&self) -> bool {
        self.direction == Direction::Inverse
    }

    pub fn scale(&self) -> T {
        T::from_f64(self.scale)
    }

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
pub struct Single<T> {
    line: Line<T>,
    /// `-i exp(-2πi k / 2n)` up to the middle, by which pairs of real numbers are taken apart.
    halves: Vec<Pair<T>>,
}

/// `-i exp(-2πi k / 2n)` up to the middle, by which the spectra of pairs of real numbers become those of the numbers.
pub fn halves<T: Part>(n: usize) -> Vec<Pair<T>> {
    let roots = Roots::of(2 * n);
    let half = |k| {
        let [re, im] = roots.at(k);
        rounded([im, -re])
    };
    (0..=n / 2).map(half).collected()
}

/// A plan.
#[derive(Clone)]
pub enum Plan<T> {
    Abreast(Arc<Abreast<T>>),
    Single(Arc<Single<T>>),
    Across(Arc<Columns<T>>),
}

/// Which plan it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Rows go together, one in each lane.
    Abreast,
    /// Rows go one after the other.
    Single,
    /// Columns of matrices.
    Across,
}

/// The plans that were asked for last, the latest at the end.
pub struct Kept<T>(Vec<(usize, Way, Plan<T>)>);

/// Plans that are kept, and the sum of their lengths.
const PLANS: usize = 16;
const NUMBERS_KEPT: usize = 1 << 20;

/// What plans are kept of.
pub trait Planned: Part {
    /// Where they are kept.
    fn kept() -> MutexGuard<'static, Kept<Self>>;
}

macro_rules! planned {
    ($($t:ty)*) => {
        $(impl Planned for $t {
            fn kept() -> MutexGuard<'static, Kept<$t>> {
                static KEPT: Mutex<Kept<$t>> = Mutex::new(Kept(Vec::new()));
                KEPT.lock().unwrap_or_else(PoisonError::into_inner)
            }
        })*
    };
}
planned!(f32 f64);

/// The plan for transforms of a length, kept from an earlier one if there was any.
fn plan<T: Planned>(n: usize, way: Way) -> Plan<T> {
    let mut kept = T::kept();
    let kept = &mut kept.0;
    if let Some(at) = kept.iter().position(|(m, w, _)| (*m, *w) == (n, way)) {
        kept[at..].rotate_left(1);
        return kept[kept.len() - 1].2.clone();
    }
    let made = match way {
        Way::Abreast => Plan::Abreast(Arc::new(Abreast::of(n))),
        Way::Across => Plan::Across(Arc::new(Columns::of(n))),
        Way::Single => Plan::Single(Arc::new(Single {
            line: Line::of(n),
            halves: halves(n),
        })),
    };
    if n <= NUMBERS_KEPT {
        kept.push((n, way, made.clone()));
        while kept.len() > PLANS || kept.iter().map(|(n, ..)| n).sum::<usize>() > NUMBERS_KEPT {
            kept.remove(0);
        }
    }
    made
}

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

/// Bytes of the cells of transforms whose columns are worked on in a near cache.
const NEAR: usize = 26 << 10;
/// The longest transform that is a product with a chirp of which rows go together.
const LONGEST_CHIRP: usize = 1024;

/// Whether the rows of a task go together. That depends on the whole task, so that it gives the same bits in whatever parts it is run.
fn is_abreast<T: Part>(task: &Task<'_, T>) -> bool {
    let n = task.length();
    let (lanes, count) = (lanes::<T>(), task.rows.count);
    let odd = task.kind != Kind::Complex && n == task.n;
    let cells = n.saturating_mul(2 * lanes * size_of::<T>());
    let near = cells <= NEAR || n <= LONGEST_CHIRP && factors(n).is_none();
    // Few rows leave lanes empty, which costs less than a matrix as long as they are short.
    let enough = if n < 64 { count > 2 } else { 2 * count > lanes };
    !odd && near && enough
}

/// Does a task.
fn run<T: Planned>(task: &Task<'_, T>) -> Buffer<T> {
    let target = task.width_out();
    let mut out = Buffer::<T>::unspecified(memory::times([task.rows.count, target]));
    if out.is_empty() {
        return out;
    }
    let way = match is_abreast(task) {
        true => Way::Abreast,
        false => Way::Single,
    };
    let plan = plan(task.length(), way);
    let unit = lanes::<T>();
    threads::split_rows(
        &mut out,
        target,
        unit,
        8 * task.n,
        &|some, out| match &plan {
            Plan::Abreast(plan) => plan.rows(task, some, out),
            Plan::Single(plan) => {
                let mut rows = Rooms::of(task, &plan.line);
                for (i, out) in some.zip(out.chunks_exact_mut(target)) {
                    watch::poll();
                    let from = &task.rows.data[task.rows.start(i)..][..task.width_in()];
                    one_row(plan, task, from, &mut rows, out);
                }
            }
            Plan::Across(_) => unreachable!("rows are not columns"),
        },
    );
    out
}

/// Memory for rows one after the other: one before it is transformed, and one after.
struct Rooms<T: Part> {
    before: Buffer<T>,
    after: Buffer<T>,
    scratch: Scratch<T>,
}

impl<T: Part> Rooms<T> {
    fn of(task: &Task<'_, T>, line: &Line<T>) -> Rooms<T> {
        let room = match task.kind {
            Kind::Complex => 0,
            _ => memory::times([2, line.length() + 1]),
        };
        Rooms {
            before: Buffer::unspecified(room),
            after: Buffer::unspecified(room),
            scratch: line.scratch(),
        }
    }
}

/// Transforms one row.
fn one_row<T: Part>(
    plan: &Single<T>,
    task: &Task<'_, T>,
    from: &[T],
    rooms: &mut Rooms<T>,
    out: &mut [T],
) {
    let Rooms {
        before,
        after,
        scratch,
    } = rooms;
    let n = plan.line.length();
    let (backward, scale) = (task.backward(), task.scale());
    let one = T::from_f64(1.0);
    let sign = if backward { -one } else { one };
    let mut by = Factors::none();
    let paired = n != task.n;
    match (task.kind, paired) {
        (Kind::Complex, _) => {
            by.read = [one, sign];
            by.write = [scale, scale * sign];
            plan.line.run(from, out, &by, scratch);
        }
        (Kind::FromReal, true) => {
            by.window = task.rows.window;
            plan.line.run(from, after, &by, scratch);
            let two = T::from_f64(2.0);
            let (a, b) = (after[0], after[1]);
            after[..2].copy_from_slice(&[two * (a + b), T::default()]);
            after[2 * n..].copy_from_slice(&[two * (a - b), T::default()]);
            untangle(plan, after, false);
            let scale = scale * T::from_f64(0.5);
            for (out, z) in out.iter_mut().zip(&after[..]) {
                *out = *z * scale;
            }
        }
        (Kind::FromReal, false) => {
            for (j, z) in before[..2 * n].chunks_exact_mut(2).enumerate() {
                z[0] = match task.rows.window {
                    Some(window) => from[j] * window[j],
                    None => from[j],
                };
                z[1] = T::default();
            }
            plan.line.run(before, after, &by, scratch);
            for (out, z) in out.iter_mut().zip(&after[..]) {
                *out = *z * scale;
            }
        }
        (Kind::ToReal, true) => {
            before.copy_from_slice(from);
            let (a, b) = (before[0], before[2 * n]);
            // Forward it is the conjugates that are transformed.
            before[0] = a + b;
            before[1] = if backward { a - b } else { b - a };
            untangle(plan, before, backward);
            by.read = [one, sign];
            // Backward what was transformed are conjugates; forward it is the result.
            by.write = [scale, -scale];
            plan.line.run(before, out, &by, scratch);
        }
        (Kind::ToReal, false) => {
            let half = from.len();
            before[..half].copy_from_slice(from);
            // The second half mirrors the first; what has no partner is taken as real.
            before[1] = T::default();
            for k in n / 2 + 1..n {
                let (first, second) = before.split_at_mut(2 * k);
                let z = &first[2 * (n - k)..];
                (second[0], second[1]) = (z[0], -z[1]);
            }
            by.read = [one, sign];
            plan.line.run(before, after, &by, scratch);
            for (out, z) in out.iter_mut().zip(after.chunks_exact(2)) {
                *out = z[0] * scale;
            }
        }
    }
}

/// As [`super::abreast`] does for many rows.
fn untangle<T: Part>(plan: &Single<T>, row: &mut [T], conj: bool) {
    let n = plan.line.length();
    let (first, second) = row[2..2 * n].split_at_mut(n / 2 * 2);
    // With an even number the one in the middle is its own partner.
    if n.is_multiple_of(2)
        && let Some([re, im]) = first.last_chunk_mut::<2>()
    {
        let two = T::from_f64(2.0);
        // A difference, so that zero stays without a sign.
        (*re, *im) = (*re * two, T::default() - *im * two);
    }
    let sign = T::from_f64(if conj { -1.0 } else { 1.0 });
    for ((a, c), h) in first
        .chunks_exact_mut(2)
        .zip(second.chunks_exact_mut(2).rev())
        .zip(&plan.halves[1..])
    {
        let (sum, difference) = ([a[0] + c[0], a[1] - c[1]], [a[0] - c[0], a[1] + c[1]]);
        let turned = product(difference, [h[0], h[1] * sign]);
        (a[0], a[1]) = (sum[0] + turned[0], sum[1] + turned[1]);
        (c[0], c[1]) = (sum[0] - turned[0], T::default() - (sum[1] - turned[1]));
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

/// A complex tensor transformed along a dimension other than the last, which is cut or padded to `n`. What lies behind that dimension are
/// the columns of matrices, which go together without being moved.
pub fn complex_across(
    t: &Tensor,
    dim: usize,
    n: usize,
    direction: Direction,
    scale: f64,
) -> Result<Tensor> {
    let t = t.contiguous();
    let mut sizes = Dims::from_slice(t.sizes());
    sizes[dim] = n;
    checked_numel(&sizes)?;
    let rows = t.size(dim);
    let width = t.sizes()[dim + 1..].iter().product::<usize>();
    parts!(t.dtype(), T => {
        let flat = flat(&t)?;
        let data = flat.data::<T>();
        let mut out = Buffer::<T>::unspecified(memory::times([memory::numel(&sizes), 2]));
        if rows == 0 {
            return Tensor::zeros(&sizes, t.dtype());
        }
        if !out.is_empty() {
            let Plan::Across(plan) = plan::<T>(n, Way::Across) else {
                unreachable!("columns are not rows");
            };
            let backward = direction == Direction::Inverse;
            let of = Matrices { data: &data, rows, width, backward, scale: T::from_f64(scale) };
            let whole = memory::times([2, n, width]);
            threads::split_rows(&mut out, whole, 1, 8 * n * width, &|some, out| {
                plan.matrices(&of, some.start, out);
            });
        }
        out.into_elements(T::DTYPE.to_complex(), &sizes)
    })
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
