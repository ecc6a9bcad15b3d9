//! Attributes of tensors that programs read and may not set, in the reference's words.

use crate::identity::PyTensor;
use crate::methods::not_writable;
use pyo3::prelude::*;

macro_rules! read_only {
    ($($set:ident $name:ident),* $(,)?) => {
        #[pymethods]
        impl PyTensor {
            $(
                #[setter($name)]
                fn $set(&self, _value: &Bound<'_, PyAny>) -> PyResult<()> {
                    Err(not_writable(stringify!($name)))
                }
            )*
        }
    };
}

read_only! {
    set_shape shape, set_dtype dtype, set_device device, set_layout layout, set_ndim ndim, set_itemsize itemsize,
    set_nbytes nbytes, set_is_cuda is_cuda, set_is_sparse is_sparse, set_is_quantized is_quantized, set_version _version,
}
