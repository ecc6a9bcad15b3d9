//! Calling functions of other processes, over TCP.
//!
//! Every process of a group has a name and a rank. [`rendezvous`] tells them of each other; each then listens for requests
//! ([`agent`]) and sends its own over one connection per worker. Values travel as [`codec`] writes them. Whoever connects
//! must show the secret that the rendezvous handed out.

mod agent;
mod codec;
mod message;
mod rendezvous;

pub use agent::{Agent, Host, Options};
pub use rendezvous::Meeting;
