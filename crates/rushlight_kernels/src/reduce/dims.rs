//! Which dimensions a reduction removes, and what sizes remain.

use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Dims, Fault, Result, Tensor};
use smallvec::SmallVec;

/// An `int[]` argument.
pub type Ints = SmallVec<[i64; 6]>;

/// For every dimension, whether it is reduced.
pub type Mask = SmallVec<[bool; 6]>;

/// The dimensions that a list names; an empty or absent list names all.
pub fn mask(dims: Option<&[i64]>, rank: usize) -> Result<Mask> {
    match dims {
        None | Some([]) => Ok(all(rank)),
        Some(dims) => listed(dims, rank),
    }
}

/// Exactly the dimensions that a list names.
pub fn listed(dims: &[i64], rank: usize) -> Result<Mask> {
    if rank > 64 {
        return Err(Fault::runtime(
            "only tensors with up to 64 dims are supported",
        ));
    }
    let mut mask: Mask = smallvec::smallvec![false; rank];
    let mut scalar_seen = false;
    // All are looked for before one is found twice.
    for &dim in dims {
        wrap_dim(dim, rank)?;
    }
    for &dim in dims {
        let d = wrap_dim(dim, rank)?;
        let seen = mask.get_mut(d).unwrap_or(&mut scalar_seen);
        if std::mem::replace(seen, true) {
            return Err(Fault::runtime(format!(
                "dim {d} appears multiple times in the list of dims"
            )));
        }
    }
    Ok(mask)
}

/// Every dimension.
pub fn all(rank: usize) -> Mask {
    smallvec::smallvec![true; rank]
}

/// The sizes of the result.
pub fn result_sizes(sizes: &[usize], mask: &Mask, keepdim: bool) -> Dims {
    sizes
        .iter()
        .zip(mask)
        .filter_map(|(&size, &reduced)| match (reduced, keepdim) {
            (false, _) => Some(size),
            (true, true) => Some(1),
            (true, false) => None,
        })
        .collect()
}

/// How many elements each element of the result is made of.
pub fn reduced_count(sizes: &[usize], mask: &Mask) -> usize {
    sizes
        .iter()
        .zip(mask)
        .filter(|(_, reduced)| **reduced)
        .map(|(&size, _)| size)
        .product()
}

/// [`check_nonempty`] of dimensions as a list names them.
pub fn check_named_nonempty(name: &str, sizes: &[usize], dims: &[i64]) -> Result<()> {
    for &dim in dims {
        let d = wrap_dim(dim, sizes.len())?;
        if sizes.get(d) == Some(&0) {
            return Err(Fault::index(format!(
                "{name}: Expected reduction dim {dim} to have non-zero size."
            )));
        }
    }
    Ok(())
}

/// Refuses reductions without identity over dimensions of size 0.
pub fn check_nonempty(name: &str, sizes: &[usize], mask: &Mask) -> Result<()> {
    match (0..sizes.len()).find(|&d| mask[d] && sizes[d] == 0) {
        None => Ok(()),
        Some(d) => Err(Fault::index(format!(
            "{name}: Expected reduction dim {d} to have non-zero size."
        ))),
    }
}

/// A row-major tensor seen as `outer × n × inner` about one dimension; a tensor without dimensions has one of size 1.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    pub outer: usize,
    pub n: usize,
    pub inner: usize,
}

impl Lanes {
    /// The lanes along `dim`.
    pub fn of(sizes: &[usize], dim: usize) -> Lanes {
        if sizes.is_empty() {
            return Lanes {
                outer: 1,
                n: 1,
                inner: 1,
            };
        }
        Lanes {
            outer: sizes[..dim].iter().product(),
            n: sizes[dim],
            inner: sizes[dim + 1..].iter().product(),
        }
    }

    /// How many lanes there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.outer * self.inner
    }

    /// Index of the first element of lane `i`; the others follow at distance `inner`.
    #[inline]
    pub fn start(&self, i: usize) -> usize {
        i / self.inner * self.n * self.inner + i % self.inner
    }
}

/// The sizes after reducing one dimension.
pub fn without_dim(sizes: &[usize], dim: usize, keepdim: bool) -> Dims {
    let mut out = Dims::from_slice(sizes);
    if out.is_empty() {
        return out;
    }
    if keepdim {
        out[dim] = 1;
    } else {
        out.remove(dim);
    }
    out
}

/// The dtype that a reduction computes in: f32 for the short floats, i64 for integers and bool.
pub fn wide_dtype(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 => DType::F32,
        DType::C32 => DType::C64,
        d if d.is_integral(true) => DType::I64,
        d if d.is_eight() => DType::F32,
        d => d,
    }
}

/// A complex tensor as a real one with a last dimension of real and imaginary part, on the same memory.
pub fn real_pairs(t: &Tensor) -> Result<Tensor> {
    let double =
        |values: &[usize]| -> Dims { values.iter().map(|v| v.saturating_mul(2)).collect() };
    let mut sizes = Dims::from_slice(t.sizes());
    let mut strides = double(t.strides());
    sizes.push(2);
    strides.push(1);
    let layout =
        rushlight_tensor::Layout::strided(&sizes, &strides, t.layout().offset().saturating_mul(2));
    Tensor::view_of(&t.storage(), t.dtype().to_real(), layout)
}

/// The inverse of [`real_pairs`] for a row-major tensor.
pub fn complex_of_pairs(t: &Tensor) -> Result<Tensor> {
    let t = t.contiguous();
    let sizes = &t.sizes()[..t.rank().saturating_sub(1)];
    let layout = rushlight_tensor::Layout::contiguous(sizes).at_offset(t.layout().offset() / 2);
    Tensor::view_of(&t.storage(), t.dtype().to_complex(), layout)
}
