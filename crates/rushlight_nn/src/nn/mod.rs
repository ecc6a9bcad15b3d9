//! Neural network operators: convolution, pooling, normalisation, attention, recurrence, losses, resampling.

mod attention;
mod batch_norm;
pub(crate) mod conv;
mod embedding;
mod fold;
mod fourier;
mod grid;
mod loss;
mod masked_softmax;
mod norm;
mod norm_backward;
mod pad;
mod pool;
pub(crate) mod recurrent;
mod resample;
mod softmax;
mod transformer;
mod vision;

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    conv::ROWS,
    conv::SLOW,
    conv::FUSED,
    pool::max::ROWS,
    pool::average::ROWS,
    pool::adaptive::ROWS,
    pool::fractional::ROWS,
    pool::unpool::ROWS,
    batch_norm::ROWS,
    norm::ROWS,
    norm_backward::ROWS,
    softmax::ROWS,
    masked_softmax::ROWS,
    attention::ROWS,
    transformer::ROWS,
    embedding::ROWS,
    recurrent::LAYERS,
    recurrent::CELLS,
    recurrent::PACKING,
    recurrent::TRAINED,
    vision::boxes::ROWS,
    vision::regions::ROWS,
    vision::deform::ROWS,
    resample::NEAREST,
    resample::SMOOTH,
    resample::INTERPOLATE,
    grid::ROWS,
    grid::BACKWARD,
    pad::ROWS,
    fold::ROWS,
    fourier::FREQUENCIES,
    fourier::SPECTRA,
    fourier::SHIFTS,
    fourier::FRAMES,
    loss::POINTWISE,
    loss::CLASSES,
    loss::MARGINS,
    loss::CTC,
];
