//! TorchScript without PyTorch: compile, load, run and save.
//!
//! This crate is a list of names; the code lives in the crates it joins. [`compile`] turns source into a [`Script`].

mod check;
mod files;
mod machine_code;
mod module;
mod script;
mod stdlib;
mod write;

pub use rushlight_archive as archive;
pub use rushlight_autograd as autograd;
pub use rushlight_frontend as frontend;
pub use rushlight_ir as ir;
pub use rushlight_ops::table;
pub use rushlight_rpc as rpc;
pub use rushlight_runtime as runtime;
pub use rushlight_syntax as syntax;
pub use rushlight_tensor as tensor;
pub use rushlight_types as types;

pub use check::{Checked, check, check_only, check_unfinished};
pub use files::Folder;
pub use module::{
    LoadFailure, Module, SaveFailure, archive_folder, load, load_bytes, load_file, load_with,
};
pub use rushlight_archive::module::{Changes, Target};
pub use rushlight_archive::{LoadOptions, Restore, SaveError, SaveOptions};
pub use rushlight_syntax::{Diagnostic, Source};
pub use rushlight_tensor::{DType, Device, Scalar, Tensor};
pub use rushlight_types::{Context, Fault, Limits, Type, Value};
pub use script::{
    CompileError, Script, ScriptFunction, compile, compile_source, gradients, inlined, new_unit,
    register_code,
};
pub use stdlib::library_names;
pub use write::{is_stream, write_file};
