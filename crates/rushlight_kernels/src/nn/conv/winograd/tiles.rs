//! From the image to the result, a few vectors of tiles at a time: so many that their numbers stay in the second-level
//! cache.

use super::super::within::Within;
use super::{GROUP, Job, POINTS, SPAN, TILE, points, product};
use crate::vector::Vector;
use rushlight_tensor::threads::Strip;
use rushlight_tensor::{Buffer, memory, watch};
use std::ops::Range;

/// Most vectors of tiles that go together.
const MOST: usize = 3;
/// Numbers of tiles that stay in the second-level cache.
const CACHED: usize = 6 << 16;
/// Most lanes of a vector.
pub const LANES: usize = 16;
/// Numbers between the matrices of neighbouring points, so that these do not fall on the same lines of the cache.
const APART: usize = 16;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
pub unsafe fn avx512(
    job: &Job<'_>,
    rows: Range<usize>,
    channels: Range<usize>,
    out: Strip<'_, f32>,
) -> bool {
    // SAFETY: passed on.
    unsafe { blocks::<std::arch::x86_64::__m512, 8>(job, rows, channels, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
pub unsafe fn avx2(
    job: &Job<'_>,
    rows: Range<usize>,
    channels: Range<usize>,
    out: Strip<'_, f32>,
) -> bool {
    // SAFETY: passed on.
    unsafe { blocks::<std::arch::x86_64::__m256, 4>(job, rows, channels, out) }
}

/// Neighbouring tiles of a row, in neighbouring lanes of a vector.
struct TileRun<V: Vector> {
    lane: usize,
    count: usize,
    /// Row and column of the first tile.
    row: usize,
    column: usize,
    chosen: V::Mask,
}

/// The runs of a vector that begins with a tile, counted along rows, and has `lanes` tiles.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn runs<V: Vector>(first: usize, lanes: usize, across: usize, into: &mut Vec<TileRun<V>>) {
    into.clear();
    let mut lane = 0;
    while lane < lanes {
        let (row, column) = ((first + lane) / across, (first + lane) % across);
        let count = (across - column).min(lanes - lane);
        into.push(TileRun {
            lane,
            count,
            row,
            column,
            // SAFETY: passed on.
            chosen: unsafe { V::mask((((1u64 << count) - 1) << lane) as u32) },
        });
        lane += count;
    }
}

/// Runs over blocks of tiles of some rows; says whether all results are finite. `out` are the results of these rows and
/// channels.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub unsafe fn blocks<V: Vector, const R: usize>(
    job: &Job<'_>,
    rows: Range<usize>,
    channels: Range<usize>,
    mut out: Strip<'_, f32>,
) -> bool {
    assert!(out.rows() == channels.len() && channels.start.is_multiple_of(GROUP));
    assert!(channels.end <= job.filters.channels() && rows.end <= job.image.tiles()[0]);
    let across = job.image.tiles()[1];
    let count = rows.len() * across;
    let (added, left) = job.after.sum_apart();
    // Which result is the first of a channel.
    let begin = |channel| (channel * job.output[1] + rows.start * TILE) * job.output[2];
    let vectors = count.div_ceil(V::WIDTH);
    let depth = job.filters.depth();
    let groups = channels.start / GROUP..channels.end.div_ceil(GROUP);
    let height = groups.len() * GROUP;
    let fitting = CACHED / memory::times([POINTS, depth + height, V::WIDTH]).max(1);
    let blocks = vectors.div_ceil(fitting.clamp(1, MOST));
    let most = vectors.div_ceil(blocks.max(1)) * V::WIDTH;
    let mut values = Buffer::unspecified(memory::times([POINTS, depth * most + APART]));
    let mut sums = Buffer::unspecified(memory::times([POINTS, height * most + APART]));
    let mut places: Vec<TileRun<V>> = memory::with_capacity(LANES);
    // SAFETY: passed on.
    let mut check = unsafe { V::splat(0.0) };
    for b in 0..blocks {
        watch::poll();
        let block = b * vectors / blocks..(b + 1) * vectors / blocks;
        let width = block.len() * V::WIDTH;
        let (value_size, sum_size) = (depth * width + APART, height * width + APART);
        for (slot, vector) in block.clone().enumerate() {
            let first = vector * V::WIDTH;
            let lanes = V::WIDTH.min(count - first);
            // SAFETY: passed on.
            unsafe {
                runs(rows.start * across + first, lanes, across, &mut places);
                inward::<V>(job, &places, &mut values, value_size, width, slot);
            }
        }
        for point in 0..POINTS {
            watch::poll();
            let tiles = &values[point * value_size..][..depth * width];
            for (i, group) in groups.clone().enumerate() {
                let filters = job.filters.group(point, group);
                let to = &mut sums[point * sum_size + i * GROUP * width..][..GROUP * width];
                // SAFETY: passed on.
                unsafe {
                    match block.len() {
                        1 => product::group::<V, 1, R>(filters, tiles, to),
                        2 => product::group::<V, 2, R>(filters, tiles, to),
                        _ => product::group::<V, MOST, R>(filters, tiles, to),
                    }
                }
            }
        }
        for (slot, vector) in block.enumerate() {
            let first = vector * V::WIDTH;
            let lanes = V::WIDTH.min(count - first);
            // SAFETY: passed on.
            unsafe { runs(first, lanes, across, &mut places) };
            let size = [job.output[1] - TILE * rows.start, job.output[2]];
            for (row, channel) in channels.clone().enumerate() {
                let sums = &sums[row * width + slot * V::WIDTH..];
                let bias = job.bias.map_or(0.0, |b| b[channel]);
                // SAFETY: passed on.
                unsafe {
                    let mut tile = [[V::splat(0.0); TILE]; TILE];
                    check = outward(sums, sum_size, bias, check, &mut tile);
                    let added = added.map(|added| &added[begin(channel)..]);
                    write(&tile, &places, size, added, left.at_hand(), &mut out, row);
                }
            }
        }
    }
    if left.is_left() {
        for (row, channel) in channels.enumerate() {
            left.finish(begin(channel), out.row(row));
        }
    }
    let mut lanes = [0f32; LANES];
    // SAFETY: passed on; a vector has no more numbers than that.
    unsafe { check.store(lanes.as_mut_ptr()) };
    lanes.iter().all(|lane| *lane == 0.0)
}

/// Changes a vector of tiles of every channel into its values at the points.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn inward<V: Vector>(
    job: &Job<'_>,
    places: &[TileRun<V>],
    values: &mut [f32],
    size: usize,
    width: usize,
    slot: usize,
) {
    let (plane, pitch) = (job.image.plane(), job.image.pitch());
    // The last number that is read of a small image.
    let last = |run: &TileRun<V>| (run.row + 1) * pitch + run.column + run.count;
    assert!(places.iter().all(|run| last(run) < plane));
    // Where the first lane of the vector would lie that has the run's lanes.
    let at = |run: &TileRun<V>| (run.row * pitch + run.column).wrapping_sub(run.lane);
    // SAFETY: passed on; the chosen lanes lie inside the small image, as was asserted.
    unsafe {
        match places {
            [run] if run.count == V::WIDTH => {
                let at = at(run);
                change_channels(job, values, size, width, slot, |image| {
                    V::load(image.wrapping_add(at))
                });
            }
            [run] => {
                let (at, chosen) = (at(run), run.chosen);
                change_channels(job, values, size, width, slot, |image| {
                    V::load_chosen(image.wrapping_add(at), chosen)
                });
            }
            [a, b] => {
                let (a, chosen, b, other) = (at(a), a.chosen, at(b), b.chosen);
                change_channels(job, values, size, width, slot, |image| {
                    let vector = V::load_chosen(image.wrapping_add(a), chosen);
                    vector.load_over(image.wrapping_add(b), other)
                });
            }
            _ => change_channels(job, values, size, width, slot, |image| {
                let mut vector = V::splat(0.0);
                for run in places {
                    vector = vector.load_over(image.wrapping_add(at(run)), run.chosen);
                }
                vector
            }),
        }
    }
}

