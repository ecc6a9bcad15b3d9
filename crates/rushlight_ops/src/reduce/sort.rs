//! Sorting and the largest or smallest few: `sort`, `argsort`, `msort`, `topk`. What order equal elements get where nobody
//! asks for a stable sort is in [`super::selection`].

use super::dims::Lanes;
use super::keys::{Keys, LaneTask, Packed, for_lanes};
use super::network::Network;
use super::selection::{select, sort as quicksort};
use rushlight_kernels::index::along::of_lanes;
use rushlight_tensor::iter::copied_in;
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Dims, Fault, Result, Tensor, threads, watch};
use rushlight_types::{Apart, Quantized, op, operators};

operators! {
    /// Sorting.
    pub static ROWS = [
        op!("aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", sort).quantized(Quantized::Integers).out("values", crate::out::exact).apart(Apart::PARTLY),
        op!("aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", sort_stable).out("values_stable", crate::out::exact).apart(Apart::PARTLY),
        op!("aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", argsort),
        op!("aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", argsort_stable).out("stable_out", crate::out::exact),
        op!("aten::msort(Tensor self) -> Tensor", msort).out("out", crate::out::exact).apart(Apart::PARTLY),
        op!("aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)", topk).quantized(Quantized::Integers).out("values", crate::out::exact).apart(Apart::PARTLY),
    ];
}

/// Which elements of a lane come first.
#[derive(Clone, Copy)]
enum Way {
    /// All in order, equal ones in the order that they have.
    Stable,
    /// All in order, equal ones as the reference's sort leaves them.
    Quick,
    /// The first few as `topk` finds them, in order or not.
    Selected { sorted: bool },
}

/// Keeps the indices of the first `keep` elements of each lane.
struct FirstOfLanes<'a> {
    indices: &'a mut [i64],
    /// The lane that the first indices belong to.
    first: usize,
    inner: usize,
    keep: usize,
    way: Way,
}

impl LaneTask for FirstOfLanes<'_> {
    fn run<P: Packed>(&mut self, lane: usize, packed: &mut Vec<P>) {
        match self.way {
            Way::Stable => watch::sort(packed),
            Way::Quick => quicksort(packed),
            Way::Selected { sorted } => select(packed, self.keep, sorted),
        }
        self.note(lane, packed[..self.keep].iter().map(|p| p.index()));
    }
}

impl FirstOfLanes<'_> {
    /// Keeps the indices of a lane.
    fn note(&mut self, lane: usize, found: impl Iterator<Item = usize>) {
        let lane = lane - self.first;
        let start = lane / self.inner * self.keep * self.inner + lane % self.inner;
        for (k, index) in found.enumerate() {
            self.indices[start + k * self.inner] = index as i64;
        }
    }
}

/// The indices along `dim` of all elements in order.
pub fn order(t: &Tensor, dim: usize, descending: bool) -> Result<Tensor> {
    let n = t.sizes().get(dim).copied().unwrap_or(1);
    first(t, dim, descending, n, Way::Stable)
}

fn first(t: &Tensor, dim: usize, descending: bool, keep: usize, way: Way) -> Result<Tensor> {
    let lanes = Lanes::of(t.sizes(), dim);
    // A number has one element, however many are asked for.
    let keep = if t.rank() == 0 { 1 } else { keep };
    let keys = match t.dtype() == DType::I64 && lanes.n >= BY_DIGITS {
        true => Keys::of(t)?.narrowed(t.dtype()),
        false => Keys::of(t)?,
    };
    let keys = if descending { keys.reversed() } else { keys };
    let mut sizes = Dims::from_slice(t.sizes());
    if let Some(size) = sizes.get_mut(dim) {
        *size = keep;
    }
    let mut indices = Buffer::<i64>::unspecified(memory::times([lanes.count(), keep]));
    if keep > 0 {
        let width = keep * lanes.inner;
        let levels = lanes.n.max(2).ilog2() as usize;
        let cost = memory::times([lanes.n, lanes.inner, 2 * levels]);
        threads::split_rows(&mut indices, width, 1, cost, &|slabs, indices| {
            let first = slabs.start * lanes.inner;
            let some = first..slabs.end * lanes.inner;
            let inner = lanes.inner;
            let mut task = FirstOfLanes {
                indices,
                first,
                inner,
                keep,
                way,
            };
            let network = match way {
                Way::Selected { sorted: false } => None,
                _ => Network::of(&keys, lanes, keep),
            };
            match network {
                Some(mut network) => network.run(&keys, some, |lane, found, equal| {
                    match equal && !matches!(way, Way::Stable) {
                        // Which of equal elements comes first is for the sort to say.
                        true => for_lanes(&keys, lanes, lane..lane + 1, &mut task),
                        false => task.note(lane, found.packed().map(Packed::index)),
                    }
                }),
                None => for_lanes(&keys, lanes, some, &mut task),
            }
        });
    }
    Ok(indices.into_tensor(&sizes))
}

/// A copy with the dimensions in memory as in `like`, where that is dense.
fn laid_out_like(t: Tensor, like: &Tensor) -> Result<Tensor> {
    let layout = like.layout().like(t.sizes());
    if layout.is_contiguous() {
        return Ok(t);
    }
    copied_in(&t, &layout)
}

