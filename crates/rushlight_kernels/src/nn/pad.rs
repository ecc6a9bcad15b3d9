//! Where the elements of a padded tensor come from.

use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Buffer, Dims, Result, Tensor, dispatch, watch};

/// What stands outside the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Reflect,
    Replicate,
    Circular,
}

/// Which input position stands at each output position.
pub fn places(mode: Mode, size: i64, before: i64, after: i64) -> Vec<usize> {
    // No tensor is so long: what does not fit is refused as what it would take.
    let total = size.saturating_add(before).saturating_add(after);
    (0..total)
        .map(|o| {
            let i = o - before;
            let place = match mode {
                Mode::Replicate => i.clamp(0, size - 1),
                // What negative padding cuts off takes no part in the circle.
                Mode::Circular => {
                    let (skip, kept) = (
                        before.saturating_neg().max(0),
                        size + before.min(0) + after.min(0),
                    );
                    skip + (o - before.max(0)).rem_euclid(kept.max(1))
                }
                Mode::Reflect if i < 0 => -i,
                Mode::Reflect if i >= size => 2 * (size - 1) - i,
                Mode::Reflect => i,
            };
            place as usize
        })
        .collected()
}

/// Takes positions along a dimension.
pub fn take(t: &Tensor, d: usize, places: &[usize]) -> Result<Tensor> {
    if t.dtype().is_eight() {
        return Ok(take(&t.held(), d, places)?.as_eights(t.dtype()));
    }
    let mut sizes = Dims::from_slice(t.sizes());
    sizes[d] = places.len();
    let numel = rushlight_tensor::layout::checked_numel(&sizes)?;
    let inner: usize = sizes[d + 1..].iter().product();
    let from = t.size(d) * inner;
    if from == 0 {
        return Tensor::zeros(&sizes, t.dtype());
    }
    Ok(dispatch!(t.dtype(), All, T => {
        let x = t.data::<T>();
        let mut out = Buffer::<T>::unspecified(numel);
        let mut rows = out.chunks_exact_mut(inner.max(1));
        for image in x.chunks_exact(from.max(1)) {
            watch::poll();
            for (place, row) in places.iter().zip(&mut rows) {
                watch::poll();
                row.copy_from_slice(&image[place * inner..][..inner]);
            }
        }
        out.into_tensor(&sizes)
    }))
}
