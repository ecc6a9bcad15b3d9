//! The tensor handle: identity, metadata that may change in place, and typed access to elements.

use crate::memory;
use crate::{
    Buffer, DType, Device, Element, Fault, Layout, MemoryFormat, Quantizer, Result, Scalar,
    Storage, dispatch,
};
use parking_lot::Mutex;
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// Where a tensor comes from: what the gradient engine keeps in a tensor's slot.
pub trait History: Send + Sync {
    /// Whether the tensor was made by no recorded call.
    fn is_leaf(&self) -> bool;
    /// For the engine, which knows what it is.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// An n-dimensional array. Clones are the same tensor (Python's `is`); views are other tensors on the same storage.
#[derive(Clone)]
pub struct Tensor(Arc<Inner>);

/// What a tensor is at one moment. Replaced as a whole by in-place metadata changes.
#[derive(Clone)]
struct Meta {
    storage: Storage,
    dtype: DType,
    layout: Layout,
}

struct Inner {
    /// The metadata in force: `first`, or one of `later`.
    current: AtomicPtr<Meta>,
    first: Meta,
    /// Metadata set by `set_meta`. Nothing is removed before the tensor goes, so borrowed metadata stays valid; a
    /// state that was in force before is found again instead of being added.
    #[expect(clippy::vec_box, reason = "the boxes are pointed to and must not move")]
    later: Mutex<Vec<Box<Meta>>>,
    requires_grad: AtomicBool,
    /// Set on tensors that stand for a Python number, which take part in promotion as numbers do.
    wrapped_number: AtomicBool,
    /// What the elements of a quantized dtype stand for.
    quantizer: Option<Arc<Quantizer>>,
    history: Mutex<Option<Arc<dyn History>>>,
}

impl Tensor {
    /// A tensor over a storage without checking the layout against it: for callers that have just made both.
    pub(crate) fn from_parts(storage: Storage, dtype: DType, layout: Layout) -> Tensor {
        Tensor::with_quantizer(storage, dtype, layout, None)
    }

    fn with_quantizer(
        storage: Storage,
        dtype: DType,
        layout: Layout,
        quantizer: Option<Arc<Quantizer>>,
    ) -> Tensor {
        debug_assert!(
            layout
                .end()
                .is_some_and(|end| end * dtype.size() <= storage.len())
        );
        Tensor(Arc::new(Inner {
            current: AtomicPtr::new(std::ptr::null_mut()),
            first: Meta {
                storage,
                dtype,
                layout,
            },
            later: Mutex::new(Vec::new()),
            requires_grad: AtomicBool::new(false),
            wrapped_number: AtomicBool::new(false),
            quantizer,
            history: Mutex::new(None),
        }))
    }

    /// A tensor over any storage. Fails when the layout reaches outside it or the storage is not aligned for the dtype.
    pub fn view_of(storage: &Storage, dtype: DType, layout: Layout) -> Result<Tensor> {
        let fits = layout
            .end()
            .and_then(|end| end.checked_mul(dtype.size()))
            .is_some_and(|end| end <= storage.len());
        if !fits {
            return Err(Fault::runtime(format!(
                "setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} requiring a storage size of {} are out of bounds for storage of size {}",
                crate::layout::list(layout.sizes()),
                crate::layout::list(layout.strides()),
                layout.offset(),
                dtype.size(),
                layout.end().map_or("too many bytes".to_string(), |end| (end
                    .saturating_mul(dtype.size()))
                .to_string()),
                storage.len()
            )));
        }
        if !(storage.as_ptr() as usize).is_multiple_of(dtype.size().min(8)) {
            // A mapped record that is not aligned: take a copy that is.
            // SAFETY: the storage is `len` initialised bytes.
            let bytes = unsafe { std::slice::from_raw_parts(storage.as_ptr(), storage.len()) };
            return Ok(Tensor::from_parts(Storage::copy_of(bytes), dtype, layout));
        }
        Ok(Tensor::from_parts(storage.clone(), dtype, layout))
    }

    /// A view on this tensor's storage. Fails when it would reach outside the storage.
    pub fn view_with(&self, layout: Layout) -> Result<Tensor> {
        Tensor::view_of(self.storage(), self.dtype(), layout)
    }

    /// A tensor of unspecified content; row-major.
    pub fn empty(sizes: &[usize], dtype: DType) -> Result<Tensor> {
        let numel = crate::layout::checked_numel(sizes)?;
        Tensor::check_allocation(numel, dtype)?;
        Ok(Tensor::from_parts(
            Storage::stale(numel * dtype.size()),
            dtype,
            Layout::contiguous(sizes),
        ))
    }

