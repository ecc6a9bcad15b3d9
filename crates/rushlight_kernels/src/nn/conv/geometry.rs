//! The numbers of a convolution, lifted to three spatial dimensions.

use super::result_sizes;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Dims, Fault, Result};

/// One value per spatial dimension: depth, height, width. Absent leading dimensions have size 1.
pub type Spatial<T> = [T; 3];

/// Everything about a convolution but the elements.
#[derive(Clone)]
pub struct Geometry {
    /// How many of the spatial dimensions the tensors really have.
    pub dims: usize,
    pub batch: usize,
    pub groups: usize,
    pub in_channels: usize,
    pub out_channels: usize,
    pub input: Spatial<usize>,
    pub kernel: Spatial<usize>,
    pub stride: Spatial<usize>,
    /// Zeros before the first element and after the last.
    pub before: Spatial<usize>,
    pub after: Spatial<usize>,
    pub dilation: Spatial<usize>,
    pub output_padding: Spatial<usize>,
    pub transposed: bool,
}

impl Geometry {
    /// The extent of the dilated kernel.
    fn reach(&self, d: usize) -> usize {
        (self.kernel[d].saturating_sub(1))
            .saturating_mul(self.dilation[d])
            .saturating_add(1)
    }

    /// Pads so that the result has the input's sizes; the odd zero goes to the end.
    pub fn pad_to_same(&mut self) {
        for d in 0..3 {
            let total = self.reach(d) - 1;
            self.before[d] = total / 2;
            self.after[d] = total - total / 2;
        }
    }

    /// Fails when the kernel is larger than the padded input.
    pub fn check_kernel_fits(&self) -> Result<()> {
        let padded = |d: usize| {
            self.input[d]
                .saturating_add(self.before[d])
                .saturating_add(self.after[d])
        };
        if (0..3).all(|d| self.reach(d) <= padded(d)) {
            return Ok(());
        }
        let join = |f: &dyn Fn(usize) -> usize| {
            let parts: Vec<String> = (3 - self.dims..3).map(|d| f(d).to_string()).collected();
            parts.join(" x ")
        };
        Err(Fault::runtime(format!(
            "Calculated padded input size per channel: ({}). Kernel size: ({}). Kernel size can't be greater than actual input size",
            join(&padded),
            join(&|d| self.reach(d))
        )))
    }

    /// Spatial sizes of the result.
    pub fn output(&self) -> Result<Spatial<usize>> {
        let mut out = [0; 3];
        for d in 0..3 {
            out[d] = if self.transposed {
                let grown = self.input[d].saturating_sub(1).checked_mul(self.stride[d]);
                grown
                    .and_then(|g| g.checked_add(self.reach(d) + self.output_padding[d]))
                    .and_then(|g| g.checked_sub(self.before[d] + self.after[d]))
            } else {
                let padded = self.input[d].checked_add(self.before[d] + self.after[d]);
                padded
                    .and_then(|p| p.checked_sub(self.reach(d)))
                    .map(|room| room / self.stride[d] + 1)
            }
            .ok_or_else(|| self.too_small())?;
        }
        Ok(out)
    }

    /// The error for results without elements.
    fn too_small(&self) -> Fault {
        let join = |f: &dyn Fn(usize) -> i128| {
            let parts: Vec<String> = (3 - self.dims..3).map(|d| f(d).to_string()).collected();
            parts.join(" x ")
        };
        let result = |d: usize| {
            let (input, stride) = (self.input[d] as i128, self.stride[d] as i128);
            let around = (self.before[d] + self.after[d]) as i128;
            let reach = self.reach(d) as i128;
            match self.transposed {
                true => (input - 1) * stride + reach + self.output_padding[d] as i128 - around,
                false => (input + around - reach).div_euclid(stride) + 1,
            }
        };
        Fault::runtime(format!(
            "Given input size per channel: ({}). Calculated output size per channel: ({}). Output size is too small",
            join(&|d| self.input[d] as i128),
            join(&result)
        ))
    }

    /// Sizes of the result, batch and channels included.
    pub fn output_sizes(&self) -> Result<Dims> {
        let sizes = result_sizes(self, self.output()?);
        rushlight_tensor::layout::checked_numel(&sizes)?;
        Ok(sizes)
    }

    /// Number of taps of the kernel.
    pub fn taps(&self) -> usize {
        self.kernel.iter().product()
    }

    /// Input channels of one group.
    pub fn group_in(&self) -> usize {
        self.in_channels / self.groups
    }

    /// Output channels of one group.
    pub fn group_out(&self) -> usize {
        self.out_channels / self.groups
    }

    /// Whether a convolution is a plain matrix product per group.
    pub fn is_pointwise(&self) -> bool {
        self.kernel == [1; 3]
            && self.stride == [1; 3]
            && self.before == [0; 3]
            && self.after == [0; 3]
    }

    /// The half-open range of output positions along `d` whose tap `k` falls inside the input, and the input position
    /// of the first of them.
    pub fn valid(&self, d: usize, k: usize, out: usize) -> (usize, usize, usize) {
        let shift = k * self.dilation[d];
        let (stride, before, size) = (self.stride[d], self.before[d], self.input[d]);
        let first = before.saturating_sub(shift).div_ceil(stride);
        let last = match (size + before).checked_sub(shift + 1) {
            Some(room) => (room / stride + 1).min(out),
            None => 0,
        };
        let first = first.min(last);
        (first, last, (first * stride + shift).saturating_sub(before))
    }
}
