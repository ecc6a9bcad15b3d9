//! The loops: operands and result walked together, tile by tile.

use super::convert::{Load, Store};
use super::kinds::{Kind, Slot};
use super::walk::Walk;
use crate::layout::{list, sort_few};
use crate::tensor::Memory;
use crate::threads::{self, GRAIN};
use crate::tiles::{Lane, LaneMut, TileLoop};
use crate::{Buffer, DType, Dims, Element, Fault, Layout, Operand, Result, Scalar, Tensor, watch};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Bytes per tile: four of them fit the first-level cache.
const TILE_BYTES: usize = 8192;
/// Runs shorter than this are gathered into tiles together; longer ones are handed over as they are.
const SHORT: usize = 256;
/// Longer runs are handed over in parts, between which the call may be stopped.
const LONG: usize = 1 << 18;
/// Elements between which work is cut: results of two threads lie in different cache lines.
const UNIT: usize = 64;

#[repr(align(64))]
struct Tile(MaybeUninit<[u8; TILE_BYTES]>);

impl Tile {
    fn new() -> Tile {
        Tile(MaybeUninit::uninit())
    }
    fn ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// What keeps the memory of an operand: a number has its own, an operand that overlaps the result is copied.
enum Keeper<'t> {
    Number,
    Tensor(#[expect(dead_code, reason = "held for its Drop")] Memory<'t>),
    Copy(#[expect(dead_code, reason = "held for its Drop")] Buffer<u8>),
}

/// An operand on its way into the function.
#[derive(Clone)]
struct Input {
    walk: Walk,
    load: Load,
    /// Bytes per element of the function's type.
    element: usize,
    /// The elements have the function's type and share no memory with the result, so runs may be handed over.
    direct: bool,
    constant: bool,
    /// After so many elements the same ones follow, all of which fit a tile; 0 where that is not so.
    period: usize,
    /// So many elements of the tile are the one at this address.
    same: (usize, usize),
    /// So many elements from the walk's place on are in the tile, whole periods.
    ready: usize,
    /// Each element stays for a long run, and shares no memory with the result.
    lasts: bool,
    /// The operand is the result itself, element by element, of the function's type.
    is_result: bool,
    /// Fills a tile where each element of the operand is repeated for a short run.
    repeat: Option<Repeat>,
    /// The elements have the function's type and lie in short runs of neighbours.
    in_rows: bool,
}

/// See [`Walk::repeat`].
type Repeat = unsafe fn(&mut Walk, usize, *mut u8, usize);

/// How elements of so many bytes are repeated.
fn repeater(element: usize) -> Option<Repeat> {
    match element {
        1 => Some(Walk::repeat::<u8>),
        2 => Some(Walk::repeat::<u16>),
        4 => Some(Walk::repeat::<u32>),
        8 => Some(Walk::repeat::<u64>),
        _ => None,
    }
}

impl Input {
    /// Whether the next `n` elements may be handed over where they are.
    fn runs_for(&self, n: usize) -> bool {
        self.direct && self.walk.stride() == self.element && self.walk.left() >= n
    }

    /// Whether the next `n` elements are one, many times.
    fn stays_for(&self, n: usize) -> bool {
        self.lasts && self.walk.left() >= n
    }

    /// Where the next `n` elements are and how many stand for them, for functions that take one for all and none for those of the
    /// result; `None` where they have to be gathered. Nothing is stepped over.
    ///
    /// # Safety
    /// As [`Input::next`].
    unsafe fn spread(&mut self, n: usize, tile: *mut u8) -> Option<(*const u8, usize)> {
        if self.constant {
            return Some((tile, 1));
        }
        if self.runs_for(n) {
            return Some((self.walk.ptr(), n));
        }
        if self.is_result && self.walk.stride() == self.element && self.walk.left() >= n {
            return Some((tile, 0));
        }
        if !self.stays_for(n) {
            return None;
        }
        if self.direct {
            return Some((self.walk.ptr(), 1));
        }
        // SAFETY: the element is the operand's; the caller vouches for the tile.
        unsafe { (self.load)(self.walk.ptr(), 0, 1, tile) };
        (self.same, self.ready) = ((0, 0), 0);
        Some((tile, 1))
    }

    /// The address of the next `n` elements, gathered into the tile if necessary.
    ///
    /// # Safety
    /// The operand must have `n` more elements, the tile room for them.
    unsafe fn next(&mut self, n: usize, tile: *mut u8) -> *const u8 {
        if self.constant {
            return tile;
        }
        if self.runs_for(n) {
            let here = self.walk.ptr();
            self.walk.advance(n);
            return here;
        }
        if self.stays_for(n) {
            let here = (self.walk.ptr() as usize, n);
            if self.same.0 != here.0 || self.same.1 < n {
                // SAFETY: the element is the operand's; the caller vouches for the tile.
                unsafe { (self.load)(self.walk.ptr(), 0, n, tile) };
                self.same = here;
            }
            self.walk.advance(n);
            return tile;
        }
        self.same = (0, 0);
        let goes_round = self.period > 0 && n.is_multiple_of(self.period);
        if goes_round && n <= self.ready {
            return tile;
        }
        let here = goes_round.then(|| self.walk.clone());
        let (load, element) = (self.load, self.element);
        if let Some(repeat) = self.repeat {
            // SAFETY: elements are of the size that `repeat` is for, which are copied as they are; the tile is the caller's.
            unsafe { repeat(&mut self.walk, n, tile, n) };
        } else if self.in_rows {
            // SAFETY: elements are copied as they are, from runs of neighbours; the tile is the caller's.
            unsafe { self.walk.rows(element, n, tile) };
        } else {
            let mut at = tile;
            self.walk.take(n, |ptr, stride, count| {
                // SAFETY: the walk yields runs inside the operand; the caller vouches for the tile.
                unsafe { load(ptr, stride, count, at) };
                at = at.wrapping_add(count * element);
            });
        }
        self.ready = if goes_round { n } else { 0 };
        if let Some(here) = here {
            // Loops around the period have stride 0: the place is the same.
            self.walk = here;
        }
        tile
    }
}

/// The result.
#[derive(Clone)]
struct Output {
    walk: Walk,
    store: Store,
    /// Bytes per element of the function's type.
    element: usize,
    direct: bool,
}

impl Output {
    /// Whether the function may write its next `n` results where they belong.
    fn runs_for(&self, n: usize) -> bool {
        self.direct && self.walk.stride() == self.element && self.walk.left() >= n
    }
}

/// The dimensions from the outermost loop to the innermost: by the result's strides, without those of size 1.
fn loop_order(out: &Layout) -> Dims {
    let mut order: Dims = (0..out.rank()).filter(|&d| out.sizes()[d] != 1).collect();
    sort_few(&mut order, |d| std::cmp::Reverse(out.strides()[*d]));
    order
}

fn output(out: &Memory<'_>, kind: Kind, order: &[usize]) -> Output {
    let (item, layout) = (out.dtype().size(), out.layout());
    Output {
        walk: Walk::new(out.first(), item, layout.sizes(), layout.strides(), order),
        direct: out.dtype() == kind.dtype,
        store: (kind.storer)(out.dtype()),
        element: kind.size,
    }
}

/// How the memory of an operand relates to that of the result.
#[derive(PartialEq)]
enum Sharing {
    None,
    /// Each element is read just before it is written.
    Same,
    /// Elements may be written before they are read.
    Mixed,
}

fn sharing(out: &Memory<'_>, operand: &Memory<'_>, strides: &[usize]) -> Sharing {
    if !out.shares_storage(operand) {
        return Sharing::None;
    }
    let span = |m: &Memory<'_>| {
        let first = m.first() as usize;
        (first, first + m.span() * m.dtype().size())
    };
    let ((a, a_end), (b, b_end)) = (span(out), span(operand));
    if a_end <= b || b_end <= a {
        Sharing::None
    } else if a == b && out.dtype() == operand.dtype() && out.layout().strides() == strides {
        Sharing::Same
    } else {
        Sharing::Mixed
    }
}

fn input<'t>(
    operand: &Operand<'t>,
    kind: Kind,
    slot: &mut Slot,
    out: &Memory<'_>,
    order: &[usize],
) -> Result<(Input, Keeper<'t>)> {
    let tensor = match operand {
        Operand::Tensor(tensor) => *tensor,
        Operand::Number(value) => return Ok((constant(*value, kind, slot), Keeper::Number)),
    };
    let memory = tensor.memory();
    let sizes = out.layout().sizes();
    let broadcast = |from: &Layout| {
        from.expand(sizes).ok_or_else(|| {
            Fault::internal(format!(
                "an operand of sizes {} does not broadcast to {}",
                list(from.sizes()),
                list(sizes)
            ))
        })
    };
    let expanded = broadcast(memory.layout())?;
    let (dtype, shared) = (memory.dtype(), sharing(out, &memory, expanded.strides()));
    let item = dtype.size();
    let (walk, keeper) = if shared == Sharing::Mixed {
        let copy = memory.gather_bytes();
        let from = broadcast(&Layout::contiguous(memory.layout().sizes()))?;
        let first = copy.as_ptr().cast_mut();
        (
            Walk::new(first, item, sizes, from.strides(), order),
            Keeper::Copy(copy),
        )
    } else {
        (
            Walk::new(memory.first(), item, sizes, expanded.strides(), order),
            Keeper::Tensor(memory),
        )
    };
    let constant = walk.is_constant() && shared == Sharing::None;
    let is_short = walk.stride() == 0 && walk.left() < SHORT;
    let input = Input {
        load: (kind.loader)(dtype),
        direct: dtype == kind.dtype && shared != Sharing::Same,
        constant,
        period: match shared {
            Sharing::None => walk.period(),
            _ => 0,
        },
        ready: 0,
        same: (0, 0),
        lasts: !constant && shared == Sharing::None && walk.stride() == 0 && !is_short,
        is_result: dtype == kind.dtype && shared == Sharing::Same,
        repeat: (is_short && !constant && dtype == kind.dtype)
            .then(|| repeater(item))
            .flatten(),
        in_rows: dtype == kind.dtype && walk.stride() == item && walk.left() < SHORT,
        walk,
        element: kind.size,
    };
    Ok((input, keeper))
}

