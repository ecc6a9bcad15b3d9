//! Convolutions.

pub mod after;
pub mod band;
pub mod columns;
pub mod depthwise;
pub mod direct;
pub mod dtypes;
pub mod forward;
pub mod geometry;
pub mod lines;
pub mod narrow;
pub mod panel;
pub mod planes;
pub mod pointwise;
pub mod silu;
pub mod transposed;
pub mod winograd;
pub mod within;

use geometry::{Geometry, Spatial};
use rushlight_tensor::Dims;

/// Sizes of the result of a convolution: batch, channels and the spatial sizes that the weight's rank calls for.
fn result_sizes(geometry: &Geometry, spatial: Spatial<usize>) -> Dims {
    let mut sizes = Dims::from_slice(&[geometry.batch, geometry.out_channels]);
    sizes.extend_from_slice(&spatial[3 - geometry.dims..]);
    sizes
}
