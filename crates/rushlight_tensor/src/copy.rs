//! Moving elements between layouts and dtypes: gathering, `copy_`, conversion.

use crate::marks::{Marks, change_of};
use crate::tensor::Memory;
use crate::{
    Buffer, Complex64, DType, Element, Fault, Result, Tensor, bf16, dispatch, eight, f16, threads,
    watch,
};
use crate::{halves, lanes};
use smallvec::SmallVec;

/// One loop of a copy: size, destination stride, source stride, in elements.
type Loop = (usize, usize, usize);

/// The loops over `sizes`, without those of size 1, neighbours merged where both sides allow it, ordered so that the
/// innermost (last) has the smallest destination stride.
fn loops(sizes: &[usize], dst: &[usize], src: &[usize]) -> SmallVec<[Loop; 6]> {
    let mut all: SmallVec<[Loop; 6]> = (0..sizes.len())
        .filter(|&d| sizes[d] != 1)
        .map(|d| (sizes[d], dst[d], src[d]))
        .collect();
    crate::layout::sort_few(&mut all, |l| std::cmp::Reverse(l.1));
    let mut out: SmallVec<[Loop; 6]> = SmallVec::new();
    for (size, d, s) in all {
        match out.last_mut() {
            Some(last) if last.1 == d * size && last.2 == s * size => *last = (last.0 * size, d, s),
            _ => out.push((size, d, s)),
        }
    }
    if out.is_empty() {
        out.push((1, 1, 1));
    }
    out
}

/// Runs `row(dst_offset, src_offset, count, dst_stride, src_stride)` for every innermost run.
fn for_each_run(loops: &[Loop], mut row: impl FnMut(usize, usize, usize, usize, usize)) {
    let (&(count, ds, ss), outer) = loops.split_last().expect("there is always one loop");
    if count == 0 || outer.iter().any(|l| l.0 == 0) {
        return;
    }
    let mut index: SmallVec<[usize; 6]> = smallvec::smallvec![0; outer.len()];
    let (mut d, mut s) = (0usize, 0usize);
    loop {
        watch::poll();
        for_each_part(count, |from, n| {
            row(d + from * ds, s + from * ss, n, ds, ss)
        });
        let mut k = outer.len();
        loop {
            if k == 0 {
                return;
            }
            k -= 1;
            index[k] += 1;
            d += outer[k].1;
            s += outer[k].2;
            if index[k] < outer[k].0 {
                break;
            }
            d -= outer[k].1 * outer[k].0;
            s -= outer[k].2 * outer[k].0;
            index[k] = 0;
        }
    }
}

/// The loops with a long one innermost, where the innermost is short and what the next reaches stays in the nearest cache while both run.
fn longer_first(loops: &[Loop]) -> SmallVec<[Loop; 6]> {
    const SHORT: usize = 8;
    const NEAR: usize = 1 << 12;
    let mut loops: SmallVec<[Loop; 6]> = loops.into();
    if let [.., next, last] = &mut loops[..]
        && last.0 < SHORT
        && next.0 >= 2 * last.0
        && next.0.saturating_mul(next.1.max(next.2)) <= NEAR
    {
        std::mem::swap(next, last);
    }
    loops
}

/// Splits a run into parts that take no longer than a moment.
#[inline]
fn for_each_part(count: usize, mut part: impl FnMut(usize, usize)) {
    const MOST: usize = 1 << 20;
    if count <= MOST {
        return part(0, count);
    }
    for from in (0..count).step_by(MOST) {
        watch::poll();
        part(from, MOST.min(count - from));
    }
}

/// Moves a run of elements: destination, source, count, and both strides in elements.
type ConvertRun = unsafe fn(*mut u8, *const u8, usize, usize, usize);

/// Converts a run of elements one by one.
///
/// # Safety
/// Both pointers must be valid for elements of their type at every index of the run, and the runs must not overlap.
unsafe fn convert_run<S: Element, D: Element>(
    dst: *mut u8,
    src: *const u8,
    count: usize,
    ds: usize,
    ss: usize,
) {
    let (dst, src) = (dst.cast::<D>(), src.cast::<S>());
    // SAFETY: the caller vouches for every index of the run.
    unsafe {
        if ds == 1 && ss == 1 {
            if halves::convert(src, dst, count) {
                return;
            }
            for i in 0..count {
                *dst.add(i) = (*src.add(i)).cast::<D>();
            }
        } else {
            for i in 0..count {
                *dst.add(i.wrapping_mul(ds)) = (*src.add(i.wrapping_mul(ss))).cast::<D>();
            }
        }
    }
}

