//! Operators that TorchScript's own library functions are written with: they are met in graphs of old archives and
//! where the interpreter takes operators apart.

use crate::pointwise::steps::Steps;
use crate::reduce::sum::sum_to_size;
use crate::reduce::truth;
use rushlight_lang::whole_table;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Device, Fault, Result, Scalar, Tensor};
use rushlight_types::{Call, Context, GradMode, Operator, SharedGenerator, Value, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Helpers of library functions.
    pub static ROWS = [
        op!("aten::_grad_sum_to_size(Tensor(a) self, int[]? size) -> Tensor(a)", grad_sum_to_size),
        op!("aten::_dim_arange(Tensor like, int dim) -> Tensor", dim_arange),
        op!("aten::_ncf_view(Tensor(a) self, int[] input_shape, int normalized_ndim) -> Tensor(a)", ncf_view),
        op!("aten::_ncf_unsqueeze(Tensor(a) self, int ndim) -> Tensor(a)", ncf_unsqueeze),
        op!("aten::_list_to_tensor(int[] self) -> Tensor", list_to_tensor),
        op!("aten::_tensor_to_list(Tensor self) -> int[]", tensor_to_list),
        op!("aten::_no_grad_zero_(Tensor(a!) tensor) -> Tensor(a!)", zero),
        op!("aten::_no_grad_fill_(Tensor(a!) tensor, float val) -> Tensor(a!)", fill),
        op!("aten::_no_grad_uniform_(Tensor(a!) tensor, float a, float b, Generator? generator=None) -> Tensor(a!)", uniform).effect(rushlight_types::Effect::Random),
        op!("aten::_no_grad_normal_(Tensor(a!) tensor, float mean, float std, Generator? generator=None) -> Tensor(a!)", normal).effect(rushlight_types::Effect::Random),
        Operator::new("aten::_pack_sequence(Tensor output, Tensor batch_sizes, Tensor? sorted_indices, Tensor? unsorted_indices) -> (Tensor, Tensor, Tensor?, Tensor?)", pack_sequence),
        op!("aten::_assert_tensor_metadata(Tensor a, SymInt[]? size=None, SymInt[]? stride=None, ScalarType? dtype=None, *, Device? device=None, Layout? layout=None) -> ()", assert_metadata).effect(rushlight_types::Effect::SideEffect),
        op!("aten::_is_all_true(Tensor self) -> Tensor", is_all_true),
        op!("aten::_is_any_true(Tensor self) -> Tensor", is_any_true),
        op!("aten::_local_scalar_dense(Tensor self) -> Scalar", |t: &Tensor| t.item().map(Value::scalar)),
        op!("aten::_lazy_clone(Tensor self) -> Tensor", Tensor::deep_copy),
        op!("aten::_to_cpu(Tensor[] tensors) -> Tensor[]", |tensors: Vec<Tensor>| tensors),
        op!("aten::_saturate_weight_to_fp16(Tensor weight) -> Tensor", saturated),
        op!("aten::_has_same_storage_numel(Tensor self, Tensor other) -> bool", same_storage_numel),
        op!("aten::_has_compatible_shallow_copy_type(Tensor self, Tensor from) -> bool", |_: &Tensor, _: &Tensor| true),
        op!("aten::_debug_has_internal_overlap(Tensor self) -> int", internal_overlap),
        op!("aten::_autocast_to_reduced_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled, ScalarType cuda_dtype, ScalarType cpu_dtype) -> Tensor(a)", reduced_precision),
    ];
}

fn grad_sum_to_size(t: &Tensor, size: Option<Ints>) -> Result<Tensor> {
    size.map_or(Ok(t.clone()), |size| sum_to_size(t, size))
}

fn size_of(t: &Tensor, dim: i64) -> Result<usize> {
    if t.rank() == 0 {
        return Err(rushlight_tensor::view::no_dimensions(dim));
    }
    Ok(t.size(rushlight_tensor::view::wrap_dim(dim, t.rank())?))
}

fn dim_arange(t: &Tensor, dim: i64) -> Result<Tensor> {
    let n = size_of(t, dim)?;
    Tensor::from_vec((0..n as i64).collected(), &[n])
}

fn ncf_view(t: &Tensor, shape: Ints, normalised: i64) -> Result<Tensor> {
    let normalised = usize::try_from(normalised)
        .ok()
        .filter(|n| *n <= shape.len())
        .ok_or_else(|| Fault::runtime("more normalized dimensions than there are"))?;
    let kept = shape.len() - normalised;
    let sizes: Ints = shape[..kept]
        .iter()
        .copied()
        .chain((0..normalised).map(|_| 1))
        .collect();
    t.reshape(&sizes)
}

/// Channels as the second of so many dimensions.
fn ncf_unsqueeze(t: &Tensor, ndim: i64) -> Result<Tensor> {
    if !(2..=64).contains(&ndim) {
        return Err(Fault::runtime(format!("{ndim} dimensions have no second")));
    }
    let mut sizes: Ints = smallvec::smallvec![1; ndim as usize];
    sizes[1] = size_of(t, 0)? as i64;
    t.reshape(&sizes)
}

