//! The operators of the `torchvision` namespace: suppression of overlapping boxes, pooling of regions, deformable
//! convolution.

pub mod boxes;
pub mod deform;
pub mod regions;

use rushlight_kernels::nn::vision::bilinear;