/// Whether a conversion goes by way of f32, which it would do element by element: of 16-bit floats, other than from f32 and to
/// it.
fn goes_by_float(dst: DType, src: DType) -> bool {
    let is_half = |d: DType| matches!(d, DType::F16 | DType::BF16);
    let is_half_of = |half: DType, other: DType| is_half(half) && other != DType::F32;
    dst != src && (is_half_of(dst, src) || is_half_of(src, dst))
}

/// Moves a run of elements of equal dtype, whatever they mean: `T` has their size.
///
/// # Safety
/// As for [`convert_run`].
unsafe fn move_run<T: Copy>(dst: *mut u8, src: *const u8, count: usize, ds: usize, ss: usize) {
    let (dst, src) = (dst.cast::<T>(), src.cast::<T>());
    // SAFETY: the caller vouches for every index of the run.
    unsafe {
        if ds == 1 && ss == 1 {
            lanes::copy_bytes(dst.cast(), src.cast(), count * size_of::<T>());
        } else if ds == 1 && ss == 0 && count > 0 {
            let value = *src;
            for i in 0..count {
                dst.add(i).write(value);
            }
        } else {
            for i in 0..count {
                *dst.add(i.wrapping_mul(ds)) = *src.add(i.wrapping_mul(ss));
            }
        }
    }
}

/// Moves rows of `N` bytes, the strides being in bytes, too.
///
/// # Safety
/// As for [`convert_run`], of the bytes of every row.
unsafe fn move_rows<const N: usize>(
    dst: *mut u8,
    src: *const u8,
    rows: usize,
    ds: usize,
    ss: usize,
) {
    for row in 0..rows {
        // SAFETY: the caller vouches for every byte of the row.
        unsafe {
            let from = src.add(row.wrapping_mul(ss)).cast::<[u8; N]>();
            let to = dst.add(row.wrapping_mul(ds)).cast::<[u8; N]>();
            to.write(from.read());
        }
    }
}

/// The function that moves runs of elements of dtype `src` to dtype `dst`.
fn run_between(dst: DType, src: DType) -> ConvertRun {
    if dst.stored() == src.stored() {
        return match dst.size() {
            1 => move_run::<u8>,
            2 => move_run::<u16>,
            4 => move_run::<u32>,
            8 => move_run::<u64>,
            _ => move_run::<Complex64>,
        };
    }
    match (dst, src) {
        (DType::F32, DType::F16) => convert_run::<f16, f32>,
        (DType::F16, DType::F32) => convert_run::<f32, f16>,
        (DType::F32, DType::BF16) => convert_run::<bf16, f32>,
        (DType::BF16, DType::F32) => convert_run::<f32, bf16>,
        // Others go by way of f32, and are asked for both parts of it.
        _ => {
            let whole = |d: DType| {
                if matches!(d, DType::F16 | DType::BF16) {
                    DType::F32
                } else {
                    d
                }
            };
            let (dst, src) = (whole(dst), whole(src));
            dispatch!(dst, Whole, D => dispatch!(src, Whole, S => convert_run::<S, D> as ConvertRun))
        }
    }
}

/// How elements are converted where one side or both are floats of eight bits or of 16: by way of f32.
struct ByFloat {
    /// The numbers of the source's bytes, or how it becomes f32.
    load: std::result::Result<Box<[f32; 256]>, ConvertRun>,
    /// The dtype of the destination's bytes, or how it is made of f32.
    store: std::result::Result<DType, ConvertRun>,
}

impl ByFloat {
    fn between(dst: DType, src: DType) -> Option<ByFloat> {
        let is_needed = dst != src && (dst.is_eight() || src.is_eight()) || goes_by_float(dst, src);
        is_needed.then(|| ByFloat {
            load: match src.is_eight() {
                true => Ok(Box::new(eight::table(src))),
                false => Err(run_between(DType::F32, src)),
            },
            store: match dst.is_eight() {
                true => Ok(dst),
                false => Err(run_between(dst, DType::F32)),
            },
        })
    }

