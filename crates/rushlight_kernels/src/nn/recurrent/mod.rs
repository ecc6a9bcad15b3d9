//! Steps of recurrent layers.

pub mod backward;
pub mod cell;
pub mod gates;
pub mod sequence;
mod settle;

pub use settle::KEPT;
