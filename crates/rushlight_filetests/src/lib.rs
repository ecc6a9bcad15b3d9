//! Corpus runners and file-based cases: programs, operator records, archives, and the ledger of what does not
//! match yet.
//!
//! The runners take any directory that is laid out like the public corpora. Each gives a list of
//! [`report::Case`]s; the table, the JSON file and the ledger know nothing of what was compared.

pub mod archives;
pub mod bridge;
pub mod command;
pub mod compare;
mod files;
pub mod ledger;
pub mod ops;
pub mod programs;
pub mod recorded;
pub mod report;
pub mod script;