    /// Converts a run of elements.
    ///
    /// # Safety
    /// As for [`convert_run`].
    unsafe fn run(
        &self,
        dst: *mut u8,
        src: *const u8,
        ends: &Ends<'_>,
        count: usize,
        ds: usize,
        ss: usize,
    ) {
        let mut tile = [0f32; 128];
        for from in (0..count).step_by(tile.len()) {
            let n = tile.len().min(count - from);
            let src = src.wrapping_add(from * ss * ends.src_size);
            let dst = dst.wrapping_add(from * ds * ends.dst_size);
            // SAFETY: the caller vouches for every index of the run, of which this is a part; the tile has room for it.
            unsafe {
                match &self.load {
                    Ok(table) => {
                        for (i, number) in tile[..n].iter_mut().enumerate() {
                            *number = table[usize::from(*src.wrapping_add(i * ss))];
                        }
                    }
                    Err(run) => run(tile.as_mut_ptr().cast(), src, n, 1, ss),
                }
                match self.store {
                    Ok(dtype) => {
                        for (i, number) in tile[..n].iter().enumerate() {
                            *dst.wrapping_add(i * ds) = eight::encode(dtype, *number);
                        }
                    }
                    Err(run) => run(dst, tile.as_ptr().cast(), n, ds, 1),
                }
            }
        }
    }
}

/// Copies and converts elements between two strided regions that do not overlap.
///
/// # Safety
/// Both pointers must be valid for elements of their dtype at every index that the loops reach.
unsafe fn copy_runs(
    (dst, dst_dtype): (*mut u8, DType),
    (src, src_dtype): (*const u8, DType),
    loops: &[Loop],
) {
    let by_float = ByFloat::between(dst_dtype, src_dtype);
    let ends = Ends {
        dst,
        src,
        dst_size: dst_dtype.size(),
        src_size: src_dtype.size(),
        tile: tile_between(dst_dtype, src_dtype),
        run: run_between(dst_dtype, src_dtype),
        by_float: by_float.as_ref(),
    };
    let total = loops
        .iter()
        .fold(1usize, |total, l| total.saturating_mul(l.0));
    if total < 2 * threads::GRAIN || !is_injective(loops) {
        // SAFETY: passed on.
        return unsafe { ends.copy(loops) };
    }
    let (size, ds, ss) = loops[0];
    let grain = (threads::GRAIN / (total / size)).max(1);
    threads::split(size, 64.min(grain), grain, &|range| {
        let mut part: SmallVec<[Loop; 6]> = loops.into();
        part[0].0 = range.len();
        // SAFETY: the part's indices are among those of the loops, and no other part writes where it does.
        unsafe { ends.from(range.start * ds, range.start * ss).copy(&part) };
    });
}

/// Whether every index has a place of its own at the destination.
fn is_injective(loops: &[Loop]) -> bool {
    let mut reach = 0usize;
    loops.iter().rev().all(|&(size, ds, _)| {
        let apart = size <= 1 || ds > reach;
        reach = reach.saturating_add(ds.saturating_mul(size.saturating_sub(1)));
        apart
    })
}

/// The two ends of a copy.
struct Ends<'a> {
    dst: *mut u8,
    src: *const u8,
    dst_size: usize,
    src_size: usize,
    run: ConvertRun,
    /// How tiles of elements that stay as they are move; others go by runs.
    tile: Option<Tile>,
    /// What is done instead of `run`.
    by_float: Option<&'a ByFloat>,
}

// SAFETY: the pointers are those of storages that the copy borrows; threads write elements of their own, see `copy_runs`.
unsafe impl Sync for Ends<'_> {}

