//! Chains of elementwise operators, done tile by tile.
//!
//! `(x * 0.5 + 0.1).tanh() - 0.2` makes four tensors, three of which live until the next is made. A [`Plan`] has the
//! operators' loops in a row and no tensors between them: each loop runs over some hundred elements, which the next finds
//! where they were left. The loops are those of the operators, so that numbers are the same to the bit. A plan is for operands
//! of some dtypes and serves all their sizes: tensors of the sizes of the largest, row-major or by rows that lie apart, single
//! elements, and rows or columns that are repeated. Whatever else operands are, the operators have to be called one by one.

mod dense;

pub use dense::{SOME, dense, largest};

use crate::promote::check_number;
use crate::tensor::Memory;
use crate::{Bool8, Buffer, DType, Element, Scalar, Tensor, lanes, threads, watch};
use smallvec::SmallVec;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;

/// Elements one behind the other, their type erased.
#[derive(Clone, Copy)]
pub struct Lane<'a> {
    dtype: DType,
    first: *const u8,
    len: usize,
    elements: PhantomData<&'a u8>,
}

impl<'a> Lane<'a> {
    /// So many elements of a dtype.
    ///
    /// # Safety
    /// They must be initialised, aligned, and stay as they are for so long.
    #[inline(always)]
    pub(crate) unsafe fn at(dtype: DType, first: *const u8, len: usize) -> Lane<'a> {
        Lane {
            dtype,
            first,
            len,
            elements: PhantomData,
        }
    }

    /// The elements. Panics when `T` is not their dtype.
    #[inline(always)]
    pub fn get<T: Element>(self) -> &'a [T] {
        assert!(
            self.dtype == T::DTYPE,
            "element type does not match the dtype"
        );
        // SAFETY: who made the lane has promised so many initialised elements of the dtype, for so long.
        unsafe { std::slice::from_raw_parts(self.first.cast(), self.len) }
    }
}

/// As [`Lane`], to be written.
pub struct LaneMut<'a> {
    dtype: DType,
    first: *mut u8,
    len: usize,
    elements: PhantomData<&'a mut u8>,
}

impl<'a> LaneMut<'a> {
    /// As [`Lane::at`], to be written.
    ///
    /// # Safety
    /// They must be initialised, aligned, and nobody else's for so long.
    #[inline(always)]
    pub(crate) unsafe fn at(dtype: DType, first: *mut u8, len: usize) -> LaneMut<'a> {
        LaneMut {
            dtype,
            first,
            len,
            elements: PhantomData,
        }
    }

    /// The elements. Panics when `T` is not their dtype.
    #[inline(always)]
    pub fn get<T: Element>(self) -> &'a mut [T] {
        assert!(
            self.dtype == T::DTYPE,
            "element type does not match the dtype"
        );
        // SAFETY: who made the lane has promised so many initialised elements of the dtype, for so long and for it alone.
        unsafe { std::slice::from_raw_parts_mut(self.first.cast(), self.len) }
    }
}

/// The loop of an elementwise operator.
pub trait TileLoop: Sync {
    /// The dtypes of its operands.
    fn takes(&self) -> &'static [DType];
    /// The dtype of its results.
    fn gives(&self) -> DType;
    /// Whether a lane may have one element, which is that of all results, and the first none: then it is what `out` holds.
    fn spreads(&self) -> bool {
        false
    }
    /// Runs over lanes of these dtypes and of one length.
    fn tile(&self, out: LaneMut<'_>, operands: &[Lane<'_>], numbers: &[Scalar]);
}

/// An elementwise operator that has loops for tiles.
pub trait TileOp: Sync {
    /// The loop for operands whose kinds are these, where nothing is converted but numbers.
    fn tile_loop(&self, operands: &[TileKind]) -> Option<&'static dyn TileLoop>;
}

/// What an operand of an elementwise operator is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TileKind {
    /// A tensor with dimensions.
    Tensor(DType),
    Float,
    Int,
    Bool,
}

/// Where an operand of a step comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TileSource {
    /// A tensor from outside.
    Input(u8),
    /// A number, as elements.
    Number(u8),
    /// What a step has left.
    Slot(u8),
    /// A result.
    Output(u8),
}

/// Where a step leaves its elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TileTarget {
    Slot(u8),
    Output(u8),
}