/// A number as an operand that repeats forever; `slot` keeps its element.
fn constant(value: Scalar, kind: Kind, slot: &mut Slot) -> Input {
    let ptr = (kind.element)(value, slot);
    Input {
        walk: Walk::new(ptr, kind.size, &[usize::MAX], &[0], &[0]),
        load: (kind.loader)(kind.dtype),
        direct: false,
        constant: true,
        period: 0,
        ready: 0,
        same: (0, 0),
        lasts: false,
        is_result: false,
        repeat: None,
        in_rows: false,
        element: kind.size,
    }
}

/// A function over elements of its operands, so many of each, and of the result.
#[derive(Clone, Copy)]
struct Each<'f, const N: usize> {
    f: &'f (dyn Fn(*mut u8, [*const u8; N], [usize; N], usize) + Sync),
    /// Whether it takes one element of an operand for all results, and none of the first for what the result holds.
    spreads: bool,
}

impl<const N: usize> Each<'_, N> {
    /// How many elements of an operand it is given for `n` results, whatever there is of others.
    fn count(&self, input: &Input, n: usize) -> usize {
        match self.spreads && input.constant {
            true => 1,
            false => n,
        }
    }

    fn call(&self, out: *mut u8, inputs: &[Input; N], operands: [*const u8; N], n: usize) {
        let counts = inputs.each_ref().map(|input| self.count(input, n));
        (self.f)(out, operands, counts, n);
    }
}

