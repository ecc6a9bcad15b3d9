//! Discrete Fourier transforms: complex, real and Hermitian, in any number of dimensions; their short-time form.
//!
//! [`transform`] runs one-dimensional transforms over the rows of a buffer; everything else arranges dimensions.

mod frames;
mod frequencies;
mod shift;
mod spectra;

pub use frames::ROWS as FRAMES;
pub use frequencies::ROWS as FREQUENCIES;
use rushlight_kernels::nn::fourier::transform;
pub use shift::ROWS as SHIFTS;
pub use spectra::ROWS as SPECTRA;
