//! Tensors one after another, row by row.

use rushlight_tensor::memory::Collected;
use rushlight_tensor::{
    Buffer, Complex64, DType, Data, Element, Result, Tensor, lanes, memory, threads, watch,
};
use std::ops::Range;

/// Contiguous tensors of one dtype, of the same sizes but for `dim`, one after another along it: a tensor of `sizes`. They
/// may also lack that dimension, for a place of one in the result. `None` where they are not such, or are better copied one
/// by one.
pub fn dense(tensors: &[&Tensor], dim: usize, sizes: &[usize]) -> Result<Option<Tensor>> {
    let Some(dtype) = tensors.first().map(|t| t.dtype()) else {
        return Ok(None);
    };
    let outer = memory::numel(&sizes[..dim]);
    let large = memory::numel(sizes) >= threads::GRAIN;
    let alike = |t: &&Tensor| t.dtype() == dtype && t.is_contiguous();
    if outer == 0 || outer == 1 && large || !tensors.iter().all(alike) {
        return Ok(None);
    }
    let out = match dtype {
        DType::F32 => rows::<f32>(tensors, outer, sizes),
        DType::I64 => rows::<i64>(tensors, outer, sizes),
        _ => by_width(tensors, outer, sizes)?,
    };
    Tensor::view_of(&out.storage(), dtype, out.layout().clone()).map(Some)
}

/// [`rows`] of any dtype: only the width of elements matters, so they are read as integers of that width.
fn by_width(tensors: &[&Tensor], outer: usize, sizes: &[usize]) -> Result<Tensor> {
    match tensors[0].dtype().size() {
        1 => rows_as::<u8>(tensors, outer, sizes),
        2 => rows_as::<i16>(tensors, outer, sizes),
        4 => rows_as::<i32>(tensors, outer, sizes),
        8 => rows_as::<i64>(tensors, outer, sizes),
        _ => rows_as::<Complex64>(tensors, outer, sizes),
    }
}

/// [`rows`] of tensors whose elements are as wide as `T`.
fn rows_as<T: Element>(tensors: &[&Tensor], outer: usize, sizes: &[usize]) -> Result<Tensor> {
    let mut plain = memory::with_capacity(tensors.len());
    for t in tensors {
        plain.push(Tensor::view_of(&t.storage(), T::DTYPE, t.layout().clone())?);
    }
    let plain: Vec<&Tensor> = plain.iter().collected();
    Ok(rows::<T>(&plain, outer, sizes))
}

fn rows<T: Element>(tensors: &[&Tensor], outer: usize, sizes: &[usize]) -> Tensor {
    let mut out = Buffer::<T>::unspecified(memory::numel(sizes));
    if outer == 1 {
        let mut to = &mut out[..];
        for t in tensors {
            watch::poll();
            let (own, rest) = to.split_at_mut(t.numel());
            lanes::copy(own, &t.data::<T>());
            to = rest;
        }
        return out.into_tensor(sizes);
    }
    let mut data = memory::with_capacity(tensors.len());
    for t in tensors {
        data.push((t.data::<T>(), t.numel() / outer));
    }
    let row: usize = data.iter().map(|(_, each)| each).sum();
    let single = data.iter().all(|(_, each)| *each == 1);
    if row > 0 {
        threads::split_rows(&mut out, row, 1, row, &|some, out| {
            if single {
                return by_elements(&data, some, out);
            }
            for (i, mut to) in some.zip(out.chunks_exact_mut(row)) {
                watch::poll();
                for (data, each) in &data {
                    let (own, rest) = to.split_at_mut(*each);
                    lanes::copy(own, &data[i * each..(i + 1) * each]);
                    to = rest;
                }
            }
        });
    }
    out.into_tensor(sizes)
}

/// Some of the rows where every tensor has one element of each.
fn by_elements<T: Element>(data: &[(Data<'_, T>, usize)], some: Range<usize>, out: &mut [T]) {
    /// So many rows are written again and again before the next.
    const NEAR: usize = 512;
    let row = data.len();
    for (part, out) in out.chunks_mut(NEAR * row).enumerate() {
        watch::poll();
        let start = some.start + part * NEAR;
        for (k, (data, _)) in data.iter().enumerate() {
            let from = &data[start..start + out.len() / row];
            for (to, x) in out[k..].iter_mut().step_by(row).zip(from) {
                *to = *x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::dense;
    use rushlight_tensor::Tensor;

    #[test]
    fn rows_follow_one_another() {
        let a = Tensor::from_slice(&[1i64, 2, 3, 4], &[2, 2]).unwrap();
        let b = Tensor::from_slice(&[5i64, 6], &[2, 1]).unwrap();
        let joined = dense(&[&a, &b], 1, &[2, 3]).unwrap().unwrap();
        assert_eq!(joined.to_vec::<i64>(), [1, 2, 5, 3, 4, 6]);
        let none = Tensor::from_slice::<i64>(&[], &[2, 0]).unwrap();
        let joined = dense(&[&none, &a, &none], 1, &[2, 2]).unwrap().unwrap();
        assert_eq!(joined.to_vec::<i64>(), [1, 2, 3, 4]);
        let joined = dense(&[&none, &a], 1, &[2, 2]).unwrap().unwrap();
        assert_eq!(joined.to_vec::<i64>(), [1, 2, 3, 4]);
        let stacked = dense(&[&a, &a], 1, &[2, 2, 2]).unwrap().unwrap();
        assert_eq!(stacked.to_vec::<i64>(), [1, 2, 1, 2, 3, 4, 3, 4]);
        let halves = [a.to_dtype(rushlight_tensor::DType::F16)];
        let joined = dense(&[&halves[0], &halves[0]], 0, &[4, 2])
            .unwrap()
            .unwrap();
        assert_eq!(
            joined.to_vec::<f64>(),
            [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]
        );
        let turned = a.permute(&[1, 0]).unwrap();
        assert!(dense(&[&turned, &a], 1, &[2, 4]).unwrap().is_none());
    }
}
