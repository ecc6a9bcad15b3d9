//! The tensor handle: identity, metadata that may change in place, and typed access to elements.

use crate::{
    Buffer, DType, Device, Element, Fault, Layout, Marks, MemoryFormat, Quantizer, Result, Scalar,
    Storage, dispatch,
};
use crate::{memory, storage};
use parking_lot::Mutex;
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// Where a tensor comes from: what the gradient engine keeps in a tensor's slot.
pub trait History: Send + Sync {
    /// Whether the tensor was made by no recorded call.
    fn is_leaf(&self) -> bool;
    /// Whether the tensor is known to be a view of another.
    fn is_view(&self) -> bool;
    /// The program asks for gradients of the tensor itself, whatever it is a view of, or no more. Views of it require
    /// gradients as it does. Says whether it still requires them, as what it is a view of does.
    fn claim(&self, on: bool) -> bool;
    /// For the engine, which knows what it is.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// An n-dimensional array. Clones are the same tensor (Python's `is`); views are other tensors on the same storage.
///
/// Sizes and strides are borrowed from the tensor and stay valid as long as it lives. Its memory is reached through
/// [`Memory`] alone, which takes storage and shape together, checks that they fit each other, and keeps the storage
/// until it is dropped: another thread may put other metadata in force at any time.
#[derive(Clone)]
pub struct Tensor(Arc<Inner>);

/// A tensor that somebody else may still hold.
pub struct WeakTensor(Weak<Inner>);

impl WeakTensor {
    /// The tensor, while it lives.
    #[inline]
    pub fn upgrade(&self) -> Option<Tensor> {
        self.0.upgrade().map(Tensor)
    }

    /// Whether it lives.
    #[inline]
    pub fn lives(&self) -> bool {
        self.0.strong_count() > 0
    }
}

/// What a tensor is at one moment, apart from its storage. Checked when it is made; see [`Shape::new`].
#[derive(Debug, PartialEq)]
pub(crate) struct Shape {
    dtype: DType,
    layout: Layout,
    numel: usize,
    /// Bytes from the storage's first to the last one that the layout reaches.
    end: usize,
    contiguous: bool,
}

impl Shape {
    /// Checks a layout: the number of elements, the place behind the last one, and everything that a kernel may compute
    /// on the way there fit an address space.
    fn new(dtype: DType, layout: Layout) -> Result<Shape> {
        let (numel, end) = layout.extent(dtype.size())?;
        Ok(Shape {
            contiguous: layout.is_contiguous(),
            dtype,
            layout,
            numel,
            end,
        })
    }
}

struct Inner {
    /// The shape in force; null stands for `first`, others are boxes of `earlier`.
    shape: AtomicPtr<Shape>,
    first: Shape,
    /// The storage in force, as [`Storage::into_raw`] gives it; owned.
    storage: AtomicPtr<storage::Inner>,
    /// How many [`Memory`] values there are.
    readers: AtomicUsize,
    /// Whether `earlier` holds storages that were in force when somebody read.
    retired: AtomicBool,
    earlier: Mutex<Option<Box<Earlier>>>,
    requires_grad: AtomicBool,
    /// Set on tensors that stand for a Python number, which take part in promotion as numbers do.
    wrapped_number: AtomicBool,
    /// See [`Tensor::host_mark`].
    host_mark: AtomicPtr<()>,
    /// What the elements of a quantized dtype stand for.
    quantizer: Option<Arc<Quantizer>>,
    /// Whether elements are read conjugated or negated.
    marks: Marks,
    history: Mutex<Option<Arc<dyn History>>>,
}

/// What `set_meta` has replaced.
#[derive(Default)]
struct Earlier {
    /// All shapes but the first that were ever in force: borrowed sizes stay valid. A shape that comes back is found
    /// again.
    shapes: HashMap<(DType, Layout), Box<Shape>>,
    /// Storages that somebody was reading when they were replaced; they go with the last reader.
    storages: Vec<Storage>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        let storage = *self.storage.get_mut();
        // SAFETY: the pointer came from `into_raw` and is owned; nobody reads a tensor that is being dropped.
        drop(unsafe { Storage::from_raw(storage) });
    }
}