/// Rows of integers from here on are sorted by their digits, which is stable.
const BY_DIGITS: usize = 1 << 15;

/// How a sort goes about that need not be stable.
fn quick_way(t: &Tensor, descending: bool) -> Way {
    let whole = !t.dtype().is_float() && t.dtype() != DType::Bool;
    match t.rank() == 1 && whole && !descending && t.numel() >= BY_DIGITS {
        true => Way::Stable,
        false => Way::Quick,
    }
}

/// `sort`.
pub fn sort(t: &Tensor, dim: i64, descending: bool) -> Result<(Tensor, Tensor)> {
    sorted(t, dim, descending, quick_way(t, descending))
}

fn sorted(t: &Tensor, dim: i64, descending: bool, way: Way) -> Result<(Tensor, Tensor)> {
    t.dtype().computes("sorting_kernel_method_name")?;
    let d = wrap_dim(dim, t.rank())?;
    if t.dtype().is_complex() {
        return Err(Fault::type_error(
            " Sort does not support complex dtypes on CPU",
        ));
    }
    let n = t.sizes().get(d).copied().unwrap_or(1);
    // Elements that are one in memory stay as they are.
    let is_one = t.strides().get(d).is_some_and(|stride| *stride == 0);
    let way = if is_one { Way::Stable } else { way };
    let indices = first(t, d, descending, n, way)?;
    let values = of_lanes(t, Lanes::of(t.sizes(), d), n, &indices)?;
    Ok((laid_out_like(values, t)?, laid_out_like(indices, t)?))
}

fn sort_stable(
    t: &Tensor,
    stable: Option<bool>,
    dim: i64,
    descending: bool,
) -> Result<(Tensor, Tensor)> {
    match stable {
        Some(true) => sorted(t, dim, descending, Way::Stable),
        _ => sort(t, dim, descending),
    }
}

fn argsort(t: &Tensor, dim: i64, descending: bool) -> Result<Tensor> {
    Ok(sort(t, dim, descending)?.1)
}

fn argsort_stable(t: &Tensor, stable: bool, dim: i64, descending: bool) -> Result<Tensor> {
    Ok(sort_stable(t, Some(stable), dim, descending)?.1)
}

fn msort(t: &Tensor) -> Result<Tensor> {
    Ok(sort(t, 0, false)?.0)
}

/// `topk`.
pub fn topk(t: &Tensor, k: i64, dim: i64, largest: bool, sorted: bool) -> Result<(Tensor, Tensor)> {
    t.dtype().computes_in_full("topk_cpu")?;
    let d = wrap_dim(dim, t.rank())?;
    let n = t.sizes().get(d).copied().unwrap_or(1);
    let keep = usize::try_from(k).ok().filter(|&k| k <= n);
    let Some(keep) = keep else {
        return Err(Fault::runtime("selected index k out of range"));
    };
    if t.dtype().is_complex() {
        return Err(Fault::type_error(
            " topk does not support complex dtypes on CPU",
        ));
    }
    if t.dtype() == DType::Bool {
        return Err(Fault::not_implemented(
            "topk does not support bool dtypes on CPU",
        ));
    }
    let indices = first(t, d, largest, keep, Way::Selected { sorted })?;
    let keep = if t.rank() == 0 { 1 } else { keep };
    let values = of_lanes(t, Lanes::of(t.sizes(), d), keep, &indices)?;
    Ok((values, indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_is_stable_both_ways_and_puts_nan_last_or_first() {
        let t = Tensor::from_slice(&[2.0f32, f32::NAN, -0.0, 2.0, 0.0], &[5]).unwrap();
        let (_, up) = sort(&t, 0, false).unwrap();
        assert_eq!(up.to_vec::<i64>(), [2, 4, 0, 3, 1]);
        let (_, down) = sort(&t, 0, true).unwrap();
        assert_eq!(down.to_vec::<i64>(), [1, 0, 3, 2, 4]);
    }

    #[test]
    fn every_dtype_sorts_by_value() {
        for dtype in [
            DType::I8,
            DType::I16,
            DType::I32,
            DType::I64,
            DType::F16,
            DType::BF16,
            DType::F64,
        ] {
            let t = Tensor::from_slice(&[3i64, -7, 0, -1], &[2, 2])
                .unwrap()
                .to_dtype(dtype);
            let (values, indices) = sort(&t, 0, false).unwrap();
            assert_eq!(values.to_vec::<i64>(), [0, -7, 3, -1], "{dtype}");
            assert_eq!(indices.to_vec::<i64>(), [1, 0, 0, 1], "{dtype}");
        }
    }

    #[test]
    fn topk_selects_along_inner_dimensions() {
        let t = Tensor::from_slice(&[1i64, 9, 5, 2, 3, 4], &[3, 2]).unwrap();
        let (values, indices) = topk(&t, 2, 0, true, true).unwrap();
        assert_eq!(values.to_vec::<i64>(), [5, 9, 3, 4]);
        assert_eq!(indices.to_vec::<i64>(), [1, 0, 2, 2]);
        assert!(topk(&t, 4, 0, true, true).is_err());
    }
}