/// Runs `f` over all elements.
///
/// # Safety
/// The walks must stay inside live storages for `total` elements, tiles must hold `tile` elements of every type, and
/// `f` must read and write as many elements as it is told of the types that the loads and the store are for.
unsafe fn drive<const N: usize>(
    out: &mut Output,
    inputs: &mut [Input; N],
    total: usize,
    tile: usize,
    f: Each<'_, N>,
) {
    watch::poll();
    if total <= LONG && out.runs_for(total) && inputs.iter().all(|i| i.runs_for(total)) {
        let from = std::array::from_fn(|i| inputs[i].walk.ptr().cast_const());
        return f.call(out.walk.ptr(), inputs, from, total);
    }
    let tile = whole_periods(inputs, tile);
    let mut tiles: [Tile; N] = std::array::from_fn(|_| Tile::new());
    let mut result = Tile::new();
    let most = total.min(tile);
    for (input, tile) in inputs.iter().zip(&mut tiles).filter(|(i, _)| i.constant) {
        // SAFETY: a constant may be read any number of times; the tile holds `most` elements.
        unsafe { (input.load)(input.walk.ptr(), 0, f.count(input, most), tile.ptr()) };
    }
    // The function gets a slice of the result tile, which therefore has to be initialised.
    let mut result_is_ready = false;
    let mut left = total;
    while left > 0 {
        watch::poll();
        let whole = left.min(LONG);
        if out.runs_for(whole) && inputs.iter().all(|i| i.runs_for(whole)) {
            let from = std::array::from_fn(|i| inputs[i].walk.ptr().cast_const());
            f.call(out.walk.ptr(), inputs, from, whole);
            out.walk.advance(whole);
            inputs.iter_mut().for_each(|i| i.walk.advance(whole));
            left -= whole;
            continue;
        }
        if f.spreads {
            let moving = inputs.iter().filter(|i| !i.constant);
            let run = moving.map(|i| i.walk.left()).fold(whole, usize::min);
            let run = run.min(out.walk.left());
            let is_long = run >= SHORT || run == left;
            if is_long {
                // SAFETY: as for the whole function; one element is written to a tile.
                let done = unsafe { spread(out, inputs, &mut tiles, run, left, f) };
                left -= done;
                if done > 0 {
                    continue;
                }
            }
        }
        let walks = inputs.iter().filter(|i| !i.constant).map(|i| &i.walk);
        let n = walks
            .chain([&out.walk])
            .map(Walk::left)
            .filter(|&run| run >= SHORT)
            .fold(left.min(tile), usize::min);
        // Of what stays for long, a short tile serves the whole run, in parts of one length.
        let lasting = inputs.iter().filter(|i| i.stays_for(n));
        let part = |run: usize| run.div_ceil(run.div_ceil(2 * SHORT));
        let n = lasting.fold(n, |n, i| n.min(part(i.walk.left())));
        let from = std::array::from_fn(|i| {
            // SAFETY: as for the whole function; `n` is at most `tile`.
            unsafe { inputs[i].next(n, tiles[i].ptr()) }
        });
        if out.runs_for(n) {
            f.call(out.walk.ptr(), inputs, from, n);
            out.walk.advance(n);
        } else {
            if !result_is_ready {
                // SAFETY: the tile has this many bytes.
                unsafe {
                    result
                        .ptr()
                        .write_bytes(0, TILE_BYTES.min(most * out.element))
                };
                result_is_ready = true;
            }
            f.call(result.ptr(), inputs, from, n);
            let (store, element) = (out.store, out.element);
            let mut at = result.ptr().cast_const();
            out.walk.take(n, |ptr, stride, count| {
                // SAFETY: the walk yields runs inside the result; the tile holds `n` elements.
                unsafe { store(at, count, ptr, stride) };
                at = at.wrapping_add(count * element);
            });
        }
        left -= n;
    }
}

