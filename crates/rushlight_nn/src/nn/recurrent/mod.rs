//! Recurrent layers: LSTM, GRU and plain ones, over padded and packed sequences; their cells; packing.

mod blocks;
mod cell;
mod layer;
mod narrow;
mod pack;
mod trained;

/// Single steps.
pub use cell::ROWS as CELLS;
/// Layers over whole sequences.
pub use layer::ROWS as LAYERS;
pub(crate) use layer::Settings;
/// Packing of padded sequences.
pub use pack::ROWS as PACKING;
/// One layer of LSTM, and its gradient.
pub use trained::ROWS as TRAINED;
