//! Finding numbers in others: `searchsorted`, `bucketize`, `isin`.

use super::sort::sort;
use rushlight_kernels::reduce::search::{insertion, search_in};
use rushlight_tensor::layout::list;
use rushlight_tensor::promote::{promote_types, result_type};
use rushlight_tensor::{
    Bool8, Buffer, DType, Element, Fault, Operand, Result, Scalar, Tensor, watch,
};
use rushlight_types::{Context, OutDtype, op, operators};

/// What is said of tensors for places that hold no such numbers as were asked for.
const OUT_DTYPE: &str = "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether out_int32 flag is True, but we got output tensor's dtype {out} and out_int32 flag is {result:is int}";

operators! {
    /// Searching.
    pub static ROWS = [
        op!("aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor", searchsorted).out("Tensor_out", crate::out::cast).out_dtype(OutDtype::Same(OUT_DTYPE)),
        op!("aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor", searchsorted_scalar).out("Scalar_out", crate::out::cast).out_dtype(OutDtype::Same(OUT_DTYPE)),
        op!("aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", bucketize).out("Tensor_out", crate::out::cast).out_dtype(OutDtype::Same(OUT_DTYPE)),
        op!("aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", bucketize_scalar).out("Scalar_out", crate::out::exact).out_dtype(OutDtype::Same(OUT_DTYPE)),
        op!("aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor", isin).out("Tensor_Tensor_out", crate::out::exact),
        op!("aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor", isin_scalar).out("Tensor_Scalar_out", crate::out::cast),
        op!("aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor", scalar_isin).out("Scalar_Tensor_out", crate::out::cast),
    ];
}

fn problem(text: String) -> Fault {
    Fault::runtime(format!("torch.searchsorted(): {text}"))
}

fn check(sorted: &Tensor, values: &Tensor, scalar: bool, sorter: Option<&Tensor>) -> Result<()> {
    if scalar && sorted.rank() != 1 {
        return Err(problem(format!(
            "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim({}) and input value's dim({}) numel({})",
            sorted.rank(),
            values.rank(),
            values.numel()
        )));
    }
    if sorted.rank() == 0 {
        return Err(problem(
            "boundaries tensor should have positive dimension, but got 0 dimension".to_string(),
        ));
    }
    let lead = |t: &Tensor| t.sizes()[..t.rank().saturating_sub(1)].to_vec();
    if sorted.rank() != 1 && (sorted.rank() != values.rank() || lead(sorted) != lead(values)) {
        return Err(problem(format!(
            "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor {} and input value tensor {}",
            list(sorted.sizes()),
            list(values.sizes())
        )));
    }
    match sorter {
        Some(sorter) => check_sorter(sorted, sorter),
        None => Ok(()),
    }
}

fn check_sorter(sorted: &Tensor, sorter: &Tensor) -> Result<()> {
    if sorter.sizes() != sorted.sizes() {
        return Err(problem(format!(
            "boundary and sorter must have the same size, but got boundary tensor {}and got sorter tensor {}",
            list(sorted.sizes()),
            list(sorter.sizes())
        )));
    }
    if sorter.dtype() != DType::I64 {
        return Err(problem(format!(
            "sorter must be a tensor of long dtype but got dtype {}",
            sorter.dtype().class_name()
        )));
    }
    let n = sorted.sizes().last().copied().unwrap_or(1) as i64;
    if sorter.to_vec::<i64>().iter().any(|i| !(0..n).contains(i)) {
        return Err(problem("sorter index out of range".to_string()));
    }
    Ok(())
}

/// Which end of equal elements is meant.
fn side_is_right(right: bool, side: Option<&str>) -> Result<bool> {
    match side {
        None => Ok(right),
        Some("left") if right => Err(problem(
            "side and right can't be set to opposites, got side of left while right was True"
                .to_string(),
        )),
        Some("left") => Ok(false),
        Some("right") => Ok(true),
        Some(other) => Err(problem(format!(
            "side can only be 'left' or 'right' but got {other}"
        ))),
    }
}

fn searchsorted(
    sorted: &Tensor,
    values: &Tensor,
    out_int32: bool,
    right: bool,
    side: Option<&str>,
    sorter: Option<&Tensor>,
) -> Result<Tensor> {
    let right = side_is_right(right, side)?;
    check(sorted, values, values.rank() == 0, sorter)?;
    search_in(sorted, values, sorter, right, out_int32)
}

