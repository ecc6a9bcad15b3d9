//! What a dict holds: entries side by side in order of insertion, and an index of them once there are more than a few.
//!
//! A few keys are compared one after the other, which is faster than any hash and needs one block of memory. With more, a
//! table of hashes and places finds them. An entry that is taken out of a larger dict leaves a gap, so that taking out costs
//! no more than looking up; gaps are closed when there are as many as entries, or room is needed.

use super::dict::Sought as AnyKey;
use super::{Key, Value};
use crate::{Fault, Result};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use rushlight_tensor::memory;
use std::hash::{BuildHasher, Hash};

/// So many entries are looked through; more have an index.
const FEW: usize = 8;

/// A key as it is looked for; hashed as [`Key`] is.
pub(super) trait Sought: Hash {
    fn is(&self, key: &Value) -> bool;
}

/// The entries of a dict, in order of insertion.
#[derive(Default)]
pub struct Entries {
    /// Entries in order. One whose key is `None`, which no key is, has been taken out.
    slots: Vec<(Key, Value)>,
    /// Slots before this one were taken out.
    first: usize,
    /// How many slots were taken out.
    gone: usize,
    index: Option<Box<Index>>,
}

/// Where keys are. The hash is cheap and another one in every program and dict, so that nobody can choose keys that
/// collide.
#[derive(Default)]
struct Index {
    state: RandomState,
    places: HashTable<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    hash: u32,
    at: u32,
}

