//! Whole panels of pixels with all rows of packed weights, eight by eight: see [`super::pointwise`].

use super::pointwise::{Block, Job, LANES, ROWS, Rows, TOGETHER, Then, VECTORS, rows};
use super::within::AtHand;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::{Vector, unrolled};
use rushlight_tensor::threads::Strip;
use rushlight_tensor::watch;
use std::ops::Range;

/// [`Way::go`] for some vectors, as a function of its own, whose loop has all registers for itself: first with a panel that is to be
/// filled, then with one that is.
pub(super) type Go = unsafe fn(&mut Way<'_>, *const f32, *const f32);

/// With AVX-512.
#[cfg(target_arch = "x86_64")]
pub(super) static AVX512: [Go; 2] = [avx512_rows::<true>, avx512_rows::<false>];

/// With AVX2.
#[cfg(target_arch = "x86_64")]
pub(super) static AVX2: [Go; 2] = [avx2_rows::<true>, avx2_rows::<false>];

/// With NEON.
#[cfg(target_arch = "aarch64")]
pub(super) static NEON: [Go; 2] = [neon_rows::<true>, neon_rows::<false>];

/// Rows of the result, and the input channels that they are made of at a time.
pub(super) struct Piece<'a> {
    pub(super) weights: &'a Rows,
    pub(super) depth: Range<usize>,
    pub(super) channels: Range<usize>,
    pub(super) go: &'a [Go; 2],
}

impl Piece<'_> {
    /// Rows that go together in eights.
    fn eights(&self) -> Range<usize> {
        let Range { start, end } = self.channels;
        start..end - (end - start) % ROWS
    }
}

/// Panels, one after the other, each with the weights of all rows: what there is to know of a panel stays in registers.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub(super) unsafe fn columns<V: Vector, const R: usize>(
    job: &Job<'_>,
    piece: &Piece<'_>,
    group: [Block<V>; TOGETHER],
    panels: &mut [f32],
    then: &Then<'_>,
    out: &mut Strip<'_, f32>,
) {
    let (channels, depth) = (&piece.channels, &piece.depth);
    let (first, whole) = (channels.start, piece.eights().end);
    // What is left of each block is made by single tiles: blocks that are no whole panels, and rows beyond the last eight.
    let (mut narrow, mut all) = (group, group);
    for (narrow, all) in narrow.iter_mut().zip(&mut all) {
        watch::poll();
        if narrow.is_whole() && narrow.vectors == VECTORS {
            // SAFETY: passed on.
            unsafe { column::<V, R>(job, piece, narrow, panels, then, out) };
            narrow.count = 0;
        } else {
            all.count = 0;
        }
    }
    let now = Then {
        left: None,
        ..then.clone()
    };
    for (blocks, channels) in [(&narrow, channels.clone()), (&all, whole..channels.end)] {
        if blocks.iter().any(|block| block.count > 0) && !channels.is_empty() {
            let mut own = out.rows_of(channels.start - first..out.rows());
            // SAFETY: passed on.
            unsafe { rows::<V, R>(job, blocks, panels, depth.clone(), channels, &now, &mut own) };
        }
    }
    // SAFETY: passed on.
    unsafe { then.finish::<V>(job, channels.clone(), first, out) };
}

/// A whole panel with all rows that go together in eights.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn column<V: Vector, const R: usize>(
    job: &Job<'_>,
    piece: &Piece<'_>,
    block: &Block<V>,
    panel: &mut [f32],
    then: &Then<'_>,
    out: &mut Strip<'_, f32>,
) {
    let Piece {
        weights, depth, go, ..
    } = piece;
    let channels = piece.eights();
    let (count, pixels) = (depth.len(), VECTORS * V::WIDTH);
    let at = depth.start * job.pixels + then.start + block.first;
    let image = &job.image[at.min(job.image.len())..];
    assert!(count > 0 && panel.len() >= count * pixels);
    assert!((count - 1) * job.pixels + pixels <= image.len());
    assert!(block.first + pixels <= out.columns() && channels.len() <= out.rows());
    let zeros = [0.0; ROWS];
    // SAFETY: the asserted lengths cover the operands, and the result has these rows and columns.
    unsafe {
        let eight = |first: usize| &weights.from(first)[depth.start * ROWS..depth.end * ROWS];
        let bias = |first: usize| {
            job.bias
                .map_or(&zeros[..], |bias| &bias[first..first + ROWS])
        };
        let mut way = Way {
            panel: panel.as_mut_ptr(),
            depth: count,
            image: image.as_ptr(),
            pixels: job.pixels,
            at_hand: &then.at_hand,
            goes_on: depth.start > 0,
            to: out.place(0, block.first),
            stride: out.stride(),
        };
        for first in channels.clone().step_by(ROWS) {
            let (weights, bias) = (eight(first).as_ptr(), bias(first));
            for row in (0..ROWS).step_by(R) {
                let (weights, bias) = (weights.add(row), bias.as_ptr().add(row));
                let is_filled = first > channels.start || row > 0;
                go[usize::from(is_filled)](&mut way, weights, bias);
            }
        }
    }
}