/// The memory of a tensor while somebody reads or writes it: storage and shape that fit each other.
pub(crate) struct Memory<'a> {
    inner: &'a Inner,
    shape: &'a Shape,
    storage: &'a storage::Inner,
}

impl Memory<'_> {
    /// The tensor's first element; not to be dereferenced for tensors without elements.
    #[inline]
    pub(crate) fn first(&self) -> *mut u8 {
        self.storage
            .as_ptr()
            .wrapping_add(self.shape.layout.offset() * self.shape.dtype.size())
    }

    /// As [`Memory::first`], for elements of a type. Panics when that is not the dtype.
    #[inline]
    pub(crate) fn first_of<T: Element>(&self) -> *mut T {
        assert_eq!(
            self.shape.dtype.held(),
            T::DTYPE,
            "element type does not match the dtype"
        );
        self.first().cast::<T>()
    }

    #[inline]
    pub(crate) fn dtype(&self) -> DType {
        self.shape.dtype
    }

    #[inline]
    pub(crate) fn layout(&self) -> &Layout {
        &self.shape.layout
    }

    #[inline]
    pub(crate) fn numel(&self) -> usize {
        self.shape.numel
    }

    /// Whether elements lie one behind the other, and are read as they are.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.shape.contiguous && self.inner.marks.is_none()
    }

    /// Whether both are parts of the same storage.
    pub(crate) fn shares_storage(&self, other: &Memory<'_>) -> bool {
        self.storage.same(other.storage)
    }

    /// Whether writes in place are allowed now: not outside of inference mode to what was made inside.
    pub(crate) fn may_be_written(&self) -> bool {
        self.storage.check_inference().is_ok()
    }

    /// Counts a write in place.
    pub(crate) fn count_write(&self) {
        self.storage.bump_version();
    }

    /// How the elements are read.
    pub(crate) fn marks(&self) -> Marks {
        self.inner.marks
    }

    /// Elements from the first to the last that the layout reaches.
    pub(crate) fn span(&self) -> usize {
        (self.shape.end / self.shape.dtype.size()).saturating_sub(self.shape.layout.offset())
    }
}

impl Drop for Memory<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.inner.readers.fetch_sub(1, Ordering::SeqCst) == 1
            && self.inner.retired.load(Ordering::SeqCst)
        {
            self.inner.release();
        }
    }
}

impl Inner {
    /// Drops the storages that nobody reads any more.
    #[cold]
    fn release(&self) {
        let mut earlier = self.earlier.lock();
        // Who begins to read from here on finds the storage in force, not one of these.
        if self.readers.load(Ordering::SeqCst) > 0 {
            return;
        }
        self.retired.store(false, Ordering::SeqCst);
        let gone = earlier.as_mut().map(|e| std::mem::take(&mut e.storages));
        drop(earlier);
        drop(gone);
    }
}

/// The words for a tensor whose metadata another thread replaces between two questions.
#[cold]
fn torn() -> ! {
    memory::give_up(Fault::runtime(
        "a tensor was given other memory by another thread while an operator used it",
    ))
}

impl Tensor {
    /// A tensor over a storage that was made for the layout. Leaves the running call if they do not fit each other.
    pub(crate) fn from_parts(storage: Storage, dtype: DType, layout: Layout) -> Tensor {
        Tensor::with_quantizer(storage, dtype, layout, None, Marks::NONE)
    }

    fn with_quantizer(
        storage: Storage,
        dtype: DType,
        layout: Layout,
        quantizer: Option<Arc<Quantizer>>,
        marks: Marks,
    ) -> Tensor {
        Tensor::checked(storage, dtype, layout, quantizer, marks)
            .unwrap_or_else(|fault| memory::give_up(fault))
    }

