//! Products of vectors, matrices and batches: `mm`, `bmm`, `matmul`, `linear` and their kin.

use super::addmm::same_dtype;
use super::gemm::{product_dtype, product_types};
use crate::compute::dense;
use rushlight_kernels::linalg::product::{affine, affine_kept, cheapest_splits, check_chain};
pub(crate) use rushlight_kernels::linalg::product::{batched, conjugate, scaled};
use rushlight_tensor::layout::{broadcast_or_fault, list};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Dims, Fault, Result, Tensor, watch};
use rushlight_types::warning::Notice;
use rushlight_types::{Context, Functional, OutDtype, op, operators};

operators! {
    /// Products without addend.
    pub static ROWS = [
        op!("aten::mm(Tensor self, Tensor mat2) -> Tensor", mm).functional(Functional::MatMul).refused_as_out().out("out", crate::out::exact),
        op!("aten::bmm(Tensor self, Tensor mat2) -> Tensor", bmm).refused_as_out().out("out", crate::out::exact),
        op!("aten::mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", mm_into).out("dtype_out", crate::out::exact),
        op!("aten::bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", bmm_into).out("dtype_out", crate::out::exact),
        op!("aten::matmul(Tensor self, Tensor other) -> Tensor", matmul).functional(Functional::MatMul).refused_as("aten::mm.out").out("out", crate::out::exact),
        op!("aten::linalg_matmul(Tensor self, Tensor other) -> Tensor", matmul).out("out", crate::out::cast),
        op!("aten::mv(Tensor self, Tensor vec) -> Tensor", mv).out("out", crate::out::cast).out_dtype(OutDtype::Same("Expected out tensor to have dtype {result:c}, but got {out:c} instead")).refused_as("aten::addmv.out"),
        op!("aten::dot(Tensor self, Tensor tensor) -> Tensor", dot).out("out", crate::out::cast).out_dtype(OutDtype::Same("result dtype {out} does not match input dtype {result}")),
        op!("aten::vdot(Tensor self, Tensor other) -> Tensor", vdot).out("out", crate::out::cast).out_dtype(OutDtype::Same("result dtype {out} does not match input dtype {result}")),
        op!("aten::inner(Tensor self, Tensor other) -> Tensor", inner).out("out", crate::out::cast).out_dtype(OutDtype::Same("tensordot: Expected the output tensor to have dtype {result}, but got an output tensor with dtype {out}")),
        op!("aten::outer(Tensor self, Tensor vec2) -> Tensor", outer).refused_as("aten::mul.out").out("out", crate::out::cast),
        op!("aten::ger(Tensor self, Tensor vec2) -> Tensor", outer).out("out", crate::out::cast),
        op!("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", linear).functional(Functional::Linear).refused_as("aten::mm.out").out("out", crate::out::exact),
        op!("aten::chain_matmul(Tensor[] matrices) -> Tensor", chain_matmul).variadic().out("out", crate::out::cast),
        op!("aten::linalg_multi_dot(Tensor[] tensors) -> Tensor", multi_dot).out("out", crate::out::cast).out_dtype(OutDtype::Same("multi_dot(): expected out tensor to have dtype {result:c} but got {out:c}")),
        op!("aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", vecdot).out("out", crate::out::cast).out_dtype(OutDtype::Same("linalg.vecdot: Expected out of dtype{result} but found {out}")),
    ];
}

/// The refusal of a product that is of another dtype than its factors: no processor has it.
pub(super) fn other_dtype(name: &str) -> Result<Tensor> {
    Err(Fault::not_implemented(format!(
        "Could not run '{name}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
    )))
}

fn mm_into(_: &Tensor, _: &Tensor, _: DType) -> Result<Tensor> {
    other_dtype("aten::mm.dtype")
}

fn bmm_into(_: &Tensor, _: &Tensor, _: DType) -> Result<Tensor> {
    other_dtype("aten::bmm.dtype")
}

/// [`batched`] in the dtype that the operands' dtype computes in, rounded back to it.
pub fn multiply(kernel: &str, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    // A row that stands for more elements than a machine holds would be added up for days.
    const MOST: u64 = 1 << 36;
    let row = a.sizes().last().copied().unwrap_or(1);
    if row as u64 > MOST {
        return Err(Fault::runtime(format!(
            "rows of {row} elements are more than can be multiplied"
        )));
    }
    // Where nothing is multiplied no kernel is asked.
    let dtype = match a.numel() == 0 || b.numel() == 0 {
        true => product_dtype(kernel, a.dtype()).unwrap_or(DType::I64),
        false => product_dtype(kernel, a.dtype())?,
    };
    Ok(batched(&a.to_dtype(dtype), &b.to_dtype(dtype)).to_dtype(a.dtype()))
}

