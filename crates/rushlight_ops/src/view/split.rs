//! Cutting a dimension into parts, each a view.

use super::Ints;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{op, operators};

operators! {
    /// Views of consecutive parts.
    pub static ROWS = [
        op!("aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", split),
        op!("aten::split(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]", split_with_sizes),
        op!("aten::split.sizes(Tensor(a -> *) self, SymInt[] split_size, int dim=0) -> Tensor(a)[]", split_with_sizes),
        op!("aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]", split_with_sizes),
        op!("aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", split_copy),
        op!("aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", split_with_sizes_copy),
        op_list_out!("aten::split_copy.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()", split),
        op_list_out!("aten::split_with_sizes_copy.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()", split_with_sizes),
        op_list_out!("aten::unsafe_split.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()", split),
        op_list_out!("aten::unsafe_split_with_sizes.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()", split_with_sizes),
        op!("aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", split),
        op!("aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", split_with_sizes),
        op!("aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]", chunk),
        op!("aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", chunk),
        op!("aten::tensor_split.sections(Tensor(a -> *) self, SymInt sections, int dim=0) -> Tensor(a)[]", tensor_split),
        op!("aten::tensor_split.indices(Tensor(a -> *) self, SymInt[] indices, int dim=0) -> Tensor(a)[]", tensor_split_at),
        op!("aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor tensor_indices_or_sections, int dim=0) -> Tensor(a)[]", tensor_split_by),
        op!("aten::hsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", hsplit),
        op!("aten::hsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", hsplit_at),
        op!("aten::vsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", vsplit),
        op!("aten::vsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", vsplit_at),
        op!("aten::dsplit.int(Tensor(a -> *) self, int sections) -> Tensor(a)[]", dsplit),
        op!("aten::dsplit.array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]", dsplit_at),
    ];
}

/// Consecutive parts of these lengths; the caller has checked that they fit.
fn parts(t: &Tensor, dim: usize, lengths: impl Iterator<Item = usize>) -> Result<Vec<Tensor>> {
    let mut start = 0;
    lengths
        .map(|length| {
            let part = t.narrow(dim, start, length);
            start += length;
            part
        })
        .collect()
}

/// About what a tensor in a list costs besides its elements, in bytes.
pub(super) const PART: usize = 256;

fn split(t: &Tensor, size: i64, dim: i64) -> Result<Vec<Tensor>> {
    if t.rank() == 0 {
        return Err(Fault::runtime(
            "split expects at least a 1-dimensional tensor",
        ));
    }
    if size < 0 {
        return Err(Fault::runtime(format!(
            "split expects split_size be non-negative, but got split_size={size}"
        )));
    }
    let dim = wrap_dim(dim, t.rank())?;
    let whole = t.size(dim);
    if size == 0 {
        if whole != 0 {
            return Err(Fault::runtime(format!(
                "split_size can only be 0 if dimension size is 0, but got dimension size of {whole}"
            )));
        }
        return Ok(vec![t.alias()]);
    }
    let size = size as usize;
    let count = whole.div_ceil(size).max(1);
    rushlight_tensor::memory::check_room(count, PART)?;
    parts(t, dim, (0..count).map(|i| size.min(whole - i * size)))
}

fn split_with_sizes(t: &Tensor, sizes: Ints, dim: i64) -> Result<Vec<Tensor>> {
    if t.rank() == 0 {
        return Err(Fault::runtime(
            "split expects at least a 1-dimensional tensor",
        ));
    }
    let named = dim;
    let dim = wrap_dim(dim, t.rank())?;
    let whole = t.size(dim);
    if sizes.iter().any(|s| *s < 0) {
        return Err(Fault::runtime(format!(
            "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes:?}"
        )));
    }
    let sum = sizes.iter().try_fold(0i64, |sum, s| sum.checked_add(*s));
    if sum != Some(whole as i64) {
        return Err(Fault::runtime(format!(
            "split_with_sizes expects split_sizes to sum exactly to {whole} (input tensor's size at dimension {named}), but got split_sizes={sizes:?}"
        )));
    }
    parts(t, dim, sizes.iter().map(|s| *s as usize))
}

fn copies(parts: Vec<Tensor>) -> Vec<Tensor> {
    parts.iter().map(Tensor::contiguous_copy).collect()
}

fn split_copy(t: &Tensor, size: i64, dim: i64) -> Result<Vec<Tensor>> {
    split(t, size, dim).map(copies)
}

fn split_with_sizes_copy(t: &Tensor, sizes: Ints, dim: i64) -> Result<Vec<Tensor>> {
    split_with_sizes(t, sizes, dim).map(copies)
}

