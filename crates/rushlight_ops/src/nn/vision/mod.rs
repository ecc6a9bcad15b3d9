//! The operators of the `torchvision` namespace: suppression of overlapping boxes, pooling of regions, deformable
//! convolution.

mod bilinear;
pub mod boxes;
pub mod deform;
pub mod regions;