/// A dtype's type in C++.
fn spelled(dtype: DType) -> &'static str {
    match dtype {
        DType::I64 => "long int",
        other => other.scalar_name(),
    }
}

fn dtypes_agree(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() == b.dtype() {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "expected m1 and m2 to have the same dtype, but got: {} != {}",
        spelled(a.dtype()),
        spelled(b.dtype())
    )))
}

/// Checks that the addend, the matrix and the vector of a product have one dtype.
pub(crate) fn vectors_agree(own: &Tensor, a: &Tensor, v: &Tensor) -> Result<()> {
    if own.dtype() == a.dtype() && a.dtype() == v.dtype() {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "addmv input tensors must have the same dtype, but got {}, {}, and {}",
        own.dtype().class_name(),
        a.dtype().class_name(),
        v.dtype().class_name()
    )))
}

/// Checks that both factors of a product are matrices.
pub(crate) fn check_matrices(operator: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    for (name, factor) in [("self", a), ("mat2", b)] {
        if factor.rank() != 2 {
            return Err(Fault::runtime(format!(
                "{operator}: {name} must be a matrix, got {}-D tensor",
                factor.rank()
            )));
        }
    }
    Ok(())
}

/// Operands of operators that convert neither of them.
pub(super) fn same_scalar_types(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() == b.dtype() {
        return Ok(());
    }
    Err(Fault::other_scalar_type(a.dtype(), b.dtype()))
}

/// The message for inner sizes that differ.
pub(crate) fn shapes_do_not_multiply(
    operator: &str,
    [m, k]: [usize; 2],
    [l, n]: [usize; 2],
) -> Fault {
    Fault::runtime(format!(
        "{operator}: mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {l}x{n})"
    ))
}

pub(super) fn mm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    check_matrices("mm", a, b)?;
    if a.size(1) != b.size(0) {
        let (left, right) = ([a.size(0), a.size(1)], [b.size(0), b.size(1)]);
        return Err(shapes_do_not_multiply("mm", left, right));
    }
    dtypes_agree(a, b)?;
    multiply("addmm_impl_cpu_", a, b)
}

/// Checks the operands of a batched product.
pub(crate) fn check_ranks(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.rank() != 3 {
        return Err(Fault::runtime("batch1 must be a 3D tensor"));
    }
    if b.rank() != 3 {
        return Err(Fault::runtime("batch2 must be a 3D tensor"));
    }
    Ok(())
}

/// Refuses batches of matrices that cannot be multiplied for their sizes.
pub(crate) fn check_batches(a: &Tensor, b: &Tensor) -> Result<()> {
    check_ranks(a, b)?;
    if a.size(0) != b.size(0) || a.size(2) != b.size(1) {
        return Err(Fault::runtime(format!(
            "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}].",
            a.size(0),
            a.size(2),
            b.size(0),
            b.size(1)
        )));
    }
    Ok(())
}

fn bmm(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    check_batches(a, b)?;
    multiply_batches(a, b)
}

/// The products of batches; where there is nothing to multiply no dtype is looked at, and the second says what comes out.
fn multiply_batches(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.numel() == 0 || b.numel() == 0 {
        return multiply("bmm", &a.to_dtype(b.dtype()), b);
    }
    product_dtype("bmm", a.dtype())?;
    same_scalar_types(a, b)?;
    multiply("bmm", a, b)
}

/// Fails in the words of one who asks a tensor for the size of a dimension that it lacks.
pub(crate) fn need_dims(asked: &[(&Tensor, i64)]) -> Result<()> {
    for (t, dim) in asked {
        if t.rank() == 0 {
            return Err(rushlight_tensor::view::no_dimensions(*dim));
        }
        wrap_dim(*dim, t.rank())?;
    }
    Ok(())
}

fn mv(a: &Tensor, v: &Tensor) -> Result<Tensor> {
    need_dims(&[(a, 0)])?;
    if a.rank() != 2 || v.rank() != 1 {
        return Err(Fault::runtime(format!(
            "vector + matrix @ vector expected, got {}, {}, {}",
            1,
            a.rank(),
            v.rank()
        )));
    }
    if a.size(1) != v.size(0) {
        return Err(Fault::runtime(format!(
            "size mismatch, got input ({}), mat ({}x{}), vec ({})",
            a.size(0),
            a.size(0),
            a.size(1),
            v.size(0)
        )));
    }
    vectors_agree(v, a, v)?;
    multiply("addmv_impl_cpu", a, &v.unsqueeze(1)?)?.reshape_to(&[a.size(0)])
}

