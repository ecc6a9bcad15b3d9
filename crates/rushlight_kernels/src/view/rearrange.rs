//! Rolling, flipping and interleaving by tables of places.

use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Dims, Element, Result, Tensor, layout, memory, watch};

/// For each dimension of the result, the source index of each of its indices.
pub type Tables = Vec<Vec<usize>>;

/// The tables that change nothing.
pub fn identity(t: &Tensor) -> Tables {
    t.sizes().iter().map(|n| (0..*n).collected()).collect()
}

/// The tensor whose element at an index is `t`'s at the index looked up per dimension.
pub fn look_up(t: &Tensor, tables: &Tables) -> Result<Tensor> {
    let sizes: Dims = tables.iter().map(Vec::len).collect();
    layout::checked_numel(&sizes)?;
    // Only the width of elements matters: read them as integers of that width.
    let (plain, dtype) = (t.contiguous(), t.dtype());
    let width = match dtype.size() {
        1 => DType::U8,
        2 => DType::I16,
        4 => DType::I32,
        8 => DType::I64,
        _ => DType::C128,
    };
    let plain = Tensor::view_of(&plain.storage(), width, plain.layout().clone())?;
    let out = rushlight_tensor::dispatch!(width, All, T => gather::<T>(&plain, tables, &sizes));
    Tensor::view_of(&out.storage(), dtype, out.layout().clone())
}

fn gather<T: Element>(t: &Tensor, tables: &Tables, sizes: &[usize]) -> Tensor {
    let source = t.data::<T>();
    let mut out = Buffer::<T>::unspecified(rushlight_tensor::memory::numel(sizes));
    if out.is_empty() {
        return out.into_tensor(sizes);
    }
    let Some((last, outer)) = tables.split_last() else {
        out[0] = source[0];
        return out.into_tensor(sizes);
    };
    let strides = layout::contiguous_strides(t.sizes());
    let straight = last.windows(2).all(|w| w[1] == w[0] + 1);
    let mut index = memory::filled(outer.len(), 0usize);
    for row in out.chunks_exact_mut(last.len()) {
        watch::poll();
        let start: usize = (0..outer.len())
            .map(|d| outer[d][index[d]] * strides[d])
            .sum();
        if straight {
            let start = start + last[0];
            row.copy_from_slice(&source[start..start + last.len()]);
        } else {
            for (to, from) in row.iter_mut().zip(last) {
                *to = source[start + from];
            }
        }
        for d in (0..outer.len()).rev() {
            index[d] += 1;
            if index[d] < outer[d].len() {
                break;
            }
            index[d] = 0;
        }
    }
    out.into_tensor(sizes)
}

/// The elements of one dimension in the order of `indices`.
pub fn interleave(t: &Tensor, dim: usize, indices: Vec<usize>) -> Result<Tensor> {
    let mut tables = identity(t);
    tables[dim] = indices;
    look_up(t, &tables)
}

/// The tensor and dimension that are meant: without a dimension all elements in a row.
pub fn along(t: &Tensor, dim: Option<i64>) -> Result<(Tensor, usize)> {
    match dim {
        None => Ok((t.reshape_to(&[t.numel()])?, 0)),
        Some(dim) if t.rank() == 0 => Ok((t.reshape_to(&[1])?, wrap_dim(dim, 1)?)),
        Some(dim) => Ok((t.clone(), wrap_dim(dim, t.rank())?)),
    }
}
