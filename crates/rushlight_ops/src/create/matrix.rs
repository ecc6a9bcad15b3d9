//! Matrices by pattern: identities, triangles, diagonals, powers, indicator rows.

use super::options::Options;
use crate::view::checked_sizes;
use crate::view::part::diagonal;
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Dims, Fault, Layout, Result, Scalar, Tensor, layout, watch};
use rushlight_types::{Context, OutDtype, op, operators};
use std::ops::Range;

operators! {
    /// Patterned matrices.
    pub static ROWS = [
        op!("aten::fill_diagonal_(Tensor(a!) self, Scalar fill_value, bool wrap=False) -> Tensor(a!)", fill_diagonal),
        op!("aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", eye),
        op_out!("aten::eye.out(SymInt n, *, Tensor(a!) out) -> Tensor(a!)", eye),
        op!("aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", eye_m),
        op_out!("aten::eye.m_out(SymInt n, SymInt m, *, Tensor(a!) out) -> Tensor(a!)", eye_m),
        op!("aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", tril).refused_as_out().out("out", crate::out::exact),
        op!("aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", triu).refused_as_out().out("out", crate::out::exact),
        op!("aten::tril_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)", tril_in_place),
        op!("aten::triu_(Tensor(a!) self, SymInt diagonal=0) -> Tensor(a!)", triu_in_place),
        op!("aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", tril_indices),
        op_out!("aten::tril_indices.out(int row, int col, int offset=0, *, Tensor(a!) out) -> Tensor(a!)", tril_indices),
        op!("aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", triu_indices),
        op_out!("aten::triu_indices.out(int row, int col, int offset=0, *, Tensor(a!) out) -> Tensor(a!)", triu_indices),
        op!("aten::diag(Tensor self, int diagonal=0) -> Tensor", diag).out("out", crate::out::exact).out_dtype(OutDtype::Castable("diag: result type {result} can't be cast to the desired out= type {out}")),
        op!("aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", diag_embed).out("out", crate::out::exact),
        op!("aten::diagflat(Tensor self, int offset=0) -> Tensor", diagflat),
        op!("aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", vander),
        op!("aten::linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor", linalg_vander),
        op!("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", one_hot),
    ];
}

/// Fills the main diagonal, in place. With `wrap`, that of a tall matrix begins again below each square, one row on.
fn fill_diagonal(t: &Tensor, value: Scalar, wrap: bool) -> Result<Tensor> {
    rushlight_tensor::promote::check_real(value, t.dtype())?;
    if t.rank() < 2 {
        return Err(Fault::runtime("dimensions must larger than 1"));
    }
    if t.rank() > 2 {
        if t.sizes().iter().any(|size| *size != t.size(0)) {
            return Err(Fault::runtime(
                "all dimensions of input must be of equal length",
            ));
        }
        let step = t.strides().iter().sum();
        let layout = Layout::strided(&[t.size(0)], &[step], t.layout().offset());
        t.view_with(layout)?.fill(value)?;
        return Ok(t.clone());
    }
    let period = t.size(1).saturating_add(1);
    for start in (0..t.size(0)).step_by(period) {
        watch::poll();
        let below = t.slice(0, Some(start as i64), None, 1)?;
        diagonal(&below, 0, 0, 1)?.fill(value)?;
        if !wrap {
            break;
        }
    }
    Ok(t.clone())
}

fn eye(cx: &Context, n: i64, options: Options) -> Result<Tensor> {
    eye_m(cx, n, n, options)
}

fn eye_m(cx: &Context, n: i64, m: i64, options: Options) -> Result<Tensor> {
    for (name, value) in [("n", n), ("m", m)] {
        if value < 0 {
            return Err(Fault::runtime(format!(
                "{name} must be greater or equal to 0, got {value}"
            )));
        }
    }
    let out = Tensor::zeros(&[n as usize, m as usize], options.dtype_or_default(cx))?;
    diagonal(&out, 0, 0, 1)?.fill(Scalar::Int(1))?;
    Ok(out)
}

/// A copy with zeros in the columns that `cut` gives for each row.
fn triangle(
    name: &str,
    t: &Tensor,
    cut: impl Fn(usize, usize) -> std::ops::Range<usize>,
) -> Result<Tensor> {
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "{name}: input tensor must have at least 2 dimensions"
        )));
    }
    let (rows, columns) = (t.size(t.rank() - 2), t.size(t.rank() - 1));
    let width = t.dtype().size();
    let source = t.contiguous().bytes()?;
    let mut out = Buffer::copy_of(&source.data::<u8>());
    for (i, line) in out.chunks_exact_mut((columns * width).max(1)).enumerate() {
        watch::poll();
        let range = cut(i % rows, columns);
        line[range.start * width..range.end * width].fill(0);
    }
    out.into_elements(t.dtype(), t.sizes())
}

