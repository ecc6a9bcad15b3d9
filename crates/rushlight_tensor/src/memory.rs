//! The one door to memory whose size comes from data.
//!
//! A block for a tensor or a kernel's own vector is asked for here, where asking can fail: because no machine has so
//! much, because the system says no, or because the running call has a limit ([`crate::watch`]). Many functions give a
//! tensor and no error, since what they allocate is as large as something that exists already; yet an expanded tensor
//! may be small in memory and its copy huge. Then the call unwinds, quietly, to the one that a program made
//! ([`catching`]), which reports the error like any other.
//!
//! What a thread has in use is counted: blocks of tensors always, everything else where the program's allocator is
//! [`Accounting`].

use crate::blocks::{self, Blocks};
use crate::layout::checked_numel;
use crate::{ErrorClass, Fault, Result, watch};
use std::alloc::{GlobalAlloc, Layout, System};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::ptr::NonNull;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What unwinds when a call is left with an error.
struct Left(Fault);

/// What every allocation counts, in one place that is looked up once.
struct Counts {
    /// Bytes that this thread has taken and not given back; what others give back for it counts for them.
    in_use: Cell<i64>,
    /// How often this thread has asked the system for memory.
    taken: Cell<u64>,
    /// When this thread has more than this in use, the running call has to be looked at.
    alarm: Cell<i64>,
    /// The blocks that this thread keeps for itself, where the program's allocator is [`Accounting`].
    blocks: Blocks,
}

impl Counts {
    #[inline(always)]
    fn count(&self, bytes: i64) {
        let now = self.in_use.get().wrapping_add(bytes);
        self.in_use.set(now);
        if now > self.alarm.get() {
            watch::alarm();
        }
    }

    #[inline(always)]
    fn took(&self) {
        self.taken.set(self.taken.get().wrapping_add(1));
    }
}

thread_local! {
    static COUNTS: Counts = const {
        Counts {
            in_use: Cell::new(0),
            taken: Cell::new(0),
            alarm: Cell::new(i64::MAX),
            blocks: Blocks::new(),
        }
    };
    /// Whether the reserve had to be given up for this thread.
    static EXHAUSTED: Cell<bool> = const { Cell::new(false) };
    /// How many calls of [`catching`] are running.
    static CATCHING: Cell<u32> = const { Cell::new(0) };
    /// Where the panic that is unwinding began, where [`quiet_panics`] is in force.
    static PANICKED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Allocations at least this large look at the limit of the running call before they are made; smaller ones are seen
/// when it is looked at the next time.
const LARGE: usize = 1 << 16;

/// So many items are collected between two looks at the running call.
const LONG: usize = 1 << 12;

/// The bytes that this thread has in use.
#[inline]
pub fn in_use() -> i64 {
    COUNTS.with(|counts| counts.in_use.get())
}

/// How often this thread has asked the system for memory so far: for blocks of tensors, and for everything else where the
/// program's allocator is [`Accounting`].
#[inline]
pub fn taken() -> u64 {
    COUNTS.with(|counts| counts.taken.get())
}

/// Counts that the system was asked for memory.
#[inline]
pub(crate) fn took() {
    COUNTS.with(Counts::took);
}

/// Counts bytes that were taken (or, negative, given back).
#[inline]
pub(crate) fn count(bytes: i64) {
    COUNTS.with(|counts| counts.count(bytes));
}

/// Sets how much this thread may have in use before the running call is looked at.
pub(crate) fn set_alarm(bytes: i64) {
    COUNTS.with(|counts| counts.alarm.set(bytes));
}

/// Whether a machine could have a block of so many bytes at all.
fn is_possible(bytes: usize) -> bool {
    bytes as u64 <= 1 << 38 && bytes <= isize::MAX as usize
}

/// Refuses so many bytes where no machine could hold them or the running call may not.
#[inline]
pub(crate) fn admit(bytes: usize) -> Result<()> {
    if bytes < LARGE {
        return Ok(());
    }
    if !is_possible(bytes) {
        return Err(failed(bytes));
    }
    watch::admit(bytes)
}

/// So many elements of a size, in bytes; leaves the running call where it cannot have so many.
#[inline]
pub(crate) fn bytes_of(len: usize, size: usize) -> usize {
    check(len, size).unwrap_or_else(|fault| give_up(fault));
    len * size
}

/// Refuses so many elements of a size where no machine could hold them or the running call may not.
#[inline]
pub fn check(len: usize, size: usize) -> Result<()> {
    match len.checked_mul(size) {
        Some(bytes) => admit(bytes),
        None => Err(failed(usize::MAX)),
    }
}

/// Refuses so many values of a size that are allocated one by one where there is not room for all of them.
pub fn check_room(len: usize, size: usize) -> Result<()> {
    check(len, size)?;
    let bytes = len * size;
    if bytes >= LARGE {
        let mut room: Vec<u8> = Vec::new();
        room.try_reserve_exact(bytes).map_err(|_| failed(bytes))?;
    }
    Ok(())
}

/// A number of elements that is a product; leaves the running call where no tensor has so many.
pub fn times<const N: usize>(factors: [usize; N]) -> usize {
    numel(&factors)
}

/// The number of elements of a tensor of these sizes; leaves the running call where there is none.
pub fn numel(sizes: &[usize]) -> usize {
    checked_numel(sizes).unwrap_or_else(|fault| give_up(fault))
}

/// An empty vector with room for so many values, where the number comes from a program; leaves the running call where
/// there is not so much memory.
pub fn with_capacity<T>(len: usize) -> Vec<T> {
    let mut out = Vec::new();
    reserve(&mut out, len);
    out
}

/// Room for so many more values; leaves the running call where there is not so much memory.
pub fn reserve<T>(values: &mut Vec<T>, more: usize) {
    let bytes = bytes_of(more, size_of::<T>());
    if values.try_reserve_exact(more).is_err() {
        give_up(failed(bytes));
    }
}

/// Room for so many more values, twice the length where there is none left and at least for four, as [`Vec::push`] grows; leaves
/// the running call where there is not so much memory.
#[inline]
pub fn make_room<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() < more {
        reserve(values, more.max(values.len()).max(4));
    }
}

