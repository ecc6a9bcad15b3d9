//! The tensor as data: dtypes, storage, layouts, views, iteration, promotion, generator, printing.
//!
//! Nothing here knows an operator by name. A [`Tensor`] is bytes ([`Storage`]) plus a dtype and a [`Layout`]; it has
//! identity, a version counter shared with its views, and one opaque slot for its gradient history. Kernels read
//! elements through [`Tensor::data`] and produce new tensors from a [`Buffer`]; writes through views go through
//! [`Tensor::copy_from`] and the iterators.

mod blocks;
mod buffer;
mod cells;
mod copy;
mod device;
mod dispatch;
mod display;
mod dtype;
pub mod eight;
pub mod element;
mod fault;
#[cfg(all(windows, target_env = "gnu"))]
mod fused;
mod halves;
mod host;
pub mod iter;
pub mod kinds;
pub mod lanes;
pub mod layout;
mod marks;
pub mod memory;
pub mod order;
mod packed_cache;
pub mod promote;
mod quantizer;
pub mod random;
mod scalar;
mod single;
pub mod special;
mod storage;
mod tensor;
pub mod threads;
pub mod tiles;
pub mod view;
pub mod watch;

pub use buffer::Buffer;
pub use device::{Device, DeviceKind};
pub use display::PrintOptions;
pub use dtype::{DType, MemoryFormat};
pub use element::{Bool8, Element, Float, Number, Real};
pub use fault::{ErrorClass, Fault, Result, Trace};
pub use half::{bf16, f16};
pub use layout::{Dims, Layout};
pub use marks::Marks;
pub use num_complex::{Complex, Complex32, Complex64};
pub use packed_cache::CacheKey;

/// A complex number of two 16-bit floats.
pub type Complex16 = Complex<f16>;
pub use cells::Cells;
pub use promote::Operand;
pub use quantizer::{Quantizer, bounds as quantized_bounds};
pub use random::Generator;
pub use scalar::Scalar;
pub use single::{Single, Singles};
pub use storage::{ABSENT, Storage, set_inference};
pub use tensor::{Data, History, Tensor, WeakTensor, without_quantizer};
