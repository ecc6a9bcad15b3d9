//! Fourier transforms of rows and columns.

mod abreast;
mod cells;
mod line;
mod passes;
pub mod transform;