/// The first column right of diagonal `offset` in a row.
fn column_after(row: usize, offset: i64, columns: usize) -> usize {
    (row as i64).saturating_add(offset).clamp(0, columns as i64) as usize
}

pub(crate) fn tril(t: &Tensor, offset: i64) -> Result<Tensor> {
    triangle("tril", t, |row, columns| {
        column_after(row, offset.saturating_add(1), columns)..columns
    })
}

pub(crate) fn triu(t: &Tensor, offset: i64) -> Result<Tensor> {
    triangle("triu", t, |row, columns| {
        0..column_after(row, offset, columns)
    })
}

fn tril_in_place(t: &Tensor, offset: i64) -> Result<Tensor> {
    t.copy_from(&tril(t, offset)?)?;
    Ok(t.clone())
}

fn triu_in_place(t: &Tensor, offset: i64) -> Result<Tensor> {
    t.copy_from(&triu(t, offset)?)?;
    Ok(t.clone())
}

/// Row and column indices of the columns that `keep` gives for each row; rows outside `filled` have none.
fn triangle_indices(
    name: &str,
    rows: i64,
    columns: i64,
    filled: Range<i64>,
    options: Options,
    keep: impl Fn(usize, usize) -> Range<usize>,
) -> Result<Tensor> {
    let sizes = checked_sizes(&[rows, columns]).map_err(|_| {
        let (name, value) = if rows < 0 {
            ("row", rows)
        } else {
            ("col", columns)
        };
        Fault::runtime(format!("{name} must be non-negative, got{value}"))
    })?;
    layout::checked_numel(&sizes)?;
    let dtype = options.dtype.unwrap_or(DType::I64);
    if !matches!(dtype, DType::I64 | DType::I32) {
        return Err(Fault::no_kernel(name, dtype));
    }
    let columns = sizes[1];
    // Rows without columns need not be counted.
    let count = if columns == 0 { 0 } else { sizes[0] as i64 };
    let rows = filled.start.clamp(0, count) as usize..filled.end.clamp(0, count) as usize;
    let mut total = 0usize;
    let mut row = rows.start;
    while row < rows.end {
        watch::poll();
        // From row to row there are more or fewer columns, so that equally many are in neighbouring rows.
        let len = keep(row, columns).len();
        let (mut same, mut other) = (row, rows.end);
        while other - same > 1 {
            let middle = same + (other - same) / 2;
            match keep(middle, columns).len() == len {
                true => same = middle,
                false => other = middle,
            }
        }
        total = total.saturating_add(len.saturating_mul(other - row));
        if total as u64 > 1 << 32 {
            return Err(Fault::runtime("the result is too large"));
        }
        row = other;
    }
    let mut values: Vec<i64> = memory::with_capacity(2 * total);
    for row in rows.clone() {
        watch::poll();
        values.extend(keep(row, columns).map(|_| row as i64));
    }
    for row in rows {
        watch::poll();
        values.extend(keep(row, columns).map(|column| column as i64));
    }
    let out = Tensor::from_vec(values, &[2, total])?;
    Ok(out.to_dtype(options.dtype.unwrap_or(DType::I64)))
}

fn tril_indices(rows: i64, columns: i64, offset: i64, options: Options) -> Result<Tensor> {
    let filled = offset.saturating_neg()..i64::MAX;
    triangle_indices(
        "tril_indices",
        rows,
        columns,
        filled,
        options,
        |row, columns| 0..column_after(row, offset.saturating_add(1), columns),
    )
}

fn triu_indices(rows: i64, columns: i64, offset: i64, options: Options) -> Result<Tensor> {
    let filled = 0..columns.saturating_sub(offset);
    triangle_indices(
        "triu_indices",
        rows,
        columns,
        filled,
        options,
        |row, columns| column_after(row, offset, columns)..columns,
    )
}

fn diag(t: &Tensor, offset: i64) -> Result<Tensor> {
    match t.rank() {
        1 => diag_embed(t, offset, 0, 1),
        2 => Ok(diagonal(t, offset, 0, 1)?.contiguous_copy()),
        rank => Err(Fault::runtime(format!(
            "diag(): Supports 1D or 2D tensors. Got {rank}D"
        ))),
    }
}