fn searchsorted_scalar(
    sorted: &Tensor,
    value: Scalar,
    out_int32: bool,
    right: bool,
    side: Option<&str>,
    sorter: Option<&Tensor>,
) -> Result<Tensor> {
    let value = Tensor::wrapped(value, DType::F64);
    searchsorted(sorted, &value, out_int32, right, side, sorter)
}

fn bucketize(values: &Tensor, boundaries: &Tensor, out_int32: bool, right: bool) -> Result<Tensor> {
    if boundaries.rank() != 1 {
        return Err(Fault::runtime(format!(
            "boundaries tensor must be 1 dimension, but got dim({})",
            boundaries.rank()
        )));
    }
    let dtype = crate::compute::promoted(values, boundaries);
    let (boundaries, values) = (boundaries.to_dtype(dtype), values.to_dtype(dtype));
    search_in(&boundaries, &values, None, right, out_int32)
}

fn bucketize_scalar(
    value: Scalar,
    boundaries: &Tensor,
    out_int32: bool,
    right: bool,
) -> Result<Tensor> {
    bucketize(
        &Tensor::wrapped(value, DType::F64),
        boundaries,
        out_int32,
        right,
    )
}

/// Refuses what is not looked for, or not in.
fn check_members(dtypes: &[DType]) -> Result<()> {
    let is_refused = |dtype: &&DType| dtype.is_complex() || **dtype == DType::Bool;
    dtypes.iter().find(is_refused).map_or(Ok(()), |dtype| {
        Err(Fault::not_implemented(format!(
            "Unsupported input type encountered for isin(): {}",
            dtype.class_name()
        )))
    })
}

/// Whether every element is among the test elements, both converted to `dtype`.
fn membership(elements: &Tensor, tests: &Tensor, dtype: DType, invert: bool) -> Result<Tensor> {
    check_members(&[elements.dtype(), tests.dtype(), dtype])?;
    fn find<T: Element + PartialOrd>(
        elements: &Tensor,
        tests: &Tensor,
        invert: bool,
    ) -> Buffer<Bool8> {
        let mut tests = tests.to_vec::<T>();
        tests.retain(|x| x == x);
        let data = elements.data::<T>();
        let mut out = Buffer::<Bool8>::unspecified(data.len());
        for (o, &x) in out.iter_mut().zip(data.iter()) {
            watch::poll();
            let at = insertion(|k| tests[k], tests.len(), x, false);
            *o = Bool8::from((tests.get(at) == Some(&x)) != invert);
        }
        out
    }
    let tests = tests.to_dtype(dtype).reshape(&[-1])?;
    let (a, b) = (elements.to_dtype(dtype), sort(&tests, 0, false)?.0);
    let found = if dtype.is_integral(true) {
        find::<i64>(&a.to_dtype(DType::I64), &b.to_dtype(DType::I64), invert)
    } else {
        find::<f64>(&a.to_dtype(DType::F64), &b.to_dtype(DType::F64), invert)
    };
    Ok(found.into_tensor(elements.sizes()))
}

fn isin(elements: &Tensor, tests: &Tensor, _unique: bool, invert: bool) -> Result<Tensor> {
    let dtype = promote_types(elements.dtype(), tests.dtype());
    membership(elements, tests, dtype, invert)
}

fn isin_scalar(
    cx: &Context,
    elements: &Tensor,
    test: Scalar,
    _unique: bool,
    invert: bool,
) -> Result<Tensor> {
    let operands = [Operand::Tensor(elements), Operand::Number(test)];
    let dtype = result_type(&operands, cx.default_dtype());
    membership(
        elements,
        &Tensor::wrapped(test, cx.default_dtype()),
        dtype,
        invert,
    )
}

fn scalar_isin(
    cx: &Context,
    element: Scalar,
    tests: &Tensor,
    _unique: bool,
    invert: bool,
) -> Result<Tensor> {
    let operands = [Operand::Number(element), Operand::Tensor(tests)];
    let dtype = result_type(&operands, cx.default_dtype());
    membership(
        &Tensor::wrapped(element, cx.default_dtype()),
        tests,
        dtype,
        invert,
    )
}