/// Runs `f` over the next `n` elements where they are, and over as many again as often as that is done in the same way, of `left`
/// in all; how many elements it has stepped over, none where some have to be gathered.
///
/// # Safety
/// As [`drive`], for a function that takes one element for all.
#[inline]
unsafe fn spread<const N: usize>(
    out: &mut Output,
    inputs: &mut [Input; N],
    tiles: &mut [Tile; N],
    n: usize,
    left: usize,
    f: Each<'_, N>,
) -> usize {
    if !out.runs_for(n) {
        return 0;
    }
    let (mut from, mut counts, mut steps) = ([std::ptr::null(); N], [n; N], [0; N]);
    let (own, step) = out.walk.runs_of(n);
    let mut runs = own.min(left.min(LONG) / n.max(1)).max(1);
    for (at, (input, tile)) in inputs.iter_mut().zip(tiles).enumerate() {
        // SAFETY: passed on.
        let Some((first, count)) = (unsafe { input.spread(n, tile.ptr()) }) else {
            return 0;
        };
        if count == 0 && at > 0 {
            return 0;
        }
        (from[at], counts[at]) = (first, count);
        if input.constant {
            continue;
        }
        let (own, step) = input.walk.runs_of(n);
        // What was converted is that of one run.
        runs = runs.min(if count == 1 && !input.direct { 1 } else { own });
        steps[at] = step;
    }
    let mut to = out.walk.ptr();
    for _ in 0..runs {
        (f.f)(to, from, counts, n);
        to = to.wrapping_add(step);
        for (from, step) in from.iter_mut().zip(steps) {
            *from = from.wrapping_add(step);
        }
    }
    out.walk.advance_runs(n, runs);
    for input in inputs.iter_mut().filter(|input| !input.constant) {
        input.walk.advance_runs(n, runs);
    }
    n * runs
}