fn diag_embed(t: &Tensor, offset: i64, dim1: i64, dim2: i64) -> Result<Tensor> {
    let rank = t.rank() + 1;
    let (a, b) = (wrap_dim(dim1, rank)?, wrap_dim(dim2, rank)?);
    if a == b {
        return Err(Fault::runtime(format!(
            "diagonal dimensions cannot be identical {dim1}, {dim2}"
        )));
    }
    let Some((last, batch)) = t.sizes().split_last() else {
        return Err(rushlight_tensor::view::no_dimensions(-1));
    };
    let side = usize::try_from(offset.unsigned_abs())
        .ok()
        .and_then(|o| o.checked_add(*last))
        .ok_or_else(|| Fault::runtime("Storage size calculation overflowed"))?;
    let mut rest = batch.iter().copied();
    let sizes: Dims = (0..rank)
        .map(|d| {
            if d == a || d == b {
                side
            } else {
                rest.next().unwrap_or(1)
            }
        })
        .collect();
    let out = Tensor::zeros(&sizes, t.dtype())?;
    diagonal(&out, offset, a as i64, b as i64)?.copy_from(t)?;
    Ok(out)
}

fn diagflat(t: &Tensor, offset: i64) -> Result<Tensor> {
    diag(&t.reshape_to(&[t.numel()])?, offset)
}

fn vander(x: &Tensor, columns: Option<i64>, increasing: bool) -> Result<Tensor> {
    if x.rank() != 1 {
        return Err(Fault::runtime("x must be a one-dimensional tensor."));
    }
    let columns = columns.unwrap_or(x.numel() as i64);
    if columns < 0 {
        return Err(Fault::runtime("N must be non-negative."));
    }
    let dtype = match x.dtype() {
        d if d.is_integral(true) => DType::I64,
        d => d,
    };
    let (x, columns) = (x.to_dtype(dtype), columns as usize);
    let out = Tensor::empty(&[x.numel(), columns], dtype)?;
    rushlight_tensor::dispatch!(dtype, NotBool, T => {
        use rushlight_tensor::Number;
        let source = x.data::<T>();
        let mut values = rushlight_tensor::Buffer::<T>::unspecified(out.numel());
        if columns > 0 {
            for (row, x) in values.chunks_exact_mut(columns).zip(source.iter()) {
                watch::poll();
                let mut power = T::ONE;
                for v in row.iter_mut() {
                    *v = power;
                    power = power.mul(*x);
                }
                if !increasing {
                    row.reverse();
                }
            }
        }
        Ok(values.into_tensor(out.sizes()))
    }, else => Err(Fault::no_kernel("vander", dtype)))
}

/// Batches of Vandermonde matrices with rising powers.
fn linalg_vander(x: &Tensor, columns: Option<i64>) -> Result<Tensor> {
    let x = match x.rank() {
        0 => &x.reshape_to(&[1])?,
        _ => x,
    };
    let last = x.sizes().last().copied().unwrap_or(1);
    if matches!(x.dtype(), DType::Bool | DType::F16 | DType::BF16) {
        return Err(Fault::not_implemented(format!(
            "linalg.vander supports floating point, complex, and integer tensors, but got {}",
            x.dtype().class_name()
        )));
    }
    let columns = columns.unwrap_or(last as i64);
    if columns <= 1 {
        return Err(Fault::runtime("N must be greater than 1."));
    }
    let powers = vander(&x.reshape_to(&[x.numel()])?, Some(columns), true)?;
    let sizes: Dims = x
        .sizes()
        .iter()
        .copied()
        .chain([columns as usize])
        .collect();
    powers.reshape_to(&sizes)
}

fn one_hot(t: &Tensor, classes: i64) -> Result<Tensor> {
    if t.dtype() != DType::I64 {
        return Err(Fault::runtime(
            "one_hot is only applicable to index tensor of type LongTensor.",
        ));
    }
    let indices = t.data::<i64>();
    if indices.is_empty() && classes <= 0 {
        return Err(Fault::runtime(
            "Can not infer total number of classes from empty tensor.",
        ));
    }
    if indices.iter().any(|i| *i < 0) {
        return Err(Fault::runtime("Class values must be non-negative."));
    }
    let most = indices.iter().copied().max().unwrap_or(-1);
    let classes = match classes {
        -1 => most
            .checked_add(1)
            .ok_or_else(|| Fault::runtime("zeros: Dimension size must be non-negative."))?,
        n if n <= most => {
            return Err(Fault::runtime(
                "Class values must be smaller than num_classes.",
            ));
        }
        n => n,
    } as usize;
    let sizes: Dims = t.sizes().iter().copied().chain([classes]).collect();
    layout::checked_numel(&sizes)?;
    let mut out = rushlight_tensor::Buffer::<i64>::zeroed(memory::times([indices.len(), classes]));
    for (row, i) in out.chunks_exact_mut(classes.max(1)).zip(indices.iter()) {
        row[*i as usize] = 1;
    }
    Ok(out.into_tensor(&sizes))
}