/// A whole panel's way through the rows.
pub(super) struct Way<'a> {
    panel: *mut f32,
    depth: usize,
    /// Its pixels of the first input channel, and how many pixels a channel has.
    image: *const f32,
    pixels: usize,
    at_hand: &'a AtHand,
    /// Whether sums go on from what the result holds.
    goes_on: bool,
    /// Where the next results go, and how far apart their rows lie.
    to: *mut f32,
    stride: usize,
}

impl Way<'_> {
    /// Makes `R` rows from as many numbers of each eight weights, and goes on behind them. With `FILL` the panel is filled.
    ///
    /// # Safety
    /// The processor has the vectors' instructions, and there are the weights, the numbers that sums start with, and all that
    /// the way leads to.
    #[inline(always)]
    unsafe fn go<V: Vector, const R: usize, const FILL: bool>(
        &mut self,
        weights: *const f32,
        bias: *const f32,
    ) {
        let width = VECTORS * V::WIDTH;
        // SAFETY: passed on.
        unsafe {
            let mut acc = self.begin::<V, R>(bias);
            let (mut w, mut x, mut from) = (weights, self.panel, self.image);
            for _ in 0..self.depth {
                let mut numbers = [V::splat(0.0); VECTORS];
                unrolled!(n < VECTORS, at most 3, {
                    if FILL {
                        // The same channel of the next panel.
                        V::prefetch(from.wrapping_add(width + n * V::WIDTH));
                        numbers[n] = V::load(from.wrapping_add(n * V::WIDTH));
                        numbers[n].store(x.wrapping_add(n * V::WIDTH));
                    } else {
                        numbers[n] = V::load(x.wrapping_add(n * V::WIDTH));
                    }
                });
                if FILL {
                    from = from.wrapping_add(self.pixels);
                }
                unrolled!(r < R, at most 8, {
                    let factor = V::splat(*w.wrapping_add(r));
                    unrolled!(n < VECTORS, at most 3, {
                        acc[r][n] = factor.fma(numbers[n], acc[r][n]);
                    });
                });
                x = x.wrapping_add(width);
                w = w.wrapping_add(ROWS);
            }
            self.end::<V, R>(&acc);
        }
    }

    /// What sums start with. The places of the next results are asked for.
    ///
    /// # Safety
    /// As for [`Way::go`].
    #[inline(always)]
    unsafe fn begin<V: Vector, const R: usize>(&self, bias: *const f32) -> [[V; VECTORS]; R] {
        // SAFETY: passed on.
        unsafe {
            let mut acc = [[V::splat(0.0); VECTORS]; R];
            unrolled!(r < R, at most 8, {
                acc[r] = [V::splat(*bias.add(r)); VECTORS];
                if self.goes_on {
                    unrolled!(n < VECTORS, at most 3, {
                        let at = r * self.stride + n * V::WIDTH;
                        acc[r][n] = V::load(self.to.wrapping_add(at));
                    });
                }
                let next = self.to.wrapping_add((R + r) * self.stride);
                unrolled!(line < usize::div_ceil(VECTORS * V::WIDTH, LANES), {
                    V::prefetch(next.wrapping_add(line * LANES));
                });
            });
            acc
        }
    }

    /// Writes sums and goes on to the next rows.
    ///
    /// # Safety
    /// As for [`Way::go`].
    #[inline(always)]
    unsafe fn end<V: Vector, const R: usize>(&mut self, acc: &[[V; VECTORS]; R]) {
        let (to, stride) = (self.to, self.stride);
        // SAFETY: passed on.
        unsafe {
            let at_hand = self.at_hand.in_vectors::<V>();
            unrolled!(r < R, at most 8, {
                unrolled!(n < VECTORS, at most 3, {
                    let at = to.wrapping_add(r * stride + n * V::WIDTH);
                    at_hand.in_range(acc[r][n]).store(at);
                });
            });
            if at_hand.is_more() {
                for r in 0..R {
                    for n in 0..VECTORS {
                        let at = to.wrapping_add(r * stride + n * V::WIDTH);
                        at_hand.rest(V::load(at)).store(at);
                    }
                }
            }
        }
        self.to = to.wrapping_add(R * stride);
    }
}

