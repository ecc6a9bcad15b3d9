//! Tensors one after another, row by row.

use rushlight_tensor::{Buffer, DType, Element, Result, Tensor, memory, threads, watch};

/// Contiguous tensors of one dtype, of the same sizes but for `dim`, one after another along it: a tensor of `sizes`. `None`
/// where they are not such, or are better copied one by one.
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
    // Only the width of elements matters: read them as integers of that width.
    let width = match dtype.size() {
        1 => DType::U8,
        2 => DType::I16,
        4 => DType::I32,
        8 => DType::I64,
        _ => DType::C128,
    };
    let out =
        rushlight_tensor::dispatch!(width, All, T => rows::<T>(tensors, outer, width, sizes)?);
    Tensor::view_of(&out.storage(), dtype, out.layout().clone()).map(Some)
}

fn rows<T: Element>(
    tensors: &[&Tensor],
    outer: usize,
    width: DType,
    sizes: &[usize],
) -> Result<Tensor> {
    let mut plain = memory::with_capacity(tensors.len());
    for t in tensors {
        plain.push(Tensor::view_of(&t.storage(), width, t.layout().clone())?);
    }
    let mut data = memory::with_capacity(tensors.len());
    for t in &plain {
        data.push((t.data::<T>(), t.numel() / outer));
    }
    let mut out = Buffer::<T>::unspecified(memory::numel(sizes));
    let row: usize = data.iter().map(|(_, each)| each).sum();
    if row > 0 {
        threads::split_rows(&mut out, row, 1, row, &|some, out| {
            for (i, mut to) in some.zip(out.chunks_exact_mut(row)) {
                watch::poll();
                for (data, each) in &data {
                    let (own, rest) = to.split_at_mut(*each);
                    own.copy_from_slice(&data[i * each..(i + 1) * each]);
                    to = rest;
                }
            }
        });
    }
    Ok(out.into_tensor(sizes))
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
        let turned = a.permute(&[1, 0]).unwrap();
        assert!(dense(&[&turned, &a], 1, &[2, 4]).unwrap().is_none());
    }
}
