//! Distinct elements and slices, with inverse indices and counts. NaN is different from everything, itself included.

use super::keys::Keys;
use crate::index::slices::index_select;
use rushlight_kernels::reduce::unique::{Three, group, neighbours, without_repeats};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, Result, Tensor, dispatch, watch};
use rushlight_types::{Sizes, op, operators};

operators! {
    /// Distinct elements.
    pub static ROWS = [
        op!("aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", unique2).sizes_are(Sizes::ByElements).out("out", crate::out::exact),
        op!("aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)", unique).sizes_are(Sizes::ByElements).out("out", crate::out::cast),
        op!("aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", unique_dim).sizes_are(Sizes::ByElements).out("out", crate::out::exact),
        op!("aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)", unique_consecutive).sizes_are(Sizes::ByElements).out("out", crate::out::exact),
        op!("aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", unique_dim_consecutive).sizes_are(Sizes::ByElements).out("out", crate::out::cast),
    ];
}

fn vector(values: Vec<i64>) -> Result<Tensor> {
    let sizes = [values.len()];
    Tensor::from_vec(values, &sizes)
}

fn nothing() -> Result<Tensor> {
    vector(Vec::new())
}

/// The distinct elements of the flattened tensor, sorted first or not.
fn of_elements(t: &Tensor, sorted: bool, inverse: bool, counts: bool) -> Result<Three> {
    if t.dtype().is_complex() {
        return Err(Fault::no_kernel("unique", t.dtype()));
    }
    let values = dispatch!(t.dtype(), RealBool, T => {
        (!sorted && !inverse && !counts).then(|| without_repeats(&t.data::<T>()).into_vector())
    }, else => None);
    if let Some(values) = values {
        return Ok((values, nothing()?, nothing()?));
    }
    let (keys, nan) = (Keys::of(t)?, Keys::nan(t.dtype()));
    let groups = match sorted {
        true => {
            let Keys { keys, bits } = keys.narrowed(t.dtype());
            let noted = if inverse { keys.len() } else { 0 };
            let same = |a: usize, b: usize| keys[a] == keys[b] && Some(keys[a]) != nan;
            group(ascending(&keys, bits).into_iter(), noted, same)
        }
        false => neighbours(&keys.keys, nan, inverse, counts),
    };
    let flat = t.reshape_to(&[t.numel()])?;
    let values = index_select(&flat, 0, &vector(groups.representatives)?)?;
    let inverse = match inverse {
        true => Tensor::from_vec(groups.inverse, t.sizes())?,
        false => nothing()?,
    };
    let counts = if counts {
        vector(groups.counts)?
    } else {
        nothing()?
    };
    Ok((values, inverse, counts))
}

/// The places of keys in ascending order, of equal ones the first before the others.
fn ascending(keys: &[u64], bits: u32) -> Vec<usize> {
    if bits <= 32 && u32::try_from(keys.len()).is_ok() {
        // Key and place are one number.
        let mut packed = keys.to_vec();
        packed
            .iter_mut()
            .enumerate()
            .for_each(|(at, key)| *key = *key << 32 | at as u64);
        watch::sort(&mut packed);
        return packed.into_iter().map(|one| one as u32 as usize).collect();
    }
    let mut order: Vec<usize> = (0..keys.len()).collected();
    watch::sort_indices(&mut order, |a, b| keys[a].cmp(&keys[b]));
    order
}

fn unique2(t: &Tensor, _sorted: bool, inverse: bool, counts: bool) -> Result<Three> {
    of_elements(t, true, inverse, counts)
}

fn unique(t: &Tensor, _sorted: bool, inverse: bool) -> Result<(Tensor, Tensor)> {
    let (values, inverse, _) = of_elements(t, true, inverse, false)?;
    Ok((values, inverse))
}

/// The distinct slices along a dimension, sorted first or not.
fn of_slices(t: &Tensor, dim: i64, sorted: bool) -> Result<Three> {
    let d = wrap_dim(dim, t.rank())?;
    if t.rank() == 0 {
        return Err(rushlight_tensor::view::no_dimensions(0));
    }
    if t.numel() == 0 {
        if t.size(d) != 0 || t.sizes().iter().filter(|&&size| size == 0).count() > 1 {
            return Err(Fault::runtime(
                "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
            ));
        }
        return Ok((t.contiguous_copy(), nothing()?, nothing()?));
    }
    if t.dtype().is_complex() {
        return Err(Fault::no_kernel("unique_dim", t.dtype()));
    }
    let n = t.size(d);
    // Slices are compared by their elements in the order of the other dimensions, and come out as they lie there.
    let others = (0..t.rank() as i64).filter(|other| *other != d as i64);
    let order: Vec<i64> = std::iter::once(d as i64).chain(others).collected();
    let first = t.permute(&order)?.contiguous();
    let width = first.numel() / n;
    let keys = Keys::of(&first)?.keys;
    let slice = |i: usize| &keys[i * width..(i + 1) * width];
    let nan = Keys::nan(t.dtype());
    let mut order: Vec<usize> = (0..n).collected();
    if sorted {
        watch::sort_indices(&mut order, |a, b| slice(a).cmp(slice(b)));
    }
    let groups = group(order.into_iter(), n, |a, b| {
        slice(a) == slice(b) && nan.is_none_or(|nan| !slice(a).contains(&nan))
    });
    let values = index_select(&first, 0, &vector(groups.representatives)?)?;
    let back: Vec<i64> = (1..=d as i64)
        .chain([0])
        .chain(d as i64 + 1..t.rank() as i64)
        .collected();
    Ok((
        values.permute(&back)?,
        vector(groups.inverse)?,
        vector(groups.counts)?,
    ))
}

fn unique_dim(t: &Tensor, dim: i64, _sorted: bool, _inverse: bool, _counts: bool) -> Result<Three> {
    of_slices(t, dim, true)
}

fn unique_dim_consecutive(t: &Tensor, dim: i64, _inverse: bool, _counts: bool) -> Result<Three> {
    of_slices(t, dim, false)
}

fn unique_consecutive(t: &Tensor, inverse: bool, counts: bool, dim: Option<i64>) -> Result<Three> {
    match dim {
        Some(dim) if t.rank() != 1 || dim != 0 => of_slices(t, dim, false),
        _ if t.numel() == 0 => Ok((t.reshape_to(&[0])?, nothing()?, nothing()?)),
        _ => of_elements(t, false, inverse, counts),
    }
}