fn chunk(t: &Tensor, chunks: i64, dim: i64) -> Result<Vec<Tensor>> {
    if t.rank() == 0 {
        return Err(Fault::runtime(
            "chunk expects at least a 1-dimensional tensor",
        ));
    }
    if chunks <= 0 {
        return Err(Fault::runtime(format!(
            "chunk expects `chunks` to be greater than 0, got: {chunks}"
        )));
    }
    let wrapped = wrap_dim(dim, t.rank())?;
    let whole = t.size(wrapped);
    if whole == 0 {
        let count = usize::try_from(chunks).unwrap_or(usize::MAX).min(1 << 20);
        return parts(t, wrapped, std::iter::repeat_n(0, count));
    }
    split(t, (whole as i64 - 1) / chunks + 1, dim)
}

fn tensor_split(t: &Tensor, sections: i64, dim: i64) -> Result<Vec<Tensor>> {
    if t.rank() == 0 {
        return Err(Fault::runtime(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims",
        ));
    }
    let dim = wrap_dim(dim, t.rank())?;
    if sections <= 0 {
        return Err(Fault::runtime(format!(
            "number of sections must be larger than 0, got {sections}"
        )));
    }
    let (whole, sections) = (t.size(dim), sections as usize);
    rushlight_tensor::memory::check_room(sections, PART)?;
    let longer = whole % sections;
    let length = |i| whole / sections + usize::from(i < longer);
    parts(t, dim, (0..sections).map(length))
}

fn tensor_split_at(t: &Tensor, indices: Ints, dim: i64) -> Result<Vec<Tensor>> {
    if t.rank() == 0 {
        return Err(Fault::runtime(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims",
        ));
    }
    let mut starts = vec![Some(0)];
    starts.extend(indices.iter().map(|i| Some(*i)));
    let ends = indices.iter().map(|i| Some(*i)).chain([None]);
    starts
        .into_iter()
        .zip(ends)
        .map(|(start, end)| t.slice(dim, start, end, 1))
        .collect()
}

fn tensor_split_by(t: &Tensor, by: &Tensor, dim: i64) -> Result<Vec<Tensor>> {
    if by.dtype() != rushlight_tensor::DType::I64 {
        return Err(Fault::runtime(format!(
            "tensor_split expected tensor_indices_or_sections to have dtype of long, but got {}",
            by.dtype().class_name()
        )));
    }
    match by.rank() {
        0 => tensor_split(t, by.item()?.to_i64(), dim),
        1 => tensor_split_at(t, Ints::from_vec(by.to_vec()), dim),
        rank => Err(Fault::runtime(format!(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a tensor with {rank} dims"
        ))),
    }
}

/// Refuses tensors with too few dimensions for `name`, and sections that do not divide the dimension.
fn check_sections(name: &str, t: &Tensor, least: usize, dim: usize, sections: i64) -> Result<()> {
    check_rank(name, t, least)?;
    let whole = t.size(dim);
    if sections < 0 && whole as i64 % sections == 0 {
        return Err(Fault::runtime(format!(
            "number of sections must be larger than 0, got {sections}"
        )));
    }
    if sections <= 0 || whole as i64 % sections != 0 {
        return Err(Fault::runtime(format!(
            "torch.{name} attempted to split along dimension {dim}, but the size of the dimension {whole} is not divisible by the split_size {sections}!"
        )));
    }
    Ok(())
}

fn check_rank(name: &str, t: &Tensor, least: usize) -> Result<()> {
    if t.rank() >= least {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {} dimensions!",
        t.rank()
    )))
}

fn hsplit_dim(t: &Tensor) -> usize {
    usize::from(t.rank() > 1)
}

fn hsplit(t: &Tensor, sections: i64) -> Result<Vec<Tensor>> {
    check_sections("hsplit", t, 1, hsplit_dim(t), sections)?;
    tensor_split(t, sections, hsplit_dim(t) as i64)
}

fn hsplit_at(t: &Tensor, indices: Ints) -> Result<Vec<Tensor>> {
    check_rank("hsplit", t, 1)?;
    tensor_split_at(t, indices, hsplit_dim(t) as i64)
}

fn vsplit(t: &Tensor, sections: i64) -> Result<Vec<Tensor>> {
    check_sections("vsplit", t, 2, 0, sections)?;
    tensor_split(t, sections, 0)
}

fn vsplit_at(t: &Tensor, indices: Ints) -> Result<Vec<Tensor>> {
    check_rank("vsplit", t, 2)?;
    tensor_split_at(t, indices, 0)
}

fn dsplit(t: &Tensor, sections: i64) -> Result<Vec<Tensor>> {
    check_sections("dsplit", t, 3, 2, sections)?;
    tensor_split(t, sections, 2)
}

fn dsplit_at(t: &Tensor, indices: Ints) -> Result<Vec<Tensor>> {
    check_rank("dsplit", t, 3)?;
    tensor_split_at(t, indices, 2)
}
