//! Rows for `out=` and in-place forms, derived from the kernel of the functional form.
//!
//! Where the schema of the `out=` form is that of the functional form with tensors for the results behind it, the row of the
//! functional form says so: `op!("aten::flip(..)", flip).out("out", out::cast)`. Otherwise
//! `op_out_exact!("aten::zeros.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)", zeros)` runs `zeros` on the leading
//! arguments and writes its results into the trailing `out` tensors; `op_inplace!("aten::cumsum_(...)", cumsum)` writes
//! the result into the first argument. The other way round, `op_functional!` and `op_functional_out!` run an in-place
//! kernel on a copy.

pub(crate) use rushlight_tensor::iter::check_writable;
use rushlight_tensor::{DType, Fault, Layout, Result, Tensor};
use rushlight_types::{Call, IntoValues, Kernel, Value};
use smallvec::SmallVec;

/// A row whose kernel writes the results of a functional kernel into the last arguments.
#[macro_export]
macro_rules! op_out {
    ($schema:literal, $function:expr) => {
        rushlight_types::Operator::new($schema, {
            fn kernel(call: &mut rushlight_types::Call<'_>) -> rushlight_tensor::Result<()> {
                let results = rushlight_types::Typed::run(&$function, &*call)?;
                $crate::out::deliver_out(call, results)
            }
            kernel
        })
    };
}

/// As `op_out!`, for operators that insist on the result's own dtype.
#[macro_export]
macro_rules! op_out_exact {
    ($schema:literal, $function:expr) => {
        rushlight_types::Operator::new($schema, {
            fn kernel(call: &mut rushlight_types::Call<'_>) -> rushlight_tensor::Result<()> {
                let results = rushlight_types::Typed::run(&$function, &*call)?;
                $crate::out::deliver_out_exact(call, results)
            }
            kernel
        })
    };
}

/// A row whose kernel writes the tensors of a list into those of the last argument and returns nothing.
#[macro_export]
macro_rules! op_list_out {
    ($schema:literal, $function:expr) => {
        rushlight_types::Operator::new($schema, {
            fn kernel(call: &mut rushlight_types::Call<'_>) -> rushlight_tensor::Result<()> {
                let results = rushlight_types::Typed::run(&$function, &*call)?;
                $crate::out::deliver_list(call, &results)
            }
            kernel
        })
    };
}

/// A row whose kernel writes the result of a functional kernel into the first argument.
#[macro_export]
macro_rules! op_inplace {
    ($schema:literal, $function:expr) => {
        rushlight_types::Operator::new($schema, {
            fn kernel(call: &mut rushlight_types::Call<'_>) -> rushlight_tensor::Result<()> {
                let result = rushlight_types::Typed::run(&$function, &*call)?;
                $crate::out::deliver_inplace(call, result)
            }
            kernel
        })
    };
}

/// A row whose kernel runs an in-place kernel on a copy of the first argument.
#[macro_export]
macro_rules! op_functional {
    ($schema:literal, $inplace:expr) => {
        rushlight_types::Operator::new($schema, {
            fn kernel(call: &mut rushlight_types::Call<'_>) -> rushlight_tensor::Result<()> {
                let result = $crate::out::run_on_copy(call, rushlight_types::boxed!($inplace), 0)?;
                call.finish(result)
            }
            kernel
        })
    };
}

/// A row whose kernel runs an in-place kernel on a row-major copy of the first argument.
#[macro_export]
macro_rules! op_functional_rows {
    ($schema:literal, $inplace:expr) => {
        rushlight_types::Operator::new($schema, {
            fn kernel(call: &mut rushlight_types::Call<'_>) -> rushlight_tensor::Result<()> {
                let result = $crate::out::run_on_rows(call, rushlight_types::boxed!($inplace))?;
                call.finish(result)
            }
            kernel
        })
    };
}