/// How many elements go together such that operands that repeat themselves do so whole, and need to be gathered once. Those
/// with another period than the first of them count as any others.
fn whole_periods<const N: usize>(inputs: &mut [Input; N], tile: usize) -> usize {
    let mut whole = tile;
    for input in inputs {
        let is_gathered = !input.constant && !input.runs_for(SHORT);
        let fits = is_gathered && (1..=tile).contains(&input.period);
        match fits && (whole == tile || whole.is_multiple_of(input.period)) {
            true => whole = whole / input.period * input.period,
            false => input.period = 0,
        }
    }
    whole
}

/// Where the operands and the result of a loop lie, for several threads.
struct Shared<const N: usize> {
    out: Output,
    inputs: [Input; N],
}

// SAFETY: the pointers are those of live storages. Threads read operands, which nobody writes, and the elements of the
// result that they write, each of which belongs to one thread: see `drive_all`.
unsafe impl<const N: usize> Sync for Shared<N> {}

/// Runs `f` over all elements, on several threads where there are many.
///
/// # Safety
/// As [`drive`]; and where `may_split`, no two indices name the same element of the result, `f` may be called from several
/// threads at once, and operands that share memory with the result do so element by element.
unsafe fn drive_all<const N: usize>(
    mut out: Output,
    mut inputs: [Input; N],
    total: usize,
    tile: usize,
    may_split: bool,
    f: Each<'_, N>,
) {
    if total < 2 * GRAIN || !may_split {
        // SAFETY: passed on.
        return unsafe { drive(&mut out, &mut inputs, total, tile, f) };
    }
    let shared = Shared { out, inputs };
    threads::split(total, UNIT, GRAIN, &|range: Range<usize>| {
        let shared = &shared;
        let mut out = Output {
            walk: shared.out.walk.from(range.start),
            ..shared.out
        };
        let mut inputs = std::array::from_fn(|i| {
            let input = &shared.inputs[i];
            Input {
                walk: input.walk.from(range.start),
                ..*input
            }
        });
        // SAFETY: the walks begin at the part and have its elements left; parts do not overlap.
        unsafe { drive(&mut out, &mut inputs, range.len(), tile, f) };
    });
}