    /// The one place where tensors are made: fails unless the layout lies inside the storage, and unless quantized
    /// elements, and no others, have a quantizer that fits the sizes.
    fn checked(
        storage: Storage,
        dtype: DType,
        layout: Layout,
        quantizer: Option<Arc<Quantizer>>,
        marks: Marks,
    ) -> Result<Tensor> {
        check_quantizer(dtype, layout.sizes(), quantizer.as_deref())?;
        let shape = Shape::new(dtype, layout)?;
        if shape.end > storage.len() {
            return Err(outside(&shape, &storage));
        }
        let storage = if storage.is_aligned(dtype) {
            storage
        } else {
            // A mapped record that is not aligned: take a copy that is.
            storage.copied()
        };
        crate::kinds::note(quantizer.is_some(), marks);
        Ok(Tensor::of(shape, storage, quantizer, marks))
    }

    /// A tensor of a shape that has been checked against the storage.
    #[inline(always)]
    fn of(
        shape: Shape,
        storage: Storage,
        quantizer: Option<Arc<Quantizer>>,
        marks: Marks,
    ) -> Tensor {
        Tensor(Arc::new(Inner {
            shape: AtomicPtr::new(std::ptr::null_mut()),
            first: shape,
            storage: AtomicPtr::new(storage.into_raw()),
            readers: AtomicUsize::new(0),
            retired: AtomicBool::new(false),
            earlier: Mutex::new(None),
            requires_grad: AtomicBool::new(false),
            wrapped_number: AtomicBool::new(false),
            host_mark: AtomicPtr::new(std::ptr::null_mut()),
            quantizer,
            marks,
            history: Mutex::new(None),
        }))
    }

    /// A plain tensor over a block of ours, of a layout that [`Layout::small`] has made: what is left to check is whether
    /// the block is large enough. Panics where it is not.
    pub(crate) fn row_major(
        storage: Storage,
        dtype: DType,
        layout: Layout,
        numel: usize,
    ) -> Tensor {
        let end = numel * dtype.size();
        assert!(
            end <= storage.len() && storage.is_aligned(dtype) && !dtype.is_quantized(),
            "a block does not hold its tensor"
        );
        let shape = Shape {
            dtype,
            layout,
            numel,
            end,
            contiguous: true,
        };
        Tensor::of(shape, storage, None, Marks::NONE)
    }

    /// A tensor over any storage. Fails when the layout reaches outside it.
    pub fn view_of(storage: &Storage, dtype: DType, layout: Layout) -> Result<Tensor> {
        Tensor::checked(storage.clone(), dtype, layout, None, Marks::NONE)
    }

    /// The bytes of a row-major tensor in a row.
    pub fn bytes(&self) -> Result<Tensor> {
        let width = self.dtype().size();
        let layout = Layout::contiguous(&[crate::memory::times([self.numel(), width])]);
        let offset = self.layout().offset().saturating_mul(width);
        Tensor::view_of(&self.storage(), DType::U8, layout.at_offset(offset))
    }

    /// The same bytes as elements of another dtype that is as wide.
    pub fn read_as(&self, dtype: DType) -> Result<Tensor> {
        if self.dtype() == dtype {
            return Ok(self.clone());
        }
        assert_eq!(self.dtype().size(), dtype.size());
        Tensor::view_of(&self.storage(), dtype, self.layout().clone())
    }

    /// A view on this tensor's storage. Fails when it would reach outside the storage.
    pub fn view_with(&self, layout: Layout) -> Result<Tensor> {
        Tensor::checked(
            self.storage(),
            self.dtype(),
            layout,
            self.0.quantizer.clone(),
            self.0.marks,
        )
    }

    /// A row-major view of all elements of a plain tensor that is row-major, too; `None` where that is not so, or has to be
    /// checked.
    pub(crate) fn row_major_view(&self, sizes: &[usize]) -> Option<Tensor> {
        let shape = self.shape();
        let (layout, numel) = Layout::small_at(sizes, shape.layout.offset())?;
        let is_plain = self.0.quantizer.is_none() && self.0.marks.is_none();
        if !shape.contiguous || numel != shape.numel || !is_plain {
            return None;
        }
        let storage = self.storage();
        if shape.end > storage.len() || !storage.is_aligned(shape.dtype) {
            return None;
        }
        let shape = Shape {
            layout,
            numel,
            ..*shape
        };
        Some(Tensor::of(shape, storage, None, Marks::NONE))
    }