/// So many copies of a value, where the number comes from a program; leaves the running call where there is not so much
/// memory.
pub fn filled<T: Clone>(len: usize, value: T) -> Vec<T> {
    let mut out = with_capacity(len);
    out.resize(len, value);
    out
}

/// A copy of a slice, whose length comes from a program; leaves the running call where there is not so much memory.
pub fn copied<T: Clone>(items: &[T]) -> Vec<T> {
    let mut out = with_capacity(items.len());
    out.extend_from_slice(items);
    out
}

/// Appends copies of values; leaves the running call where there is not so much memory.
pub fn extend<T: Clone>(values: &mut Vec<T>, more: &[T]) {
    make_room(values, more.len());
    values.extend_from_slice(more);
}

/// An empty string with room for so many bytes; leaves the running call where there is not so much memory.
pub fn text_with_capacity(len: usize) -> String {
    String::from_utf8(with_capacity(len)).unwrap_or_default()
}

/// The items of an iterator, whose number comes from a program; leaves the running call where there is not so much
/// memory.
pub fn collect<T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let items = items.into_iter();
    let (least, most) = items.size_hint();
    let mut out = with_capacity(least);
    if least <= LONG && most == Some(least) {
        out.extend(items);
        return out;
    }
    for item in items {
        push(&mut out, item);
        if out.len().is_multiple_of(LONG) {
            watch::poll();
        }
    }
    out
}

/// [`collect`] as a method, in place of [`Iterator::collect`] for vectors whose length comes from a program.
pub trait Collected: Iterator + Sized {
    /// The items; leaves the running call where there is not so much memory.
    fn collected(self) -> Vec<Self::Item> {
        collect(self)
    }
}

impl<I: Iterator> Collected for I {}

/// Appends a value, growing as [`Vec::push`] does; leaves the running call where there is not so much memory.
#[inline]
pub fn push<T>(values: &mut Vec<T>, value: T) {
    make_room(values, 1);
    values.push(value);
}

/// The error of an allocation of so many bytes that failed.
#[cold]
pub fn failed(bytes: usize) -> Fault {
    Fault::runtime(format!(
        "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate {bytes} bytes. Error code 12 (Cannot allocate memory)",
    ))
}

/// Leaves the call that is running with an error, where a function cannot give one. Where panics do not unwind, this ends
/// the program; its panic hook can ask [`last_words`] for the error.
#[cold]
pub fn give_up(fault: Fault) -> ! {
    if cfg!(panic = "abort") {
        panic_any(Left(fault))
    }
    resume_unwind(left(fault))
}

/// The error that a panic with this payload is to be, where it is no mistake but a call that was left.
pub fn last_words(payload: &dyn Any) -> Option<&Fault> {
    payload.downcast_ref::<Left>().map(|left| &left.0)
}