/// A row whose kernel runs an in-place kernel on a copy of the first argument and writes the result into the last one.
#[macro_export]
macro_rules! op_functional_out {
    ($schema:literal, $inplace:expr) => {
        rushlight_types::Operator::new($schema, {
            fn kernel(call: &mut rushlight_types::Call<'_>) -> rushlight_tensor::Result<()> {
                let result = $crate::out::run_on_copy(call, rushlight_types::boxed!($inplace), 1)?;
                $crate::out::deliver_out_exact(call, result)
            }
            kernel
        })
    };
}

/// Runs an in-place kernel on the call's arguments without the last `dropped`, the first one being copied.
pub fn run_on_copy(call: &Call<'_>, inplace: Kernel, dropped: usize) -> Result<Tensor> {
    run_on(call, inplace, dropped, Tensor::deep_copy)
}

/// Runs an in-place kernel on the call's arguments, the first one being copied row-major.
pub fn run_on_rows(call: &Call<'_>, inplace: Kernel) -> Result<Tensor> {
    run_on(call, inplace, 0, Tensor::contiguous_copy)
}

fn run_on(
    call: &Call<'_>,
    inplace: Kernel,
    dropped: usize,
    copy: fn(&Tensor) -> Tensor,
) -> Result<Tensor> {
    let inputs = call.inputs();
    let mut slots: SmallVec<[Value; 8]> = inputs[..inputs.len() - dropped.min(inputs.len())].into();
    let Some(first) = slots.first_mut() else {
        return Err(Fault::internal(
            "an operator on tensors was called without arguments",
        ));
    };
    *first = Value::Tensor(copy(first.as_tensor()?));
    let count = slots.len();
    let mut inner = Call::new(call.context(), &mut slots, count);
    inplace(&mut inner)?;
    Ok(inner.results()[0].as_tensor()?.clone())
}

/// Delivers the results of a derived `out=` form, which may be of other dtypes than the tensors they go to.
pub fn cast(results: &[Value], outs: &[Value]) -> Result<()> {
    deliver_each(results, outs, |_, _| Ok(()))
}

/// As [`cast`]; tensors that get other sizes get the strides of results, too.
pub fn cast_like(results: &[Value], outs: &[Value]) -> Result<()> {
    lay_out(results, outs)?;
    cast(results, outs)
}

/// As [`exact`]; tensors that get other sizes get the strides of results, too.
pub fn exact_like(results: &[Value], outs: &[Value]) -> Result<()> {
    for (result, out) in results.iter().zip(outs) {
        same_dtype(result.as_tensor()?.dtype(), out.as_tensor()?.dtype())?;
    }
    lay_out(results, outs)?;
    cast(results, outs)
}

fn lay_out(results: &[Value], outs: &[Value]) -> Result<()> {
    for (result, out) in results.iter().zip(outs) {
        let (result, out) = (result.as_tensor()?, out.as_tensor()?);
        check_result_type(result.dtype(), out.dtype())?;
        if result.sizes() != out.sizes() && result.layout().is_non_overlapping_and_dense() {
            rushlight_tensor::iter::resize(out, result.layout())?;
        }
    }
    Ok(())
}

/// Delivers the results of a derived `out=` form that insists on their own dtypes.
pub fn exact(results: &[Value], outs: &[Value]) -> Result<()> {
    deliver_each(results, outs, same_dtype)
}

fn deliver_each(
    results: &[Value],
    outs: &[Value],
    check: fn(DType, DType) -> Result<()>,
) -> Result<()> {
    for (value, out) in results.iter().zip(outs) {
        let (out, result) = (out.as_tensor()?, value.as_tensor()?);
        check(result.dtype(), out.dtype())?;
        write_out(out, result)?;
    }
    Ok(())
}