    /// A tensor of unspecified content; row-major.
    pub fn empty(sizes: &[usize], dtype: DType) -> Result<Tensor> {
        if let Some((layout, numel)) = Layout::small(sizes)
            && !dtype.is_quantized()
        {
            memory::check(numel, dtype.size())?;
            let storage = Storage::unspecified(numel * dtype.size());
            return Ok(Tensor::row_major(storage, dtype, layout, numel));
        }
        let numel = crate::layout::checked_numel(sizes)?;
        memory::check(numel, dtype.size())?;
        Ok(Tensor::from_parts(
            Storage::unspecified(numel * dtype.size()),
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
        memory::check(elements, dtype.size())?;
        Ok(Tensor::from_parts(
            Storage::unspecified(elements * dtype.size()),
            dtype,
            layout,
        ))
    }

    /// A tensor of zeros; row-major.
    pub fn zeros(sizes: &[usize], dtype: DType) -> Result<Tensor> {
        if let Some((layout, numel)) = Layout::small(sizes)
            && !dtype.is_quantized()
        {
            memory::check(numel, dtype.size())?;
            let storage = Storage::zeroed(numel * dtype.size());
            return Ok(Tensor::row_major(storage, dtype, layout, numel));
        }
        let numel = crate::layout::checked_numel(sizes)?;
        memory::check(numel, dtype.size())?;
        Ok(Tensor::from_parts(
            Storage::zeroed(numel * dtype.size()),
            dtype,
            Layout::contiguous(sizes),
        ))
    }

    /// A tensor filled with a number.
    pub fn full(sizes: &[usize], value: Scalar, dtype: DType) -> Result<Tensor> {
        check_quantizer(dtype, sizes, None)?;
        let numel = crate::layout::checked_numel(sizes)?;
        memory::check(numel, dtype.size())?;
        if dtype.is_eight() {
            let byte = crate::eight::encode(dtype, f32::from_scalar(value));
            return Ok(Buffer::filled(numel, byte)
                .into_tensor(sizes)
                .as_eights(dtype));
        }
        Ok(
            dispatch!(dtype, All, T => Buffer::<T>::filled(numel, T::from_scalar(value)).into_tensor(sizes)),
        )
    }

    /// A tensor without dimensions that holds one number.
    pub fn scalar(value: Scalar, dtype: DType) -> Tensor {
        if dtype.is_eight() {
            let byte = crate::eight::encode(dtype, f32::from_scalar(value));
            return Buffer::filled(1, byte).into_tensor(&[]).as_eights(dtype);
        }
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
    fn shape(&self) -> &Shape {
        let current = self.0.shape.load(Ordering::Acquire);
        if current.is_null() {
            return &self.0.first;
        }
        // SAFETY: points into a box of `earlier.shapes`, which keeps it until the tensor is dropped.
        unsafe { &*current }
    }

    /// The memory, for as long as the result lives. Leaves the running call where another thread is just replacing
    /// storage and shape and has done one but not the other.
    #[inline]
    pub(crate) fn memory(&self) -> Memory<'_> {
        let inner = &*self.0;
        inner.readers.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the tensor owns the storage in force. If it is replaced from now on, `set_meta` sees the reader that
        // was just counted and keeps the storage until `Memory` is dropped.
        let storage = unsafe { &*inner.storage.load(Ordering::SeqCst) };
        let memory = Memory {
            inner,
            shape: self.shape(),
            storage,
        };
        if memory.shape.end > storage.len() || !storage.is_aligned(memory.shape.dtype) {
            torn();
        }
        memory
    }

    /// Puts other metadata in force, in place: `t_`, `resize_`, `set_`, `squeeze_`, `.data =`. The layout must fit.
    /// What was in force before is given up, its memory as soon as nobody reads it.
    pub fn set_meta(&self, storage: &Storage, dtype: DType, layout: Layout) -> Result<()> {
        // Checks the parts and makes them fit each other.
        let inner = &*self.0;
        self.check_inference()?;
        let quantizer = inner.quantizer.clone();
        let probe = Tensor::checked(storage.clone(), dtype, layout, quantizer, inner.marks)?;
        let storage = probe.storage();
        let new = probe.shape();
        let mut earlier = inner.earlier.lock();
        let replaced = earlier.get_or_insert_default();
        let shape = if *new == inner.first {
            std::ptr::null_mut()
        } else {
            let boxed = replaced
                .shapes
                .entry((dtype, new.layout.clone()))
                .or_insert_with(|| {
                    Box::new(Shape {
                        layout: new.layout.clone(),
                        ..*new
                    })
                });
            std::ptr::from_mut(&mut **boxed)
        };
        let old = inner.storage.swap(storage.into_raw(), Ordering::SeqCst);
        inner.shape.store(shape, Ordering::SeqCst);
        // SAFETY: the pointer came from `into_raw` and was owned by the tensor.
        replaced.storages.push(unsafe { Storage::from_raw(old) });
        inner.retired.store(true, Ordering::SeqCst);
        drop(earlier);
        if inner.readers.load(Ordering::SeqCst) == 0 {
            inner.release();
        }
        Ok(())
    }

    /// Replaces the layout in place.
    pub fn set_layout(&self, layout: Layout) -> Result<()> {
        self.set_meta(&self.storage(), self.dtype(), layout)
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.shape().dtype
    }

    /// Where the tensor lives.
    pub fn device(&self) -> Device {
        match self.is_meta() && self.kept().is_none() {
            true => Device::META,
            false => self.with_storage(storage::Inner::device),
        }
    }

    /// The memory.
    pub fn storage(&self) -> Storage {
        self.with_storage(storage::Inner::handle)
    }

    /// Asks the storage something, whatever the shape is.
    #[inline]
    fn with_storage<T>(&self, ask: impl FnOnce(&storage::Inner) -> T) -> T {
        let inner = &*self.0;
        inner.readers.fetch_add(1, Ordering::SeqCst);
        // SAFETY: as in `memory`.
        let storage = unsafe { &*inner.storage.load(Ordering::SeqCst) };
        let memory = Memory {
            inner,
            shape: &inner.first,
            storage,
        };
        ask(memory.storage)
    }

    /// Sizes, strides and offset.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.shape().layout
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
        self.shape().numel
    }

    /// Whether the elements lie in row-major order without gaps.
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.shape().contiguous
    }

