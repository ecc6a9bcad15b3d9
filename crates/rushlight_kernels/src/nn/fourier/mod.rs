//! Fourier transforms of rows.

pub mod transform;
