//! The shape of a result and the order of its dimensions in memory.

use crate::layout::{broadcast_or_fault, contiguous_strides};
use crate::{Dims, Layout, MemoryFormat, Operand, Result, Tensor};

/// The broadcast of all operands' sizes.
pub fn broadcast_sizes(operands: &[Operand<'_>]) -> Result<Dims> {
    let mut sizes = Dims::new();
    for operand in operands {
        if let Operand::Tensor(tensor) = operand {
            if tensor.sizes() == sizes.as_slice() {
                continue;
            }
            sizes = broadcast_or_fault(&sizes, tensor.sizes())?;
        }
    }
    Ok(sizes)
}

/// The layout of a new result: dense, its dimensions in memory in the order of the operands', the first operand with an
/// opinion winning.
pub fn result_layout(sizes: &[usize], operands: &[Operand<'_>]) -> Layout {
    let tensors = || {
        operands.iter().filter_map(|operand| match operand {
            Operand::Tensor(tensor) => Some(*tensor),
            Operand::Number(_) => None,
        })
    };
    // Numbers are operands of other sizes.
    let alike = operands.iter().all(|operand| match operand {
        Operand::Tensor(tensor) => tensor.sizes() == sizes,
        Operand::Number(_) => sizes.is_empty(),
    });
    let plain: Dims = contiguous_strides(sizes);
    let is_plain = |t: &Tensor| {
        let decides = |d: usize| sizes[d] != 1 || t.strides()[d] == plain[d];
        t.is_contiguous()
            && (t.sizes() == sizes && (alike || (0..t.rank()).all(decides)) || t.rank() <= 1)
    };
    if tensors().all(is_plain) {
        return Layout::contiguous(sizes);
    }
    if alike && let Some(layout) = common_layout(sizes, tensors()) {
        return layout;
    }
    let strides: Vec<Dims> = tensors().map(|t| broadcast_strides(t, sizes)).collect();
    ordered_layout(sizes, &strides)
}

/// A row-major result with an element for each of the operands', in the layout that [`result_layout`] gives it; reduced ones
/// stay.
pub fn laid_out(result: Tensor, operands: &[Operand<'_>]) -> Result<Tensor> {
    let layout = match result.rank() {
        0 => return Ok(result),
        _ => result_layout(result.sizes(), operands),
    };
    match layout.is_contiguous() {
        true => Ok(result),
        false => copied_in(&result, &layout),
    }
}

/// A copy of a tensor in a layout.
pub fn copied_in(t: &Tensor, layout: &Layout) -> Result<Tensor> {
    let out = Tensor::empty_with(layout, t.dtype())?;
    out.copy_from(t)?;
    Ok(out)
}

/// A dense layout whose dimensions lie in memory in the order that the strides of operands say, 0 where one is
/// broadcast.
pub fn ordered_layout(sizes: &[usize], strides: &[Dims]) -> Layout {
    let mut out: Dims = contiguous_strides(sizes);
    let mut step = 1usize;
    for d in order(sizes, strides) {
        out[d] = step;
        step = step.saturating_mul(sizes[d].max(1));
    }
    Layout::strided(sizes, &out, 0)
}

/// The layout that all operands of these sizes have in common, if it is dense.
fn common_layout<'a>(
    sizes: &[usize],
    tensors: impl Iterator<Item = &'a Tensor> + Clone,
) -> Option<Layout> {
    for format in [MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d] {
        if tensors.clone().all(|t| t.layout().is_contiguous_in(format)) {
            return Layout::with_format(sizes, format).ok();
        }
    }
    let first = tensors.clone().next()?.layout();
    (first.is_non_overlapping_and_dense()
        && tensors.clone().all(|t| t.strides() == first.strides()))
    .then(|| first.at_offset(0))
}

/// The strides of an operand along the result's dimensions, 0 where it is broadcast.
fn broadcast_strides(tensor: &Tensor, sizes: &[usize]) -> Dims {
    let lead = sizes.len() - tensor.rank();
    let mut strides: Dims = smallvec::smallvec![0; sizes.len()];
    for (d, stride) in tensor.strides().iter().enumerate() {
        if tensor.size(d) == sizes[lead + d] {
            strides[lead + d] = *stride;
        }
    }
    strides
}

/// The dimensions from the fastest to the slowest in memory: an insertion sort, because operands that do not decide
/// between two dimensions leave them where they are and such a comparison is no total order.
fn order(sizes: &[usize], strides: &[Dims]) -> Dims {
    let mut order: Dims = (0..sizes.len()).rev().collect();
    for i in 1..order.len() {
        let mut moving = i;
        for other in (0..i).rev() {
            match slower(order[other], order[moving], sizes, strides) {
                Some(true) => {
                    order.swap(other, moving);
                    moving = other;
                }
                Some(false) => break,
                None => {}
            }
        }
    }
    order
}

/// Whether dimension `a` is slower in memory than `b`; `None` where no operand decides.
fn slower(a: usize, b: usize, sizes: &[usize], strides: &[Dims]) -> Option<bool> {
    for strides in strides {
        let (x, y) = (strides[a], strides[b]);
        if x == 0 || y == 0 {
            continue;
        }
        if x != y {
            return Some(x > y);
        }
        if sizes[a] > sizes[b] {
            return Some(true);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Scalar};

    fn strides(operands: &[Operand<'_>]) -> Vec<usize> {
        let sizes = broadcast_sizes(operands).unwrap();
        result_layout(&sizes, operands).strides().to_vec()
    }

    #[test]
    fn results_keep_the_order_of_dense_operands() {
        let image = Tensor::zeros(&[2, 3, 4, 5], DType::F32)
            .unwrap()
            .contiguous_in(MemoryFormat::ChannelsLast)
            .unwrap();
        assert_eq!(strides(&[(&image).into()]), [60, 1, 15, 3]);
        assert_eq!(
            strides(&[(&image).into(), Scalar::Int(2).into()]),
            [60, 1, 15, 3]
        );
        let bias = Tensor::zeros(&[3, 1, 1], DType::F32).unwrap();
        assert_eq!(strides(&[(&image).into(), (&bias).into()]), [60, 1, 15, 3]);
        let t = Tensor::zeros(&[3, 4], DType::F32)
            .unwrap()
            .transpose(0, 1)
            .unwrap();
        assert_eq!(strides(&[(&t).into()]), [1, 4]);
        let row = Tensor::zeros(&[4, 3], DType::F32).unwrap();
        assert_eq!(strides(&[(&t).into(), (&row).into()]), [1, 4]);
        assert_eq!(strides(&[(&row).into(), (&t).into()]), [3, 1]);
    }

    #[test]
    fn gaps_are_closed() {
        let t = Tensor::zeros(&[4, 6], DType::F32).unwrap();
        let every_other = t.slice(1, None, None, 2).unwrap().transpose(0, 1).unwrap();
        assert_eq!(strides(&[(&every_other).into()]), [1, 3]);
        let expanded = Tensor::zeros(&[1, 3], DType::F32)
            .unwrap()
            .expand(&[2, 3])
            .unwrap();
        assert_eq!(strides(&[(&expanded).into()]), [3, 1]);
    }
}