/// What [`give_up`] unwinds with.
pub(crate) fn left(fault: Fault) -> Box<dyn Any + Send> {
    Box::new(Left(fault))
}

/// Memory that is given back when the system has no more, so that small allocations go on until the running call looks at
/// its watch and ends with an error.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

const RESERVE_LAYOUT: Layout = match Layout::from_size_align(32 << 20, 64) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};

/// Takes the reserve if there is none. It is never touched, so that it costs addresses and no memory.
fn keep_reserve() {
    if !RESERVE.load(Ordering::Relaxed).is_null() {
        return;
    }
    // SAFETY: the layout has a size.
    let block = unsafe { System.alloc(RESERVE_LAYOUT) };
    if block.is_null() {
        return;
    }
    let none = std::ptr::null_mut();
    if RESERVE
        .compare_exchange(none, block, Ordering::AcqRel, Ordering::Relaxed)
        .is_err()
    {
        // SAFETY: just allocated with this layout; another thread was faster.
        unsafe { System.dealloc(block, RESERVE_LAYOUT) };
    }
}

/// Gives the reserve back and makes this thread's call end soon. `false` if there is none.
#[cold]
fn give_up_reserve() -> bool {
    let block = RESERVE.swap(std::ptr::null_mut(), Ordering::AcqRel);
    if block.is_null() {
        return false;
    }
    // SAFETY: allocated by `keep_reserve` with this layout, and taken out of its place by this thread alone.
    unsafe { System.dealloc(block, RESERVE_LAYOUT) };
    EXHAUSTED.set(true);
    watch::alarm();
    true
}

/// Whether memory ran out in the running call since the last time that it was asked.
pub(crate) fn was_exhausted() -> bool {
    EXHAUSTED.replace(false) && CATCHING.get() > 0
}

/// Runs `work`, turning whatever leaves it into its error: a failed allocation, a limit, and a panic, which is a mistake
/// of ours that a program must survive ([`ErrorClass::Internal`]).
pub fn catching<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    if CATCHING.get() == 0 {
        keep_reserve();
        EXHAUSTED.set(false);
    }
    CATCHING.set(CATCHING.get() + 1);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(CATCHING.get() - 1);
    outcome.unwrap_or_else(|cause| Err(reason(cause)))
}

#[cold]
fn reason(cause: Box<dyn Any + Send>) -> Fault {
    let cause = match cause.downcast::<Left>() {
        Ok(left) => return left.0,
        Err(other) => other,
    };
    let text = match (cause.downcast_ref::<&str>(), cause.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text.as_str(),
        // What others unwind with is not ours to stop.
        _ => resume_unwind(cause),
    };
    let place = PANICKED.take().unwrap_or_default();
    Fault::new(
        ErrorClass::Internal,
        format!(
            "{text}{place}. This is a mistake in Rushlight, not in the program: please report it"
        ),
    )
}

/// Keeps panics that [`catching`] turns into errors off the screen, and adds to the errors where they happened. For doors
/// that own their process's panic hook: the command and the wheel.
pub fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CATCHING.get() == 0 {
                return before(info);
            }
            let place = info.location().map(|l| {
                let file = l.file().rsplit('/').next().unwrap_or_default();
                format!(" ({file}:{})", l.line())
            });
            PANICKED.replace(place);
        }));
    });
}

/// Gives the blocks that this thread keeps to the system.
pub(crate) fn close_blocks() {
    COUNTS.with(|counts| counts.blocks.close());
}

/// The system's allocator, which counts what each thread has in use, so that limits see strings, lists and dicts too:
/// `#[global_allocator] static ALLOCATOR: Accounting = Accounting;`. Small blocks and large ones that are given back are kept by the thread for the next
/// that ask for as much, so that calls which make and drop such do not ask the system.
pub struct Accounting;

/// A block from the system, by `ask`; where there is none, the reserve is given up first.
#[inline(always)]
fn asked(ask: impl Fn() -> *mut u8) -> *mut u8 {
    let block = ask();
    if block.is_null() && give_up_reserve() {
        return ask();
    }
    block
}

/// A small block that this thread does not have.
#[cold]
#[inline(never)]
fn fresh_block(counts: &Counts, class: usize) -> *mut u8 {
    counts.took();
    asked(|| blocks::fresh(class))
}