/// As [`inward`], with a function that loads the vector's numbers of a small image.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn change_channels<V: Vector>(
    job: &Job<'_>,
    values: &mut [f32],
    size: usize,
    width: usize,
    slot: usize,
    load: impl Fn(*const f32) -> V,
) {
    let (plane, pitch) = (job.image.plane(), job.image.pitch());
    let channels = job.image.channels();
    assert!(channels == 0 || (POINTS - 1) * size + channels * width <= values.len());
    assert!((slot + 1) * V::WIDTH <= width);
    for channel in 0..channels {
        let image = job.image.channel(channel);
        assert_eq!(image.len(), TILE * TILE * plane);
        let image = image.as_ptr();
        // SAFETY: passed on; the asserted length covers what is written.
        unsafe {
            let mut columns = [[V::splat(0.0); SPAN]; SPAN];
            for x in 0..SPAN {
                let load = |y: usize| {
                    let small = (y % TILE * TILE + x % TILE) * plane;
                    load(image.wrapping_add(small + y / TILE * pitch + x / TILE))
                };
                let d = [load(0), load(1), load(2), load(3), load(4), load(5)];
                for (row, value) in columns.iter_mut().zip(points::image(d)) {
                    row[x] = value;
                }
            }
            let to = values.as_mut_ptr().add(channel * width + slot * V::WIDTH);
            for (y, row) in columns.into_iter().enumerate() {
                for (x, value) in points::image(row).into_iter().enumerate() {
                    value.store(to.add((y * SPAN + x) * size));
                }
            }
        }
    }
}

