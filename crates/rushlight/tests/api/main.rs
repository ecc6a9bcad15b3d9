//! What the crate promises, a file for each of its subjects.
//!
//! One program holds those that need neither an allocator nor a build of their own: linking a program of tests takes longer
//! than running it.

mod depth;
mod derivatives;
mod hostile;
mod json_layout;
mod kept;
mod mobile;
mod module;
mod retarget;
mod saved;
mod support;
mod unrun;