/// One operator of a chain.
pub struct TileStep {
    row: &'static dyn TileLoop,
    operands: SmallVec<[(TileSource, DType); 3]>,
    gives: DType,
    /// The operator's own numbers, by their places.
    numbers: SmallVec<[u8; 4]>,
    to: TileTarget,
}

impl TileStep {
    /// A step whose operands have the dtypes that the loop takes.
    pub fn new(
        row: &'static dyn TileLoop,
        operands: impl Iterator<Item = TileSource>,
        numbers: &[u8],
        to: TileTarget,
    ) -> TileStep {
        TileStep {
            row,
            operands: operands.zip(row.takes().iter().copied()).collect(),
            gives: row.gives(),
            numbers: numbers.iter().copied().collect(),
            to,
        }
    }
}

/// A chain for inputs of some dtypes.
pub struct Plan {
    steps: Box<[TileStep]>,
    /// Numbers that are operands, and as elements of which dtype.
    fills: Box<[(u8, DType)]>,
    /// The dtypes of the results.
    outputs: Box<[DType]>,
    /// Of each of these, inputs by their bits, one has all sizes.
    whole: Box<[u32]>,
    /// So many slots hold what steps leave for others.
    slots: usize,
    /// The bytes of the largest element.
    widest: usize,
}

impl Plan {
    /// The chain of these steps for inputs of some dtypes. `fills` are the numbers that are operands and the dtypes of their
    /// elements, `whole` the inputs, a bit for each, that results (and what is written to) depend on: one of them has all
    /// sizes. So many slots are used.
    pub fn new(
        steps: Vec<TileStep>,
        inputs: &[DType],
        fills: Vec<(u8, DType)>,
        outputs: Vec<DType>,
        whole: Vec<u32>,
        slots: u8,
    ) -> Plan {
        let given = steps.iter().map(|step| step.gives);
        let sizes = given.chain(inputs.iter().copied()).map(DType::size);
        Plan {
            widest: sizes.max().unwrap_or(1),
            steps: steps.into(),
            fills: fills.into(),
            outputs: outputs.into(),
            whole: whole.into(),
            slots: slots.into(),
        }
    }
}

/// The bytes of a tile of one slot: a few of them stay in the nearest cache, and shorter ones spend their time on calls.
const TILE: usize = 4 << 10;
/// Bytes at which slots begin.
const LINE: usize = 64;
/// Inputs of a chain.
pub const MOST_INPUTS: usize = 8;

thread_local! {
    /// Memory for the slots of a thread.
    static SCRATCH: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// How an input lies beside the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Element by element.
    Whole,
    /// One element for all.
    One,
    /// A row for all rows.
    Row,
    /// An element for each row; so many, then the first again.
    Column(usize),
    /// A row for each row; so many elements from one to the next.
    Apart(usize),
}

struct Input<'a> {
    memory: Memory<'a>,
    place: Place,
    size: usize,
}

/// Whether dimensions of one element have other strides than in a new tensor, which results may inherit.
#[inline]
pub fn has_odd_steps(tensor: &Tensor) -> bool {
    let sizes = tensor.sizes();
    if sizes.len() < 2 || !sizes.contains(&1) {
        return false;
    }
    let mut step = 1;
    let dims = sizes.iter().zip(tensor.strides()).rev();
    dims.into_iter().any(|(size, stride)| {
        let is_odd = *stride != step;
        step *= (*size).max(1);
        is_odd
    })
}

/// How a tensor lies beside results of some sizes, and how long their rows are where it has or repeats such; `None` for all
/// other ways.
fn place_of(tensor: &Tensor, sizes: &[usize]) -> Option<(Place, Option<usize>)> {
    let own = tensor.sizes();
    if own == sizes {
        if tensor.is_contiguous() {
            return (!has_odd_steps(tensor)).then_some((Place::Whole, None));
        }
        let step = apart(sizes, tensor.strides())?;
        return Some((Place::Apart(step), sizes.last().copied()));
    }
    if own.len() > sizes.len() || !tensor.is_contiguous() {
        return None;
    }
    if tensor.numel() == 1 {
        return Some((Place::One, None));
    }
    // Dimensions of one element at either end, and those between, are repeated.
    let first = own.iter().position(|size| *size != 1)?;
    let mut last = own.iter().rposition(|size| *size != 1)? + 1;
    let missing = sizes.len() - own.len();
    while sizes.get(missing + last) == Some(&1) {
        last += 1;
    }
    if own[first..last] != sizes[missing + first..missing + last] {
        return None;
    }
    Some(match last == own.len() {
        true => (Place::Row, Some(tensor.numel())),
        false => {
            let row = sizes[missing + last..].iter().product();
            (Place::Column(tensor.numel()), Some(row))
        }
    })
}

