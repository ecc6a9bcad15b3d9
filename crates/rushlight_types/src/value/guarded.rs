//! The lock of lists and objects, and how a thread goes without it.
//!
//! Machine code reads and writes elements of lists so often that taking a lock for each would be most of its time. So one
//! thread of the process at a time may hold the *floor*: while it does, it may touch contents whose lock nobody holds
//! without taking the lock, and every other thread that has just taken a lock gives it back and waits for the floor to be
//! left. Whoever holds the floor leaves it before anything that may wait or take long, and after some thousand instructions.
//!
//! The two sides meet like this: a locker takes the lock and then looks for the floor; the floor's holder takes the floor
//! and then looks at the lock before each access. Both take by an atomic exchange, so at least one of them sees the other,
//! and it is the locker who steps back if both do. Where threads turn out to share data, nobody gets the floor for a while.

use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering, fence};

/// The thread that holds the floor; zero if none does.
static FLOOR: AtomicUsize = AtomicUsize::new(0);

/// Whether some thread had to wait for the floor lately.
static CROWDED: AtomicBool = AtomicBool::new(false);

/// How often the floor is still refused after a thread had to wait for it.
static REFUSALS: AtomicU32 = AtomicU32::new(0);

/// After a thread had to wait, the floor is refused so many times.
const PATIENCE: u32 = 1000;

thread_local! {
    /// Its address tells threads apart.
    static HERE: u8 = const { 0 };
}

#[inline]
fn this_thread() -> usize {
    HERE.with(|here| std::ptr::from_ref(here) as usize)
}

/// Takes the floor for this thread; `false` where another has it, or where threads share data.
#[inline]
pub fn take_floor() -> bool {
    if CROWDED.load(Ordering::Relaxed) {
        return calm_down();
    }
    match FLOOR.compare_exchange(0, this_thread(), Ordering::SeqCst, Ordering::Relaxed) {
        Ok(_) => true,
        Err(holder) => {
            if holder != this_thread() {
                crowd();
            }
            false
        }
    }
}

/// Leaves the floor, which this thread has taken.
#[inline]
pub fn leave_floor() {
    FLOOR.store(0, Ordering::Release);
}

#[cold]
fn crowd() {
    REFUSALS.store(PATIENCE, Ordering::Relaxed);
    CROWDED.store(true, Ordering::Relaxed);
}

#[cold]
fn calm_down() -> bool {
    // Threads that count at the same time may count once only: it is a pause, not a number.
    match REFUSALS.load(Ordering::Relaxed) {
        0 => CROWDED.store(false, Ordering::Relaxed),
        left => REFUSALS.store(left - 1, Ordering::Relaxed),
    }
    false
}

/// Whether another thread has the floor. To be asked after a lock has been taken.
#[inline]
fn is_taken_elsewhere() -> bool {
    // Taking the lock was an exchange, which on x86 is a barrier already.
    if cfg!(not(target_arch = "x86_64")) {
        fence(Ordering::SeqCst);
    }
    let holder = FLOOR.load(Ordering::SeqCst);
    holder != 0 && holder != this_thread()
}

/// Contents behind a lock that the holder of the floor need not take.
pub struct Guarded<T>(Mutex<T>);

impl<T> Guarded<T> {
    /// Guards contents.
    pub fn new(contents: T) -> Guarded<T> {
        Guarded(Mutex::new(contents))
    }

    /// Access to the contents. Do not call anything that may touch them while the guard lives.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let guard = self.0.lock();
        if is_taken_elsewhere() {
            return self.lock_later(guard);
        }
        guard
    }

    /// Access to the contents if nobody has to be waited for, as the holder of the floor must not.
    #[inline]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let guard = self.0.try_lock()?;
        (!is_taken_elsewhere()).then_some(guard)
    }

    #[cold]
    fn lock_later<'a>(&'a self, mut guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        crowd();
        while is_taken_elsewhere() {
            drop(guard);
            std::thread::yield_now();
            guard = self.0.lock();
        }
        guard
    }

    /// The contents without the lock; `None` where somebody holds it.
    ///
    /// # Safety
    ///
    /// This thread has the floor, and is done with the contents before it leaves it or calls anything that may touch them.
    #[inline]
    #[expect(clippy::mut_from_ref, reason = "the floor is what a lock is otherwise")]
    pub unsafe fn unlocked(&self) -> Option<&mut T> {
        if self.0.is_locked() {
            return None;
        }
        // What was written before the lock was given back is seen.
        fence(Ordering::Acquire);
        // SAFETY: nobody holds the lock, and who takes it gives it back as long as this thread has the floor.
        Some(unsafe { &mut *self.0.data_ptr() })
    }

    /// Access by the only owner.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    /// The contents.
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }

    /// The lock itself, for machine code, which keeps the rules above by itself.
    pub fn mutex(&self) -> &Mutex<T> {
        &self.0
    }
}

impl<T: Default> Default for Guarded<T> {
    fn default() -> Guarded<T> {
        Guarded::new(T::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lockers_wait_while_another_thread_has_the_floor() {
        let list = Guarded::new(vec![0u64; 4]);
        for _ in 0..1000 {
            // Other tests of this process may share data for a moment.
            let mut has_floor = take_floor();
            while !has_floor {
                has_floor = take_floor();
            }
            let address = list.mutex().data_ptr() as usize;
            assert_ne!(address, 0);
            std::thread::scope(|scope| {
                let other = scope.spawn(|| list.lock()[0] += 1);
                std::thread::yield_now();
                leave_floor();
                assert!(other.join().is_ok());
            });
        }
        assert_eq!(list.lock()[0], 1000);
    }

    #[test]
    fn the_holder_may_lock_too() {
        let list = Guarded::new(vec![1]);
        if take_floor() {
            list.lock().push(2);
            assert!(!take_floor(), "it is taken once");
            leave_floor();
        }
        list.lock().push(3);
        assert_eq!(list.into_inner().last(), Some(&3));
    }
}
