//! Sampling of images at places between pixels.

pub mod bilinear;
pub mod regions;