    /// Whether both handles are the same tensor (Python's `is`).
    #[inline]
    pub fn is(&self, other: &Tensor) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A place for the host of the program: where it keeps its own object for this tensor. Null at first; nobody here reads
    /// it or looks behind it.
    pub fn host_mark(&self) -> &AtomicPtr<()> {
        &self.0.host_mark
    }

    /// The tensor, as one who does not keep it knows it.
    #[inline]
    pub fn downgrade(&self) -> WeakTensor {
        WeakTensor(Arc::downgrade(&self.0))
    }

    /// An address that identifies the tensor while it lives.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }

    /// Whether both tensors have the same memory (not necessarily the same elements of it).
    pub fn shares_storage(&self, other: &Tensor) -> bool {
        self.with_storage(|a| other.with_storage(|b| a.same(b)))
    }

    /// An address that identifies the memory while it lives.
    pub fn storage_id(&self) -> usize {
        self.with_storage(|storage| std::ptr::from_ref(storage.whole()) as usize)
    }

    /// How often the memory was written in place.
    pub fn version(&self) -> u64 {
        self.with_storage(storage::Inner::version)
    }

    /// Counts a write in place.
    #[inline]
    pub fn bump_version(&self) {
        self.with_storage(storage::Inner::bump_version);
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

    /// Turns recording of gradients on or off as a program does: the tensor is asked about for itself.
    pub fn claim_gradient(&self, on: bool) {
        let as_base = self.history().is_some_and(|history| history.claim(on));
        self.set_requires_grad(on || as_base);
    }

    /// Whether the tensor is known to be a view of another.
    pub fn is_view(&self) -> bool {
        self.history().is_some_and(|history| history.is_view())
    }

    /// Another tensor with the same elements, layout and storage, without gradient history.
    pub fn alias(&self) -> Tensor {
        self.alias_as(self.dtype(), self.0.quantizer.clone(), self.0.marks)
    }

    /// Whether nobody else has this tensor or its memory.
    pub fn is_sole(&self) -> bool {
        // This handle of the memory is the second.
        Arc::strong_count(&self.0) == 1 && self.storage().use_count() == 2
    }

    /// As [`Tensor::alias`], with a count of writes of its own: what is recorded of this tensor does not notice them.
    pub fn apart(&self) -> Tensor {
        let memory = self.memory();
        let (storage, layout) = (memory.storage.handle().apart(), memory.layout().clone());
        let quantizer = self.0.quantizer.clone();
        Tensor::with_quantizer(storage, self.dtype(), layout, quantizer, self.0.marks)
    }

    /// Another tensor over the same memory whose dtype has elements of the same size.
    fn alias_as(&self, dtype: DType, quantizer: Option<Arc<Quantizer>>, marks: Marks) -> Tensor {
        let memory = self.memory();
        let layout = memory.layout().clone();
        Tensor::with_quantizer(memory.storage.handle(), dtype, layout, quantizer, marks)
    }

    /// How elements are read.
    #[inline]
    pub fn marks(&self) -> Marks {
        self.0.marks
    }

    /// Another tensor over the same memory whose elements are read with these marks besides its own.
    pub fn marked(&self, marks: Marks) -> Tensor {
        let quantizer = self.0.quantizer.clone();
        self.alias_as(self.dtype(), quantizer, self.0.marks.and(marks))
    }

    /// Whether the memory was made in inference mode: no version of it is counted.
    pub fn is_inference(&self) -> bool {
        self.with_storage(storage::Inner::is_inference)
    }

    /// Refuses to change a tensor of inference mode outside that mode.
    pub fn check_inference(&self) -> Result<()> {
        self.with_storage(storage::Inner::check_inference)
    }

    /// What the elements stand for, where the dtype is a quantized one.
    #[inline]
    pub fn quantizer(&self) -> Option<&Arc<Quantizer>> {
        self.0.quantizer.as_ref()
    }

    /// The integers of a quantized tensor, in the same memory; other tensors are themselves.
    pub fn stored(&self) -> Tensor {
        let dtype = self.dtype();
        if !dtype.is_quantized() {
            return self.clone();
        }
        self.alias_as(dtype.stored(), None, Marks::NONE)
    }

    /// The bytes of floats of eight bits and the integers of a quantized tensor, in the same memory; other tensors are
    /// themselves.
    pub fn held(&self) -> Tensor {
        match self.dtype().is_eight() {
            true => self.alias_as(DType::U8, None, Marks::NONE),
            false => self.stored(),
        }
    }

    /// The floats of eight bits whose bytes these are, in the same memory.
    pub fn as_eights(&self, dtype: DType) -> Tensor {
        self.alias_as(dtype, None, Marks::NONE)
    }

    /// The quantized tensor whose integers are this one's, in the same memory. `None` for dtypes that nothing is
    /// stored as.
    pub fn as_quantized(&self, quantizer: &Arc<Quantizer>) -> Option<Tensor> {
        let dtype = match self.dtype() {
            DType::I8 => DType::QI8,
            DType::U8 => DType::QU8,
            DType::I32 => DType::QI32,
            _ => return None,
        };
        Some(self.alias_as(dtype, Some(quantizer.clone()), Marks::NONE))
    }

    /// What `make` makes of the integers of a quantized tensor, with the same quantizer; `None` for other tensors.
    pub(crate) fn on_integers(&self, make: impl FnOnce(&Tensor) -> Tensor) -> Option<Tensor> {
        if self.dtype().is_eight() {
            return Some(make(&self.held()).as_eights(self.dtype()));
        }
        let quantizer = self.quantizer()?;
        make(&self.stored()).as_quantized(quantizer)
    }

    /// The address of the first element, for libraries that take arrays; not to be dereferenced for tensors without
    /// elements. Valid while a handle of [`Tensor::storage`] lives.
    pub fn address(&self) -> *mut u8 {
        self.memory().first()
    }

    /// The elements in row-major order: borrowed where they lie so, else gathered into a new buffer. Panics when `T` is
    /// not the tensor's dtype.
    pub fn data<T: Element>(&self) -> Data<'_, T> {
        let memory = self.memory();
        if !memory.shape.contiguous || !self.0.marks.is_none() {
            return Data(Elements::Gathered(memory.gather()));
        }
        let first = memory.first_of::<T>();
        Data(Elements::Borrowed(first, memory))
    }

