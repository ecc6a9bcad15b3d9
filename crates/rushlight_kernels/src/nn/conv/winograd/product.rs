//! The products of filters and tiles at one point: output channels by tiles, summed over the input channels.

use super::GROUP;
use crate::vector::Vector;

/// How many numbers of the filters are asked for ahead of their use: they are read in one long run, of which the next page
/// is nothing that the processor foresees.
const AHEAD: usize = 1024;

/// A group of filters by `N` vectors of tiles, `R` channels at a time. `filters` are input channel by output channel,
/// `tiles` input channel by tile, `out` output channel by tile. Each sum runs over the input channels in their order.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub unsafe fn group<V: Vector, const N: usize, const R: usize>(
    filters: &[f32],
    tiles: &[f32],
    out: &mut [f32],
) {
    let depth = filters.len() / GROUP;
    assert!(GROUP.is_multiple_of(R) && filters.len() == depth * GROUP);
    assert!(tiles.len() == depth * N * V::WIDTH && out.len() == GROUP * N * V::WIDTH);
    for first in (0..GROUP).step_by(R) {
        // SAFETY: the asserted lengths cover every access.
        unsafe {
            let mut acc = [[V::splat(0.0); N]; R];
            let (mut w, mut x) = (filters.as_ptr().add(first), tiles.as_ptr());
            for _ in 0..depth {
                let mut tile = [V::splat(0.0); N];
                for (n, t) in tile.iter_mut().enumerate() {
                    *t = V::load(x.add(n * V::WIDTH));
                }
                for (r, acc) in acc.iter_mut().enumerate() {
                    let factor = V::splat(*w.add(r));
                    for n in 0..N {
                        acc[n] = factor.fma(tile[n], acc[n]);
                    }
                }
                V::prefetch_far(w.wrapping_add(AHEAD));
                x = x.wrapping_add(N * V::WIDTH);
                w = w.wrapping_add(GROUP);
            }
            for (r, acc) in acc.iter().enumerate() {
                for (n, acc) in acc.iter().enumerate() {
                    let place = ((first + r) * N + n) * V::WIDTH;
                    acc.store(out.as_mut_ptr().add(place));
                }
            }
        }
    }
}
