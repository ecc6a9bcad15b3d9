//! Products of batches of matrices and their affine form.

use super::gemm::{Matrix, cost, product, product_types};
use super::small;
use super::tiles::{self, Start};
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{
    Buffer, Complex32, Complex64, DType, Dims, Fault, Layout, Number, Result, Tensor, dispatch,
    threads, watch,
};

/// The last two dimensions of a tensor as a matrix, for the batch that starts at `offset` in its span.
pub fn matrix_at<'a, T>(span: &'a [T], layout: &Layout, offset: usize) -> Matrix<'a, T> {
    let r = layout.rank();
    Matrix::new(
        &span[offset.min(span.len())..],
        layout.sizes()[r - 2],
        layout.sizes()[r - 1],
        layout.strides()[r - 2],
        layout.strides()[r - 1],
    )
}

/// The offset, in a layout, of an index of its leading dimensions, by the index's number in row-major order.
fn batch_offset(layout: &Layout, number: usize) -> usize {
    let lead = layout.rank() - 2;
    let (sizes, strides) = (&layout.sizes()[..lead], &layout.strides()[..lead]);
    let mut rest = number;
    let mut offset = 0;
    for (size, stride) in sizes.iter().zip(strides).rev() {
        offset += rest % size * stride;
        rest /= size;
    }
    offset
}

/// The product of the last two dimensions of tensors whose leading sizes are equal and whose dtype is one that
/// [`product_dtype`] returns. Row-major.
pub fn batched(a: &Tensor, b: &Tensor) -> Tensor {
    let (a, b) = (&with_neighbours(a), &with_neighbours(b));
    let r = a.rank();
    let (m, n) = (a.size(r - 2), b.size(r - 1));
    let mut sizes = Dims::from_slice(a.sizes());
    sizes[r - 1] = n;
    if let Some(out) = by_kept_columns(a, b, &sizes) {
        return out;
    }
    let small = match a.dtype() {
        DType::F32 => small_ones::<f32>(a, b, &sizes),
        DType::F64 => small_ones::<f64>(a, b, &sizes),
        DType::C64 => small_ones::<Complex32>(a, b, &sizes),
        DType::C128 => small_ones::<Complex64>(a, b, &sizes),
        _ => None,
    };
    if let Some(out) = small {
        return out;
    }
    product_types!(a.dtype(), T => {
        let mut out = Buffer::<T>::unspecified(memory::numel(&sizes));
        let (x, y) = (a.span::<T>(), b.span::<T>());
        let (x, y) = (&x[..], &y[..]);
        let cost = cost(m * n, a.size(r - 1));
        threads::split_rows(&mut out, m * n, 1, cost, &|batches, out| {
            for (number, c) in batches.zip(out.chunks_exact_mut((m * n).max(1))) {
                watch::poll();
                let left = matrix_at(x, a.layout(), batch_offset(a.layout(), number));
                let right = matrix_at(y, b.layout(), batch_offset(b.layout(), number));
                product(left, right, c, n, false);
            }
        });
        out.into_tensor(&sizes)
    })
}

/// As [`batched`], of several matrices that are [small](small::suits).
fn small_ones<T: small::Number>(a: &Tensor, b: &Tensor, sizes: &[usize]) -> Option<Tensor> {
    let r = sizes.len();
    let count = sizes[..r - 2].iter().product::<usize>();
    let (depth, columns) = (a.size(r - 1), sizes[r - 1]);
    let turn = b.layout().strides()[r - 1] != 1 && columns > 1;
    if count < 2 || !small::suits::<T>([sizes[r - 2], depth, columns], turn) {
        return None;
    }
    let mut out = Buffer::<T>::unspecified(memory::numel(sizes));
    let (x, y) = (a.span::<T>(), b.span::<T>());
    let left = small::Operand {
        data: &x,
        layout: a.layout(),
        start: batch_offset,
    };
    let right = small::Operand {
        data: &y,
        layout: b.layout(),
        start: batch_offset,
    };
    let size = sizes[r - 2] * columns;
    threads::split_rows(&mut out, size, 1, cost(size, depth), &|batches, out| {
        small::products(&left, &right, batches, out);
    });
    Some(out.into_tensor(sizes))
}

/// The matrices, copied where neither rows nor columns have elements that are neighbours (as where one number is repeated):
/// kernels would take them number by number.
fn with_neighbours(t: &Tensor) -> Tensor {
    match t.strides() {
        [.., rows, columns] if *rows != 1 && *columns != 1 => t.contiguous(),
        _ => t.clone(),
    }
}

/// The product of two matrices of which the right one is a weight, transposed, that its storage keeps packed.
fn by_kept_columns(a: &Tensor, b: &Tensor, sizes: &[usize]) -> Option<Tensor> {
    // Weights are rows of numbers, which are columns here.
    if a.rank() != 2 || b.layout().strides()[0] != 1 {
        return None;
    }
    affine_kept(a, &b.transpose(0, 1).ok()?, None, sizes)
}