impl Ends<'_> {
    /// The same copy, so many elements further on.
    fn from(&self, d: usize, s: usize) -> Self {
        Ends {
            dst: self.dst.wrapping_add(d * self.dst_size),
            src: self.src.wrapping_add(s * self.src_size),
            ..*self
        }
    }

    /// Moves a run of elements.
    ///
    /// # Safety
    /// As for [`convert_run`].
    unsafe fn move_or_convert(
        &self,
        dst: *mut u8,
        src: *const u8,
        count: usize,
        ds: usize,
        ss: usize,
    ) {
        // SAFETY: passed on.
        unsafe {
            match self.by_float {
                Some(by_float) => by_float.run(dst, src, self, count, ds, ss),
                None => (self.run)(dst, src, count, ds, ss),
            }
        }
    }

    /// Copies what the loops reach.
    ///
    /// # Safety
    /// As [`copy_runs`].
    unsafe fn copy(&self, loops: &[Loop]) {
        if let Some(crossed) = Crossed::of(loops) {
            // SAFETY: passed on.
            return unsafe { self.copy_crossed(&crossed) };
        }
        let mut loops = longer_first(loops);
        if let Some(mover) = self.rows_mover(&loops) {
            loops.pop();
            return for_each_run(&loops, |d, s, rows, ds, ss| {
                let to = self.dst.wrapping_add(d * self.dst_size);
                let from = self.src.wrapping_add(s * self.src_size);
                // SAFETY: the caller vouches for every index that the loops reach.
                unsafe { mover(to, from, rows, ds * self.dst_size, ss * self.src_size) }
            });
        }
        for_each_run(&loops, |d, s, count, ds, ss| {
            let to = self.dst.wrapping_add(d * self.dst_size);
            let from = self.src.wrapping_add(s * self.src_size);
            // SAFETY: the caller vouches for every index that the loops reach.
            unsafe { self.move_or_convert(to, from, count, ds, ss) }
        });
    }

    /// The function that moves rows, where the innermost loop is over neighbours that stay as they are, and so few bytes that
    /// calling for each row would take longer than moving it.
    fn rows_mover(&self, loops: &[Loop]) -> Option<ConvertRun> {
        let [.., _, (count, 1, 1)] = loops else {
            return None;
        };
        self.tile?;
        match count.checked_mul(self.dst_size)? {
            8 => Some(move_rows::<8>),
            16 => Some(move_rows::<16>),
            32 => Some(move_rows::<32>),
            64 => Some(move_rows::<64>),
            128 => Some(move_rows::<128>),
            256 => Some(move_rows::<256>),
            _ => None,
        }
    }
}

/// How many elements along each side of a tile: a line of the cache of those of four bytes.
const TILE: usize = 16;

/// Loops of which the innermost goes along the destination's memory and another along the source's: a transposition.
struct Crossed {
    /// The other loops.
    outer: SmallVec<[Loop; 6]>,
    /// Along the source: the size and the destination's stride.
    far: (usize, usize),
    /// Along the destination: the size and the source's stride.
    near: (usize, usize),
}

impl Crossed {
    /// The loops as such, if they are and both sides have some length.
    fn of(loops: &[Loop]) -> Option<Crossed> {
        let (&(n, ds, ss), outer) = loops.split_last()?;
        if ds != 1 || ss < TILE || n < TILE {
            return None;
        }
        let at = outer.iter().position(|l| l.2 == 1 && l.0 >= TILE)?;
        let mut rest: SmallVec<[Loop; 6]> = outer.into();
        let (m, far, _) = rest.remove(at);
        // What is gone through one by one.
        rest.push((1, 0, 0));
        Some(Crossed {
            outer: rest,
            far: (m, far),
            near: (n, ss),
        })
    }
}

/// Moves a tile of elements of equal dtype: rows of `far` elements, `ss` apart, become columns of `near` elements, `ds`
/// apart.
///
/// # Safety
/// As for [`convert_run`], for every row and column.
unsafe fn move_tile<T: Copy>(
    dst: *mut u8,
    src: *const u8,
    (far, ds): (usize, usize),
    (near, ss): (usize, usize),
) {
    let (dst, src) = (dst.cast::<T>(), src.cast::<T>());
    // SAFETY: the caller vouches for every row and column; whole tiles fill the one in between.
    unsafe {
        if far == TILE && near == TILE {
            let mut tile: [std::mem::MaybeUninit<T>; TILE * TILE] =
                [const { std::mem::MaybeUninit::uninit() }; TILE * TILE];
            for i in 0..TILE {
                for j in 0..TILE {
                    tile[j * TILE + i].write(*src.add(i * ss + j));
                }
            }
            for j in 0..TILE {
                let row = tile.as_ptr().add(j * TILE).cast::<T>();
                std::ptr::copy_nonoverlapping(row, dst.add(j * ds), TILE);
            }
            return;
        }
        for j in 0..far {
            for i in 0..near {
                *dst.add(j * ds + i) = *src.add(i * ss + j);
            }
        }
    }
}

/// Moves a tile: destination, source, and of both sides how many elements and the stride.
type Tile = unsafe fn(*mut u8, *const u8, (usize, usize), (usize, usize));

