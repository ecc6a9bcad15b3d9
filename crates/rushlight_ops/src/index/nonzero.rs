//! Where elements are not zero: `nonzero`, `nonzero_static`, `argwhere`, `where` with one argument.

use rushlight_tensor::memory;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Bool8, Buffer, DType, Dims, Fault, Layout, Result, Tensor, watch};
use rushlight_types::{Sizes, op, operators};

operators! {
    /// Indices of non-zero elements.
    pub static ROWS = [
        op!("aten::nonzero(Tensor self) -> Tensor", nonzero).sizes_are(Sizes::ByElements),
        op_out!("aten::nonzero.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", nonzero).sizes_are(Sizes::ByElements),
        op!("aten::nonzero_numpy(Tensor self) -> Tensor[]", nonzero_numpy).sizes_are(Sizes::ByElements),
        op!("aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor", nonzero_static),
        op_out!("aten::nonzero_static.out(Tensor self, *, SymInt size, int fill_value=-1, Tensor(a!) out) -> Tensor(a!)", nonzero_static),
        op!("aten::argwhere(Tensor self) -> Tensor", nonzero).sizes_are(Sizes::ByElements),
        op!("aten::where(Tensor condition) -> Tensor[]", nonzero_numpy),
    ];
}

/// The row-major indices of the elements that are not zero.
pub fn true_places(t: &Tensor) -> Vec<usize> {
    let truth = t.to_dtype(DType::Bool);
    let data = truth.data::<Bool8>();
    (0..data.len()).filter(|&i| data[i].get()).collected()
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

/// `nonzero`: one row of indices per element, stored column by column.
pub fn nonzero(t: &Tensor) -> Result<Tensor> {
    let columns = nonzero_columns(t)?;
    let count = match columns.first() {
        Some(column) => column.numel(),
        None => true_places(t).len(),
    };
    table(&columns, count)
}

/// Columns side by side.
fn table(columns: &[Tensor], count: usize) -> Result<Tensor> {
    let mut out = Buffer::<i64>::stale(memory::times([count, columns.len()]));
    for (o, column) in out.chunks_exact_mut(count.max(1)).zip(columns) {
        watch::poll();
        o.copy_from_slice(&column.data::<i64>());
    }
    Ok(out.into_tensor_with(Layout::strided(
        &[count, columns.len()],
        &[1, count.max(1)],
        0,
    )))
}

fn nonzero_numpy(t: &Tensor) -> Result<Vec<Tensor>> {
    if t.rank() == 0 {
        return nonzero_columns(&t.reshape_to(&[1])?);
    }
    nonzero_columns(t)
}

/// As `nonzero`, cut or filled to `size` rows.
fn nonzero_static(t: &Tensor, size: i64, fill: i64) -> Result<Tensor> {
    let size = usize::try_from(size)
        .map_err(|_| Fault::runtime("nonzero_static: 'size' must be an non-negative integer"))?;
    let sizes: Dims = smallvec::smallvec![size, t.rank()];
    let out = Tensor::full(&sizes, fill.into(), DType::I64)?;
    let found = nonzero(t)?;
    let rows = found.size(0).min(size);
    out.narrow(0, 0, rows)?
        .copy_from(&found.narrow(0, 0, rows)?)?;
    Ok(out)
}