fn list_to_tensor(values: Ints) -> Result<Tensor> {
    let values: Vec<i32> = values.iter().map(|v| *v as i32).collected();
    let n = values.len();
    Tensor::from_vec(values, &[n])
}

fn tensor_to_list(t: &Tensor) -> Result<Vec<i64>> {
    let n = size_of(t, 0)?;
    if t.dtype() != DType::I32 {
        return Err(Fault::runtime(format!(
            "expected scalar type Int but found {}",
            t.dtype().class_name()
        )));
    }
    let mut values: Vec<i64> = t.to_vec();
    values.truncate(n);
    Ok(values)
}

fn zero(t: &Tensor) -> Result<Tensor> {
    fill(t, 0.0)
}

fn fill(t: &Tensor, value: f64) -> Result<Tensor> {
    crate::pointwise::fill::overwrite(t, Scalar::Float(value))?;
    Ok(t.clone())
}

/// A draw into a tensor, whether or not it requires gradients.
fn drawn(
    cx: &Context,
    name: &str,
    t: &Tensor,
    (a, b): (f64, f64),
    generator: Option<&SharedGenerator>,
) -> Result<Tensor> {
    let _off = GradMode::new(cx, false);
    let generator = generator.map_or(Value::None, |g| Value::Generator(g.clone()));
    let arguments = vec![
        Value::Tensor(t.clone()),
        Value::Float(a),
        Value::Float(b),
        generator,
    ];
    whole_table::call(cx, name, arguments)
}

fn uniform(
    cx: &Context,
    t: &Tensor,
    a: f64,
    b: f64,
    generator: Option<&SharedGenerator>,
) -> Result<Tensor> {
    drawn(cx, "aten::uniform_", t, (a, b), generator)
}

fn normal(
    cx: &Context,
    t: &Tensor,
    mean: f64,
    std: f64,
    generator: Option<&SharedGenerator>,
) -> Result<Tensor> {
    drawn(cx, "aten::normal_", t, (mean, std), generator)
}

/// The parts of a packed sequence are what they are.
fn pack_sequence(call: &mut Call<'_>) -> Result<()> {
    let parts = call.inputs().to_vec();
    call.finish_many(parts)
}

fn assert_metadata(
    t: &Tensor,
    size: Option<Ints>,
    stride: Option<Ints>,
    dtype: Option<DType>,
    _device: Option<Device>,
    _layout: Option<i64>,
) -> Result<()> {
    let mismatch = |what: &str, want: String, got: String| {
        Err(Fault::runtime(format!(
            "Tensor {what} mismatch! Expected: {want}, Got: {got}"
        )))
    };
    let same = |want: &Ints, got: &[usize]| got.iter().map(|v| *v as i64).eq(want.iter().copied());
    if let Some(size) = size.filter(|s| !same(s, t.sizes())) {
        return mismatch("sizes", format!("{:?}", size.as_slice()), list(t.sizes()));
    }
    if let Some(stride) = stride.filter(|s| !same(s, t.strides())) {
        return mismatch(
            "strides",
            format!("{:?}", stride.as_slice()),
            list(t.strides()),
        );
    }
    match dtype.filter(|d| *d != t.dtype()) {
        Some(dtype) => mismatch(
            "dtype",
            dtype.class_name().to_string(),
            t.dtype().scalar_name().to_string(),
        ),
        None => Ok(()),
    }
}

fn check_bool(t: &Tensor) -> Result<()> {
    match t.dtype() {
        DType::Bool => Ok(()),
        other => Err(Fault::runtime(format!(
            "a mask of bools is needed, but the tensor is of {}",
            other.class_name()
        ))),
    }
}

fn is_all_true(t: &Tensor) -> Result<Tensor> {
    check_bool(t)?;
    truth::all(t)
}

fn is_any_true(t: &Tensor) -> Result<Tensor> {
    check_bool(t)?;
    truth::any(t)
}

/// Within the numbers of float16.
fn saturated(cx: &Context, t: &Tensor) -> Result<Tensor> {
    let s = Steps(cx);
    let most = Scalar::Float(65504.0);
    s.minimum(
        &s.at_least(t, Scalar::Float(-65504.0))?,
        &Tensor::scalar(most, t.dtype()),
    )
}

fn same_storage_numel(a: &Tensor, b: &Tensor) -> bool {
    let count = |t: &Tensor| t.storage().len() / t.dtype().size();
    count(a) == count(b)
}

/// 0 for no, 1 for yes, 2 where that is not looked into.
fn internal_overlap(t: &Tensor) -> i64 {
    if t.layout().is_non_overlapping_and_dense() {
        return 0;
    }
    let expanded = (0..t.rank()).any(|d| t.size(d) > 1 && t.strides()[d] == 0);
    if expanded { 1 } else { 2 }
}

fn reduced_precision(
    t: &Tensor,
    _cuda: bool,
    cpu: bool,
    _cuda_dtype: DType,
    dtype: DType,
) -> Tensor {
    match cpu && t.dtype() == DType::F32 {
        true => t.to_dtype(dtype),
        false => t.clone(),
    }
}