/// The function that moves tiles of elements of dtype `src` to dtype `dst`, where they stay as they are.
fn tile_between(dst: DType, src: DType) -> Option<Tile> {
    if dst.stored() != src.stored() {
        return None;
    }
    match dst.size() {
        1 => Some(move_tile::<u8>),
        2 => Some(move_tile::<u16>),
        4 => Some(move_tile::<u32>),
        8 => Some(move_tile::<u64>),
        _ => None,
    }
}

impl Ends<'_> {
    /// Copies a transposition by tiles, each of which stays in the cache for both its sides.
    ///
    /// # Safety
    /// As [`copy_runs`].
    unsafe fn copy_crossed(&self, crossed: &Crossed) {
        let ((m, ds), (n, ss)) = (crossed.far, crossed.near);
        for_each_run(&crossed.outer, |d, s, _, _, _| {
            for j in (0..m).step_by(TILE) {
                watch::poll();
                let far = TILE.min(m - j);
                for i in (0..n).step_by(TILE) {
                    let near = TILE.min(n - i);
                    let part = self.from(d + j * ds + i, s + i * ss + j);
                    // SAFETY: the tile's indices are among those of the loops.
                    unsafe { part.tile((far, ds), (near, ss)) };
                }
            }
        });
    }

    /// Copies one tile.
    ///
    /// # Safety
    /// As [`copy_runs`], for the tile's elements.
    unsafe fn tile(&self, (far, ds): (usize, usize), (near, ss): (usize, usize)) {
        if let Some(tile) = self.tile {
            // SAFETY: passed on.
            return unsafe { tile(self.dst, self.src, (far, ds), (near, ss)) };
        }
        for j in 0..far {
            let row = self.from(j * ds, j);
            // SAFETY: passed on.
            unsafe { self.move_or_convert(row.dst, row.src, near, 1, ss) };
        }
    }
}

/// Changes elements in memory by marks.
///
/// # Safety
/// The pointer must be valid for elements of the dtype at every index that the loops reach.
unsafe fn apply_marks(marks: Marks, (dst, dtype): (*mut u8, DType), loops: &[Loop]) {
    let Some(change) = change_of(marks, dtype) else {
        return;
    };
    // An element that is written several times changes once.
    let mut once: SmallVec<[Loop; 6]> = loops.into();
    once.retain(|l| l.1 > 0 || l.0 == 0);
    if once.is_empty() {
        once.push((1, 1, 1));
    }
    for_each_run(&once, |d, _, count, ds, _| {
        // SAFETY: the caller vouches for every index that the loops reach.
        unsafe { change(dst.add(d * dtype.size()), count, ds) }
    });
}

impl Memory<'_> {
    /// The elements in row-major order in a new buffer.
    pub(crate) fn gather<T: Element>(&self) -> Buffer<T> {
        let out = Buffer::<T>::unspecified(self.numel());
        // SAFETY: the buffer has `numel` elements of `T`.
        unsafe { self.gather_as::<T>(out.as_ptr().cast_mut(), self.dtype().held()) };
        out
    }

    /// The bytes of the elements in row-major order.
    pub(crate) fn gather_bytes(&self) -> Buffer<u8> {
        let (sizes, dtype) = (self.layout().sizes(), self.dtype());
        let out = Buffer::<u8>::unspecified(crate::memory::bytes_of(self.numel(), dtype.size()));
        let strides = crate::layout::contiguous_strides(sizes);
        let loops = loops(sizes, &strides, self.layout().strides());
        let dst = (out.as_ptr().cast_mut(), dtype);
        let src = (self.first().cast_const(), dtype);
        // SAFETY: the buffer has the bytes of all elements and is aligned; the source layout lies within its storage.
        unsafe {
            copy_runs(dst, src, &loops);
            apply_marks(self.marks(), dst, &loops);
        }
        out
    }

    /// Writes the elements, converted, in row-major order.
    ///
    /// # Safety
    /// `out` must be valid for `numel` elements of `T`.
    pub(crate) unsafe fn gather_into<T: Element>(&self, out: *mut T) {
        // SAFETY: passed on.
        unsafe { self.gather_as(out, self.dtype()) }
    }

    /// The same of elements of another dtype of the same size.
    ///
    /// # Safety
    /// As for [`Memory::gather_into`].
    unsafe fn gather_as<T: Element>(&self, out: *mut T, dtype: DType) {
        let sizes = self.layout().sizes();
        let strides = crate::layout::contiguous_strides(sizes);
        let loops = loops(sizes, &strides, self.layout().strides());
        let src = (self.first().cast_const(), dtype);
        // SAFETY: the caller vouches for the destination; the source layout lies within its storage.
        unsafe {
            copy_runs((out.cast(), T::DTYPE), src, &loops);
            apply_marks(self.marks(), (out.cast(), T::DTYPE), &loops);
        }
    }

    /// Writes the elements of `src`, whose layout broadcasts to this one's sizes, converting.
    fn write(&self, src: &Memory<'_>) -> Result<()> {
        let sizes = self.layout().sizes();
        let from = src
            .layout()
            .expand(sizes)
            .ok_or_else(|| Fault::internal("a copy between sizes that do not broadcast"))?;
        let loops = loops(sizes, self.layout().strides(), from.strides());
        let marks = self.marks().and(src.marks());
        let dst = (self.first(), self.dtype());
        let src = (src.first().cast_const(), src.dtype());
        // SAFETY: both layouts lie within their storages, and `from` is `src`'s layout or its broadcast.
        unsafe {
            copy_runs(dst, src, &loops);
            apply_marks(marks, dst, &loops);
        }
        Ok(())
    }
}