    /// A dense tensor of unspecified content with the order of dimensions of `layout` (offset is ignored).
    pub fn empty_with(layout: &Layout, dtype: DType) -> Result<Tensor> {
        let layout = layout.at_offset(0);
        let elements = layout
            .end()
            .ok_or_else(|| Fault::runtime("Storage size calculation overflowed"))?;
        Tensor::check_allocation(elements, dtype)?;
        Ok(Tensor::from_parts(
            Storage::stale(elements * dtype.size()),
            dtype,
            layout,
        ))
    }

    /// A tensor of zeros; row-major.
    pub fn zeros(sizes: &[usize], dtype: DType) -> Result<Tensor> {
        let numel = crate::layout::checked_numel(sizes)?;
        Tensor::check_allocation(numel, dtype)?;
        Ok(Tensor::from_parts(
            Storage::zeroed(numel * dtype.size()),
            dtype,
            Layout::contiguous(sizes),
        ))
    }

    /// Refuses allocations that no machine can serve, as an error instead of an abort.
    fn check_allocation(numel: usize, dtype: DType) -> Result<()> {
        match numel.checked_mul(dtype.size()) {
            Some(bytes) if memory::is_possible(bytes) => Ok(()),
            bytes => Err(memory::failed(bytes.unwrap_or(usize::MAX))),
        }
    }

    /// A tensor filled with a number.
    pub fn full(sizes: &[usize], value: Scalar, dtype: DType) -> Result<Tensor> {
        let numel = crate::layout::checked_numel(sizes)?;
        Tensor::check_allocation(numel, dtype)?;
        Ok(
            dispatch!(dtype, All, T => Buffer::<T>::filled(numel, T::from_scalar(value)).into_tensor(sizes)),
        )
    }

    /// A tensor without dimensions that holds one number.
    pub fn scalar(value: Scalar, dtype: DType) -> Tensor {
        dispatch!(dtype, All, T => Buffer::<T>::filled(1, T::from_scalar(value)).into_tensor(&[]))
    }

    /// The tensor that a Python number becomes where a tensor is wanted; marked as such for type promotion.
    pub fn wrapped(value: Scalar, default: DType) -> Tensor {
        let dtype = match value.dtype(default) {
            d if d.is_float() => DType::F64,
            d if d.is_complex() => DType::C128,
            d => d,
        };
        let tensor = Tensor::scalar(value, dtype);
        tensor.set_wrapped_number(true);
        tensor
    }

    /// Wraps a vector without copying it. Fails unless the sizes multiply to its length.
    pub fn from_vec<T: Element>(values: Vec<T>, sizes: &[usize]) -> Result<Tensor> {
        let numel = crate::layout::checked_numel(sizes)?;
        if numel != values.len() {
            return Err(Fault::value(format!(
                "{} values do not fill a tensor of sizes {}",
                values.len(),
                crate::layout::list(sizes)
            )));
        }
        Ok(Tensor::from_parts(
            Storage::from_vec(values),
            T::DTYPE,
            Layout::contiguous(sizes),
        ))
    }

    /// Copies a slice into a new tensor. Fails unless the sizes multiply to its length.
    pub fn from_slice<T: Element>(values: &[T], sizes: &[usize]) -> Result<Tensor> {
        if crate::layout::checked_numel(sizes)? != values.len() {
            return Tensor::from_vec(values.to_vec(), sizes);
        }
        Ok(Buffer::copy_of(values).into_tensor(sizes))
    }

    #[inline]
    fn meta(&self) -> &Meta {
        let current = self.0.current.load(Ordering::Acquire);
        if current.is_null() {
            return &self.0.first;
        }
        // SAFETY: points into a box of `later`, which keeps it until the tensor is dropped.
        unsafe { &*current }
    }

    /// Puts other metadata in force, in place: `t_`, `resize_`, `set_`, `squeeze_`, `.data =`. The layout must fit.
    pub fn set_meta(&self, storage: &Storage, dtype: DType, layout: Layout) -> Result<()> {
        let probe = Tensor::view_of(storage, dtype, layout)?;
        let new = probe.0.first.clone();
        let same = |m: &Meta| {
            m.storage.same(&new.storage) && m.dtype == new.dtype && m.layout == new.layout
        };
        let mut later = self.0.later.lock();
        let target = if same(&self.0.first) {
            std::ptr::null_mut()
        } else if let Some(known) = later.iter().find(|m| same(m)) {
            (&raw const **known).cast_mut()
        } else {
            later.push(Box::new(new));
            let newest = later.last().expect("just pushed");
            (&raw const **newest).cast_mut()
        };
        self.0.current.store(target, Ordering::Release);
        Ok(())
    }

