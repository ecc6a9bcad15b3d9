//! An editor server for TorchScript source, over the Language Server Protocol.
//!
//! [`serve`] speaks with an editor over a connection, [`serve_streams`] over bytes: it keeps the open files as
//! [`document::Document`]s, checks a file when it changes, and answers requests from what the check has learnt
//! (`rushlight::Checked`) and from who is called what ([`names`]). `answers/` has a file for each kind of answer. It
//! compiles, and never runs what it reads.

pub mod answers;
mod document;
mod names;
mod position;
mod server;
mod stream;

pub use document::Document;
pub use server::{Failure, serve};
pub use stream::serve_streams;
