//! What kernels compute from a storage and read many times: weights in a kernel's own order.
//!
//! A storage remembers what was derived from it, keyed by where it was read and by the version of the bytes, and gives
//! it back until the bytes change or die. The first request only leaves a mark, so that tensors which are used once
//! cost nothing. Storages whose bytes others can write without counting a version keep nothing.

use crate::Storage;
use std::any::{Any, TypeId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Things that one storage keeps at most: the parts of a joint weight, each read by a layer of its own (a recurrent stack has
/// two for each layer and direction).
const MOST: usize = 32;

/// The matrix in a storage that something was derived from: the first byte, and the counts and steps of its rows and
/// columns in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheKey {
    /// Offset of the first byte.
    pub offset: usize,
    /// Rows and columns.
    pub sizes: [usize; 2],
    /// Elements from row to row and from column to column.
    pub strides: [usize; 2],
    /// How many groups the rows are in, each of which was worked on by itself.
    pub groups: usize,
}

struct Entry {
    version: u64,
    key: CacheKey,
    kind: TypeId,
    /// `None` until the second request.
    made: Option<Arc<dyn Any + Send + Sync>>,
}

/// The part of a storage that remembers.
#[derive(Default)]
pub(crate) struct Slot {
    entries: Mutex<Vec<Entry>>,
    exposed: AtomicBool,
}

impl Storage {
    /// What `make` computes from the bytes at `key`, kept from the second request on and for as long as nobody
    /// writes the storage. `None` at the first request and where nothing can be kept: the caller then does without.
    pub fn derived<T: Any + Send + Sync>(
        &self,
        key: CacheKey,
        make: impl FnOnce() -> T,
    ) -> Option<Arc<T>> {
        let slot = self.slot();
        if slot.exposed.load(Ordering::Relaxed) {
            return None;
        }
        let version = self.writes();
        let kind = TypeId::of::<T>();
        let mut entries = slot.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let known = entries
            .iter_mut()
            .find(|e| e.version == version && e.kind == kind && e.key == key);
        if let Some(entry) = known {
            let made = entry.made.get_or_insert_with(|| Arc::new(make()));
            return Arc::clone(made).downcast().ok();
        }
        entries.retain(|e| e.version == version);
        if entries.len() == MOST {
            entries.remove(0);
        }
        entries.push(Entry {
            version,
            key,
            kind,
            made: None,
        });
        None
    }

    /// Says that somebody outside can write the bytes from now on without counting a version: another library, a file.
    pub fn expose(&self) {
        let slot = self.slot();
        slot.exposed.store(true, Ordering::Relaxed);
        slot.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

#[cfg(test)]
mod tests {
    use super::CacheKey;
    use crate::Storage;

    const ALL: CacheKey = CacheKey {
        offset: 0,
        sizes: [1, 4],
        strides: [4, 1],
        groups: 1,
    };

    #[test]
    fn the_second_request_keeps_and_the_third_finds() {
        let s = Storage::zeroed(16);
        assert!(s.derived(ALL, || 1u32).is_none());
        assert_eq!(s.derived(ALL, || 2u32).as_deref(), Some(&2));
        assert_eq!(s.derived(ALL, || 3u32).as_deref(), Some(&2));
    }

    #[test]
    fn kinds_and_places_are_kept_apart() {
        let s = Storage::zeroed(16);
        let half = CacheKey { offset: 8, ..ALL };
        for _ in 0..2 {
            let _ = s.derived(ALL, || 1u32);
        }
        assert!(s.derived(ALL, || 1u64).is_none());
        assert!(s.derived(half, || 5u32).is_none());
        assert_eq!(s.derived(ALL, || 9u32).as_deref(), Some(&1));
    }

    #[test]
    fn a_write_forgets() {
        let s = Storage::zeroed(16);
        for _ in 0..2 {
            let _ = s.derived(ALL, || 1u32);
        }
        s.bump_version();
        assert!(s.derived(ALL, || 2u32).is_none());
        assert_eq!(s.derived(ALL, || 2u32).as_deref(), Some(&2));
    }

    #[test]
    fn exposed_bytes_keep_nothing() {
        let s = Storage::zeroed(16);
        s.expose();
        for _ in 0..3 {
            assert!(s.derived(ALL, || 1u32).is_none());
        }
    }

    #[test]
    fn no_more_than_a_few_things_are_kept() {
        let s = Storage::zeroed(1 << 10);
        for offset in 0..100 {
            let key = CacheKey { offset, ..ALL };
            let _ = s.derived(key, || 1u32);
        }
        assert!(s.slot().entries.lock().unwrap().len() <= super::MOST);
    }
}