    /// Replaces the layout in place.
    pub fn set_layout(&self, layout: Layout) -> Result<()> {
        self.set_meta(&self.storage().clone(), self.dtype(), layout)
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.meta().dtype
    }

    /// Where the tensor lives.
    pub fn device(&self) -> Device {
        self.meta().storage.device()
    }

    /// The memory.
    #[inline]
    pub fn storage(&self) -> &Storage {
        &self.meta().storage
    }

    /// Sizes, strides and offset.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.meta().layout
    }

    /// Sizes per dimension.
    #[inline]
    pub fn sizes(&self) -> &[usize] {
        self.layout().sizes()
    }

    /// Strides per dimension, in elements.
    #[inline]
    pub fn strides(&self) -> &[usize] {
        self.layout().strides()
    }

    /// Number of dimensions.
    #[inline]
    pub fn rank(&self) -> usize {
        self.layout().rank()
    }

    /// The size of a dimension.
    #[inline]
    pub fn size(&self, dim: usize) -> usize {
        self.layout().sizes()[dim]
    }

    /// Number of elements.
    #[inline]
    pub fn numel(&self) -> usize {
        self.layout().numel()
    }

    /// Whether the elements lie in row-major order without gaps.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.layout().is_contiguous()
    }

    /// Whether both handles are the same tensor (Python's `is`).
    #[inline]
    pub fn is(&self, other: &Tensor) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// An address that identifies the tensor while it lives.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Whether both tensors have the same memory (not necessarily the same elements of it).
    pub fn shares_storage(&self, other: &Tensor) -> bool {
        self.storage().same(other.storage())
    }

    /// How often the memory was written in place.
    pub fn version(&self) -> u64 {
        self.storage().version()
    }

    /// Counts a write in place.
    #[inline]
    pub fn bump_version(&self) {
        self.storage().bump_version();
    }

    /// Whether gradients are recorded for this tensor.
    #[inline]
    pub fn requires_grad(&self) -> bool {
        self.0.requires_grad.load(Ordering::Relaxed)
    }

    /// Turns recording of gradients on or off.
    pub fn set_requires_grad(&self, on: bool) {
        self.0.requires_grad.store(on, Ordering::Relaxed);
    }

    /// Whether the tensor stands for a Python number.
    #[inline]
    pub fn is_wrapped_number(&self) -> bool {
        self.0.wrapped_number.load(Ordering::Relaxed)
    }

    /// Marks the tensor as standing for a Python number.
    pub fn set_wrapped_number(&self, on: bool) {
        self.0.wrapped_number.store(on, Ordering::Relaxed);
    }

    /// The gradient history, for the gradient engine alone.
    pub fn history(&self) -> Option<Arc<dyn History>> {
        self.0.history.lock().clone()
    }

    /// Replaces the gradient history.
    pub fn set_history(&self, history: Option<Arc<dyn History>>) {
        // What is replaced may hold other tensors: it goes when the lock has gone.
        let old = std::mem::replace(&mut *self.0.history.lock(), history);
        drop(old);
    }

    /// Whether gradients of this tensor end here: it was made by no recorded call.
    pub fn is_leaf(&self) -> bool {
        !self.requires_grad() || self.history().is_none_or(|history| history.is_leaf())
    }

    /// Another tensor with the same elements, layout and storage, without gradient history.
    pub fn alias(&self) -> Tensor {
        let meta = self.meta();
        let quantizer = self.0.quantizer.clone();
        Tensor::with_quantizer(
            meta.storage.clone(),
            meta.dtype,
            meta.layout.clone(),
            quantizer,
        )
    }

    /// What the elements stand for, where the dtype is a quantized one.
    #[inline]
    pub fn quantizer(&self) -> Option<&Arc<Quantizer>> {
        self.0.quantizer.as_ref()
    }

    /// The integers of a quantized tensor, in the same memory; other tensors are themselves.
    pub fn stored(&self) -> Tensor {
        let meta = self.meta();
        if !meta.dtype.is_quantized() {
            return self.clone();
        }
        Tensor::from_parts(
            meta.storage.clone(),
            meta.dtype.stored(),
            meta.layout.clone(),
        )
    }

    /// The quantized tensor whose integers are this one's, in the same memory. `None` for dtypes that nothing is
    /// stored as.
    pub fn as_quantized(&self, quantizer: &Arc<Quantizer>) -> Option<Tensor> {
        let meta = self.meta();
        let dtype = match meta.dtype {
            DType::I8 => DType::QI8,
            DType::U8 => DType::QU8,
            DType::I32 => DType::QI32,
            _ => return None,
        };
        let (storage, layout) = (meta.storage.clone(), meta.layout.clone());
        Some(Tensor::with_quantizer(
            storage,
            dtype,
            layout,
            Some(quantizer.clone()),
        ))
    }

    /// First element of this view; not to be dereferenced for tensors without elements.
    #[inline]
    pub fn as_ptr<T: Element>(&self) -> *mut T {
        assert_eq!(
            self.dtype().stored(),
            T::DTYPE,
            "element type does not match the dtype"
        );
        self.as_bytes().cast::<T>()
    }

    /// First byte of this view's first element.
    #[inline]
    pub(crate) fn as_bytes(&self) -> *mut u8 {
        let meta = self.meta();
        meta.storage
            .as_ptr()
            .wrapping_add(meta.layout.offset() * meta.dtype.size())
    }

    /// The elements in row-major order: borrowed where they lie so, else gathered into a new buffer. Panics when `T` is
    /// not the tensor's dtype.
    pub fn data<T: Element>(&self) -> Data<'_, T> {
        let ptr = self.as_ptr::<T>();
        if self.is_contiguous() {
            let slice = if self.numel() == 0 {
                &[][..]
            } else {
                // SAFETY: the constructors have checked that the layout lies within the storage, whose bytes are
                // initialised and aligned; the borrow of `self` keeps the storage alive (metadata states are never
                // freed).
                unsafe { std::slice::from_raw_parts(ptr, self.numel()) }
            };
            return Data::Borrowed(slice);
        }
        Data::Gathered(self.gather())
    }

    /// The elements in row-major order, converted.
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        let count = self.numel();
        memory::bytes_of(count, size_of::<T>());
        let mut out = Vec::with_capacity(count);
        // SAFETY: the vector has room for `count` elements, all of which are written.
        unsafe {
            self.gather_into::<T>(out.as_mut_ptr());
            out.set_len(count);
        }
        out
    }

    /// The one element of a tensor with one element.
    pub fn item(&self) -> Result<Scalar> {
        if self.numel() != 1 {
            return Err(Fault::runtime(format!(
                "a Tensor with {} elements cannot be converted to Scalar",
                self.numel()
            )));
        }
        if let Some(quantizer) = self.quantizer() {
            return Ok(Scalar::Float(f64::from(quantizer.dequantize(self)[0])));
        }
        Ok(dispatch!(self.dtype(), All, T => self.data::<T>()[0].to_scalar()))
    }

    /// This tensor if it is dense in the memory format, else a copy that is.
    pub fn contiguous_in(&self, format: MemoryFormat) -> Result<Tensor> {
        if self.layout().is_contiguous_in(format) {
            return Ok(self.clone());
        }
        if let Some(quantizer) = self.quantizer() {
            let stored = self.stored().contiguous_in(format)?;
            return Ok(stored.as_quantized(quantizer).expect("was stored"));
        }
        let out = Tensor::empty_with(&Layout::with_format(self.sizes(), format)?, self.dtype())?;
        out.fill_from(self);
        Ok(out)
    }

    /// This tensor if it is contiguous, else a contiguous copy.
    pub fn contiguous(&self) -> Tensor {
        if self.is_contiguous() {
            return self.clone();
        }
        if let Some(quantizer) = self.quantizer() {
            let stored = self.stored().contiguous();
            return stored.as_quantized(quantizer).expect("was stored");
        }
        dispatch!(self.dtype(), All, T => self.gather::<T>().into_tensor(self.sizes()))
    }
}

/// Elements in row-major order; see [`Tensor::data`].
pub enum Data<'a, T: Element> {
    Borrowed(&'a [T]),
    Gathered(Buffer<T>),
}

impl<T: Element> Deref for Data<'_, T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Data::Borrowed(slice) => slice,
            Data::Gathered(buffer) => buffer,
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Tensor({}, {})",
            self.dtype(),
            crate::layout::list(self.sizes())
        )
    }
}