    /// The elements in row-major order, converted.
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        let memory = self.memory();
        let mut out = memory::with_capacity(memory.numel());
        // SAFETY: the vector has room for all elements, each of which is written.
        unsafe {
            memory.gather_into::<T>(out.as_mut_ptr());
            out.set_len(memory.numel());
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
        if self.is_meta() {
            return Err(Fault::runtime(
                "Tensor.item() cannot be called on meta tensors",
            ));
        }
        if let Some(quantizer) = self.quantizer() {
            return Ok(Scalar::Float(f64::from(quantizer.dequantize(self)[0])));
        }
        if self.dtype().is_eight() {
            let byte = self.data::<u8>()[0];
            return Ok(Scalar::Float(
                crate::eight::decode(self.dtype(), byte).into(),
            ));
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
        self.contiguous_copy()
    }
}

/// Elements in row-major order; see [`Tensor::data`].
pub struct Data<'a, T: Element>(Elements<'a, T>);

enum Elements<'a, T: Element> {
    Borrowed(*const T, Memory<'a>),
    Gathered(Buffer<T>),
}

// SAFETY: a shared slice of plain elements and what keeps it alive.
unsafe impl<T: Element> Send for Data<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for Data<'_, T> {}

impl<T: Element> Deref for Data<'_, T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match &self.0 {
            Elements::Borrowed(_, memory) if memory.numel() == 0 => &[],
            // SAFETY: shape and storage have been checked to fit, the bytes are initialised and aligned, and `memory`
            // keeps the storage.
            Elements::Borrowed(first, memory) => unsafe {
                std::slice::from_raw_parts(*first, memory.numel())
            },
            Elements::Gathered(buffer) => buffer,
        }
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for Data<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