/// Runs `f` over the elements of a result that operands of these kinds broadcast to. The function
/// gets as many elements of each kind; what is given for results may hold anything.
fn over<const N: usize>(
    out: &Tensor,
    gives: Kind,
    operands: &[Operand<'_>; N],
    takes: [Kind; N],
    f: Each<'_, N>,
) -> Result<()> {
    let out = out.memory();
    let total = out.numel();
    if total == 0 {
        return Ok(());
    }
    let order = loop_order(out.layout());
    let mut slots: [Slot; N] = std::array::from_fn(|_| Slot::new());
    let mut keepers: SmallVec<[Keeper<'_>; 3]> = SmallVec::new();
    let mut inputs: SmallVec<[Input; N]> = SmallVec::new();
    for ((operand, kind), slot) in operands.iter().zip(takes).zip(&mut slots) {
        let (input, keeper) = input(operand, kind, slot, &out, &order)?;
        inputs.push(input);
        keepers.push(keeper);
    }
    let Ok(inputs) = inputs.into_inner() else {
        return Err(Fault::internal("a loop has as many inputs as operands"));
    };
    let output = output(&out, gives, &order);
    let widest = takes
        .iter()
        .fold(gives.size, |most, kind| most.max(kind.size));
    let may_split = total >= 2 * GRAIN && !out.layout().may_overlap();
    // SAFETY: inputs and output were made from memory whose layouts lie in their storages (which `out` and the keepers keep
    // alive) and have the sizes of `out`; loads and the store convert to the kinds that the function takes, and what it is given
    // never overlaps: operands that share memory with the result are handed over in tiles.
    unsafe { drive_all(output, inputs, total, TILE_BYTES / widest, may_split, f) };
    Ok(())
}

/// Runs a loop over tensors of any layouts and dtypes: operands are converted to the types that it takes, its results to the
/// dtype of `out`, whose sizes all operands broadcast to.
pub fn apply(
    row: &dyn TileLoop,
    out: &Tensor,
    operands: &[Operand<'_>],
    numbers: &[Scalar],
) -> Result<()> {
    match *operands {
        [a] => apply_row(row, out, &[a], numbers),
        [a, b] => apply_row(row, out, &[a, b], numbers),
        [a, b, c] => apply_row(row, out, &[a, b, c], numbers),
        _ => Err(Fault::internal("loops have one to three operands")),
    }
}

/// As [`apply`], of so many operands.
fn apply_row<const N: usize>(
    row: &dyn TileLoop,
    out: &Tensor,
    operands: &[Operand<'_>; N],
    numbers: &[Scalar],
) -> Result<()> {
    let Ok(dtypes) = <[DType; N]>::try_from(row.takes()) else {
        return Err(Fault::internal(
            "a loop was given another number of operands",
        ));
    };
    let gives = Kind::known(row.gives())?;
    let mut takes = [gives; N];
    for (kind, dtype) in takes.iter_mut().zip(dtypes) {
        *kind = Kind::known(dtype)?;
    }
    let f = |r: *mut u8, from: [*const u8; N], counts: [usize; N], n: usize| {
        // SAFETY: there are so many elements of these kinds, which nobody else writes.
        unsafe {
            let lanes = std::array::from_fn::<_, N, _>(|i| Lane::at(dtypes[i], from[i], counts[i]));
            row.tile(LaneMut::at(gives.dtype, r, n), &lanes, numbers);
        }
    };
    let spreads = row.spreads();
    over(out, gives, operands, takes, Each { f: &f, spreads })
}

macro_rules! apply {
    ($name:ident, $n:literal, $what:literal; $($x:ident: $X:ident = $i:tt),+) => {
        #[doc = concat!("Writes `f` of ", $what, " to `out`, whose sizes all of them broadcast to. Operands are converted to")]
        /// the types that `f` takes, its results to the dtype of `out`. Fails only when sizes do not fit.
        pub fn $name<$($X: Element,)+ R: Element>(
            out: &Tensor,
            operands: &[Operand<'_>; $n],
            f: &(dyn Fn(&mut [R], $(&[$X]),+) + Sync),
        ) -> Result<()> {
            let takes = const { [$(Kind::of::<$X>()),+] };
            let f = |r: *mut u8, from: [*const u8; $n], _: [usize; $n], n: usize| {
                // SAFETY: there are so many elements of these types, which nobody else writes.
                unsafe {
                    f(
                        std::slice::from_raw_parts_mut(r.cast::<R>(), n),
                        $(std::slice::from_raw_parts(from[$i].cast::<$X>(), n)),+
                    );
                }
            };
            let spreads = false;
            over(out, const { Kind::of::<R>() }, operands, takes, Each { f: &f, spreads })
        }
    };
}

apply!(apply1, 1, "one operand"; a: A = 0);
apply!(apply2, 2, "two operands"; a: A = 0, b: B = 1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Layout};

    fn counting(sizes: &[usize], dtype: DType) -> Tensor {
        let values: Vec<i64> = (0..sizes.iter().product::<usize>() as i64).collect();
        Tensor::from_vec(values, sizes).unwrap().to_dtype(dtype)
    }

    fn add(out: &Tensor, a: Operand<'_>, b: Operand<'_>) {
        apply2::<f32, f32, f32>(out, &[a, b], &|r, a, b| {
            crate::lanes::map2(r, a, b, |x: f32, y: f32| x + y);
        })
        .unwrap();
    }

    #[test]
    fn operands_broadcast_and_convert() {
        for (rows, columns) in [(3, 5), (70, 3), (3, 700), (50, 130)] {
            let a = counting(&[columns, rows], DType::I64)
                .transpose(0, 1)
                .unwrap();
            let b = counting(&[columns], DType::F16);
            for order in [[columns, 1], [1, rows]] {
                let out =
                    Tensor::empty_with(&Layout::strided(&[rows, columns], &order, 0), DType::F64)
                        .unwrap();
                add(&out, (&a).into(), (&b).into());
                let got = out.to_vec::<f64>();
                for r in 0..rows {
                    for c in 0..columns {
                        assert_eq!(got[r * columns + c], (c * rows + r + c) as f64);
                    }
                }
            }
        }
    }

    /// Short rows and columns of one element each, whatever goes around which, in parts and whole.
    #[test]
    fn operands_repeat_themselves() {
        for sizes in [
            [700, 4, 3],
            [5, 130, 7],
            [3, 1, 900],
            [40, 9, 11],
            [2, 3000, 2],
        ] {
            let whole = counting(&sizes, DType::F32);
            let numel = sizes.iter().product::<usize>();
            for kept in 0..8usize {
                let keep = |d: usize| if kept >> d & 1 == 1 { sizes[d] } else { 1 };
                let part = counting(&[keep(0), keep(1), keep(2)], DType::F32);
                for other in [0, 2, 5] {
                    let keep = |d: usize| if other >> d & 1 == 1 { sizes[d] } else { 1 };
                    let second = counting(&[keep(0), keep(1), keep(2)], DType::F32);
                    let out = Tensor::empty(&sizes, DType::F32).unwrap();
                    add(&out, (&part).into(), (&second).into());
                    add(&out, (&out).into(), (&whole).into());
                    let got = out.to_vec::<f32>();
                    let full = |t: &Tensor| t.expand_to(&sizes).unwrap().to_vec::<f32>();
                    let (a, b) = (full(&part), full(&second));
                    for i in 0..numel {
                        assert_eq!(
                            got[i],
                            a[i] + b[i] + i as f32,
                            "{sizes:?} {kept} {other} at {i}"
                        );
                    }
                }
            }
        }
    }

    /// Large enough for several threads: the parts fit together, whatever the layouts.
    #[test]
    fn parts_of_several_threads_fit_together() {
        let (rows, columns) = (700, 333);
        let a = counting(&[columns, rows], DType::I32)
            .transpose(0, 1)
            .unwrap();
        let b = counting(&[columns], DType::F64);
        let narrow = counting(&[rows, 2 * columns], DType::F32);
        let narrow = narrow.narrow(1, 5, columns).unwrap();
        for order in [[columns, 1], [1, rows]] {
            let layout = Layout::strided(&[rows, columns], &order, 0);
            let out = Tensor::empty_with(&layout, DType::F32).unwrap();
            add(&out, (&a).into(), (&b).into());
            add(&out, (&out).into(), (&narrow).into());
            let got = out.to_vec::<f32>();
            for r in 0..rows {
                for c in 0..columns {
                    let expected = (c * rows + r + c + r * 2 * columns + 5 + c) as f32;
                    assert_eq!(got[r * columns + c], expected);
                }
            }
        }
    }

    struct Difference;

    impl TileLoop for Difference {
        fn takes(&self) -> &'static [DType] {
            &[DType::F32, DType::F32]
        }
        fn gives(&self) -> DType {
            DType::F32
        }
        fn spreads(&self) -> bool {
            true
        }
        fn tile(&self, out: LaneMut<'_>, operands: &[Lane<'_>], _: &[Scalar]) {
            let [a, b] = [operands[0].get(), operands[1].get()];
            crate::lanes::spread2(out.get::<f32>(), a, b, |x, y| x - y);
        }
    }

    /// Operands of one element for long runs, of another dtype, and the result itself.
    #[test]
    fn one_element_serves_a_run() {
        for sizes in [[700, 4, 3], [5, 3, 700], [2, 300, 900], [1, 1, 3000]] {
            let whole = counting(&sizes, DType::F32);
            let want_whole = whole.to_vec::<f32>();
            let numel = sizes.iter().product::<usize>();
            for kept in 0..8usize {
                let keep = |d: usize| if kept >> d & 1 == 1 { sizes[d] } else { 1 };
                let part = counting(&[keep(0), keep(1), keep(2)], DType::F64);
                let full = part.expand_to(&sizes).unwrap().to_vec::<f64>();
                for part in [part.to_dtype(DType::F32), part] {
                    let out = Tensor::empty(&sizes, DType::F32).unwrap();
                    let pair = [(&whole).into(), (&part).into()];
                    apply(&Difference, &out, &pair, &[]).unwrap();
                    let got = out.to_vec::<f32>();
                    assert!((0..numel).all(|i| got[i] == want_whole[i] - full[i] as f32));
                    let pair = [(&part).into(), (&whole).into()];
                    apply(&Difference, &out, &pair, &[]).unwrap();
                    let turned = out.to_vec::<f32>();
                    assert!((0..numel).all(|i| turned[i] == -got[i]));
                    apply(&Difference, &out, &[(&out).into(), (&part).into()], &[]).unwrap();
                    let again = out.to_vec::<f32>();
                    assert!((0..numel).all(|i| again[i] == turned[i] - full[i] as f32));
                }
            }
            apply(
                &Difference,
                &whole,
                &[(&whole).into(), Scalar::Int(2).into()],
                &[],
            )
            .unwrap();
            let got = whole.to_vec::<f32>();
            assert!((0..numel).all(|i| got[i] == want_whole[i] - 2.0));
            apply(
                &Difference,
                &whole,
                &[(&whole).into(), (&whole).into()],
                &[],
            )
            .unwrap();
            assert!(whole.to_vec::<f32>().iter().all(|x| *x == 0.0));
        }
    }

    #[test]
    fn numbers_repeat() {
        let a = counting(&[5000], DType::F32);
        let out = Tensor::zeros(&[5000], DType::F32).unwrap();
        add(&out, (&a).into(), Scalar::Int(2).into());
        assert!(
            out.to_vec::<f32>()
                .iter()
                .enumerate()
                .all(|(i, v)| *v == i as f32 + 2.0)
        );
    }

    #[test]
    fn results_may_be_written_over_operands() {
        let a = counting(&[3000], DType::F32);
        add(&a, (&a).into(), (&a).into());
        assert!(
            a.to_vec::<f32>()
                .iter()
                .enumerate()
                .all(|(i, v)| *v == 2.0 * i as f32)
        );
        let square = counting(&[3, 3], DType::F32);
        let transposed = square.transpose(0, 1).unwrap();
        add(&square, (&square).into(), (&transposed).into());
        assert_eq!(
            square.to_vec::<f32>(),
            [0.0, 4.0, 8.0, 4.0, 8.0, 12.0, 8.0, 12.0, 16.0]
        );
    }
}
