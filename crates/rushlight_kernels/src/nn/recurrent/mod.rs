//! Steps of recurrent layers.

pub mod cell;
pub mod gates;
pub mod sequence;
