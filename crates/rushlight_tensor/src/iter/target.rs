//! Where results go: a new tensor, the first operand, or a tensor that the caller gives.

use super::shape::{broadcast_sizes, result_layout};
use crate::layout::list;
use crate::promote::check_cast;
use crate::{DType, Dims, Fault, Layout, Operand, Result, Storage, Tensor};

/// What a call does with its result.
#[derive(Clone, Copy)]
pub enum ResultForm<'a> {
    /// Makes a new tensor.
    Fresh,
    /// Overwrites the tensor, which keeps its sizes.
    InPlace(&'a Tensor),
    /// Fills the tensor, resizing it if it has other sizes.
    Out(&'a Tensor),
}

/// A checked destination.
pub struct ResultTarget {
    /// What loops write to: the tensor itself, or a stand-in of the result's own dtype.
    writes: Tensor,
    /// The tensor that takes the stand-in's elements in the end.
    given: Option<Tensor>,
    /// Whether nobody has seen the tensor yet, so that writing it is no new version.
    fresh: bool,
}

impl ResultTarget {
    /// Prepares a destination for results of `dtype` of these operands: checks memory overlap, sizes and dtype, in the
    /// reference's order, and allocates or resizes.
    pub fn prepare(
        form: ResultForm<'_>,
        operands: &[Operand<'_>],
        dtype: DType,
    ) -> Result<ResultTarget> {
        if let ResultForm::InPlace(tensor) | ResultForm::Out(tensor) = form {
            check_writable(tensor)?;
            for operand in operands {
                if let Operand::Tensor(operand) = operand {
                    check_overlap(tensor, operand)?;
                }
            }
        }
        let sizes = broadcast_sizes(operands)?;
        match form {
            ResultForm::Fresh => Ok(ResultTarget {
                writes: Tensor::empty_with(&result_layout(&sizes, operands), dtype)?,
                given: None,
                fresh: true,
            }),
            ResultForm::InPlace(tensor) => {
                check_sizes(tensor, &sizes)?;
                ResultTarget::given(tensor, dtype)
            }
            ResultForm::Out(tensor) => {
                check_cast(dtype, tensor.dtype())?;
                if tensor.sizes() != sizes.as_slice() {
                    resize(tensor, &result_layout(&sizes, operands))?;
                }
                ResultTarget::given(tensor, dtype)
            }
        }
    }

    fn given(tensor: &Tensor, dtype: DType) -> Result<ResultTarget> {
        check_cast(dtype, tensor.dtype())?;
        if tensor.dtype() == dtype {
            return Ok(ResultTarget {
                writes: tensor.clone(),
                given: None,
                fresh: false,
            });
        }
        Ok(ResultTarget {
            writes: Tensor::empty_with(&tensor.layout().like(tensor.sizes()), dtype)?,
            given: Some(tensor.clone()),
            fresh: true,
        })
    }

    /// What loops write to.
    pub fn tensor(&self) -> &Tensor {
        &self.writes
    }

    /// The result, after the loops have run.
    pub fn finish(self) -> Result<Tensor> {
        match self.given {
            None => {
                if !self.fresh {
                    self.writes.bump_version();
                }
                Ok(self.writes)
            }
            Some(tensor) => {
                tensor.copy_from(&self.writes)?;
                Ok(tensor)
            }
        }
    }
}

/// Fails when several indices of a tensor that is to be written name the same element.
pub fn check_writable(tensor: &Tensor) -> Result<()> {
    if !has_repeats(tensor) {
        return Ok(());
    }
    Err(Fault::runtime(
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.",
    ))
}

/// Whether an index can change without the element changing.
pub fn has_repeats(tensor: &Tensor) -> bool {
    let layout = tensor.layout();
    let mut dims = layout.sizes().iter().zip(layout.strides());
    !tensor.is_contiguous() && dims.any(|(&size, &stride)| size > 1 && stride == 0)
}

/// Fails when dense views of the same memory overlap without being the same.
pub fn check_overlap(written: &Tensor, read: &Tensor) -> Result<()> {
    match written.is(read) || lie_apart(written, read, true) {
        true => Ok(()),
        false => Err(overlap()),
    }
}

/// Whether dense views do not overlap, or are the same where that may be. What is not dense is not looked at.
pub fn lie_apart(written: &Tensor, read: &Tensor, may_be_same: bool) -> bool {
    if !written.shares_storage(read) || written.numel() == 0 || read.numel() == 0 {
        return true;
    }
    let (a, b) = (written.layout(), read.layout());
    let same = a.offset() == b.offset() && a.numel() == b.numel() && a.strides() == b.strides();
    if same && may_be_same || !a.is_non_overlapping_and_dense() || !b.is_non_overlapping_and_dense()
    {
        return true;
    }
    let span = |t: &Tensor| {
        let item = t.dtype().size();
        (
            t.layout().offset() * item,
            (t.layout().offset() + t.numel()) * item,
        )
    };
    let ((a, a_end), (b, b_end)) = (span(written), span(read));
    a_end <= b || b_end <= a
}

/// What is said of a tensor that is written where another one is read.
pub fn overlap() -> Fault {
    Fault::runtime(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.",
    )
}

fn check_sizes(tensor: &Tensor, sizes: &Dims) -> Result<()> {
    if tensor.sizes() == sizes.as_slice() {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "output with shape {} doesn't match the broadcast shape {}",
        list(tensor.sizes()),
        list(sizes)
    )))
}

