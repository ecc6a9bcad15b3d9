//! Places in sorted rows.

use rushlight_tensor::{Buffer, DType, Element, Fault, Result, Tensor, watch};

/// The first place where `value` may be inserted, or the last one if `right`; NaN goes to the end.
pub fn insertion<T: PartialOrd + Copy>(
    sorted: impl Fn(usize) -> T,
    n: usize,
    value: T,
    right: bool,
) -> usize {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        let x = sorted(middle);
        let here = if right { x > value } else { x >= value };
        if here {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Searches every value in the row of `sorted` that belongs to it.
fn search<T: Element + PartialOrd>(
    sorted: &Tensor,
    values: &Tensor,
    sorter: Option<&Tensor>,
    right: bool,
) -> Buffer<i64> {
    let (rows, values) = (sorted.data::<T>(), values.data::<T>());
    let order = sorter.map(|sorter| sorter.to_vec::<i64>());
    let n = sorted.sizes().last().copied().unwrap_or(1);
    let row_count = if n == 0 { 1 } else { (rows.len() / n).max(1) };
    let per_row = (values.len() / row_count).max(1);
    let mut out = Buffer::<i64>::unspecified(values.len());
    for (i, (o, &value)) in out.iter_mut().zip(values.iter()).enumerate() {
        watch::poll();
        let row = i / per_row * n;
        let at = |k: usize| match &order {
            Some(order) => rows[row + order[row + k] as usize],
            None => rows[row + k],
        };
        *o = insertion(at, n, value, right) as i64;
    }
    out
}

/// Where values would be put into sorted rows.
pub fn search_in(
    sorted: &Tensor,
    values: &Tensor,
    sorter: Option<&Tensor>,
    right: bool,
    out_int32: bool,
) -> Result<Tensor> {
    let is_refused = |d: DType| d.is_complex() || d.is_wide_unsigned();
    let is_asked = values.numel() > 0;
    if is_asked && values.dtype() == DType::Bool && sorted.dtype() == DType::Bool {
        return Err(Fault::no_kernel("searchsorted_out_cpu", values.dtype()));
    }
    if is_asked && let Some(t) = [sorted, values].iter().find(|t| is_refused(t.dtype())) {
        return Err(Fault::no_kernel("searchsorted_out_cpu", t.dtype()));
    }
    let integral = sorted.dtype().is_integral(true) && values.dtype().is_integral(true);
    let dtype = if integral { DType::I64 } else { DType::F64 };
    let (sorted, wide) = (sorted.to_dtype(dtype), values.to_dtype(dtype));
    let found = if integral {
        search::<i64>(&sorted, &wide, sorter, right)
    } else {
        search::<f64>(&sorted, &wide, sorter, right)
    };
    let found = found.into_tensor(values.sizes());
    Ok(if out_int32 {
        found.to_dtype(DType::I32)
    } else {
        found
    })
}
