//! Rushlight for a page in a browser: what is asked of it comes as JSON with byte arrays beside it, and so do the answers.
//!
//! A [`Desk`] holds what a page has open and answers its requests; it knows nothing of browsers and is tested like any
//! other code. `seam.rs` is how a page reaches it: four functions over the module's memory, and two that the page gives.
//! Nothing here reads a clock, a file or the network, and nothing waits: whoever wants a request to end early throws the
//! whole module away and opens the file again in a new one. So does the page when a call has to leave the module by a
//! trap, which is what panics are on this target; what it should say then it is told beforehand.

mod answer;
mod desk;
mod question;
mod seam;

pub use desk::Desk;