/// As [`Way::go`], four rows. Sums, numbers and a weight fill all sixteen registers, but the compiler begins to read a weight more
/// and keeps a sum in memory instead, which halves the speed: so the loop is written out.
///
/// # Safety
/// As for [`Way::go`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2_rows<const FILL: bool>(way: &mut Way<'_>, weights: *const f32, bias: *const f32) {
    use std::arch::x86_64::__m256;
    // SAFETY: passed on; the loops read as many numbers and weights as there are, and write the panel's numbers alone.
    unsafe {
        let [mut a, mut b, mut c, mut d] = way.begin::<__m256, 4>(bias);
        macro_rules! each_channel {
            ($($get:literal)* ; $($option:tt)*) => {
                std::arch::asm!(
                    "2:",
                    $($get,)*
                    "vbroadcastss {f}, [{w}]",
                    "vfmadd231ps {a0}, {f}, {x0}",
                    "vfmadd231ps {a1}, {f}, {x1}",
                    "vfmadd231ps {a2}, {f}, {x2}",
                    "vbroadcastss {f}, [{w} + 4]",
                    "vfmadd231ps {b0}, {f}, {x0}",
                    "vfmadd231ps {b1}, {f}, {x1}",
                    "vfmadd231ps {b2}, {f}, {x2}",
                    "vbroadcastss {f}, [{w} + 8]",
                    "vfmadd231ps {c0}, {f}, {x0}",
                    "vfmadd231ps {c1}, {f}, {x1}",
                    "vfmadd231ps {c2}, {f}, {x2}",
                    "vbroadcastss {f}, [{w} + 12]",
                    "vfmadd231ps {d0}, {f}, {x0}",
                    "vfmadd231ps {d1}, {f}, {x1}",
                    "vfmadd231ps {d2}, {f}, {x2}",
                    "add {panel}, 96",
                    "add {w}, 32",
                    "dec {count}",
                    "jnz 2b",
                    f = out(ymm_reg) _, x0 = out(ymm_reg) _, x1 = out(ymm_reg) _, x2 = out(ymm_reg) _,
                    a0 = inout(ymm_reg) a[0], a1 = inout(ymm_reg) a[1], a2 = inout(ymm_reg) a[2],
                    b0 = inout(ymm_reg) b[0], b1 = inout(ymm_reg) b[1], b2 = inout(ymm_reg) b[2],
                    c0 = inout(ymm_reg) c[0], c1 = inout(ymm_reg) c[1], c2 = inout(ymm_reg) c[2],
                    d0 = inout(ymm_reg) d[0], d1 = inout(ymm_reg) d[1], d2 = inout(ymm_reg) d[2],
                    panel = inout(reg) way.panel => _,
                    w = inout(reg) weights => _,
                    count = inout(reg) way.depth => _,
                    $($option)*
                )
            };
        }
        if FILL {
            each_channel!(
                "prefetcht0 [{from} + 96]"
                "vmovups {x0}, [{from}]"
                "vmovups {x1}, [{from} + 32]"
                "prefetcht0 [{from} + 160]"
                "vmovups {x2}, [{from} + 64]"
                "vmovups [{panel}], {x0}"
                "vmovups [{panel} + 32], {x1}"
                "vmovups [{panel} + 64], {x2}"
                "add {from}, {line}";
                from = inout(reg) way.image => _,
                line = in(reg) way.pixels * size_of::<f32>(),
                options(nostack)
            );
        } else {
            each_channel!(
                "vmovups {x0}, [{panel}]"
                "vmovups {x1}, [{panel} + 32]"
                "vmovups {x2}, [{panel} + 64]";
                options(nostack, readonly)
            );
        }
        way.end(&[a, b, c, d]);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512_rows<const FILL: bool>(way: &mut Way<'_>, weights: *const f32, bias: *const f32) {
    // SAFETY: passed on.
    unsafe { way.go::<std::arch::x86_64::__m512, 8, FILL>(weights, bias) }
}

#[cfg(target_arch = "aarch64")]
unsafe fn neon_rows<const FILL: bool>(way: &mut Way<'_>, weights: *const f32, bias: *const f32) {
    // SAFETY: passed on.
    unsafe { way.go::<Neon, 4, FILL>(weights, bias) }
}