/// The steps from row to row of a tensor whose rows are whole and lie one behind the other, with gaps.
fn apart(sizes: &[usize], strides: &[usize]) -> Option<usize> {
    let (last, outer) = (strides.len().checked_sub(1)?, strides.len().checked_sub(2)?);
    if strides[last] != 1 || strides[outer] <= sizes[last] || sizes.contains(&1) {
        return None;
    }
    let fits = (0..outer).all(|d| Some(strides[d]) == strides[d + 1].checked_mul(sizes[d + 1]));
    fits.then_some(strides[outer])
}

/// Results while they are written.
enum Out {
    F32(Buffer<f32>),
    F64(Buffer<f64>),
    Bool(Buffer<Bool8>),
}

impl Out {
    fn new(dtype: DType, len: usize) -> Option<Out> {
        Some(match dtype {
            DType::F32 => Out::F32(Buffer::unspecified(len)),
            DType::F64 => Out::F64(Buffer::unspecified(len)),
            DType::Bool => Out::Bool(Buffer::unspecified(len)),
            _ => return None,
        })
    }

    fn first(&mut self) -> *mut u8 {
        match self {
            Out::F32(buffer) => buffer.as_mut_ptr().cast(),
            Out::F64(buffer) => buffer.as_mut_ptr().cast(),
            Out::Bool(buffer) => buffer.as_mut_ptr().cast(),
        }
    }

    fn into_tensor(self, sizes: &[usize]) -> Tensor {
        match self {
            Out::F32(buffer) => buffer.into_tensor(sizes),
            Out::F64(buffer) => buffer.into_tensor(sizes),
            Out::Bool(buffer) => buffer.into_tensor(sizes),
        }
    }
}

/// Writes so many copies of a number, as elements of a dtype.
fn fill(to: *mut u8, dtype: DType, number: Scalar, len: usize) {
    fn copies<T: Element>(to: *mut u8, number: Scalar, len: usize) {
        // SAFETY: a slot has room for a tile, and is aligned for all elements.
        unsafe { lanes::fill(to.cast::<T>(), len, T::from_scalar(number)) };
    }
    match dtype {
        DType::F32 => copies::<f32>(to, number, len),
        DType::F64 => copies::<f64>(to, number, len),
        _ => copies::<Bool8>(to, number, len),
    }
}

/// What all parts of a run know.
struct Run<'a> {
    plan: &'a Plan,
    inputs: SmallVec<[Input<'a>; MOST_INPUTS]>,
    numbers: &'a [Scalar],
    /// Where results begin, and the bytes of their elements.
    outputs: SmallVec<[(*mut u8, usize); 2]>,
    /// Elements of a row, and rows.
    width: usize,
    rows: usize,
    /// Of a tile: rows, and elements of each.
    tile: (usize, usize),
    /// Bytes from slot to slot.
    step: usize,
    narrow: Narrow,
}

/// What of a run has one element for a row. Bits of steps, or of inputs.
#[derive(Clone, Copy, Default)]
struct Narrow {
    /// Steps all of whose operands have: they are done once for a row.
    steps: u64,
    /// Of these, those whose results are needed for each element.
    spread: u64,
    /// Inputs that are needed for each element.
    inputs: u64,
}

/// Where the elements of an input are for a tile: one for each of the results, and one for a row where that is all it has.
#[derive(Clone, Copy)]
struct Lanes {
    whole: [*const u8; MOST_INPUTS],
    narrow: [*const u8; MOST_INPUTS],
}

/// Steps and slots that [`Narrow`] has bits for.
const MOST_NARROW: usize = u64::BITS as usize;

/// Whether a bit is set; none is beyond the last.
fn has(bits: u64, at: usize) -> bool {
    at < MOST_NARROW && bits >> at & 1 == 1
}