impl Tensor {
    /// Writes `src`, of the same sizes, into this fresh tensor, converting.
    pub(crate) fn fill_from(&self, src: &Tensor) {
        let done = self.memory().write(&src.memory());
        done.unwrap_or_else(|fault| crate::memory::give_up(fault));
    }

    /// `copy_`: writes `src`, broadcast to this tensor's sizes and converted to its dtype, into this tensor's memory.
    pub fn copy_from(&self, src: &Tensor) -> Result<()> {
        if self.is(src) {
            return Ok(());
        }
        let from = src.layout().expand(self.sizes()).ok_or_else(|| {
            Fault::runtime(match crate::layout::broadcast(self.sizes(), src.sizes()) {
                Some(all) if all.as_slice() != self.sizes() => format!(
                    "output with shape {} doesn't match the broadcast shape {}",
                    crate::layout::list(self.sizes()),
                    crate::layout::list(&all)
                ),
                _ => crate::layout::broadcast_or_fault(self.sizes(), src.sizes())
                    .err()
                    .map_or_else(String::new, |f| f.message().to_string()),
            })
        })?;
        if self.shares_storage(src) {
            let from = src.view_with(from)?;
            crate::iter::check_overlap(self, &from)?;
            self.bump_version();
            // Regions that are not dense may overlap: read everything first.
            self.memory().write(&from.contiguous_copy().memory())
        } else {
            self.bump_version();
            self.memory().write(&src.memory())
        }
    }

    /// A row-major copy, always with a storage of its own.
    pub fn contiguous_copy(&self) -> Tensor {
        if let Some(copy) = self.on_integers(Tensor::contiguous_copy) {
            return copy;
        }
        let memory = self.memory();
        let sizes = memory.layout().sizes();
        dispatch!(memory.dtype(), All, T => memory.gather::<T>().into_tensor(sizes))
    }

    /// `clone`: a copy with a storage of its own, dimensions in the same order in memory where they are dense.
    pub fn deep_copy(&self) -> Tensor {
        if let Some(copy) = self.on_integers(Tensor::deep_copy) {
            return copy;
        }
        let layout = self.layout().like(self.sizes());
        if self.is_meta() {
            return Tensor::meta(&layout, self.dtype())
                .unwrap_or_else(|fault| crate::memory::give_up(fault));
        }
        let out = Tensor::empty_with(&layout, self.dtype())
            .unwrap_or_else(|fault| crate::memory::give_up(fault));
        out.fill_from(self);
        out
    }

    /// This tensor if it has the dtype, else a converted copy (dimensions in the same order in memory).
    pub fn to_dtype(&self, dtype: DType) -> Tensor {
        if self.dtype() == dtype {
            return self.clone();
        }
        let layout = self.layout().like(self.sizes());
        let out = match self.is_meta() {
            true => Tensor::meta(&layout, dtype),
            false => Tensor::empty_with(&layout, dtype),
        };
        let out = out.unwrap_or_else(|fault| crate::memory::give_up(fault));
        if !out.is_meta() {
            out.fill_from(self);
        }
        out
    }

