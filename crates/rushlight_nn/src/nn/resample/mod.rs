//! Resampling on regular grids: nearest, linear, cubic and antialiased, in one to three dimensions.
//!
//! All but the nearest forms are separable: each dimension has a table of [`Taps`] (which input positions weigh how
//! much in each output position) and is resampled by itself.

mod interpolate;
mod nearest;
mod quantized;
mod smooth;

use rushlight_kernels::nn::resample::taps;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Dims, Fault, MemoryFormat, Result, Tensor};
use smallvec::SmallVec;

pub use interpolate::ROWS as INTERPOLATE;
pub use nearest::ROWS as NEAREST;
pub use smooth::ROWS as SMOOTH;
pub(super) use taps::cubic_weights;

type Ints = SmallVec<[i64; 6]>;
type Floats = SmallVec<[f64; 6]>;

/// Sizes of the result and the factors to use instead of the ratio of sizes, per spatial dimension.
pub(super) struct ResampledSizes {
    pub sizes: Vec<usize>,
    pub factors: Vec<Option<f64>>,
}

impl ResampledSizes {
    /// Given sizes, and factors where the caller has them.
    fn sized(t: &Tensor, sizes: &[i64], factors: &[Option<f64>]) -> Result<ResampledSizes> {
        let dims = factors.len();
        let fail = |message: String| Err(Fault::runtime(message));
        if sizes.len() != dims {
            return fail(format!(
                "It is expected output_size equals to {dims}, but got size {}",
                sizes.len()
            ));
        }
        if t.rank() != dims + 2 {
            return fail(format!(
                "It is expected input_size equals to {}, but got size {}",
                dims + 2,
                t.rank()
            ));
        }
        let positive = sizes.iter().all(|s| *s > 0) && t.sizes()[2..].iter().all(|s| *s > 0);
        if !positive {
            let own: Vec<i64> = t.sizes()[2..].iter().map(|s| *s as i64).collected();
            return fail(format!(
                "Input and output sizes should be greater than 0, but got input ({}){} output ({})",
                named_sizes(&own),
                if dims == 1 { " and" } else { "" },
                named_sizes(sizes)
            ));
        }
        if t.sizes()[1..].contains(&0) {
            return fail(format!(
                "Non-empty {}D data tensor expected but got a tensor with sizes {}",
                dims + 2,
                rushlight_tensor::layout::list(t.sizes())
            ));
        }
        Ok(ResampledSizes {
            sizes: sizes.iter().map(|s| *s as usize).collect(),
            factors: factors.to_vec(),
        })
    }

    /// Given either sizes or factors.
    fn either(
        t: &Tensor,
        dims: usize,
        sizes: Option<&[i64]>,
        factors: Option<&[f64]>,
    ) -> Result<ResampledSizes> {
        let spatial = t.rank().saturating_sub(2);
        let given = [
            ("output_size", sizes.map(<[i64]>::len)),
            ("scale_factors", factors.map(<[f64]>::len)),
        ];
        if let [(name, Some(count)), (_, None)] | [(_, None), (name, Some(count))] = given
            && count != spatial
        {
            return Err(Fault::not_true(&format!(
                "static_cast<int64_t>({name}->size()) == spatial_dimensions"
            )));
        }
        match (sizes, factors) {
            (Some(sizes), None) => ResampledSizes::sized(t, sizes, &memory::filled(dims, None)),
            (None, Some(factors)) => {
                if factors.len() != dims || t.rank() != dims + 2 {
                    return Err(Fault::runtime(format!(
                        "It is expected scale_factors equals to {dims}, but got size {}",
                        factors.len()
                    )));
                }
                let sizes: Vec<i64> = factors
                    .iter()
                    .zip(&t.sizes()[2..])
                    .map(|(f, s)| (*f * *s as f64) as i64)
                    .collected();
                let factors: Vec<Option<f64>> = factors.iter().map(|f| Some(*f)).collected();
                ResampledSizes::sized(t, &sizes, &factors)
            }
            _ => Err(Fault::runtime(
                "Must specify exactly one of output_size and scale_factors",
            )),
        }
    }

    /// Sizes of the result: batch and channels as in the input.
    fn result_sizes(&self, t: &Tensor) -> Result<Dims> {
        let mut sizes = Dims::from_slice(&t.sizes()[..2]);
        sizes.extend_from_slice(&self.sizes);
        rushlight_tensor::layout::checked_numel(&sizes)?;
        Ok(sizes)
    }
}

/// A result in the memory format of its input.
fn in_format_of(result: Tensor, input: &Tensor) -> Result<Tensor> {
    match input.layout().suggested_format() {
        MemoryFormat::Contiguous => Ok(result),
        format => result.contiguous_in(format),
    }
}

/// `H: 2, W: 3`.
fn named_sizes(sizes: &[i64]) -> String {
    let names = &["D", "H", "W"][3 - sizes.len().min(3)..];
    let parts: Vec<String> = names
        .iter()
        .zip(sizes)
        .map(|(n, s)| format!("{n}: {s}"))
        .collected();
    parts.join(", ")
}