// SAFETY: the inputs are only read, each part of a run writes elements of the results that are no other's, and
// everything lives longer than the run.
unsafe impl Sync for Run<'_> {}

impl Plan {
    /// Gives `put` the results for inputs of the plan's dtypes, in order; `None`, and nothing done, where the operators have
    /// to be called one by one.
    pub fn run(
        &self,
        tensors: &[&Tensor],
        numbers: &[Scalar],
        mut put: impl FnMut(Tensor),
    ) -> Option<()> {
        let mut largest = *tensors.first()?;
        for tensor in tensors {
            if tensor.numel() > largest.numel() {
                largest = tensor;
            }
        }
        let (sizes, n) = (largest.sizes(), largest.numel());
        let fits = |fill: &(u8, DType)| check_number(numbers[usize::from(fill.0)], fill.1).is_ok();
        if sizes.is_empty() || n == 0 || !self.fills.iter().all(fits) {
            return None;
        }
        let mut run = Run {
            plan: self,
            inputs: SmallVec::new(),
            numbers,
            outputs: SmallVec::new(),
            width: n,
            rows: 1,
            tile: (1, n),
            step: 0,
            narrow: Narrow::default(),
        };
        let (mut whole, mut width) = (0u32, None);
        for (at, tensor) in tensors.iter().enumerate() {
            let memory = tensor.memory();
            if !memory.marks().is_none() {
                return None;
            }
            let (place, row) = place_of(tensor, sizes)?;
            if let Some(row) = row
                && *width.get_or_insert(row) != row
            {
                return None;
            }
            if matches!(place, Place::Whole | Place::Apart(_)) {
                whole |= 1 << at;
            }
            let size = memory.dtype().size();
            run.inputs.push(Input {
                memory,
                place,
                size,
            });
        }
        if self.whole.iter().any(|inputs| inputs & whole == 0) {
            return None;
        }
        let width = width.unwrap_or(n);
        let most = TILE / self.widest;
        run.tile = match width >= most {
            true => (1, most),
            false => ((most / width).min(n / width), width),
        };
        (run.width, run.rows) = (width, n / width);
        run.step = (run.tile.0 * run.tile.1 * self.widest).next_multiple_of(LINE);
        run.narrow = self.narrow(&run.inputs, run.tile.0);
        let mut outs: SmallVec<[Out; 2]> = SmallVec::new();
        for dtype in &self.outputs {
            let mut out = Out::new(*dtype, n)?;
            run.outputs.push((out.first(), dtype.size()));
            outs.push(out);
        }
        let tiles = run.rows.div_ceil(run.tile.0) * width.div_ceil(run.tile.1);
        if tiles == 1 {
            run.part(0..1);
        } else {
            let cost = run.tile.0 * run.tile.1 * self.steps.len();
            threads::split(tiles, 1, threads::GRAIN.div_ceil(cost), &|tiles| {
                run.part(tiles)
            });
        }
        for out in outs {
            put(out.into_tensor(sizes));
        }
        Some(())
    }

