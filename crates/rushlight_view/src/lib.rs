//! What people are shown of models, whichever door they stand at: the command, Python, a page in a browser.
//!
//! Everything here is a function from what the library knows to text: values as Python prints them ([`value`]), graphs as
//! pictures ([`diagram`]), what an archive holds ([`contents`]), problems of source for programs ([`problem`]), charts of
//! probabilities ([`chart`]); and back from the text of an argument to its value ([`expression`]).

pub mod abbreviate;
pub mod chart;
pub mod contents;
pub mod diagram;
pub mod expression;
pub mod problem;
pub mod value;