/// The hash that the table works with.
#[inline(always)]
fn wide(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

impl Index {
    #[inline(always)]
    fn hash(&self, key: &impl Hash) -> u32 {
        (self.state.hash_one(key) >> 16) as u32
    }

    /// Makes room for so many more places.
    fn make_room(&mut self, more: usize) -> Result<()> {
        if self.places.capacity() - self.places.len() >= more {
            return Ok(());
        }
        let more = more.max(self.places.len());
        memory::check(more, 2 * size_of::<Place>())?;
        let reserved = self.places.try_reserve(more, |place| wide(place.hash));
        reserved.map_err(|_| no_memory())
    }

    /// The same, of so many places, which need no hashing for it; `None` where it is too large for them, or where there is no
    /// memory.
    fn copied(&self, len: usize) -> Option<Box<Index>> {
        let mut copy = Box::<Index>::default();
        copy.make_room(len).ok()?;
        if copy.places.num_buckets() != self.places.num_buckets() {
            return None;
        }
        copy.state = self.state.clone();
        // As many buckets are there already.
        copy.places.clone_from(&self.places);
        Some(copy)
    }

    /// Adds a place, for which there is room.
    #[inline]
    fn add(&mut self, hash: u32, at: usize) {
        let place = Place {
            hash,
            at: at as u32,
        };
        self.places
            .insert_unique(wide(hash), place, |place| wide(place.hash));
    }
}

#[cold]
fn no_memory() -> Fault {
    Fault::runtime("not enough memory for a larger dict")
}

#[inline(always)]
fn is_gone(slot: &(Key, Value)) -> bool {
    matches!(slot.0.value(), Value::None)
}

/// A slot that is written next.
#[inline(always)]
fn empty_slot() -> (Key, Value) {
    (Key::known(Value::None), Value::None)
}

impl Entries {
    /// How many entries there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.slots.len() - self.gone
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slot of a key, or the hash to add it with where there is an index.
    #[inline(always)]
    fn seek(&self, key: &impl Sought) -> std::result::Result<usize, Option<u32>> {
        let Some(index) = &self.index else {
            let found = self.slots.iter().position(|slot| key.is(slot.0.value()));
            return found.ok_or(None);
        };
        let hash = index.hash(key);
        let is_it =
            |place: &Place| place.hash == hash && key.is(self.slots[place.at as usize].0.value());
        match index.places.find(wide(hash), is_it) {
            Some(place) => Ok(place.at as usize),
            None => Err(Some(hash)),
        }
    }

    /// The value of a key.
    #[inline(always)]
    pub(super) fn find(&self, key: &impl Sought) -> Option<&Value> {
        self.seek(key).ok().map(|at| &self.slots[at].1)
    }

    /// The value of a key, to be changed.
    #[inline(always)]
    pub(super) fn find_mut(&mut self, key: &impl Sought) -> Option<&mut Value> {
        self.seek(key).ok().map(|at| &mut self.slots[at].1)
    }

    /// The value of a key.
    pub fn get(&self, key: &Key) -> Option<&Value> {
        self.find(key)
    }

    /// Makes room for so many more slots and no others.
    fn make_slots(&mut self, more: usize) -> Result<()> {
        memory::check(more, size_of::<(Key, Value)>())?;
        let reserved = self.slots.try_reserve_exact(more);
        reserved.map_err(|_| no_memory())
    }

    /// Makes room for so many more entries.
    fn make_room(&mut self, more: usize) -> Result<()> {
        if self.slots.capacity() - self.slots.len() < more {
            if self.gone > 0 && self.gone >= self.slots.len() / 4 {
                self.close_gaps();
            }
            self.make_slots(more.max(self.slots.len()).max(4))?;
        }
        let len = self.slots.len() + more;
        if len <= FEW && self.index.is_none() {
            return Ok(());
        }
        if len > u32::MAX as usize {
            return Err(no_memory());
        }
        match &mut self.index {
            Some(index) => index.make_room(more),
            None => {
                // It is looked at only once it has all. More follow where there are as many.
                let mut index = Box::<Index>::default();
                index.make_room(len.max(3 * FEW))?;
                self.index = Some(index);
                self.index_all();
                Ok(())
            }
        }
    }

    /// Writes the index anew, which has room for all.
    fn index_all(&mut self) {
        if let Some(index) = &mut self.index {
            index.places.clear();
            for (at, (key, _)) in self.slots.iter().enumerate() {
                let hash = index.hash(key);
                index.add(hash, at);
            }
        }
    }

    /// Moves entries up to where others were taken out.
    fn close_gaps(&mut self) {
        self.slots.retain(|slot| !is_gone(slot));
        (self.first, self.gone) = (0, 0);
        self.index_all();
    }

    /// Adds an entry, for which there is room, whose key is not there yet; with its hash, where that is known.
    #[inline]
    fn add(&mut self, key: Key, value: Value, hash: Option<u32>) {
        if let Some(index) = &mut self.index {
            let hash = hash.unwrap_or_else(|| index.hash(&key));
            index.add(hash, self.slots.len());
        }
        self.slots.push((key, value));
    }

    /// As [`Entries::add`], making room; leaves the running call where there is no memory for more.
    #[inline]
    fn push(&mut self, key: Key, value: Value, hash: Option<u32>) {
        self.make_room(1)
            .unwrap_or_else(|fault| memory::give_up(fault));
        self.add(key, value, hash);
    }

    /// Sets the value of a key and returns what it was before; leaves the running call where there is no memory for more.
    pub fn insert(&mut self, key: Key, value: Value) -> Option<Value> {
        match self.seek(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.slots[at].1, value)),
            Err(hash) => {
                self.push(key, value, hash);
                None
            }
        }
    }

    /// Adds an entry whose key, which can be one, is not there yet: a copy of the key, and `None`, to be written over. The hash
    /// is that of the key, where it is known. `None`, and nothing done, where there is no memory for more.
    pub(super) fn add_new(&mut self, key: &Value, hash: Option<u32>) -> Option<&mut Value> {
        self.make_room(1).ok()?;
        let len = self.slots.len();
        if let Some(index) = &mut self.index {
            let hash = hash.unwrap_or_else(|| index.hash(&AnyKey(key)));
            index.add(hash, len);
        }
        // Written where they stay: what is written in pieces and read whole is waited for.
        self.slots.resize_with(len + 1, empty_slot);
        let slot = &mut self.slots[len];
        key.copy_to(slot.0.value_mut());
        Some(&mut slot.1)
    }

    /// As [`Entries::find_mut`], adding an entry with `None` where there is none. `None`, and nothing done, where there is no
    /// memory for more.
    #[inline]
    pub(super) fn find_or_add(&mut self, key: &Value, sought: &impl Sought) -> Option<&mut Value> {
        match self.seek(sought) {
            Ok(at) => Some(&mut self.slots[at].1),
            Err(hash) => self.add_new(key, hash),
        }
    }

    /// The value of a key, which is set to another one if it is not there.
    pub fn get_or_insert(&mut self, key: Key, value: impl FnOnce() -> Value) -> &Value {
        let at = self.seek(&key).unwrap_or_else(|hash| {
            self.push(key, value(), hash);
            self.slots.len() - 1
        });
        &self.slots[at].1
    }

    /// Takes out a key with its value.
    pub(super) fn take(&mut self, key: &impl Sought) -> Option<(Key, Value)> {
        let at = self.seek(key).ok()?;
        Some(self.take_at(at))
    }

    /// Takes out the entry that was inserted first.
    pub fn take_first(&mut self) -> Option<(Key, Value)> {
        (!self.is_empty()).then(|| self.take_at(self.first))
    }

    fn take_at(&mut self, at: usize) -> (Key, Value) {
        let Some(index) = &mut self.index else {
            return self.slots.remove(at);
        };
        let hash = index.hash(&self.slots[at].0);
        let is_it = |place: &Place| place.at as usize == at;
        if let Ok(place) = index.places.find_entry(wide(hash), is_it) {
            place.remove();
        }
        let slot = &mut self.slots[at];
        let taken = std::mem::replace(slot, (Key::known(Value::None), Value::None));
        self.gone += 1;
        while self.slots.last().is_some_and(is_gone) {
            self.slots.pop();
            self.gone -= 1;
        }
        while self.slots.get(self.first).is_some_and(is_gone) {
            self.first += 1;
        }
        if self.slots.is_empty() {
            (self.first, self.gone) = (0, 0);
        } else if self.gone > FEW && self.gone > self.len() {
            self.close_gaps();
        }
        taken
    }

    /// The entry with so many before it; looked for only where some were taken out.
    pub fn at(&self, place: usize) -> Option<(&Key, &Value)> {
        if self.gone > 0 {
            return self.iter().nth(place);
        }
        self.slots.get(place).map(|(key, value)| (key, value))
    }

    /// The entries in order.
    pub fn iter(&self) -> Iter<'_> {
        Iter {
            slots: self.slots[self.first.min(self.slots.len())..].iter(),
            left: self.len(),
        }
    }

    /// The keys in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Key> {
        self.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.iter().map(|(_, value)| value)
    }
}