    /// What has one element for a row of such inputs, in tiles of so many rows.
    fn narrow(&self, inputs: &[Input<'_>], rows: usize) -> Narrow {
        let mut periods = inputs.iter().filter_map(|input| match input.place {
            Place::Column(period) => Some(period),
            _ => None,
        });
        let Some(period) = periods.next() else {
            return Narrow::default();
        };
        let mut narrow = Narrow::default();
        // Columns of one length repeat alike.
        let is_known = self.steps.len() <= MOST_NARROW && self.slots <= MOST_NARROW;
        let may_be = is_known && periods.all(|other| other == period);
        // Slots that hold an element for a row, and the steps that left them.
        let (mut slots, mut from) = (0u64, [0; MOST_NARROW]);
        for (at, step) in self.steps.iter().enumerate() {
            let has_one = |(source, _): &(TileSource, DType)| match *source {
                TileSource::Number(_) => true,
                TileSource::Input(at) => {
                    matches!(inputs[usize::from(at)].place, Place::One | Place::Column(_))
                }
                TileSource::Slot(at) => has(slots, at.into()),
                TileSource::Output(_) => false,
            };
            let target = match step.to {
                TileTarget::Slot(slot) if may_be => Some(slot),
                _ => None,
            };
            let is_narrow = target.is_some() && step.operands.iter().all(has_one);
            let by_row = is_narrow || step.row.spreads() && rows == 1;
            if !by_row {
                for (source, _) in &step.operands {
                    match *source {
                        TileSource::Input(at) => narrow.inputs |= 1 << at,
                        TileSource::Slot(at) if has(slots, at.into()) => {
                            narrow.spread |= 1 << from[usize::from(at)];
                        }
                        _ => {}
                    }
                }
            }
            if let Some(slot) = target {
                narrow.steps |= u64::from(is_narrow) << at;
                slots = slots & !(1 << slot) | u64::from(is_narrow) << slot;
                from[usize::from(slot)] = at;
            }
        }
        narrow
    }
}

impl Run<'_> {
    /// Does some of the tiles.
    fn part(&self, tiles: Range<usize>) {
        let slots = self.plan.slots;
        let (numbers, inputs) = (self.numbers.len(), self.inputs.len());
        // Behind what has an element for each result, what has one for each row: inputs that go around, and slots.
        let words = (2 * slots + numbers + 2 * inputs) * self.step / size_of::<u64>();
        let mut scratch = SCRATCH.take();
        if scratch.len() < words {
            scratch.resize(words, 0);
        }
        let first = scratch.as_mut_ptr().cast::<u8>();
        // SAFETY: there are so many slots.
        let slot = |at: usize| unsafe { first.add(at * self.step) };
        let len = self.tile.0 * self.tile.1;
        for (at, dtype) in &self.plan.fills {
            let at = usize::from(*at);
            fill(slot(slots + at), *dtype, self.numbers[at], len);
        }
        for (at, input) in self.inputs.iter().enumerate() {
            input.spread(slot(slots + numbers + at), self.tile, self.width);
        }
        let across = self.width.div_ceil(self.tile.1);
        let mut lanes = Lanes {
            whole: [first.cast_const(); MOST_INPUTS],
            narrow: [first.cast_const(); MOST_INPUTS],
        };
        for tile in tiles {
            watch::poll();
            let (row, column) = (tile / across * self.tile.0, tile % across * self.tile.1);
            let rows = self.tile.0.min(self.rows - row);
            let columns = self.tile.1.min(self.width - column);
            for (at, input) in self.inputs.iter().enumerate() {
                if let Place::Column(period) = input.place {
                    let narrow = slot(slots + numbers + inputs + at);
                    lanes.narrow[at] = input.of_rows(narrow, row % period, rows, period);
                    if !has(self.narrow.inputs, at) {
                        continue;
                    }
                }
                let to = slot(slots + numbers + at);
                let (row, column) = ((row, rows), (column, columns));
                let most = (self.tile.0, self.width);
                lanes.whole[at] = input.lane(to, lanes.narrow[at], row, column, most);
            }
            self.steps(&lanes, slot(0), row * self.width + column, (rows, columns));
        }
        SCRATCH.set(scratch);
    }

