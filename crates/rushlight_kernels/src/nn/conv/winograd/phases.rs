//! A padded image taken apart by the place that a pixel has in its tile: sixteen small images per channel, of which
//! each has one number per tile. Neighbouring tiles are then neighbours in memory.

use super::super::geometry::Geometry;
use super::{TILE, tiles};
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::Vector;
#[cfg(target_arch = "x86_64")]
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{threads, watch};

/// An image of one group of channels.
#[derive(Default)]
pub struct Phases {
    data: Vec<f32>,
    channels: usize,
    tiles: [usize; 2],
}

impl Phases {
    /// Takes an image apart, channel by pixel, for a convolution that [`super::suits`].
    pub fn fill(&mut self, g: &Geometry, image: &[f32], output: [usize; 3]) {
        self.channels = g.group_in();
        self.tiles = tiles(output);
        let [_, height, width] = g.input;
        assert_eq!(image.len(), self.channels * height * width);
        assert!(height + g.before[1] <= TILE * (self.tiles[0] + 1));
        assert!(width + g.before[2] <= TILE * (self.tiles[1] + 1));
        let each = TILE * TILE * self.plane();
        self.data.resize(memory::times([self.channels, each]), 0.0);
        let (tiles, pitch) = (self.tiles, self.pitch());
        threads::split_rows(&mut self.data, each, 1, each, &|channels, out| {
            let job = Job {
                image: &image[channels.start * height * width..],
                input: [height, width],
                before: [g.before[1], g.before[2]],
                down: tiles[0] + 1,
                pitch,
            };
            #[cfg(target_arch = "x86_64")]
            match isa() {
                // SAFETY: the processor has AVX-512.
                Isa::Avx512 => unsafe { avx512(&job, out) },
                // SAFETY: the processor has AVX2 and FMA.
                Isa::Avx2 => unsafe { avx2(&job, out) },
                Isa::Baseline => unreachable!("`suits` asks for vectors"),
            }
            #[cfg(target_arch = "aarch64")]
            // SAFETY: every processor of this kind has these vectors.
            unsafe {
                take_apart::<Neon>(&job, out)
            };
            let _ = (&job, out);
        });
    }

    /// Channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Tiles down and across.
    pub fn tiles(&self) -> [usize; 2] {
        self.tiles
    }

    /// Numbers from one row of tiles to the next. There is one more in a row than tiles: the last one's pixels meet its
    /// first columns.
    pub fn pitch(&self) -> usize {
        self.tiles[1] + 1
    }

    /// Numbers of one small image.
    pub fn plane(&self) -> usize {
        memory::times([self.tiles[0] + 1, self.pitch()])
    }

    /// The small images of a channel: row and column of the place, row and column of the tile.
    pub fn channel(&self, channel: usize) -> &[f32] {
        let each = TILE * TILE * self.plane();
        &self.data[channel * each..][..each]
    }
}

/// Some channels.
struct Job<'a> {
    image: &'a [f32],
    /// Rows and columns of the image, and zeros before them.
    input: [usize; 2],
    before: [usize; 2],
    /// Rows and columns of the small images.
    down: usize,
    pitch: usize,
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(job: &Job<'_>, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { take_apart::<std::arch::x86_64::__m512>(job, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(job: &Job<'_>, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { take_apart::<std::arch::x86_64::__m256>(job, out) }
}

/// A vector of each of the four small images of a row.
struct Place<V: Vector> {
    /// Its first column there.
    column: usize,
    inside: V::Mask,
    /// The image's column under the first lane, and the numbers to read from there on.
    from: isize,
    read: [V::Mask; TILE],
}

/// Fills the small images of as many channels as `out` has.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn take_apart<V: Vector>(job: &Job<'_>, out: &mut [f32]) {
    let [height, width] = job.input;
    let mask = |bits: u64| {
        // SAFETY: passed on.
        unsafe { V::mask(bits as u32) }
    };
    let places: Vec<Place<V>> = (0..job.pitch.div_ceil(V::WIDTH))
        .map(|i| {
            let column = i * V::WIDTH;
            let from = (TILE * column) as isize - job.before[1] as isize;
            let exists = |lane: &usize| (0..width as isize).contains(&(from + *lane as isize));
            let lanes = V::WIDTH.min(job.pitch - column);
            Place {
                column,
                inside: mask((1 << lanes) - 1),
                from,
                read: std::array::from_fn(|part| {
                    let lanes = part * V::WIDTH..(part + 1) * V::WIDTH;
                    mask(
                        lanes
                            .filter(exists)
                            .fold(0, |bits, lane| bits | 1 << (lane - part * V::WIDTH)),
                    )
                }),
            }
        })
        .collected();
    let plane = job.down * job.pitch;
    let channels = out.chunks_exact_mut(TILE * TILE * plane);
    for (image, channel) in job.image.chunks_exact(height * width).zip(channels) {
        watch::poll();
        for row in 0..TILE * job.down {
            let (tile, place) = (row / TILE, row % TILE);
            let to = &mut channel[place * TILE * plane + tile * job.pitch..];
            let y = row.wrapping_sub(job.before[0]);
            if y >= height {
                for small in to.chunks_mut(plane).take(TILE) {
                    small[..job.pitch].fill(0.0);
                }
                continue;
            }
            let line = image[y * width..(y + 1) * width].as_ptr();
            assert!((TILE - 1) * plane + job.pitch <= to.len());
            for p in &places {
                // SAFETY: the masks choose numbers of the row of the image and of the rows of the small images, which the
                // asserted length covers.
                unsafe {
                    let at = line.wrapping_offset(p.from);
                    let part = |i: usize| V::load_chosen(at.wrapping_add(i * V::WIDTH), p.read[i]);
                    let [a, b, c, d] = [part(0), part(1), part(2), part(3)];
                    let (even, even2) = (a.evens(b), c.evens(d));
                    let (odd, odd2) = (a.odds(b), c.odds(d));
                    let small = [
                        even.evens(even2),
                        odd.evens(odd2),
                        even.odds(even2),
                        odd.odds(odd2),
                    ];
                    for (i, vector) in small.iter().enumerate() {
                        let to = to.as_mut_ptr().add(i * plane + p.column);
                        vector.store_chosen(to, p.inside);
                    }
                }
            }
        }
    }
}
