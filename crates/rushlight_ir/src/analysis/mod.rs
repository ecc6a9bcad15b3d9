//! What passes ask about a graph before they change it.

pub mod alias;
pub mod effect;
pub mod known;
pub mod layer_tail;
pub mod roots;
pub mod writers;
