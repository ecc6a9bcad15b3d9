//! Conversion between dtypes, devices and memory formats: `to`, `type_as`, casts.

use rushlight_tensor::iter::{Operand, result_layout};
use rushlight_tensor::promote::{Promotion, can_cast, checked_promote_types};
use rushlight_tensor::{
    DType, Device, DeviceKind, Fault, Layout, MemoryFormat, Result, Scalar, Tensor,
    without_quantizer,
};
use rushlight_types::warning::Notice;
use rushlight_types::{AnyDType, Context, Elements, Quantized, Sizes, arguments, op};

/// What a conversion is asked for; `None` keeps what the tensor has.
#[derive(Clone, Copy, Default)]
struct Request {
    dtype: Option<DType>,
    device: Option<Device>,
    format: Option<MemoryFormat>,
    /// Copies even if nothing changes.
    copy: bool,
}

/// Refuses devices that compute nothing here.
fn check_device(device: Option<Device>) -> Result<()> {
    match device {
        Some(device) if device.kind != DeviceKind::Cpu => Err(Fault::runtime(format!(
            "device {device} is not supported: tensors live on the CPU"
        ))),
        _ => Ok(()),
    }
}

/// The layout of a copy in a memory format; preserving keeps the order of dimensions.
fn layout_of_copy(a: &Tensor, format: Option<MemoryFormat>) -> Result<Layout> {
    match format {
        None | Some(MemoryFormat::Preserve) => Ok(result_layout(a.sizes(), &[a.into()])),
        Some(format) => Layout::with_format(a.sizes(), format),
    }
}

static LOST_PARTS: Notice =
    Notice::new("Casting complex values to real discards the imaginary part");

/// What is said of complex numbers that become real ones.
pub fn warn_of_lost_parts(cx: &Context, from: DType, to: DType) -> Result<()> {
    match from.is_complex() && !to.is_complex() && to != DType::Bool {
        true => LOST_PARTS.give(cx),
        false => Ok(()),
    }
}

/// The tensor itself if it is already as asked for, else a converted copy.
fn convert(cx: &Context, a: &Tensor, request: Request) -> Result<Tensor> {
    check_device(request.device)?;
    let dtype = request.dtype.unwrap_or(a.dtype());
    let arranged = match request.format {
        None | Some(MemoryFormat::Preserve) => true,
        // What its strides suggest counts, also where they leave gaps.
        Some(format) => a.layout().suggested_format() == format,
    };
    if dtype == a.dtype() && arranged && !request.copy {
        return Ok(a.clone());
    }
    if let Some(quantizer) = a.quantizer().filter(|_| dtype == a.dtype()) {
        let dtype = Some(dtype.stored());
        let copy = convert(cx, &a.stored(), Request { dtype, ..request })?;
        return copy.as_quantized(quantizer).ok_or_else(without_quantizer);
    }
    warn_of_lost_parts(cx, a.dtype(), dtype)?;
    let out = Tensor::empty_with(&layout_of_copy(a, request.format)?, dtype)?;
    out.copy_from(a)?;
    Ok(out)
}

fn plain(AnyDType(dtype): AnyDType) -> DType {
    dtype
}

fn to_dtype(
    cx: &Context,
    a: &Tensor,
    AnyDType(dtype): AnyDType,
    _non_blocking: bool,
    copy: bool,
    format: Option<MemoryFormat>,
) -> Result<Tensor> {
    if a.dtype().is_quantized() && dtype != a.dtype() {
        return Err(Fault::runtime(
            "Creation of quantized tensor requires quantized dtype like torch.quint8",
        ));
    }
    convert(
        cx,
        a,
        Request {
            dtype: Some(dtype),
            format,
            copy,
            ..Request::default()
        },
    )
}

fn to_device(
    cx: &Context,
    a: &Tensor,
    device: Device,
    AnyDType(dtype): AnyDType,
    _non_blocking: bool,
    copy: bool,
    format: Option<MemoryFormat>,
) -> Result<Tensor> {
    convert(
        cx,
        a,
        Request {
            dtype: Some(dtype),
            device: Some(device),
            format,
            copy,
        },
    )
}

arguments! {
    /// The dtype and the place that a tensor is to have.
    struct CastTarget {
        dtype: Option<AnyDType>,
        _layout: Option<i64>,
        device: Option<Device>,
        _pin_memory: Option<bool>,
    }
}

