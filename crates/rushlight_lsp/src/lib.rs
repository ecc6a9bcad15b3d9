//! An editor server for TorchScript source, over the Language Server Protocol.
//!
//! [`serve`] speaks with an editor over a connection: it keeps the open files as [`document::Document`]s, checks a file
//! when it changes, and answers requests from what the check has learnt (`rushlight::Checked`) and from who is called what
//! ([`names`]). `answers/` has a file for each kind of answer. It compiles, and never runs what it reads.

pub mod answers;
mod document;
mod names;
mod position;
mod server;

pub use document::Document;
pub use server::{Failure, serve, serve_stdio};
