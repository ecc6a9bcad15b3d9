//! Untyped memory with an owner: the heap (recycled through a small per-thread cache), or anybody else's buffer.
//!
//! Memory that this module hands out has always been initialised: fresh blocks come zeroed from the system, recycled
//! ones hold bytes of earlier tensors. So every byte may be read at any time, and with [`crate::Element`]'s promise
//! that every bit pattern is valid, typed access is sound whatever a program does.
//!
//! Threads of one program may write the same tensor at the same time, as in the reference; the library then gives
//! unspecified element values but never leaves the storage.

use crate::packed_cache::Slot;
use crate::{DType, Device, Fault, Result, memory};
use parking_lot::Mutex;
use std::alloc::{self, GlobalAlloc, System};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Every heap block starts at a multiple of this many bytes: a cache line and an AVX-512 vector.
pub const ALIGN: usize = 64;

/// Tensors without elements whose storages have at most so many bytes have memory like all others.
pub const ABSENT: usize = 1 << 20;

thread_local! {
    static INFERENCE: Cell<bool> = const { Cell::new(false) };
}

/// Says whether this thread is in inference mode: memory that it makes there may be changed only there.
#[inline]
pub fn set_inference(on: bool) {
    INFERENCE.set(on);
}

/// Shared untyped memory. Clones share the bytes and the version counter.
#[derive(Clone)]
pub struct Storage(Arc<Inner>);

pub(crate) struct Inner {
    /// Where the bytes are, and how many may be reached. Memory that is outgrown stays until the end, so that both may be
    /// looked at by threads of which one lets it grow; those that need both ask for the number first.
    ptr: AtomicPtr<u8>,
    len: AtomicUsize,
    /// The memory that there was first.
    first: NonNull<u8>,
    grown: OnceLock<Box<Grown>>,
    owner: Owner,
    version: AtomicU64,
    /// The storage whose bytes these are, where writes are counted apart from its own.
    whole: Option<Storage>,
    /// Writes by those who count apart.
    written_apart: AtomicU64,
    /// Whether this is memory of inference mode.
    inference: bool,
    device: Device,
    derived: Slot,
}

/// What is known of a storage that has got another size.
struct Grown {
    /// How many bytes the program has said there are.
    said: AtomicUsize,
    /// The blocks that have taken the place of the first memory, and their bytes: the last one is in force.
    blocks: Mutex<Vec<(NonNull<u8>, usize)>>,
}

enum Owner {
    /// A block of ours with this many bytes.
    Heap(usize),
    /// The bytes of another storage.
    Apart,
    /// The elements of a vector of ours, kept alive by the box.
    Vector(#[expect(dead_code, reason = "held for its Drop")] Box<dyn Any + Send + Sync>),
    /// The memory of another storage, where a tensor's elements would be that somebody outside keeps.
    Kept(
        #[expect(dead_code, reason = "held for its memory")] Storage,
        Arc<dyn Any + Send + Sync>,
    ),
    /// Somebody else's memory, kept alive by the box.
    Foreign(#[expect(dead_code, reason = "held for its Drop")] Box<dyn Any + Send + Sync>),
}

// SAFETY: the memory is plain bytes reached through raw pointers only; see the module comment on races.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Storage {
    /// Memory with unspecified (but initialised) content.
    pub fn unspecified(len: usize) -> Storage {
        let (ptr, class) = take_block(len);
        Storage::of(ptr, len, Owner::Heap(class))
    }

    /// Memory filled with zeros.
    pub fn zeroed(len: usize) -> Storage {
        let (ptr, class) = take_zeroed_block(len);
        Storage::of(ptr, len, Owner::Heap(class))
    }

    /// Memory of a tensor without elements: whoever reads it all the same finds zeros. What is larger than [`ABSENT`] is
    /// addresses alone, which no limit counts.
    pub fn absent(len: usize) -> Result<Storage> {
        if len <= ABSENT {
            return Ok(Storage::zeroed(len));
        }
        Storage::reserved(len).ok_or_else(|| memory::failed(len))
    }

    /// As [`Storage::absent`], for a tensor whose elements somebody outside keeps.
    pub fn kept(len: usize, what: Arc<dyn Any + Send + Sync>) -> Result<Storage> {
        let absent = Storage::absent(len)?;
        let ptr = absent.0.first;
        Ok(Storage::of(ptr, len, Owner::Kept(absent, what)))
    }

    /// What stands for the elements, where somebody outside keeps them.
    pub fn keeper(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        match &self.0.owner {
            Owner::Kept(_, what) => Some(what),
            _ => None,
        }
    }

    /// Addresses without memory behind them, more than the machine has if need be.
    #[cfg(not(target_family = "wasm"))]
    fn reserved(len: usize) -> Option<Storage> {
        let options = memmap2::MmapOptions::new()
            .no_reserve_swap()
            .len(len)
            .map_anon();
        let mut map = options.ok()?;
        let ptr = NonNull::new(map.as_mut_ptr())?;
        // SAFETY: the mapping is `len` bytes of zeros for as long as it lives, which is as long as its box.
        Some(unsafe { Storage::foreign(ptr, len, Box::new(map)) })
    }

    #[cfg(target_family = "wasm")]
    fn reserved(len: usize) -> Option<Storage> {
        Some(Storage::zeroed(len))
    }

    /// A copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> Storage {
        let storage = Storage::unspecified(bytes.len());
        // SAFETY: a block of at least `bytes.len()` bytes that nobody else knows yet.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), storage.as_ptr(), bytes.len()) };
        storage
    }