    /// Does the steps on one tile, of so many rows and columns; its first element is `start` of the results.
    #[inline]
    fn steps(&self, inputs: &Lanes, slots: *mut u8, start: usize, (rows, columns): (usize, usize)) {
        let slot = |at: usize| slots.wrapping_add(at * self.step);
        let narrow_slot = |at: u8| {
            slot(self.plan.slots + self.numbers.len() + 2 * self.inputs.len() + usize::from(at))
        };
        let result = |at: u8| {
            let (first, size) = self.outputs[usize::from(at)];
            first.wrapping_add(start * size)
        };
        // Slots that hold an element for a row.
        let mut narrow_slots = 0u64;
        for (at, step) in self.plan.steps.iter().enumerate() {
            let is_narrow = has(self.narrow.steps, at);
            let len = match is_narrow {
                true => rows,
                false => rows * columns,
            };
            // Of one row, what has an element for it has one for all.
            let by_one = step.row.spreads();
            let by_row = is_narrow || by_one && self.tile.0 == 1;
            let lane = |(source, dtype): (TileSource, DType)| {
                let (first, is_one) = match source {
                    TileSource::Input(at) => {
                        let at = usize::from(at);
                        match self.inputs[at].place {
                            Place::Column(_) if by_row => (inputs.narrow[at], !is_narrow),
                            place => (inputs.whole[at], place == Place::One),
                        }
                    }
                    TileSource::Number(at) => {
                        (slot(self.plan.slots + usize::from(at)).cast_const(), true)
                    }
                    TileSource::Slot(at) if by_row && has(narrow_slots, at.into()) => {
                        (narrow_slot(at).cast_const(), !is_narrow)
                    }
                    TileSource::Slot(at) => (slot(usize::from(at)).cast_const(), false),
                    TileSource::Output(at) => (result(at).cast_const(), false),
                };
                Lane {
                    dtype,
                    first,
                    len: match by_one && is_one {
                        true => 1,
                        false => len,
                    },
                    elements: PhantomData,
                }
            };
            let out = LaneMut {
                dtype: step.gives,
                first: match step.to {
                    TileTarget::Slot(at) if is_narrow => narrow_slot(at),
                    TileTarget::Slot(at) => slot(usize::from(at)),
                    TileTarget::Output(at) => result(at),
                },
                len,
                elements: PhantomData,
            };
            let mut numbers: SmallVec<[Scalar; 4]> = SmallVec::new();
            for at in &step.numbers {
                numbers.push(self.numbers[usize::from(*at)]);
            }
            let numbers = &numbers[..];
            match *step.operands.as_slice() {
                [a] => step.row.tile(out, &[lane(a)], numbers),
                [a, b] => step.row.tile(out, &[lane(a), lane(b)], numbers),
                [a, b, c] => step.row.tile(out, &[lane(a), lane(b), lane(c)], numbers),
                _ => unreachable!("loops have one to three operands"),
            }
            if self.narrow.steps == 0 {
                continue;
            }
            if let TileTarget::Slot(to) = step.to {
                narrow_slots = narrow_slots & !(1 << to) | u64::from(is_narrow) << to;
                if has(self.narrow.spread, at) {
                    let (from, to) = (narrow_slot(to), slot(usize::from(to)));
                    // SAFETY: the step has left an element for each row, and a slot has room for a tile.
                    unsafe { widen(to, from, (rows, columns), step.gives.size()) };
                }
            }
        }
    }
}

/// Copies each of some elements, one for a row, to all columns of its row.
///
/// # Safety
/// There are so many elements of so many bytes, and room for the rows; both are aligned for them.
unsafe fn widen(to: *mut u8, from: *const u8, (rows, columns): (usize, usize), size: usize) {
    for row in 0..rows {
        // SAFETY: the caller's promise.
        unsafe {
            copies(
                to.add(row * columns * size),
                from.add(row * size),
                columns,
                size,
            )
        };
    }
}

/// Copies an element of so many bytes to a run of them.
///
/// # Safety
/// There is the element and room for the run; both are aligned for it.
unsafe fn copies(to: *mut u8, from: *const u8, len: usize, size: usize) {
    macro_rules! spread {
        ($t:ty) => {
            // SAFETY: the caller vouches for the element and the room.
            unsafe { lanes::fill(to.cast::<$t>(), len, from.cast::<$t>().read()) }
        };
    }
    match size {
        4 => spread!(u32),
        8 => spread!(u64),
        _ => spread!(u8),
    }
}