    /// Fills every element with a number, through the view.
    pub fn fill(&self, value: crate::Scalar) -> Result<()> {
        self.copy_from(&Tensor::scalar(value, self.dtype()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of few bytes, and of one element again and again, have every element in its place.
    #[test]
    fn short_rows_keep_their_elements() -> Result<()> {
        for width in [1, 2, 3, 4, 8, 16, 31, 32, 64, 70] {
            let numbers: Vec<i64> = (0..6 * 5 * width).collect();
            let plain = Tensor::from_vec(numbers, &[6, 5, width as usize])?;
            for dtype in [DType::U8, DType::F32, DType::F64, DType::C128] {
                let turned = plain.to_dtype(dtype).permute(&[1, 0, 2])?.contiguous();
                let got = turned.to_dtype(DType::I64).to_vec::<i64>();
                let places = (0..5).flat_map(|i| (0..6).map(move |j| (j * 5 + i) * width));
                let want: Vec<i64> = places.flat_map(|at| at..at + width).collect();
                let want = Tensor::from_vec(want, &[got.len()])?.to_dtype(dtype);
                assert_eq!(
                    got,
                    want.to_dtype(DType::I64).to_vec::<i64>(),
                    "{dtype:?} {width}"
                );
                let column = plain.to_dtype(dtype).narrow(2, 0, 1)?;
                let wide = column.expand_to(&[6, 5, 9])?.contiguous();
                let repeated = wide.to_vec::<i64>();
                let first = column.to_vec::<i64>();
                assert!(repeated.iter().enumerate().all(|(k, v)| *v == first[k / 9]));
            }
        }
        Ok(())
    }

    /// 16-bit floats become other dtypes, and others those, as single elements do.
    #[test]
    fn narrow_floats_convert_as_elements_do() {
        let numbers: Vec<f64> = (-300..300).map(|i| f64::from(i) * 1.7).collect();
        let plain = Tensor::from_vec(numbers, &[600]).unwrap();
        for half in [DType::F16, DType::BF16] {
            let narrow = plain.to_dtype(half);
            for dtype in [
                DType::U8,
                DType::I16,
                DType::I64,
                DType::F64,
                DType::Bool,
                DType::C64,
            ] {
                let there = narrow.to_dtype(dtype);
                let back = there.to_dtype(half);
                dispatch!(half, All, H => dispatch!(dtype, All, D => {
                    let from = narrow.data::<H>();
                    let want: Vec<D> = from.iter().map(|v| v.cast::<D>()).collect();
                    assert_eq!(there.to_vec::<D>(), want, "{half:?} to {dtype:?}");
                    let want: Vec<H> = want.iter().map(|v| v.cast::<H>()).collect();
                    assert_eq!(back.to_vec::<H>(), want, "{dtype:?} to {half:?}");
                }));
            }
        }
    }

    /// Transpositions go by tiles, whole ones and the rests of them, of all sizes of elements and with conversions.
    #[test]
    fn transposed_copies_have_every_element_in_its_place() -> Result<()> {
        for sizes in [
            [2, 33, 50],
            [1, 16, 16],
            [3, 100, 17],
            [2, 5, 40],
            [70, 64, 31],
        ] {
            let n = sizes.iter().product::<usize>() as i64;
            let numbers: Vec<i64> = (0..n).collect();
            let plain = Tensor::from_vec(numbers, &sizes)?;
            for dtype in [DType::U8, DType::I16, DType::F32, DType::F64, DType::C128] {
                let tensor = plain.to_dtype(dtype);
                for order in [[0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
                    let turned = tensor.permute(&order)?;
                    let copy = turned.contiguous_copy();
                    let widened = turned.to_dtype(DType::C64).contiguous_copy();
                    let into = Tensor::zeros(&sizes, dtype)?.permute(&order)?;
                    into.copy_from(&copy)?;
                    let [a, b, c] = [0, 1, 2].map(|d| turned.size(d));
                    let strides = turned.strides();
                    let places = (0..a)
                        .flat_map(|i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
                    let flat = tensor.to_vec::<Complex64>();
                    let want: Vec<Complex64> = places
                        .map(|p| flat[p.iter().zip(strides).map(|(i, s)| i * s).sum::<usize>()])
                        .collect();
                    assert_eq!(
                        copy.to_vec::<Complex64>(),
                        want,
                        "{sizes:?} {order:?} {dtype:?}"
                    );
                    assert_eq!(into.to_vec::<Complex64>(), want);
                    let single = |v: &Complex64| (v.re as f32, v.im as f32);
                    let got = widened.to_vec::<Complex64>();
                    assert!(got.iter().map(single).eq(want.iter().map(single)));
                }
            }
        }
        Ok(())
    }
}
