//! Products with an addend: `beta * self + alpha * (a @ b)`.

use super::gemm::product_dtype;
use super::product::{
    batched, check_batches, check_matrices, check_ranks, linear, need_dims, other_dtype,
    same_scalar_types, shapes_do_not_multiply, vectors_agree,
};
pub(crate) use rushlight_kernels::linalg::addmm::plus;
use rushlight_kernels::linalg::addmm::{addr_narrow, blend};
use rushlight_tensor::iter::check_writable;
use rushlight_tensor::layout::list;
use rushlight_tensor::promote::promote_types;
use rushlight_tensor::{DType, Dims, ErrorClass, Fault, Result, Scalar, Tensor};
use rushlight_types::{Apart, Functional, OutDtype, op, operators};

operators! {
    /// Products with addend.
    pub static ROWS = [
        op!("aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addmm).functional(Functional::AddMm).has_old_form().refused_as_out().out("out", crate::out::exact).apart(Apart::FROM_FIRST),
        op!("aten::addmm.dtype(Tensor self, Tensor mat1, Tensor mat2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addmm_into).out("dtype_out", crate::out::exact),
        op!("aten::addmm_(Tensor(a!) self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)", addmm_).has_old_form().refused_as_out(),
        op!("aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addmv).has_old_form().refused_as_out().out("out", crate::out::exact).apart(Apart::FROM_FIRST),
        op!("aten::addmv_(Tensor(a!) self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)", addmv_).has_old_form().refused_as_out(),
        op!("aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addr).has_old_form().out("out", crate::out::cast).apart(Apart::FROM_FIRST),
        op!("aten::addr_(Tensor(a!) self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)", addr_).has_old_form(),
        op!("aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", baddbmm).has_old_form().refused_as_out().out("out", crate::out::exact).apart(Apart::FROM_FIRST),
        op!("aten::baddbmm.dtype(Tensor self, Tensor batch1, Tensor batch2, ScalarType out_dtype, *, Scalar beta=1, Scalar alpha=1) -> Tensor", baddbmm_into).out("dtype_out", crate::out::exact),
        op!("aten::baddbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)", baddbmm_).has_old_form().refused_as_out(),
        op!("aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", addbmm).has_old_form().out("out", crate::out::cast).out_dtype(OutDtype::Same("self and mat2 must have the same dtype, but got {out} and {result}")).apart(Apart::FROM_FIRST),
        op!("aten::addbmm_(Tensor(a!) self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor(a!)", addbmm_).has_old_form(),
    ];
}

fn addmm_into(
    _: &Tensor,
    _: &Tensor,
    _: &Tensor,
    _: DType,
    _: Scalar,
    _: Scalar,
) -> Result<Tensor> {
    other_dtype("aten::addmm.dtype")
}

fn baddbmm_into(
    _: &Tensor,
    _: &Tensor,
    _: &Tensor,
    _: DType,
    _: Scalar,
    _: Scalar,
) -> Result<Tensor> {
    other_dtype("aten::baddbmm.dtype")
}

/// Refuses two operands of different dtypes, by their names.
pub(super) fn same_dtype(names: &str, a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() == b.dtype() {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "{names} must have the same dtype, but got {} and {}",
        a.dtype().class_name(),
        b.dtype().class_name()
    )))
}

/// What booleans give, whose products are computed only where they have no elements or nothing is added up.
pub(super) fn of_bools(
    own: &Tensor,
    sizes: &[usize],
    inner: usize,
    beta: Scalar,
) -> Option<Result<Tensor>> {
    let is_empty = sizes.contains(&0);
    if own.dtype() != DType::Bool || !is_empty && inner > 0 {
        return None;
    }
    Some(match is_empty || is_zero(beta) {
        true => Tensor::zeros(sizes, DType::Bool),
        false => Err(scaled_bools(beta)),
    })
}

fn is_zero(number: Scalar) -> bool {
    !matches!(number, Scalar::Complex(_)) && number.to_f64() == 0.0
}

/// The refusal to scale booleans, which would make other numbers of them.
fn scaled_bools(beta: Scalar) -> Fault {
    let dtype = match beta {
        Scalar::Bool(_) => DType::Bool,
        Scalar::Int(_) => DType::I64,
        Scalar::Float(_) => DType::F32,
        Scalar::Complex(_) => DType::C64,
    };
    Fault::runtime(format!(
        "result type {} can't be cast to the desired output type Bool",
        dtype.class_name()
    ))
}

fn product_of(kernel: &str, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dtype: DType = product_dtype(kernel, a.dtype())?;
    Ok(batched(&a.to_dtype(dtype), &b.to_dtype(dtype)))
}

pub(super) fn addmm(
    own: &Tensor,
    a: &Tensor,
    b: &Tensor,
    beta: Scalar,
    alpha: Scalar,
) -> Result<Tensor> {
    same_dtype("self and mat2", own, b)?;
    same_dtype("mat1 and mat2", a, b)?;
    check_matrices("addmm", a, b)?;
    if a.size(1) != b.size(0) {
        let (left, right) = ([a.size(0), a.size(1)], [b.size(0), b.size(1)]);
        return Err(shapes_do_not_multiply("addmm", left, right));
    }
    // What is a sum of nothing stays nothing, whatever it is multiplied by.
    let alpha = match alpha {
        Scalar::Float(_) if a.size(1) == 0 && !own.dtype().is_integral(true) => Scalar::Int(0),
        alpha => alpha,
    };
    if let Some(known) = of_bools(own, &[a.size(0), b.size(1)], a.size(1), beta) {
        return known;
    }
    match is_linear_layer(own, b, beta, alpha) {
        true => linear(a, &b.transpose(0, 1)?, Some(own)),
        false => blend(own, &product_of("addmm_impl_cpu_", a, b)?, beta, alpha),
    }
}

/// Whether this is what linear layers are made of while gradients are recorded or a trace is: it has the same bits, then.
fn is_linear_layer(own: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> bool {
    let is_one = |number: Scalar| !matches!(number, Scalar::Complex(_)) && number.to_f64() == 1.0;
    let lies_in_columns = b.layout().strides() == [1, b.size(0)];
    is_one(beta) && is_one(alpha) && own.rank() == 1 && own.numel() == b.size(1) && lies_in_columns
}

fn addmv(own: &Tensor, a: &Tensor, v: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    if a.rank() != 2 || v.rank() != 1 || own.rank() > 1 {
        return Err(Fault::runtime(format!(
            "vector + matrix @ vector expected, got {}, {}, {}",
            own.rank(),
            a.rank(),
            v.rank()
        )));
    }
    if a.size(1) != v.size(0) || !(own.numel() == a.size(0) || own.numel() == 1) {
        return Err(Fault::runtime(format!(
            "size mismatch, got input ({}), mat ({}x{}), vec ({})",
            own.numel(),
            a.size(0),
            a.size(1),
            v.size(0)
        )));
    }
    vectors_agree(own, a, v)?;
    if own.dtype() == DType::Bool && a.numel() == 0 {
        return match is_zero(beta) {
            true => Tensor::zeros(&[a.size(0)], DType::Bool),
            false => Ok(own.expand(&[a.size(0) as i64])?.contiguous_copy()),
        };
    }
    let product = product_of("addmv_impl_cpu", a, &v.unsqueeze(1)?)?.reshape_to(&[a.size(0)])?;
    blend(own, &product, beta, alpha)
}

fn addr(own: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    if a.rank() != 1 || b.rank() != 1 {
        return Err(Fault::runtime(format!(
            "addr: Expected 1-D argument vec{}, but got {}-D",
            if a.rank() != 1 { 1 } else { 2 },
            if a.rank() != 1 { a.rank() } else { b.rank() }
        )));
    }
    own.expand(&[a.size(0) as i64, b.size(0) as i64])?;
    let dtype = promote_types(own.dtype(), promote_types(a.dtype(), b.dtype()));
    if dtype == DType::Bool {
        return addr_bool(own, a, b, beta, alpha);
    }
    let (a, b) = (a.to_dtype(dtype), b.to_dtype(dtype));
    if matches!(dtype, DType::F16 | DType::BF16) {
        return addr_narrow(&own.to_dtype(dtype), &a, &b, beta, alpha);
    }
    let product = product_of("addr", &a.unsqueeze(1)?, &b.unsqueeze(0)?)?;
    blend(&own.to_dtype(dtype), &product, beta, alpha)
}

/// `addr` of booleans: conjunctions and a disjunction.
fn addr_bool(own: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    let (a, b) = (a.to_dtype(DType::I64), b.to_dtype(DType::I64));
    let product = product_of("addr", &a.unsqueeze(1)?, &b.unsqueeze(0)?)?;
    let flag = |s: Scalar| Scalar::Int(s.to_bool() as i64);
    let sum = blend(&own.to_dtype(DType::I64), &product, flag(beta), flag(alpha))?;
    Ok(sum.to_dtype(DType::Bool))
}

fn baddbmm(own: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    need_dims(&[(a, 0), (a, 1), (b, 2)])?;
    own.expand(&[a.size(0) as i64, a.size(1) as i64, b.size(2) as i64])?;
    if own.dtype() != a.dtype() {
        return Err(Fault::runtime(format!(
            "Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}",
            own.dtype().scalar_name(),
            a.dtype().scalar_name(),
            b.dtype().scalar_name()
        )));
    }
    check_batches(a, b)?;
    same_scalar_types(a, b)?;
    if let Some(known) = of_bools(own, &[a.size(0), a.size(1), b.size(2)], a.size(2), beta) {
        return known;
    }
    blend(own, &product_of("baddbmm", a, b)?, beta, alpha)
}

fn addbmm(own: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
    need_dims(&[(a, 1), (b, 2)])?;
    own.expand(&[a.size(1) as i64, b.size(2) as i64])?;
    check_ranks(a, b)?;
    if a.size(0) != b.size(0) {
        return Err(Fault::runtime(format!(
            "batch1 and batch2 must have same number of batches, got {} and {}",
            a.size(0),
            b.size(0)
        )));
    }
    let (batches, m, k, n) = (a.size(0), a.size(1), a.size(2), b.size(2));
    if k != b.size(1) {
        return Err(Fault::runtime(format!(
            "Incompatible matrix sizes for bmm ({m}x{k} and {}x{n})",
            b.size(1)
        )));
    }
    if batches > 0 {
        same_dtype("self and mat2", own, b)?;
        same_dtype("mat1 and mat2", a, b)?;
    }
    let narrow = matches!(own.dtype(), DType::F16 | DType::BF16);
    if let Some(known) = of_bools(own, &[m, n], batches * k, beta) {
        // What is multiplied by no batches is scaled even where it has no elements.
        let scaled = batches == 0 && !is_zero(beta);
        return if scaled {
            Err(scaled_bools(beta))
        } else {
            known
        };
    }
    if narrow && batches > 0 {
        // The reference rounds after each batch.
        let mut out = own.clone();
        for i in 0..batches as i64 {
            let product = product_of("addmm_impl_cpu_", &a.select(0, i)?, &b.select(0, i)?)?;
            let beta = if i == 0 { beta } else { Scalar::Int(1) };
            out = blend(&out, &product, beta, alpha)?;
        }
        return Ok(out);
    }
    if batches == 0 {
        return blend(own, &Tensor::zeros(&[m, n], own.dtype())?, beta, alpha);
    }
    // The sum over batches is one product whose inner dimension runs over batches as well.
    let left = a.transpose(0, 1)?.reshape_to(&[m, batches * k])?;
    let right = b.reshape_to(&[batches * k, n])?;
    blend(
        own,
        &product_of("addmm_impl_cpu_", &left, &right)?,
        beta,
        alpha,
    )
}

fn other_sizes(own: &[usize], wanted: &[usize]) -> Fault {
    Fault::runtime(format!(
        "Bad in-place call: input tensor size {} and output tensor size {} should match",
        list(own),
        list(wanted)
    ))
}

macro_rules! in_place {
    ($($name:ident = $kernel:ident;)*) => {$(
        fn $name(own: &Tensor, a: &Tensor, b: &Tensor, beta: Scalar, alpha: Scalar) -> Result<Tensor> {
            let name = stringify!($name);
            if name == "addr_" && own.rank() != 2 {
                return Err(Fault::runtime(format!("2D tensor expected, got {}D tensor for input", own.rank())));
            }
            let grows = name == "addbmm_";
            let out = $kernel(own, a, b, beta, alpha);
            if let Err(fault) = &out
                && fault.class() == ErrorClass::NotImplemented
                && !grows
            {
                // Sizes are looked at before there is a kernel to miss.
                let rows = a.sizes().iter().take(a.rank() - 1);
                let wanted: Dims = rows.chain(b.sizes().iter().skip(a.rank() - 1)).copied().collect();
                if own.sizes() != wanted.as_slice() {
                    return Err(other_sizes(own.sizes(), &wanted));
                }
            }
            let out = out?;
            if out.sizes() != own.sizes() && grows {
                crate::out::write_out(own, &out)?;
                return Ok(own.clone());
            }
            if out.sizes() != own.sizes() {
                return Err(other_sizes(own.sizes(), out.sizes()));
            }
            check_writable(own)?;
            own.copy_from(&out)?;
            Ok(own.clone())
        }
    )*};
}
in_place! {
    addmm_ = addmm;
    addmv_ = addmv;
    addr_ = addr;
    baddbmm_ = baddbmm;
    addbmm_ = addbmm;
}
