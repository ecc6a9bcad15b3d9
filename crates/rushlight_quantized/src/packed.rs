//! Weights of quantized layers as the kernels take them.

use super::integers;
use super::layers::Prepared;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Fault, Quantizer, Result, Tensor};
use std::sync::OnceLock;

/// Weight and bias of a layer.
pub struct Weights {
    /// The weight as it was packed.
    pub weight: Tensor,
    pub bias: Option<Tensor>,
    /// The integers without their zero points, as float64.
    pub integers: OnceLock<Tensor>,
    /// The integers as the kernel takes them, for how many groups, and whether rows of the kernel are joined.
    pub prepared: OnceLock<(usize, bool, Prepared)>,
}

impl Weights {
    pub fn new(weight: Tensor, bias: Option<Tensor>) -> Weights {
        Weights {
            weight,
            bias,
            integers: OnceLock::new(),
            prepared: OnceLock::new(),
        }
    }

    /// The integers without their zero points, as float64.
    pub fn integers(&self) -> Result<&Tensor> {
        if let Some(ready) = self.integers.get() {
            return Ok(ready);
        }
        let made = match self.weight.quantizer() {
            Some(quantizer) => integers(&self.weight, quantizer)?,
            None => Tensor::from_vec(self.weight.to_vec::<f64>(), self.weight.sizes())?,
        };
        Ok(self.integers.get_or_init(|| made))
    }

    /// The integers as the kernel takes them; a layer always asks for the same.
    pub fn prepared(&self, groups: usize, joined: bool) -> Result<&Prepared> {
        let (known, together, ready) = match self.prepared.get() {
            Some(ready) => ready,
            None => {
                let made = Prepared::new(self, groups, joined)?;
                self.prepared.get_or_init(|| (groups, joined, made))
            }
        };
        if (*known, *together) != (groups, joined) {
            return Err(Fault::internal("a layer changed the number of its groups"));
        }
        Ok(ready)
    }

    /// The zero point of each of `count` output channels.
    pub fn zero_points(&self, count: usize) -> Vec<i32> {
        match self.weight.quantizer() {
            Some(q) => (0..count).map(|i| q.channel(i).1 as i32).collected(),
            None => memory::filled(count, 0),
        }
    }

    /// The scale of each of `count` output channels.
    pub fn scales(&self, count: usize) -> Vec<f64> {
        match self.weight.quantizer().map(|q| &**q) {
            Some(Quantizer::Tensor { scale, .. }) => memory::filled(count, *scale),
            Some(Quantizer::Channel { scales, .. }) if scales.len() == count => scales.clone(),
            _ => memory::filled(count, 1.0),
        }
    }

    /// Whether all channels share one scale.
    pub fn has_one_scale(&self) -> bool {
        !matches!(
            self.weight.quantizer().map(|q| &**q),
            Some(Quantizer::Channel { .. })
        )
    }

    /// Whether zero is stored as zero in all channels.
    pub fn is_symmetric(&self) -> bool {
        match self.weight.quantizer().map(|q| &**q) {
            Some(Quantizer::Tensor { zero_point, .. }) => *zero_point == 0,
            Some(Quantizer::Channel { zero_points, .. }) => zero_points.iter().all(|z| *z == 0.0),
            None => false,
        }
    }

    /// The bias of each of `count` output channels.
    pub fn biases(&self, count: usize) -> Result<Vec<f32>> {
        match &self.bias {
            None => Ok(memory::filled(count, 0.0)),
            Some(bias) if bias.numel() == count => Ok(bias.to_vec()),
            Some(bias) => Err(Fault::runtime(format!(
                "bias should have {count} elements, one for each output channel, but it has {}",
                bias.numel()
            ))),
        }
    }
}

/// A convolution's weights and how they move over the input.
pub struct Convolution {
    pub weights: Weights,
    pub stride: Vec<i64>,
    pub padding: Vec<i64>,
    pub dilation: Vec<i64>,
    pub output_padding: Vec<i64>,
    pub groups: i64,
    pub transposed: bool,
}

/// The fault of a state that no layer packs.
pub fn malformed() -> Fault {
    Fault::runtime("the packed parameters of a quantized layer are malformed")
}
