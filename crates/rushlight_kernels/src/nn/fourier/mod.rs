//! Fourier transforms of rows.

mod abreast;
pub mod transform;
