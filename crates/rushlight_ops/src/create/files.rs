//! Operators that reach files. They work on what the context allows, which is nothing unless somebody has said otherwise.

use super::options::Options;
use rushlight_tensor::{Fault, Layout, Result, Storage, Tensor};
use rushlight_types::{Context, Effect, Value, op, operators};

operators! {
    /// Reading and writing files.
    pub static ROWS = [
        op!("aten::from_file(str filename, bool? shared=None, int? size=0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", from_file).effect(Effect::SideEffect),
        op!("aten::save(t item, str filename) -> ()", save).effect(Effect::SideEffect),
    ];
}

/// The first elements of a file.
fn from_file(
    cx: &Context,
    name: &str,
    shared: Option<bool>,
    size: Option<i64>,
    options: Options,
) -> Result<Tensor> {
    let files = cx.files("aten::from_file")?;
    if shared == Some(true) {
        return Err(Fault::not_implemented(
            "from_file: a tensor cannot share its memory with a file; leave shared out",
        ));
    }
    let dtype = options.dtype_or_default(cx);
    let count = usize::try_from(size.unwrap_or(0))
        .map_err(|_| Fault::runtime("from_file: the size must not be negative"))?;
    let bytes = files.read(name)?;
    let needed = count.checked_mul(dtype.size());
    let wanted = needed.and_then(|needed| bytes.get(..needed));
    let wanted = wanted.ok_or_else(|| {
        Fault::runtime(format!(
            "from_file: {count} elements of {dtype} are more than the {} bytes of {name}",
            bytes.len()
        ))
    })?;
    Tensor::view_of(
        &Storage::copy_of(wanted),
        dtype,
        Layout::contiguous(&[count]),
    )
}

fn save(cx: &Context, item: &Value, name: &str) -> Result<()> {
    cx.files("aten::save")?.write(name, item)
}
