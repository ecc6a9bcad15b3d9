//! Losses. Those with a kernel of their own are computed in f64 whatever the dtype and rounded once, since nobody's
//! time goes here; those that the reference puts together of other operators are put together alike.

mod classes;
mod ctc;
mod margins;
mod pointwise;

use rushlight_kernels::compute::total;
use rushlight_ops::{mean_all, sum_all};
use rushlight_tensor::layout::broadcast_or_fault;
use rushlight_tensor::{DType, Dims, Fault, Result, Tensor};

pub use classes::ROWS as CLASSES;
pub use ctc::ROWS as CTC;
pub use margins::ROWS as MARGINS;
pub use pointwise::ROWS as POINTWISE;

/// How the losses of the elements become the result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reduction {
    None,
    Mean,
    Sum,
}

impl Reduction {
    /// The reduction with the reference's number; other numbers leave the losses as they are.
    fn from_code(code: i64) -> Reduction {
        match code {
            1 => Reduction::Mean,
            2 => Reduction::Sum,
            _ => Reduction::None,
        }
    }

    /// The same for kernels that ask for nothing but "none" and "mean": other numbers are a sum.
    fn of_kernel(code: i64) -> Reduction {
        match code {
            0 => Reduction::None,
            1 => Reduction::Mean,
            _ => Reduction::Sum,
        }
    }

    /// Refuses other numbers than those of the three.
    fn check(code: i64, name: &str) -> Result<()> {
        match code {
            0..=2 => Ok(()),
            _ => Err(Fault::runtime(format!(
                "Invalid reduction type encountered in {name}: {code}"
            ))),
        }
    }

    /// The losses of the elements, or their sum or mean.
    fn apply(self, losses: Vec<f64>, sizes: &[usize], dtype: DType) -> Result<Tensor> {
        match self {
            Reduction::None => Ok(Tensor::from_vec(losses, sizes)?.to_dtype(dtype)),
            _ => self.of_sum(total(losses.iter().copied()), losses.len(), dtype),
        }
    }

    /// The sum of so many losses, or their mean.
    fn of_sum(self, sum: f64, count: usize, dtype: DType) -> Result<Tensor> {
        match self {
            Reduction::Mean => number(sum / count as f64, dtype),
            _ => number(sum, dtype),
        }
    }
}

impl Reduction {
    /// The losses of the elements as they are, or their sum or mean as the operators of that name make it.
    fn of_steps(self, losses: Tensor) -> Result<Tensor> {
        match self {
            Reduction::None => Ok(losses),
            Reduction::Sum => sum_all(&losses, None),
            Reduction::Mean => mean_all(&losses, None),
        }
    }
}

/// A tensor without dimensions.
fn number(value: f64, dtype: DType) -> Result<Tensor> {
    Ok(Tensor::scalar(value.into(), dtype))
}

/// Elements as f64, in row-major order, after broadcasting.
fn values(t: &Tensor, sizes: &[usize]) -> Result<Vec<f64>> {
    Ok(t.expand_to(sizes)?.to_vec::<f64>())
}

/// The sizes that two tensors broadcast to.
fn common_sizes(a: &Tensor, b: &Tensor) -> Result<Dims> {
    broadcast_or_fault(a.sizes(), b.sizes())
}

/// Fails where a loss has no kernel for the dtype.
fn need_float(name: &str, dtype: DType) -> Result<()> {
    if dtype.is_float() {
        return Ok(());
    }
    Err(Fault::no_kernel(name, dtype))
}