/// The entries of a dict in order.
pub struct Iter<'a> {
    slots: std::slice::Iter<'a, (Key, Value)>,
    left: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Key, &'a Value);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.slots.find(|slot| !is_gone(slot))?;
        self.left -= 1;
        Some((key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Entries {
    type Item = (&'a Key, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl IntoIterator for Entries {
    type Item = (Key, Value);
    type IntoIter = std::iter::Filter<std::vec::IntoIter<(Key, Value)>, fn(&(Key, Value)) -> bool>;

    fn into_iter(self) -> Self::IntoIter {
        self.slots.into_iter().filter(|slot| !is_gone(slot))
    }
}

impl Extend<(Key, Value)> for Entries {
    fn extend<I: IntoIterator<Item = (Key, Value)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl FromIterator<(Key, Value)> for Entries {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(entries: I) -> Entries {
        let mut out = Entries::default();
        out.extend(entries);
        out
    }
}

impl Clone for Entries {
    fn clone(&self) -> Entries {
        let mut out = Entries::default();
        let len = self.len();
        let index = self.index.as_ref().filter(|_| self.gone == 0);
        let index = index.and_then(|index| index.copied(len));
        let reserved = match index.is_some() {
            true => out.make_slots(len),
            false => out.make_room(len),
        };
        reserved.unwrap_or_else(|fault| memory::give_up(fault));
        out.slots.resize_with(len, empty_slot);
        for (slot, (key, value)) in out.slots.iter_mut().zip(self) {
            key.value().copy_to(slot.0.value_mut());
            value.copy_to(&mut slot.1);
        }
        match index.is_some() {
            true => out.index = index,
            false => out.index_all(),
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: i64) -> Key {
        Key::known(Value::Int(n))
    }

    fn ints(entries: &Entries) -> Vec<(i64, i64)> {
        let int = |v: &Value| v.as_int().unwrap();
        entries
            .iter()
            .map(|(k, v)| (int(k.value()), int(v)))
            .collect()
    }

    #[test]
    fn entries_are_what_a_list_of_pairs_would_be() {
        let (mut entries, mut pairs) = (Entries::default(), Vec::<(i64, i64)>::new());
        let mut state = 1u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 33) % n
        };
        for round in 0..20_000 {
            // Grows for a while, then shrinks.
            let is_growing = round / 500 % 2 == 0;
            let (n, choice) = (next(200) as i64, next(10));
            let at = pairs.iter().position(|p| p.0 == n);
            if choice == 0 {
                let first = (!pairs.is_empty()).then(|| pairs.remove(0));
                let taken = entries.take_first();
                assert_eq!(first.is_some(), taken.is_some());
            } else if (choice < 7) == is_growing {
                let old = entries.insert(key(n), Value::Int(round));
                assert_eq!(old.is_some(), at.is_some());
                match at {
                    Some(at) => pairs[at].1 = round,
                    None => pairs.push((n, round)),
                }
            } else {
                let taken = entries.take(&key(n)).map(|(_, v)| v.as_int().unwrap());
                assert_eq!(taken, at.map(|at| pairs.remove(at).1));
            }
            assert_eq!(entries.len(), pairs.len());
            if round % 97 == 0 {
                assert_eq!(ints(&entries), pairs);
                assert_eq!(ints(&entries.clone()), pairs);
                assert_eq!(entries.iter().len(), pairs.len());
                assert_eq!(entries.clone().into_iter().count(), pairs.len());
            }
            let found = entries.get(&key(n)).map(|v| v.as_int().unwrap());
            assert_eq!(found, pairs.iter().find(|p| p.0 == n).map(|p| p.1));
        }
    }
}