fn check_vectors(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.rank() != 1 || b.rank() != 1 {
        return Err(Fault::runtime(format!(
            "1D tensors expected, but got {}D and {}D tensors",
            a.rank(),
            b.rank()
        )));
    }
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime(format!(
            "dot : expected both vectors to have same dtype, but found {} and {}",
            a.dtype().class_name(),
            b.dtype().class_name()
        )));
    }
    if a.numel() != b.numel() {
        return Err(Fault::runtime(format!(
            "inconsistent tensor size, expected tensor [{0}] and src [{1}] to have the same number of elements, but got {0} and {1} elements respectively",
            a.numel(),
            b.numel()
        )));
    }
    Ok(())
}

fn dot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    check_vectors(a, b)?;
    // Where nothing is multiplied a kernel is asked all the same.
    product_dtype("dot", a.dtype())?;
    multiply("dot", &a.unsqueeze(0)?, &b.unsqueeze(1)?)?.reshape_to(&[])
}

fn vdot(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    check_vectors(a, b)?;
    dot(&conjugate(a), b)
}

/// The product of tensors of any ranks, by the rules of `matmul`.
pub fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.rank() == 0 || b.rank() == 0 {
        return Err(Fault::runtime(format!(
            "both arguments to matmul need to be at least 1D, but they are {}D and {}D",
            a.rank(),
            b.rank()
        )));
    }
    match (a.rank(), b.rank()) {
        (1, 1) => dot(a, b),
        (2, 1) => mv(a, b),
        (1, 2) => {
            let row = mm(&a.unsqueeze(0)?, b)?;
            row.reshape_to(&[b.size(1)])
        }
        (2, 2) => mm(a, b),
        (_, 1 | 2) => matmul_folded(a, b),
        _ => matmul_batched(a, b),
    }
}

/// Many matrices by one: the leading dimensions join the rows.
fn matmul_folded(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let k = a.size(a.rank() - 1);
    let rows = a.sizes()[..a.rank() - 1].iter().product();
    let flat = a.reshape_to(&[rows, k])?;
    let mut sizes = Dims::from_slice(&a.sizes()[..a.rank() - 1]);
    if b.rank() == 1 {
        mv(&flat, b)?.reshape_to(&sizes)
    } else {
        sizes.push(b.size(1));
        mm(&flat, b)?.reshape_to(&sizes)
    }
}

fn matmul_batched(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let column = b.rank() == 1;
    let row = a.rank() == 1;
    let a = if row { a.unsqueeze(0)? } else { a.clone() };
    let b = if column { b.unsqueeze(1)? } else { b.clone() };
    let (m, k) = (a.size(a.rank() - 2), a.size(a.rank() - 1));
    let (l, n) = (b.size(b.rank() - 2), b.size(b.rank() - 1));
    let batch = broadcast_or_fault(&a.sizes()[..a.rank() - 2], &b.sizes()[..b.rank() - 2])?;
    if k != l {
        let count: usize = batch.iter().product();
        return Err(Fault::runtime(format!(
            "Expected size for first two dimensions of batch2 tensor to be: [{count}, {k}] but got: [{count}, {l}]."
        )));
    }
    let with = |last: [usize; 2]| -> Dims { batch.iter().copied().chain(last).collect() };
    let out = multiply_batches(&a.expand_to(&with([m, k]))?, &b.expand_to(&with([k, n]))?)?;
    let mut sizes = with([m, n]);
    if row {
        sizes.remove(batch.len());
    }
    if column {
        sizes.pop();
    }
    out.reshape_to(&sizes)
}

fn inner(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    if a.rank() == 0 || b.rank() == 0 {
        let dtype = crate::compute::promoted(a, b);
        let sizes = broadcast_or_fault(a.sizes(), b.sizes())?;
        let (x, y) = (
            a.to_dtype(dtype).expand_to(&sizes)?,
            b.to_dtype(dtype).expand_to(&sizes)?,
        );
        return scaled(&x, &y);
    }
    let (k, l) = (a.size(a.rank() - 1), b.size(b.rank() - 1));
    if k != l {
        return Err(Fault::runtime(format!(
            "inner() the last dimension must match on both input tensors but got shapes {} and {}",
            list(a.sizes()),
            list(b.sizes())
        )));
    }
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime("both inputs should have same dtype"));
    }
    let rows = |t: &Tensor| t.sizes()[..t.rank() - 1].iter().product::<usize>();
    let left = a.reshape_to(&[rows(a), k])?;
    let right = b.reshape_to(&[rows(b), k])?.transpose(0, 1)?;
    let mut sizes = Dims::from_slice(&a.sizes()[..a.rank() - 1]);
    sizes.extend_from_slice(&b.sizes()[..b.rank() - 1]);
    mm(&left, &right)?.reshape_to(&sizes)
}

