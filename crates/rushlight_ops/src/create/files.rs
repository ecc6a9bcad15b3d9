//! Operators that reach files. They work on what the context allows, which is nothing unless somebody has said otherwise.

use super::options::Options;
use rushlight_tensor::{Fault, Layout, Result, Tensor, memory};
use rushlight_types::{Context, Effect, Value, op, operators};

operators! {
    /// Reading and writing files.
    pub static ROWS = [
        op!("aten::from_file(str filename, bool? shared=None, int? size=0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", from_file).effect(Effect::SideEffect),
        op_out!("aten::from_file.out(str filename, bool? shared=None, int? size=0, *, Tensor(a!) out) -> Tensor(a!)", from_file).effect(Effect::SideEffect),
        op!("aten::save(t item, str filename) -> ()", save).effect(Effect::SideEffect),
    ];
}

/// The first elements of a file, copied or in place. They are of the dtype of `out` where there is one.
fn from_file(
    cx: &Context,
    name: &str,
    shared: Option<bool>,
    size: Option<i64>,
    options: Options,
) -> Result<Tensor> {
    let dtype = options.dtype_or_default(cx);
    let files = cx.files("aten::from_file")?;
    let size = size.unwrap_or(0);
    let bytes = size.saturating_mul(dtype.size() as i64);
    let count = usize::try_from(size).map_err(|_| {
        Fault::runtime(format!(
            "unable to mmap {bytes} bytes from file <{name}>: Cannot allocate memory (12)"
        ))
    })?;
    // A file that a script makes longer counts as memory of its own.
    memory::check(count, dtype.size())?;
    let storage = files.memory(name, bytes as usize, shared == Some(true))?;
    Tensor::view_of(&storage, dtype, Layout::contiguous(&[count]))
}

fn save(cx: &Context, item: &Value, name: &str) -> Result<()> {
    cx.files("aten::save")?.write(name, item)
}