/// Refuses quantized elements of which nobody knows what they stand for, and the other way round.
#[inline]
fn check_quantizer(dtype: DType, sizes: &[usize], quantizer: Option<&Quantizer>) -> Result<()> {
    match quantizer {
        None if !dtype.is_quantized() => Ok(()),
        None => Err(without_quantizer()),
        Some(quantizer) if dtype.is_quantized() => quantizer.check(sizes),
        Some(_) => Err(Fault::runtime(
            "a quantized tensor cannot become a tensor of another kind in place",
        )),
    }
}

/// The error of a quantized dtype where no scale is known.
#[cold]
pub fn without_quantizer() -> Fault {
    Fault::runtime(
        "empty_strided not supported on quantized tensors yet see https://github.com/pytorch/pytorch/issues/74540",
    )
}

/// The error of a layout that reaches outside its storage.
#[cold]
fn outside(shape: &Shape, storage: &Storage) -> Fault {
    Fault::runtime(format!(
        "setStorage: sizes {}, strides {}, storage offset {}, and itemsize {} requiring a storage size of {} are out of bounds for storage of size {}",
        crate::layout::list(shape.layout.sizes()),
        crate::layout::list(shape.layout.strides()),
        shape.layout.offset(),
        shape.dtype.size(),
        shape.end,
        storage.len()
    ))
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
