//! TorchScript without PyTorch: compile, load, run and save, with no libtorch and no Python.
//!
//! # Quick start
//!
//! A model that PyTorch saved (`torch.jit.save`) runs like this:
//!
//! ```no_run
//! use rushlight::{DType, Tensor};
//!
//! fn main() -> rushlight::Result<()> {
//!     let model = rushlight::load("model.pt")?;
//!     let image = Tensor::zeros(&[1, 3, 224, 224], DType::F32)?;
//!     let scores = model.forward(&[image.into()])?;
//!     println!("{scores}");
//!     Ok(())
//! }
//! ```
//!
//! and source like this:
//!
//! ```
//! # fn main() -> rushlight::Result<()> {
//! let script = rushlight::compile("
//! from typing import Dict, List
//!
//! def count(words: List[str]) -> Dict[str, int]:
//!     found: Dict[str, int] = {}
//!     for word in words:
//!         found[word] = found.get(word, 0) + 1
//!     return found
//! ")?;
//! let counts = script.call("count", &rushlight::values![vec!["to", "be", "or", "not", "to", "be"]])?;
//! let counts: std::collections::BTreeMap<String, i64> = counts.to()?;
//! assert_eq!(counts["be"], 2);
//! # Ok(()) }
//! ```
//!
//! # Values and tensors
//!
//! [`values!`] makes arguments, [`Value::to`] (or `TryFrom`) takes results apart: numbers, strings, [`Tensor`]s, and tuples,
//! `Vec`s, maps and `Option`s of them. [`Value::tuple_from`], [`Value::list_of`] and [`Value::dict_of`] make the rest.
//! Containers and tensors are shared: a script that changes a list which it was given changes the caller's.
//!
//! ```
//! # fn main() -> rushlight::Result<()> {
//! use rushlight::{Tensor, Value, values};
//!
//! let script = rushlight::compile("
//! from typing import Tuple
//! from torch import Tensor
//!
//! def top(x: Tensor, k: int = 1) -> Tuple[Tensor, float]:
//!     best = x.topk(k)[0]
//!     return best, float(best.sum())
//! ")?;
//! let top = script.get("top").expect("the source defines it");
//! let x = Tensor::from_slice(&[1.0f32, 5.0, 3.0], &[3])?;
//! let (best, sum) = top.call_with(&values![x], &[("k", Value::from(2))])?.to::<(Tensor, f64)>()?;
//! assert_eq!(&best.try_data::<f32>()?[..], [5.0, 3.0]);
//! assert_eq!(sum, 8.0);
//! # Ok(()) }
//! ```
//!
//! # Modules
//!
//! A [`Module`] has [`Module::methods`] with their schemas, [`Module::parameters`] and [`Module::buffers`] by path, attributes
//! to read and write, [`Module::to_dtype`], [`Module::eval`] and [`Module::deep_copy`]. [`Loader`] loads with options.
//!
//! # Threads
//!
//! [`Module`], [`Script`], [`Value`] and [`Tensor`] are `Send + Sync`; calls of one module may run side by side. A module that
//! keeps state in attributes changes it for all who share it: give each of them a [`Module::deep_copy`]. Operators share the
//! processors of the machine ([`tensor::threads`]); results do not depend on how many there are.
//!
//! # Limits and permissions
//!
//! A [`Context`] is what a call may reach besides its arguments: the sink of `print`, the random stream, limits of time,
//! memory, instructions and depth, and the files that it may use (none unless allowed). [`Context::cancel`] stops running
//! calls from another thread. The same module serves many contexts:
//!
//! ```
//! # fn main() -> rushlight::Result<()> {
//! use rushlight::{Context, Limits, values};
//!
//! let script = rushlight::compile("def forever(n: int):\n    while n > 0:\n        n += 1\n")?;
//! let context = Context::silent().shared();
//! context.set_limits(Limits { millis: 50, ..Limits::default() });
//! let error = script.with_context(context).call("forever", &values![1]).unwrap_err();
//! assert!(error.message().contains("stopped"), "{error}");
//! # Ok(()) }
//! ```
//!
//! # Operators
//!
//! [`operators::Methods`] has the operators as methods of tensors (`x.matmul(&y)?.softmax(-1)?`), [`operators::call`] calls one by
//! its name.
//!
//! # Own operators
//!
//! [`define`] adds an operator to all scripts of the process: archives that call `torch.ops.mylib.f` load and run.
//!
//! # Errors
//!
//! Calls fail with a [`Fault`]: a class of exception as Python names it and a message in PyTorch's words. With `?` everything
//! that can fail becomes an [`Error`], which adds the file and the script's call stack as data ([`Error::frames`]).
//! No input, file or script makes a panic; one in spite of that becomes an error of the call.
//!
//! # Features
//!
//! | feature | on by default | is |
//! |---|---|---|
//! | `jit` | yes | machine code for scripts that are hot |
//! | `autograd` | yes | gradients |
//! | `rpc` | yes | functions of other processes |
//! | `ndarray` | no | arrays of the `ndarray` crate to and from tensors (`rushlight::arrays`) |
//! | `tensors` | yes | operators on tensors; without them there is the language alone: numbers, strings, lists, dicts |
//!
//! This crate is a list of names; the code lives in the crates that it joins and gives on ([`types`], [`tensor`], [`runtime`], ...).

mod arguments;
#[cfg(feature = "ndarray")]
pub mod arrays;
mod beside;
mod check;
mod define;
mod error;
mod files;
mod loader;
mod machine_code;
mod module;
#[cfg(feature = "tensors")]
pub mod operators;
mod script;
mod state;
mod stdlib;
mod write;

pub use rushlight_archive as archive;
#[cfg(feature = "autograd")]
pub use rushlight_autograd as autograd;
pub use rushlight_frontend as frontend;
pub use rushlight_ir as ir;
#[cfg(not(feature = "tensors"))]
pub use rushlight_lang::table;
#[cfg(feature = "tensors")]
pub use rushlight_nn::table;
#[cfg(feature = "rpc")]
pub use rushlight_rpc as rpc;
pub use rushlight_runtime as runtime;
pub use rushlight_syntax as syntax;
pub use rushlight_tensor as tensor;
pub use rushlight_types as types;

pub use check::{Checked, check, check_file, check_only, check_unfinished};
pub use define::define;
pub use error::{Error, ErrorKind, Frame, Place, Result, frames};
pub use files::Folder;
pub use loader::Loader;
pub use module::{
    LoadFailure, Module, SaveFailure, archive_folder, load, load_bytes, load_file, load_with,
};
pub use rushlight_archive::module::{Changes, Target};
pub use rushlight_archive::{LoadOptions, Restore, SaveError, SaveOptions};
pub use rushlight_syntax::{Diagnostic, Source};
pub use rushlight_tensor::{DType, Device, Scalar, Tensor};
pub use rushlight_types::{Context, ErrorClass, Fault, FromValue, Limits, Type, Value};
#[cfg(feature = "autograd")]
pub use script::gradients;
pub use script::{
    CompileError, Script, ScriptFunction, compile, compile_file, compile_file_only, compile_only,
    compile_source, inlined, new_unit, register_code,
};
pub use state::Method;
pub use stdlib::library_names;
pub use write::{is_stream, write_file};
