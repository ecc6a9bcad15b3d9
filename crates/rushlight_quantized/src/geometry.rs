//! How a quantized convolution moves over its input; pictures are volumes with one layer.

use super::packed::Convolution;
use rushlight_tensor::{Tensor, memory};
use std::ops::Range;

/// A convolution over a batch of volumes.
#[derive(Clone)]
pub struct Geometry {
    pub batch: usize,
    pub channels: usize,
    pub groups: usize,
    pub input: [usize; 3],
    pub kernel: [usize; 3],
    pub stride: [usize; 3],
    pub padding: [usize; 3],
    pub dilation: [usize; 3],
    pub output: [usize; 3],
}

impl Geometry {
    /// The plan of a layer for an input; `None` where the layer does not fit it or turns around.
    pub fn new(x: &Tensor, layer: &Convolution) -> Option<Geometry> {
        let weight = &layer.weights.weight;
        let dims = weight.rank().checked_sub(2)?;
        if x.rank() != dims + 2 || layer.transposed || !(1..=3).contains(&dims) {
            return None;
        }
        let lift = |values: &[i64], filler: usize| -> Option<[usize; 3]> {
            let mut out = [filler; 3];
            for (to, from) in out[3 - dims..].iter_mut().zip(values) {
                *to = usize::try_from(*from).ok()?;
            }
            Some(out)
        };
        let sizes = |sizes: &[usize]| {
            let mut out = [1; 3];
            out[3 - dims..].copy_from_slice(&sizes[2..]);
            out
        };
        let mut geometry = Geometry {
            batch: x.size(0),
            channels: x.size(1),
            groups: usize::try_from(layer.groups).ok().filter(|g| *g > 0)?,
            input: sizes(x.sizes()),
            kernel: sizes(weight.sizes()),
            stride: lift(&layer.stride, 1)?,
            padding: lift(&layer.padding, 0)?,
            dilation: lift(&layer.dilation, 1)?,
            output: [0; 3],
        };
        let fits = geometry.channels == weight.size(1).checked_mul(geometry.groups)?
            && weight.size(0).is_multiple_of(geometry.groups)
            && geometry.channels > 0;
        for d in 0..3 {
            let reach = geometry.kernel[d]
                .checked_sub(1)?
                .checked_mul(geometry.dilation[d])?;
            let padded = geometry.padding[d]
                .checked_mul(2)?
                .checked_add(geometry.input[d])?;
            let room = padded.checked_sub(reach.checked_add(1)?)?;
            geometry.output[d] = (room.checked_div(geometry.stride[d])?).checked_add(1)?;
        }
        fits.then_some(geometry)
    }

    /// The sizes of the input with its padding.
    pub fn padded(&self) -> [usize; 3] {
        std::array::from_fn(|d| self.input[d] + 2 * self.padding[d])
    }

    /// The same without padding.
    pub fn without_padding(&self) -> Geometry {
        let mut out = self.clone();
        out.padding = [0; 3];
        out
    }

    /// Where the windows of output pixels begin in a padded input of these sizes.
    pub fn starts(&self, pixels: Range<usize>, [deep, high, wide]: [usize; 3]) -> Vec<usize> {
        let [depth, height, width] = self.output;
        let [sz, sy, sx] = self.stride;
        let mut starts = memory::with_capacity(pixels.len());
        let mut pixel = pixels.start;
        // A line at a time: pixels beside each other are found without a division.
        while pixel < pixels.end {
            let (line, x) = (pixel / width, pixel % width);
            let (layer, y) = (line / height, line % height);
            let (image, z) = (layer / depth, layer % depth);
            let row = ((image * deep + z * sz) * high + y * sy) * wide;
            let count = (width - x).min(pixels.end - pixel);
            starts.extend((x..x + count).map(|x| (row + x * sx) * self.channels));
            pixel += count;
        }
        starts
    }
}
