//! Places of elements that are not zero.

use rushlight_tensor::memory;
use rushlight_tensor::{Bool8, Buffer, DType, Dims, Layout, Result, Tensor, watch};

/// The row-major indices of the elements that are not zero.
pub fn true_places(t: &Tensor) -> Vec<usize> {
    let truth = t.to_dtype(DType::Bool);
    let data = truth.data::<Bool8>();
    let count = data.iter().map(|b| usize::from(b.get())).sum::<usize>();
    // Each place is written, and kept where it is one: nothing has to be foreseen. The last is for those after all.
    let mut places = memory::filled(count + 1, 0);
    let mut at = 0;
    for (i, truth) in data.iter().enumerate() {
        places[at] = i;
        at += usize::from(truth.get());
    }
    places.truncate(count);
    places
}

/// The indices of the elements that are not zero, one vector per dimension.
pub fn nonzero_columns(t: &Tensor) -> Result<Vec<Tensor>> {
    let Some((&width, outer)) = t.sizes().split_last() else {
        return Ok(Vec::new());
    };
    let truth = t.to_dtype(DType::Bool);
    let mut columns: Vec<Vec<i64>> = memory::filled(t.rank(), Vec::new());
    let mut index: Dims = smallvec::smallvec![0; outer.len()];
    for row in truth.data::<Bool8>().chunks_exact(width.max(1)) {
        watch::poll();
        let last = &mut columns[outer.len()];
        let before = last.len();
        last.extend((0..width as i64).filter(|&j| row[j as usize].get()));
        let after = last.len();
        for (column, &i) in columns.iter_mut().zip(&index) {
            column.resize(column.len() + after - before, i as i64);
        }
        advance(&mut index, outer);
    }
    let vector = |values: Vec<i64>| {
        let sizes = [values.len()];
        Tensor::from_vec(values, &sizes)
    };
    columns.into_iter().map(vector).collect()
}

/// The next index in row-major order.
fn advance(index: &mut [usize], sizes: &[usize]) {
    for (i, &size) in index.iter_mut().zip(sizes).rev() {
        *i += 1;
        if *i < size {
            return;
        }
        *i = 0;
    }
}

/// Columns side by side.
pub fn table(columns: &[Tensor], count: usize) -> Result<Tensor> {
    let mut out = Buffer::<i64>::unspecified(memory::times([count, columns.len()]));
    for (o, column) in out.chunks_exact_mut(count.max(1)).zip(columns) {
        watch::poll();
        o.copy_from_slice(&column.data::<i64>());
    }
    Ok(out.into_tensor_with(Layout::strided(&[count, columns.len()], &[1, count], 0)))
}
