//! What the command does, a file for each of its subjects.
//!
//! One program holds them all: linking a program of tests takes longer than running it.

mod calling;
mod check;
mod diff;
mod each;
#[cfg(unix)]
mod files;
mod folder;
mod graph;
mod inspect;
#[cfg(unix)]
mod interrupt;
mod passes;
mod profile;
mod record;
mod rewrite;
#[cfg(unix)]
mod tutorial;
mod warnings;
mod words;