impl Input<'_> {
    /// Writes what is the same in all tiles.
    fn spread(&self, to: *mut u8, (rows, columns): (usize, usize), width: usize) {
        match self.place {
            // SAFETY: the tensor has this element, the slot room for a tile; it is aligned for all elements.
            Place::One => unsafe { copies(to, self.memory.first(), rows * columns, self.size) },
            // A tile of one row reads it where it is.
            Place::Row if rows > 1 => {
                for row in 0..rows {
                    self.copy(to, row * width, 0, width);
                }
            }
            _ => {}
        }
    }

    /// Where the elements of a tile are: in the tensor, or written to `to`; a column's for its rows are at `narrow`. Other tiles
    /// have `most_rows`.
    fn lane(
        &self,
        to: *mut u8,
        narrow: *const u8,
        (row, rows): (usize, usize),
        (column, columns): (usize, usize),
        (most_rows, width): (usize, usize),
    ) -> *const u8 {
        let at = |element: usize| {
            self.memory
                .first()
                .wrapping_add(element * self.size)
                .cast_const()
        };
        match self.place {
            Place::Whole => at(row * width + column),
            Place::One => to,
            Place::Row if most_rows > 1 => to,
            Place::Row => at(column),
            Place::Apart(step) if most_rows == 1 => at(row * step + column),
            Place::Apart(step) => {
                for i in 0..rows {
                    self.copy(to, i * width, (row + i) * step, width);
                }
                to
            }
            Place::Column(_) => {
                // SAFETY: there is an element for each row, and the slot has room for a tile; it is aligned for all elements.
                unsafe { widen(to, narrow, (rows, columns), self.size) };
                to
            }
        }
    }

    /// Copies a run of elements.
    fn copy(&self, to: *mut u8, at: usize, from: usize, len: usize) {
        let size = self.size;
        // SAFETY: the tensor has these elements (the caller counts its rows), the slot has room for a tile of them.
        unsafe {
            let from = self.memory.first().add(from * size);
            lanes::copy_bytes(to.add(at * size), from, len * size);
        }
    }

    /// The elements of so many rows from one on, of a column: in the tensor, or written to `to` where they go around.
    fn of_rows(&self, to: *mut u8, row: usize, rows: usize, period: usize) -> *const u8 {
        if row + rows <= period {
            return self
                .memory
                .first()
                .wrapping_add(row * self.size)
                .cast_const();
        }
        for i in 0..rows {
            self.copy(to, i, (row + i) % period, 1);
        }
        to
    }
}

#[cfg(test)]
mod tests {
    use super::{Lane, LaneMut, Plan, TileLoop, TileSource, TileStep, TileTarget};
    use crate::{DType, Scalar, Tensor, lanes};

    struct Sum;

    impl TileLoop for Sum {
        fn takes(&self) -> &'static [DType] {
            &[DType::F32; 2]
        }
        fn gives(&self) -> DType {
            DType::F32
        }
        fn spreads(&self) -> bool {
            true
        }
        fn tile(&self, out: LaneMut<'_>, operands: &[Lane<'_>], _: &[Scalar]) {
            let (a, b) = (operands[0].get::<f32>(), operands[1].get());
            lanes::spread2(out.get(), a, b, |x, y| x + y);
        }
    }

    /// `column + column` often enough to fill so many slots, and all of them added to what is whole.
    fn plan(slots: u8) -> Plan {
        let step =
            |operands: [TileSource; 2], to| TileStep::new(&Sum, operands.into_iter(), &[], to);
        let column = TileSource::Input(1);
        let mut steps = vec![step([column; 2], TileTarget::Slot(0))];
        for slot in 1..slots {
            let before = TileSource::Slot(slot - 1);
            steps.push(step([before, column], TileTarget::Slot(slot)));
        }
        let mut sum = TileSource::Input(0);
        for slot in 0..slots {
            steps.push(step([sum, TileSource::Slot(slot)], TileTarget::Output(0)));
            sum = TileSource::Output(0);
        }
        Plan::new(
            steps,
            &[DType::F32; 2],
            Vec::new(),
            vec![DType::F32],
            vec![1],
            slots,
        )
    }

    #[test]
    fn any_number_of_slots_holds_columns() {
        for (slots, width) in [
            (2, 3),
            (2, 1500),
            (40, 300),
            (70, 3),
            (70, 1500),
            (200, 1500),
        ] {
            let rows = 5;
            let whole: Vec<f32> = (0..rows * width).map(|i| (i % 7) as f32).collect();
            let column: Vec<f32> = (0..rows).map(|i| i as f32).collect();
            let whole = Tensor::from_slice(&whole, &[rows, width]).unwrap();
            let column = Tensor::from_slice(&column, &[rows, 1]).unwrap();
            let mut result = None;
            plan(slots)
                .run(&[&whole, &column], &[], |tensor| result = Some(tensor))
                .unwrap();
            let got = result.unwrap().to_vec::<f32>();
            // 2 + 3 + .. of what the column has.
            let times: usize = (2..usize::from(slots) + 2).sum();
            for (i, (got, x)) in got.iter().zip(whole.to_vec::<f32>()).enumerate() {
                assert_eq!(*got, x + (i / width * times) as f32, "{slots} {width} {i}");
            }
        }
    }
}