/// Gives a tensor other sizes in place, with unspecified content: in its own memory if that is large enough.
pub fn resize(tensor: &Tensor, layout: &Layout) -> Result<()> {
    let layout = layout.at_offset(tensor.layout().offset());
    let bytes = layout
        .end()
        .and_then(|end| end.checked_mul(tensor.dtype().size()))
        .ok_or_else(|| Fault::runtime("Storage size calculation overflowed"))?;
    let dtype = tensor.dtype();
    if bytes <= tensor.storage().seen() || !tensor.is_meta() {
        tensor.storage().grow(bytes)?;
        return tensor.set_meta(&tensor.storage(), dtype, layout);
    }
    // Refuses sizes that cannot be allocated.
    let fresh = Tensor::empty_with(&layout.at_offset(0), dtype.stored())?;
    let storage = match layout.offset() {
        0 => fresh.storage(),
        _ => Storage::zeroed(bytes),
    };
    tensor.set_meta(&storage, dtype, layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zeros(sizes: &[usize]) -> Tensor {
        Tensor::zeros(sizes, DType::F32).unwrap()
    }

    fn fails(form: ResultForm<'_>, operands: &[Operand<'_>], dtype: DType) -> String {
        match ResultTarget::prepare(form, operands, dtype) {
            Ok(_) => panic!("the destination was accepted"),
            Err(fault) => fault.message().to_string(),
        }
    }

    #[test]
    fn overlapping_destinations_are_refused() {
        let x = zeros(&[4]);
        let (head, tail) = (x.narrow(0, 0, 3).unwrap(), x.narrow(0, 1, 3).unwrap());
        let text = fails(
            ResultForm::InPlace(&tail),
            &[(&tail).into(), (&head).into()],
            DType::F32,
        );
        assert!(
            text.starts_with("unsupported operation: some elements of the input tensor"),
            "{text}"
        );
        let expanded = zeros(&[1]).expand(&[3]).unwrap();
        let text = fails(
            ResultForm::InPlace(&expanded),
            &[(&expanded).into()],
            DType::F32,
        );
        assert!(
            text.starts_with("unsupported operation: more than one element"),
            "{text}"
        );
    }

    #[test]
    fn in_place_results_keep_sizes_and_category() {
        let (row, all) = (zeros(&[1, 3]), zeros(&[2, 3]));
        assert_eq!(
            fails(
                ResultForm::InPlace(&row),
                &[(&row).into(), (&all).into()],
                DType::F32
            ),
            "output with shape [1, 3] doesn't match the broadcast shape [2, 3]"
        );
        let whole = Tensor::zeros(&[2], DType::I64).unwrap();
        assert_eq!(
            fails(ResultForm::InPlace(&whole), &[(&whole).into()], DType::F32),
            "result type Float can't be cast to the desired output type Long"
        );
    }

    #[test]
    fn given_tensors_are_resized() {
        let (out, x) = (zeros(&[7]), zeros(&[2, 3]));
        let target =
            ResultTarget::prepare(ResultForm::Out(&out), &[(&x).into()], DType::F32).unwrap();
        assert!(target.tensor().is(&out));
        assert_eq!(out.sizes(), [2, 3]);
    }
}
