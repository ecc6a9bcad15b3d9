//! Loops of the layers of neural networks.

pub mod batch_norm;
pub mod conv;
pub mod exponential;
pub mod fourier;
pub mod grid;
pub mod loss;
pub mod norm;
pub mod norm_backward;
pub mod pad;
pub mod pool;
pub mod recurrent;
pub mod resample;
pub mod softmax;
pub mod vision;