fn to_anything(
    cx: &Context,
    a: &Tensor,
    target: CastTarget,
    _non_blocking: bool,
    copy: bool,
    format: Option<MemoryFormat>,
) -> Result<Tensor> {
    convert(
        cx,
        a,
        Request {
            dtype: target.dtype.map(plain),
            device: target.device,
            format,
            copy,
        },
    )
}

fn to_copy(
    cx: &Context,
    a: &Tensor,
    target: CastTarget,
    non_blocking: bool,
    format: Option<MemoryFormat>,
) -> Result<Tensor> {
    to_anything(cx, a, target, non_blocking, true, format)
}

fn to_other(
    cx: &Context,
    a: &Tensor,
    other: &Tensor,
    non_blocking: bool,
    copy: bool,
    format: Option<MemoryFormat>,
) -> Result<Tensor> {
    to_dtype(cx, a, AnyDType(other.dtype()), non_blocking, copy, format)
}

fn to_prim_device(
    cx: &Context,
    a: &Tensor,
    device: Option<Device>,
    dtype: Option<AnyDType>,
    _non_blocking: bool,
    copy: bool,
) -> Result<Tensor> {
    convert(
        cx,
        a,
        Request {
            dtype: dtype.map(plain),
            device,
            copy,
            ..Request::default()
        },
    )
}

fn to_prim_dtype(
    cx: &Context,
    a: &Tensor,
    dtype: Option<AnyDType>,
    _non_blocking: bool,
    copy: bool,
) -> Result<Tensor> {
    convert(
        cx,
        a,
        Request {
            dtype: dtype.map(plain),
            copy,
            ..Request::default()
        },
    )
}

/// The reference takes the flags for other arguments: a copy is one of bytes.
fn to_prim_other(cx: &Context, a: &Tensor, _non_blocking: bool, copy: bool) -> Result<Tensor> {
    convert(
        cx,
        a,
        Request {
            dtype: copy.then_some(DType::U8),
            copy,
            ..Request::default()
        },
    )
}

fn to_copy_out(
    a: &Tensor,
    _non_blocking: bool,
    format: Option<MemoryFormat>,
    out: &Tensor,
) -> Result<Tensor> {
    if out.sizes() != a.sizes() {
        rushlight_tensor::iter::resize(out, &layout_of_copy(a, format)?)?;
    }
    rushlight_tensor::iter::check_writable(out)?;
    out.copy_from(a)?;
    Ok(out.clone())
}

fn type_as(cx: &Context, a: &Tensor, other: &Tensor) -> Result<Tensor> {
    convert(
        cx,
        a,
        Request {
            dtype: Some(other.dtype()),
            ..Request::default()
        },
    )
}

fn cast(cx: &Context, a: &Tensor, dtype: DType) -> Result<Tensor> {
    convert(
        cx,
        a,
        Request {
            dtype: Some(dtype),
            ..Request::default()
        },
    )
}

fn chalf(cx: &Context, a: &Tensor, format: Option<MemoryFormat>) -> Result<Tensor> {
    convert(
        cx,
        a,
        Request {
            dtype: Some(DType::C32),
            format,
            ..Request::default()
        },
    )
}

/// There is no other device here.
fn to_kind(cx: &Context, a: &Tensor, kind: DeviceKind) -> Result<Tensor> {
    let device = Device { kind, index: None };
    convert(
        cx,
        a,
        Request {
            device: Some(device),
            ..Request::default()
        },
    )
}

fn promoted(cx: &Context, a: Operand<'_>, b: Operand<'_>) -> Result<DType> {
    let default = cx.default_dtype();
    let both = Promotion::default()
        .operand(&a, default)
        .operand(&b, default);
    Ok(both.checked()?.unwrap_or(default))
}