/// The complex conjugate; real tensors are their own.
pub fn conjugate(t: &Tensor) -> Tensor {
    match t.dtype() {
        DType::C64 => Buffer::from_iter(
            t.data::<rushlight_tensor::Complex32>()
                .iter()
                .map(|c| c.conj()),
        )
        .into_tensor(t.sizes()),
        DType::C128 => Buffer::from_iter(
            t.data::<rushlight_tensor::Complex64>()
                .iter()
                .map(|c| c.conj()),
        )
        .into_tensor(t.sizes()),
        _ => t.clone(),
    }
}

/// The elementwise product of tensors of the same sizes and dtype.
pub fn scaled(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dtype = a.dtype();
    Ok(dispatch!(dtype, NotBool, T => {
        let (x, y) = (a.data::<T>(), b.data::<T>());
        Buffer::from_iter(x.iter().zip(y.iter()).map(|(x, y)| x.mul(*y))).into_tensor(a.sizes())
    }, else => {
        let (x, y) = (a.to_vec::<i64>(), b.to_vec::<i64>());
        let both: Vec<i64> = x.iter().zip(&y).map(|(x, y)| x & y).collected();
        Tensor::from_vec(both, a.sizes())?.to_dtype(dtype)
    }))
}

/// `x wᵀ + bias`, row-major.
pub fn affine<T: super::gemm::Product>(
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
) -> Tensor {
    let (rows, n) = (x.size(0), w.size(0));
    let mut out = Buffer::<T>::unspecified(memory::times([rows, n]));
    if let Some(bias) = bias {
        let bias = bias.data::<T>();
        if bias.len() == n {
            for row in out.chunks_mut(n.max(1)) {
                row.copy_from_slice(&bias);
            }
        } else {
            out.copy_from_slice(&bias);
        }
    }
    let (left, right) = (x.span::<T>(), w.span::<T>());
    let left = matrix_at(&left, x.layout(), 0);
    let right = matrix_at(&right, w.layout(), 0).transposed();
    product(left, right, &mut out, n, bias.is_some());
    out.into_tensor(sizes)
}

/// [`affine`] with a weight in f32 that its storage keeps packed; `None` where that is not so.
pub fn affine_kept(
    x: &Tensor,
    w: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
) -> Option<Tensor> {
    if w.dtype() != DType::F32 {
        return None;
    }
    let bias = bias.map(|b| b.data::<f32>());
    let start = match &bias {
        None => Start::Zero,
        Some(bias) if bias.len() == w.size(0) => Start::Columns(bias),
        Some(_) => return None,
    };
    let mut out = Buffer::<f32>::unspecified(memory::times([x.size(0), w.size(0)]));
    tiles::by_kept_weight(x, w, start, &mut out).then(|| out.into_tensor(sizes))
}

/// Checks that a chain of matrices, which may begin and end with vectors, can be multiplied.
pub fn check_chain(chain: &[Tensor]) -> Result<()> {
    let fail = |message: String| Err(Fault::runtime(format!("multi_dot(): {message}")));
    let count = chain.len();
    if count < 2 {
        return fail(format!("expected at least 2 tensors but got {count}"));
    }
    for (i, t) in chain.iter().enumerate() {
        let (first, last, rank) = (i == 0, i == count - 1, t.rank());
        if rank != 2 && !(rank == 1 && (first || last)) {
            return fail(match first || last {
                true if first => format!("the first tensor must be 1D or 2D but got {rank}D"),
                true => format!("the last tensor must be 1D or 2D but got {rank}D"),
                false => format!("tensor {i} must be 2D but got {rank}D"),
            });
        }
        if t.dtype() != chain[0].dtype() {
            return fail(format!(
                "all tensors must have be the same dtype but tensor 0 is {} and tensor {i} {}",
                chain[0].dtype().scalar_name(),
                t.dtype().scalar_name()
            ));
        }
    }
    for (i, pair) in chain.windows(2).enumerate() {
        if pair[0].sizes().last() != pair[1].sizes().first() {
            return fail(format!(
                "tensors {i} and {} with shapes {} and {} cannot be multiplied",
                i + 1,
                list(pair[0].sizes()),
                list(pair[1].sizes())
            ));
        }
    }
    Ok(())
}

/// `splits[i][j]`: where to split the product of matrices `i..=j`, by dynamic programming over the costs.
pub fn cheapest_splits(chain: &[Tensor]) -> Vec<Vec<usize>> {
    let n = chain.len();
    let mut size: Vec<f64> = chain.iter().map(|t| t.size(0) as f64).collected();
    size.push(chain[n - 1].size(1) as f64);
    let mut cost = memory::filled(n, memory::filled(n, 0.0f64));
    let mut split = memory::filled(n, memory::filled(n, 0usize));
    for length in 1..n {
        watch::poll();
        for i in 0..n - length {
            watch::poll();
            let j = i + length;
            cost[i][j] = f64::INFINITY;
            for k in i..j {
                let total = cost[i][k] + cost[k + 1][j] + size[i] * size[k + 1] * size[j + 1];
                if total < cost[i][j] {
                    cost[i][j] = total;
                    split[i][j] = k;
                }
            }
        }
    }
    split
}
