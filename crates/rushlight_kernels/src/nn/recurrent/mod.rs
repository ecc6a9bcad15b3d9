//! Steps of recurrent layers.

pub mod cell;