// SAFETY: blocks of a class are as `blocks` promises, as large as their class and used by one at a time; every other call goes to
// the system's allocator as it is. Counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Accounting {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNTS.with(|counts| {
            counts.count(layout.size() as i64);
            if let Some(class) = blocks::class_of(layout) {
                return match counts.blocks.take(class) {
                    Some(block) => block.as_ptr(),
                    None => fresh_block(counts, class),
                };
            }
            counts.took();
            // SAFETY: the caller's promise.
            asked(|| unsafe { System.alloc(layout) })
        })
    }

    #[inline]
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        COUNTS.with(|counts| {
            counts.count(-(layout.size() as i64));
            match (blocks::class_of(layout), NonNull::new(ptr)) {
                // SAFETY: the caller's promise; blocks of such layouts came from `alloc`, with this class.
                (Some(class), Some(block)) => unsafe { counts.blocks.give(class, block) },
                // SAFETY: the caller's promise.
                _ => unsafe { System.dealloc(ptr, layout) },
            }
        });
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        COUNTS.with(|counts| {
            counts.count(layout.size() as i64);
            let class = blocks::class_of(layout);
            if let Some(block) = class.and_then(|class| counts.blocks.take(class)) {
                // SAFETY: the block has at least this size.
                unsafe { block.as_ptr().write_bytes(0, layout.size()) };
                return block.as_ptr();
            }
            counts.took();
            match class {
                Some(class) => asked(|| blocks::fresh_zeroed(class)),
                // SAFETY: the caller's promise.
                None => asked(|| unsafe { System.alloc_zeroed(layout) }),
            }
        })
    }

    #[inline]
    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller promises that this is a layout.
        let wanted = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        let classes = (blocks::class_of(layout), blocks::class_of(wanted));
        if classes == (None, None) {
            COUNTS.with(|counts| {
                counts.count(new_size as i64 - layout.size() as i64);
                counts.took();
            });
            // SAFETY: the caller's promise; a failed call leaves the old block as it was.
            return asked(|| unsafe { System.realloc(ptr, layout, new_size) });
        }
        if classes.0 == classes.1 {
            count(new_size as i64 - layout.size() as i64);
            return ptr;
        }
        // SAFETY: the caller's promise; the layouts are those of two blocks, both as large as what is copied.
        unsafe {
            let block = self.alloc(wanted);
            if !block.is_null() {
                block.copy_from_nonoverlapping(ptr, layout.size().min(new_size));
                self.dealloc(ptr, layout);
            }
            block
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DType, Tensor};

    #[test]
    fn copies_of_huge_expanded_tensors_fail_with_an_error() {
        let one = Tensor::zeros(&[1], DType::F32).unwrap();
        let wide = one
            .view_with(one.layout().expand(&[1 << 50]).unwrap())
            .unwrap();
        assert!(catching(|| Ok(wide.deep_copy())).is_err());
        assert!(catching(|| Ok(wide.contiguous())).is_err());
        assert!(catching(|| Ok(wide.contiguous_copy())).is_err());
        assert!(catching(|| Ok(wide.to_vec::<f64>())).is_err());
    }

    #[test]
    fn vectors_of_any_length_fail_with_an_error() {
        for len in [1 << 36, 1 << 50, usize::MAX] {
            assert!(catching(|| Ok(filled(len, 0u64))).is_err());
            assert!(catching(|| Ok(with_capacity::<u64>(len))).is_err());
        }
        assert_eq!(collect(0..5), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn large_blocks_keep_what_they_hold_and_come_back() {
        let layout = |size| Layout::from_size_align(size, 8).unwrap();
        // SAFETY: every block is used within its size, and given back once with the layout that it has then.
        unsafe {
            let mut block = Accounting.alloc(layout(100));
            block.write_bytes(7, 100);
            let mut size = 100;
            for wanted in [600, 150_000, 160_000, 3_000_000, 9_000_000, 200_000, 50] {
                block = Accounting.realloc(block, layout(size), wanted);
                size = wanted;
                assert!((0..50).all(|i| block.add(i).read() == 7), "{wanted}");
            }
            Accounting.dealloc(block, layout(size));
            let first = Accounting.alloc(layout(1_000_000));
            first.write_bytes(9, 1_000_000);
            Accounting.dealloc(first, layout(1_000_000));
            let second = Accounting.alloc_zeroed(layout(999_000));
            assert_eq!(first, second);
            assert!((0..999_000).all(|i| second.add(i).read() == 0));
            Accounting.dealloc(second, layout(999_000));
        }
    }

    #[test]
    fn panics_become_errors_of_ours() {
        let fault = catching::<()>(|| panic!("index out of bounds")).unwrap_err();
        assert_eq!(fault.class(), ErrorClass::Internal);
        assert!(fault.message().starts_with("index out of bounds"));
    }
}