pub(super) fn outer(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    for (name, t) in [("self", a), ("vec2", b)] {
        if t.rank() != 1 {
            return Err(Fault::runtime(format!(
                "outer: Expected 1-D argument {name}, but got {}-D",
                t.rank()
            )));
        }
    }
    let dtype = crate::compute::promoted(a, b);
    let sizes = [a.size(0), b.size(0)];
    if dtype == DType::F32 {
        let (x, y) = (dense::<f32>(a), dense::<f32>(b));
        let y = y.data::<f32>();
        let mut out = Buffer::<f32>::unspecified(memory::times(sizes));
        for (row, x) in out
            .chunks_exact_mut(y.len().max(1))
            .zip(x.data::<f32>().iter())
        {
            watch::poll();
            row.iter_mut()
                .zip(y.iter())
                .for_each(|(out, y)| *out = x * y);
        }
        return Ok(out.into_tensor(&sizes));
    }
    let x = a.to_dtype(dtype).unsqueeze(1)?.expand_to(&sizes)?;
    let y = b.to_dtype(dtype).expand_to(&sizes)?;
    scaled(&x, &y)
}

pub fn linear(input: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    if input.rank() == 0 || weight.rank() == 0 {
        return Err(Fault::runtime(format!(
            "both arguments to linear need to be at least 1D, but they are {}D and {}D",
            input.rank(),
            weight.rank()
        )));
    }
    if weight.rank() == 1 {
        let out = matmul(input, weight)?;
        return match bias {
            Some(bias) => super::addmm::plus(&out, bias),
            None => Ok(out),
        };
    }
    if weight.rank() != 2 {
        return Err(Fault::runtime(format!(
            "linear: expected a weight of 1 or 2 dimensions, but got {}",
            weight.rank()
        )));
    }
    let (k, n) = (input.size(input.rank() - 1), weight.size(0));
    let rows: usize = input.sizes()[..input.rank() - 1].iter().product();
    // Products alone look at sizes first, those with a bias at dtypes.
    if bias.is_none() {
        sizes_agree("mm", [rows, k], weight)?;
        dtypes_agree(input, weight)?;
    }
    if let Some(bias) = bias {
        // A bias that fits the input says nothing about the weight.
        same_dtype("self and mat2", bias, weight)?;
        same_dtype("mat1 and mat2", input, weight)?;
        sizes_agree("addmm", [rows, k], weight)?;
    }
    let mut sizes = Dims::from_slice(input.sizes());
    sizes[input.rank() - 1] = n;
    if input.dtype() == DType::Bool && bias.is_none() && input.numel().min(weight.numel()) == 0 {
        return Tensor::zeros(&sizes, DType::Bool);
    }
    if let (DType::Bool, Some(bias)) = (input.dtype(), bias)
        && let Some(known) =
            super::addmm::of_bools(bias, &sizes, k, rushlight_tensor::Scalar::Int(1))
    {
        return known;
    }
    let dtype = product_dtype("addmm_impl_cpu_", input.dtype())?;
    let x = match input.rank() {
        2 => input.to_dtype(dtype),
        _ => input.to_dtype(dtype).reshape_to(&[rows, k])?,
    };
    let w = weight.to_dtype(dtype);
    let bias = bias.map(|b| bias_rows(b, input, &sizes)).transpose()?;
    let out = affine_kept(&x, &w, bias.as_ref(), &sizes)
        .unwrap_or_else(|| product_types!(dtype, T => affine::<T>(&x, &w, bias.as_ref(), &sizes)));
    Ok(out.to_dtype(input.dtype()))
}

/// Refuses what a linear layer of these dtypes and this bias does not make: `x` times the transposed weight, plus the
/// bias, of `sizes`.
pub fn linear_agrees(
    x: &Tensor,
    weight: &Tensor,
    bias: Option<&Tensor>,
    sizes: &[usize],
) -> Result<()> {
    let Some(bias) = bias else {
        return dtypes_agree(x, weight);
    };
    same_dtype("self and mat2", bias, weight)?;
    same_dtype("mat1 and mat2", x, weight)?;
    if bias.rank() == 1 && bias.sizes().last() == sizes.last() {
        return Ok(());
    }
    bias.expand(&sizes.iter().map(|s| *s as i64).collected())
        .map(|_| ())
}