rushlight_types::operators! {
    /// Conversions.
    static ROWS = [
        op!("aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", to_dtype).quantized(Quantized::Native).sizes_are(Sizes::OfFirst),
        op!("aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", to_device).sizes_are(Sizes::OfFirst),
        op!("aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", to_anything).sizes_are(Sizes::OfFirst),
        op!("aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)", to_other).sizes_are(Sizes::OfFirst),
        op!("aten::to.prim_Device(Tensor(a) self, Device? device, int? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(b|a)", to_prim_device).sizes_are(Sizes::OfFirst),
        op!("aten::to.prim_dtype(Tensor(a) self, int? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(b|a)", to_prim_dtype).sizes_are(Sizes::OfFirst),
        op!("aten::to.prim_other(Tensor(a) self, bool non_blocking=False, bool copy=False) -> Tensor(b|a)", to_prim_other).sizes_are(Sizes::OfFirst),
        op!("aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor", to_copy),
        op!("aten::_to_copy.out(Tensor self, *, bool non_blocking=False, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)", to_copy_out),
        op!("aten::type_as(Tensor self, Tensor other) -> Tensor", type_as).sizes_are(Sizes::OfFirst),
        op!("aten::chalf(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", chalf),
        op!("aten::cpu(Tensor(a) self) -> Tensor(b|a)", |a: &Tensor| a.clone()),
        op!("aten::cuda(Tensor(a) self) -> Tensor(b|a)", |cx: &Context, a: &Tensor| to_kind(cx, a, DeviceKind::Cuda)),
        op!("aten::to_mkldnn(Tensor self, ScalarType? dtype=None) -> Tensor", |cx: &Context, a: &Tensor, _dtype: Option<DType>| to_kind(cx, a, DeviceKind::Mkldnn)),
        op!("aten::_autocast_to_full_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled) -> Tensor(a)", |a: &Tensor, _cuda: bool, _cpu: bool| a.clone()),
        op!("aten::_cast_Byte(Tensor self, bool non_blocking=False) -> Tensor", |cx: &Context, a: &Tensor, _non_blocking: bool| cast(cx, a, DType::U8)),
        op!("aten::_cast_Char(Tensor self, bool non_blocking=False) -> Tensor", |cx: &Context, a: &Tensor, _non_blocking: bool| cast(cx, a, DType::I8)),
        op!("aten::_cast_Short(Tensor self, bool non_blocking=False) -> Tensor", |cx: &Context, a: &Tensor, _non_blocking: bool| cast(cx, a, DType::I16)),
        op!("aten::_cast_Int(Tensor self, bool non_blocking=False) -> Tensor", |cx: &Context, a: &Tensor, _non_blocking: bool| cast(cx, a, DType::I32)),
        op!("aten::_cast_Long(Tensor self, bool non_blocking=False) -> Tensor", |cx: &Context, a: &Tensor, _non_blocking: bool| cast(cx, a, DType::I64)),
        op!("aten::_cast_Half(Tensor self, bool non_blocking=False) -> Tensor", |cx: &Context, a: &Tensor, _non_blocking: bool| cast(cx, a, DType::F16)),
        op!("aten::_cast_Float(Tensor self, bool non_blocking=False) -> Tensor", |cx: &Context, a: &Tensor, _non_blocking: bool| cast(cx, a, DType::F32)),
        op!("aten::_cast_Double(Tensor self, bool non_blocking=False) -> Tensor", |cx: &Context, a: &Tensor, _non_blocking: bool| cast(cx, a, DType::F64)),
        op!("aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType", |cx: &Context, a: &Tensor, b: &Tensor| promoted(cx, a.into(), b.into()).map(dtype)).elements_are(Elements::Untouched),
        op!("aten::result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType", |cx: &Context, a: &Tensor, b: Scalar| promoted(cx, a.into(), b.into()).map(dtype)).elements_are(Elements::Untouched),
        op!("aten::result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType", |cx: &Context, a: Scalar, b: Scalar| promoted(cx, a.into(), b.into()).map(dtype)).elements_are(Elements::Untouched),
        op!("aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType", |a: DType, b: DType| checked_promote_types(a, b).map(dtype)),
        op!("aten::can_cast(ScalarType from_, ScalarType to) -> bool", can_cast),
        op!("aten::result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType", |cx: &Context, a: Scalar, b: &Tensor| promoted(cx, a.into(), b.into()).map(dtype)).elements_are(Elements::Untouched),
    ];
}

/// A dtype as scripts hold it.
fn dtype(dtype: DType) -> i64 {
    dtype.code()
}

/// The rows of this file.
pub static TABLES: &[super::table::Tables] = &[&[ROWS]];