/// Writes into a tensor what is computed in its dtype, or in the one that was asked for, which must be the same.
pub fn in_its_dtype(
    out: &Tensor,
    dtype: Option<DType>,
    compute: impl FnOnce(Option<DType>) -> Result<Tensor>,
) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(out.dtype());
    same_dtype(dtype, out.dtype())?;
    write_out(out, &compute(Some(dtype))?)?;
    Ok(out.clone())
}

fn same_dtype(result: DType, out: DType) -> Result<()> {
    if result == out {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "Expected out tensor to have dtype {}, but got {} instead",
        result.scalar_name(),
        out.scalar_name()
    )))
}

/// Writes results into as many trailing arguments and returns those.
pub fn deliver_out<R: IntoValues>(call: &mut Call<'_>, results: R) -> Result<()> {
    deliver(call, results, |_, _| Ok(()))
}

/// As [`deliver_out`], for `out` tensors of the results' own dtypes.
pub fn deliver_out_exact<R: IntoValues>(call: &mut Call<'_>, results: R) -> Result<()> {
    deliver(call, results, same_dtype)
}

fn deliver<R: IntoValues>(
    call: &mut Call<'_>,
    results: R,
    check: fn(DType, DType) -> Result<()>,
) -> Result<()> {
    let mut values: SmallVec<[Value; 4]> = smallvec::smallvec![Value::None; R::COUNT];
    results.into_values(&mut values);
    let inputs = call.inputs();
    let first = inputs
        .len()
        .checked_sub(R::COUNT)
        .ok_or_else(|| Fault::internal("an out form was called without its out arguments"))?;
    let outs = inputs[first..].to_vec();
    deliver_each(&values, &outs, check)?;
    call.finish_many(outs)
}

/// Writes tensors into as many ones of the list that is the last argument.
pub fn deliver_list(call: &mut Call<'_>, results: &[Tensor]) -> Result<()> {
    let outs = match call.inputs().last() {
        Some(Value::TensorList(outs)) => outs.lock().clone(),
        _ => return Err(Fault::internal("a list of out arguments is missing")),
    };
    if outs.len() != results.len() {
        return Err(Fault::runtime(format!(
            "expected an out= list of size {}, got {}",
            results.len(),
            outs.len()
        )));
    }
    for (out, result) in outs.iter().zip(results) {
        same_dtype(result.dtype(), out.dtype())?;
        write_out(out, result)?;
    }
    call.finish(())
}

/// Writes the result into the first argument and returns that.
pub fn deliver_inplace(call: &mut Call<'_>, result: Tensor) -> Result<()> {
    let target = match call.inputs().first() {
        Some(value) => value.as_tensor()?.clone(),
        None => return Err(Fault::internal("an in-place form was called without self")),
    };
    check_result_type(result.dtype(), target.dtype())?;
    check_writable(&target)?;
    target.copy_from(&result)?;
    call.finish(target)
}

/// Writes `result` into `out`, which takes its sizes when they differ.
pub fn write_out(out: &Tensor, result: &Tensor) -> Result<()> {
    check_result_type(result.dtype(), out.dtype())?;
    resize(out, result.sizes())?;
    check_writable(out)?;
    out.copy_from(result)
}

/// Gives a tensor other sizes, row-major, keeping its memory where that is large enough.
pub fn resize(tensor: &Tensor, sizes: &[usize]) -> Result<()> {
    if tensor.sizes() == sizes {
        return Ok(());
    }
    rushlight_tensor::layout::checked_numel(sizes)?;
    rushlight_tensor::iter::resize(tensor, &Layout::contiguous(sizes))
}

/// Refuses to write floats into integers and the like.
pub fn check_result_type(from: DType, to: DType) -> Result<()> {
    let kind = |d: DType| match d {
        DType::Bool => 0,
        d if d.is_complex() => 3,
        d if d.is_float() => 2,
        _ => 1,
    };
    if kind(from) <= kind(to) {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "result type {} can't be cast to the desired output type {}",
        from.class_name(),
        to.class_name()
    )))
}