/// Changes the sums of a vector of tiles into pixels: row and column of the tile. What is not finite makes `check` differ
/// from zero.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn outward<V: Vector>(
    sums: &[f32],
    size: usize,
    bias: f32,
    mut check: V,
    tile: &mut [[V; TILE]; TILE],
) -> V {
    assert!((POINTS - 1) * size + V::WIDTH <= sums.len());
    // SAFETY: passed on; the asserted length covers what is read.
    unsafe {
        let mut columns = [[V::splat(0.0); SPAN]; TILE];
        for x in 0..SPAN {
            let load = |y: usize| V::load(sums.as_ptr().add((y * SPAN + x) * size));
            let m = [load(0), load(1), load(2), load(3), load(4), load(5)];
            for (row, value) in columns.iter_mut().zip(points::out(m)) {
                row[x] = value;
            }
        }
        let bias = V::splat(bias);
        for (row, to) in columns.into_iter().zip(tile.iter_mut()) {
            for (value, to) in points::out(row).into_iter().zip(to.iter_mut()) {
                *to = value.add(bias);
                check = to.fma(V::splat(0.0), check);
            }
        }
        check
    }
}

/// Writes a vector of tiles to where their pixels belong in a channel, as far as there are such; `size` are the rows and
/// columns that the result has from the first tile on. The numbers to add begin with the first tile as well.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn write<V: Vector>(
    tile: &[[V; TILE]; TILE],
    places: &[TileRun<V>],
    size: [usize; 2],
    added: Option<&[f32]>,
    within: Within,
    out: &mut Strip<'_, f32>,
    channel: usize,
) {
    let mut line = [0f32; (TILE + 1) * LANES];
    // SAFETY: passed on.
    let (low, high) = unsafe { (V::splat(within.low), V::splat(within.high)) };
    for (y, [a, b, c, d]) in tile.iter().enumerate() {
        // SAFETY: the line has room for four vectors.
        unsafe {
            let (ac, ac2) = (a.zip_low(*c), a.zip_high(*c));
            let (bd, bd2) = (b.zip_low(*d), b.zip_high(*d));
            let quarters = [
                ac.zip_low(bd),
                ac.zip_high(bd),
                ac2.zip_low(bd2),
                ac2.zip_high(bd2),
            ];
            for (i, quarter) in quarters.iter().enumerate() {
                quarter.store(line.as_mut_ptr().add(i * V::WIDTH));
            }
        }
        for run in places {
            let row = run.row * TILE + y;
            if row >= size[0] {
                continue;
            }
            let pixels = (TILE * run.count).min(size[1] - TILE * run.column);
            let first = row * size[1] + TILE * run.column;
            assert!(first + pixels <= out.columns());
            assert!(added.is_none_or(|added| first + pixels <= added.len()));
            let to = out.place(channel, first);
            for start in (0..pixels).step_by(V::WIDTH) {
                let lanes = V::WIDTH.min(pixels - start);
                // SAFETY: the chosen lanes are pixels of the channel; the line has a vector more than is written to it.
                unsafe {
                    let chosen = V::mask(((1u64 << lanes) - 1) as u32);
                    let mut numbers = V::load(line.as_ptr().add(TILE * run.lane + start));
                    if let Some(added) = added {
                        let added = added.as_ptr().add(first + start);
                        numbers = numbers.add(V::load_chosen(added, chosen));
                    }
                    let numbers = numbers.within(low, high);
                    numbers.store_first(to.add(start), chosen);
                }
            }
        }
    }
}
