//! The tail of arguments that functions which create tensors share.

use rushlight_tensor::iter::result_layout;
use rushlight_tensor::{DType, Device, Fault, Layout, MemoryFormat, Operand, Result, Tensor};
use rushlight_types::{Call, Context, FromCall, Value};

/// `ScalarType? dtype, Layout? layout, Device? device, bool? pin_memory`: four arguments read as one. In `out=` forms
/// the tensor that stands in their place gives the dtype.
#[derive(Clone, Copy)]
pub struct Options {
    pub dtype: Option<DType>,
}

impl<'a> FromCall<'a> for Options {
    fn from_call(call: &'a Call<'_>, index: &mut usize) -> Result<Options> {
        if let Some(Value::Tensor(out)) = call.inputs().get(*index) {
            *index += 1;
            return Ok(Options {
                dtype: Some(out.dtype()),
            });
        }
        let dtype = Option::<DType>::from_call(call, index)?;
        let layout = Option::<i64>::from_call(call, index)?;
        let device = Option::<Device>::from_call(call, index)?;
        let pin_memory = Option::<bool>::from_call(call, index)?;
        if layout.is_some_and(|layout| layout != 0) {
            return Err(Fault::runtime(
                "tensors of other layouts than torch.strided are not supported",
            ));
        }
        check_device(device)?;
        if pin_memory == Some(true) {
            return Err(no_pinning());
        }
        Ok(Options { dtype })
    }
}

impl Options {
    /// The dtype asked for, or the context's default.
    pub fn dtype_or_default(self, context: &Context) -> DType {
        self.dtype.unwrap_or(context.default_dtype())
    }
}

/// There is no accelerator to pin memory for.
pub fn no_pinning() -> Fault {
    Fault::runtime(
        "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx",
    )
}

/// Refuses devices that cannot hold tensors.
pub fn check_device(device: Option<Device>) -> Result<()> {
    device.map_or(Ok(()), Device::check_available)
}

/// [`Options`] and `MemoryFormat? memory_format`, for results like an existing tensor; `MemoryFormat? memory_format`
/// and the tensor in `out=` forms.
#[derive(Clone, Copy)]
pub struct LikeOptions {
    pub dtype: Option<DType>,
    pub format: Option<MemoryFormat>,
}

impl<'a> FromCall<'a> for LikeOptions {
    fn from_call(call: &'a Call<'_>, index: &mut usize) -> Result<LikeOptions> {
        if let Some(Value::Tensor(out)) = call.inputs().get(*index + 1) {
            let format = Option::<MemoryFormat>::from_call(call, index)?;
            return Ok(LikeOptions {
                dtype: Some(out.dtype()),
                format,
            });
        }
        let options = Options::from_call(call, index)?;
        let format = Option::<MemoryFormat>::from_call(call, index)?;
        Ok(LikeOptions {
            dtype: options.dtype,
            format,
        })
    }
}

impl LikeOptions {
    /// A tensor of unspecified content with `t`'s sizes, and its order of dimensions unless another was asked for.
    pub fn empty(self, t: &Tensor) -> Result<Tensor> {
        let layout = match self.format {
            None | Some(MemoryFormat::Preserve) => preserved(t),
            Some(format) => Layout::with_format(t.sizes(), format)?,
        };
        Tensor::empty_with(&layout, self.dtype.unwrap_or(t.dtype()))
    }
}

/// The layout of a result like `t`: `t`'s own where that is dense, else that of a result computed from it.
pub fn preserved(t: &Tensor) -> Layout {
    match t.layout().is_non_overlapping_and_dense() {
        true => t.layout().at_offset(0),
        false => result_layout(t.sizes(), &[Operand::Tensor(t)]),
    }
}