    /// Wraps the elements of a vector without copying them.
    pub fn from_vec<T: crate::Element>(mut values: Vec<T>) -> Storage {
        let len = std::mem::size_of_val(values.as_slice());
        let ptr = NonNull::new(values.as_mut_ptr().cast::<u8>())
            .expect("vectors have a non-null pointer");
        Storage::of(ptr, len, Owner::Vector(Box::new(values)))
    }

    /// Wraps memory that `owner` keeps alive.
    ///
    /// # Safety
    /// `ptr` must be valid for reads and writes of `len` initialised bytes as long as `owner` lives.
    pub unsafe fn foreign(
        ptr: NonNull<u8>,
        len: usize,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Storage {
        Storage::of(ptr, len, Owner::Foreign(owner))
    }

    fn of(ptr: NonNull<u8>, len: usize, owner: Owner) -> Storage {
        Storage(Arc::new(Inner {
            ptr: AtomicPtr::new(ptr.as_ptr()),
            len: AtomicUsize::new(len),
            first: ptr,
            grown: OnceLock::new(),
            owner,
            version: AtomicU64::new(0),
            whole: None,
            written_apart: AtomicU64::new(0),
            inference: INFERENCE.get(),
            device: Device::CPU,
            derived: Slot::default(),
        }))
    }

    /// The same memory with a count of writes of its own, which starts now.
    pub fn apart(&self) -> Storage {
        let whole = self.0.whole.as_ref().unwrap_or(self);
        Storage(Arc::new(Inner {
            len: AtomicUsize::new(self.len()),
            ptr: AtomicPtr::new(self.as_ptr()),
            first: self.0.whole().first,
            grown: OnceLock::new(),
            owner: Owner::Apart,
            version: AtomicU64::new(0),
            whole: Some(whole.clone()),
            written_apart: AtomicU64::new(0),
            inference: self.0.inference,
            device: self.0.device,
            derived: Slot::default(),
        }))
    }

    /// The handle as a pointer, to be given back to [`Storage::from_raw`].
    pub(crate) fn into_raw(self) -> *mut Inner {
        Arc::into_raw(self.0).cast_mut()
    }

    /// The handle that [`Storage::into_raw`] has given away.
    ///
    /// # Safety
    /// The pointer must come from there and not be used any more.
    pub(crate) unsafe fn from_raw(inner: *mut Inner) -> Storage {
        // SAFETY: the caller's promise.
        Storage(unsafe { Arc::from_raw(inner) })
    }

    /// Whether the bytes start where elements of a dtype may lie.
    pub(crate) fn is_aligned(&self, dtype: DType) -> bool {
        self.0.is_aligned(dtype)
    }

    /// The same bytes in memory of their own.
    pub(crate) fn copied(&self) -> Storage {
        let len = self.len();
        // SAFETY: the storage is at least `len` initialised bytes.
        Storage::copy_of(unsafe { std::slice::from_raw_parts(self.as_ptr(), len) })
    }

    /// Size in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes a program sees: what it has made of them with [`Storage::resize`].
    pub fn seen(&self) -> usize {
        let whole = self.0.whole();
        match whole.grown.get() {
            Some(grown) => grown.said.load(Ordering::Relaxed),
            None => whole.len(),
        }
    }

    /// Makes so many bytes of them, for everybody who shares them. Those that there were stay, at another place if there are
    /// more of them than ever; fewer are still there for those who have tensors of them.
    pub fn resize(&self, bytes: usize) -> Result<()> {
        let whole = self.0.whole();
        let is_ours = matches!(whole.owner, Owner::Heap(_) | Owner::Vector(_));
        if !is_ours || !self.0.device.is_cpu() {
            return match bytes == self.seen() {
                true => Ok(()),
                false => Err(Fault::runtime(
                    "Trying to resize storage that is not resizable",
                )),
            };
        }
        let grown = whole.grown.get_or_init(|| {
            Box::new(Grown {
                said: whole.len().into(),
                blocks: Mutex::default(),
            })
        });
        let mut blocks = grown.blocks.lock();
        let len = whole.len();
        if bytes > len {
            // What grows again doubles: all blocks together, which stay, are then a few times the last.
            let twice = bytes.max(len.saturating_mul(2));
            let room = match blocks.is_empty() || memory::check(twice, 1).is_err() {
                true => bytes,
                false => twice,
            };
            memory::check(room, 1)?;
            let (ptr, taken) = take_zeroed_block(room);
            // SAFETY: a block of at least `room` bytes that nobody else knows yet, and one of at least `len`.
            unsafe { std::ptr::copy_nonoverlapping(whole.as_ptr(), ptr.as_ptr(), len) };
            blocks.push((ptr, taken));
            whole.ptr.store(ptr.as_ptr(), Ordering::Release);
            whole.len.store(room, Ordering::Release);
        }
        grown.said.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Makes at least so many bytes of them, where they are ours.
    pub fn grow(&self, bytes: usize) -> Result<()> {
        match bytes <= self.seen() {
            true => Ok(()),
            false => self.resize(bytes),
        }
    }

    /// First byte.
    #[inline]
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.as_ptr()
    }

    /// Where the bytes live.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Whether two handles share the same memory.
    #[inline]
    pub fn same(&self, other: &Storage) -> bool {
        self.0.same(&other.0)
    }

    /// How many handles share the memory.
    pub fn use_count(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    /// How often the memory was written in place through any view that counts together with this one.
    pub fn version(&self) -> u64 {
        self.0.version()
    }

    /// How often the memory was written in place by anybody.
    pub(crate) fn writes(&self) -> u64 {
        let whole = self.0.whole();
        whole.version() + whole.written_apart.load(Ordering::Relaxed)
    }

    /// Where things derived from the bytes are remembered.
    pub(crate) fn slot(&self) -> &Slot {
        &self.0.whole().derived
    }

    /// Counts a write in place.
    #[inline]
    pub fn bump_version(&self) {
        self.0.bump_version();
    }
}

impl Inner {
    #[inline]
    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.whole().ptr.load(Ordering::Acquire)
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.whole().len.load(Ordering::Acquire)
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    #[inline]
    pub(crate) fn is_aligned(&self, dtype: DType) -> bool {
        (self.as_ptr() as usize).is_multiple_of(dtype.size().min(8))
    }

    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn bump_version(&self) {
        if self.inference {
            self.check_inference()
                .unwrap_or_else(|fault| memory::give_up(fault));
        }
        self.version.fetch_add(1, Ordering::Relaxed);
        if let Some(whole) = &self.whole {
            whole.0.written_apart.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The storage whose bytes these are, whoever counts the writes.
    #[inline]
    pub(crate) fn whole(&self) -> &Inner {
        self.whole.as_ref().map_or(self, |whole| &whole.0)
    }

    /// Whether the memory is the same.
    #[inline]
    pub(crate) fn same(&self, other: &Inner) -> bool {
        std::ptr::eq(self.whole(), other.whole())
    }

    pub(crate) fn is_inference(&self) -> bool {
        self.inference
    }

    pub(crate) fn check_inference(&self) -> Result<()> {
        if !self.inference || INFERENCE.get() {
            return Ok(());
        }
        Err(Fault::runtime(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.",
        ))
    }

    /// Another handle of this storage.
    pub(crate) fn handle(&self) -> Storage {
        // SAFETY: every `Inner` lives in an `Arc` that `Storage::of` or `Storage::apart` has made, and whoever holds the reference keeps a
        // handle.
        unsafe {
            Arc::increment_strong_count(self);
            Storage(Arc::from_raw(self))
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Owner::Heap(bytes) = self.owner {
            give_block(self.first, bytes);
        }
        if let Some(grown) = self.grown.take() {
            for (block, bytes) in grown.blocks.into_inner() {
                give_block(block, bytes);
            }
        }
    }
}

/// Blocks up to this size are kept for reuse, at most `CACHE_BYTES` per thread.
const MAX_CACHED: usize = 16 << 20;
const CACHE_BYTES: usize = 64 << 20;
/// Blocks for fewer bytes no limit has to be asked for.
const SMALL: usize = 1 << 12;
/// Size classes: four per power of two.
const CLASSES: usize = 4 * 24;

struct Cache {
    free: [Vec<NonNull<u8>>; CLASSES],
    bytes: usize,
}

thread_local! {
    static CACHE: RefCell<Cache> = const { RefCell::new(Cache { free: [const { Vec::new() }; CLASSES], bytes: 0 }) };
}

impl Drop for Cache {
    fn drop(&mut self) {
        for (class, list) in self.free.iter_mut().enumerate() {
            for block in list.drain(..) {
                free_block(block, class_bytes(class));
            }
        }
    }
}

/// The index of the smallest class that holds `len` bytes and the size of its blocks.
#[inline]
fn class_of(len: usize) -> (usize, usize) {
    let len = len.max(ALIGN);
    let power = usize::BITS as usize - 1 - len.leading_zeros() as usize;
    let quarter = 1usize << (power - 2);
    let steps = (len - (1 << power)).div_ceil(quarter);
    let class = (power - 6) * 4 + steps;
    (class, class_bytes(class))
}

fn class_bytes(class: usize) -> usize {
    let power = 6 + class / 4;
    (1 << power) + (class % 4) * (1 << (power - 2))
}

fn block_layout(bytes: usize) -> alloc::Layout {
    alloc::Layout::from_size_align(bytes, ALIGN).expect("block sizes fit an address space")
}

fn take_block(len: usize) -> (NonNull<u8>, usize) {
    let (class, bytes) = sized(len);
    memory::count(bytes as i64);
    if bytes <= MAX_CACHED {
        let cached = CACHE
            .try_with(|cache| {
                let cache = &mut *cache.borrow_mut();
                let block = cache.free[class].pop()?;
                cache.bytes -= bytes;
                Some(block)
            })
            .ok()
            .flatten();
        if let Some(block) = cached {
            return (block, bytes);
        }
    }
    (new_block(bytes), bytes)
}

fn take_zeroed_block(len: usize) -> (NonNull<u8>, usize) {
    if len > MAX_CACHED {
        let (_, bytes) = sized(len);
        memory::count(bytes as i64);
        return (new_block(bytes), bytes);
    }
    let (block, bytes) = take_block(len);
    // SAFETY: the block has at least `len` bytes and is not shared yet.
    unsafe { block.as_ptr().write_bytes(0, len) };
    (block, bytes)
}

/// The class of a block for `len` bytes, and its size; leaves the running call where it cannot have so many.
#[inline]
fn sized(len: usize) -> (usize, usize) {
    if len < SMALL {
        return class_of(len);
    }
    memory::bytes_of(len, 1);
    let (class, bytes) = class_of(len);
    memory::bytes_of(bytes, 1);
    (class, bytes)
}

/// A block from the system, past the program's allocator: blocks are counted when they are taken, also from the cache.
fn new_block(bytes: usize) -> NonNull<u8> {
    memory::took();
    // SAFETY: the size is at least ALIGN, not zero.
    let ptr = unsafe { System.alloc_zeroed(block_layout(bytes)) };
    NonNull::new(ptr).unwrap_or_else(|| {
        memory::count(-(bytes as i64));
        memory::give_up(memory::failed(bytes))
    })
}

fn give_block(block: NonNull<u8>, bytes: usize) {
    memory::count(-(bytes as i64));
    if bytes <= MAX_CACHED {
        let kept = CACHE.try_with(|cache| {
            let cache = &mut *cache.borrow_mut();
            let keep = cache.bytes + bytes <= CACHE_BYTES;
            if keep {
                cache.bytes += bytes;
                cache.free[class_of(bytes).0].push(block);
            }
            keep
        });
        if kept == Ok(true) {
            return;
        }
    }
    free_block(block, bytes);
}

fn free_block(block: NonNull<u8>, bytes: usize) {
    // SAFETY: the block came from `new_block` with this size.
    unsafe { System.dealloc(block.as_ptr(), block_layout(bytes)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_what_they_are_asked_for() {
        for len in (0..5000).chain([65536, 65537, 100_000, 1 << 20, (8 << 20) - 1, 8 << 20]) {
            let (class, bytes) = class_of(len);
            assert!(
                bytes >= len && bytes <= len.max(64) * 5 / 4 + 64,
                "{len} {bytes}"
            );
            assert_eq!(class_of(bytes).0, class);
        }
    }

    #[test]
    fn freed_blocks_come_back() {
        let first = Storage::unspecified(1000);
        let ptr = first.as_ptr();
        drop(first);
        assert_eq!(Storage::unspecified(1001).as_ptr(), ptr);
    }
}