/// Refuses rows that the weight of a linear layer does not take.
fn sizes_agree(operator: &str, [rows, width]: [usize; 2], weight: &Tensor) -> Result<()> {
    match width == weight.size(1) {
        true => Ok(()),
        false => Err(shapes_do_not_multiply(
            operator,
            [rows, width],
            [weight.size(1), weight.size(0)],
        )),
    }
}

/// The bias of a linear layer, in the dtype of the computation, broadcast to the result's sizes.
fn bias_rows(bias: &Tensor, input: &Tensor, sizes: &[usize]) -> Result<Tensor> {
    let dtype = product_dtype("addmm_impl_cpu_", input.dtype())?;
    let bias = bias.to_dtype(dtype);
    if bias.rank() == 1 && Some(&bias.numel()) == sizes.last() {
        return Ok(bias);
    }
    if bias.rank() <= 1 && (bias.numel() == 1 || Some(&bias.numel()) == sizes.last()) {
        // One row, whatever the number of rows of the result.
        return bias.expand_to(&sizes[sizes.len() - 1..]);
    }
    bias.expand(&sizes.iter().map(|s| *s as i64).collected())
}

/// Multiplies a chain of matrices in the order that needs the fewest operations.
static CHAIN: Notice = Notice::new(
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple parameters.",
);

fn chain_matmul(cx: &Context, matrices: Vec<Tensor>) -> Result<Tensor> {
    CHAIN.give(cx)?;
    if let Some(t) = matrices.iter().find(|t| t.rank() != 2) {
        return Err(Fault::runtime(format!(
            "Tensor dimension is {}, expected 2 instead.",
            t.rank()
        )));
    }
    match &matrices[..] {
        [] => Err(Fault::runtime(
            "chain_matmul(): Expected one or more matrices",
        )),
        [one] => Ok(one.deep_copy()),
        _ => multi_dot(matrices),
    }
}

fn multi_dot(mut chain: Vec<Tensor>) -> Result<Tensor> {
    check_chain(&chain)?;
    let count = chain.len();
    let row = chain[0].rank() == 1;
    let column = chain[count - 1].rank() == 1;
    if row {
        chain[0] = chain[0].unsqueeze(0)?;
    }
    if column {
        chain[count - 1] = chain[count - 1].unsqueeze(1)?;
    }
    let splits = cheapest_splits(&chain);
    let out = multiply_chain(&chain, &splits, 0, count - 1)?;
    let mut sizes = Dims::new();
    if !row {
        sizes.push(out.size(0));
    }
    if !column {
        sizes.push(out.size(1));
    }
    out.reshape_to(&sizes)
}

fn multiply_chain(chain: &[Tensor], splits: &[Vec<usize>], i: usize, j: usize) -> Result<Tensor> {
    if i == j {
        return Ok(chain[i].clone());
    }
    let k = splits[i][j];
    let left = multiply_chain(chain, splits, i, k)?;
    let right = multiply_chain(chain, splits, k + 1, j)?;
    mm(&left, &right)
}

fn vecdot(x: &Tensor, y: &Tensor, dim: i64) -> Result<Tensor> {
    if x.dtype().is_integral(true) {
        return Err(Fault::not_implemented(format!(
            "linalg.vecdot: Expected a floating point or complex tensor as input. Got {}",
            x.dtype().class_name()
        )));
    }
    if x.dtype() != y.dtype() {
        return Err(Fault::runtime(format!(
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type {} and y of type {} instead",
            x.dtype().class_name(),
            y.dtype().class_name()
        )));
    }
    // Two vectors have one dimension, whatever it is called.
    let vectors = x.rank() == 1 && y.rank() == 1;
    if vectors && x.numel() != y.numel() {
        return dot(x, y);
    }
    let dim = if vectors && x.sizes() == y.sizes() {
        -1
    } else {
        dim
    };
    let sizes = broadcast_or_fault(x.sizes(), y.sizes())?;
    if sizes.is_empty() {
        return vecdot(&x.unsqueeze(0)?, &y.unsqueeze(0)?, dim);
    }
    let dim = rushlight_tensor::view::wrap_dim(dim, sizes.len())? as i64;
    let order: Vec<i64> = (0..sizes.len() as i64)
        .filter(|d| *d != dim)
        .chain([dim])
        .collected();
    let x = conjugate(&x.expand_to(&sizes)?).permute(&order)?;
    let y = y.expand_to(&sizes)?.permute(&order)?;
    let out = multiply("linalg_vecdot", &x.unsqueeze(-2)?, &y.unsqueeze(-1)?)?;
    out.reshape_to(&x.sizes()[..sizes.len() - 1])
}
