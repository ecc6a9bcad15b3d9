//! Uniform access to lists of every representation, without copying them whole.
//!
//! A schema such as `aten::append.t(t[](a!) self, t(c -> *) el)` serves lists of ints, floats, bools, tensors and
//! anything else. [`Sequence`] borrows the list; its methods lock it for one step only. What a step takes out of the
//! list is dropped after the lock is released.

use rushlight_tensor::{Tensor, memory, watch};
use rushlight_types::{Fault, GenericList, List, Result, Value, ValueKind};
use std::sync::Arc;

/// A list argument of any representation.
#[derive(Clone, Copy)]
pub(super) enum Sequence<'a> {
    Ints(&'a List<i64>),
    Floats(&'a List<f64>),
    Bools(&'a List<bool>),
    Tensors(&'a List<Tensor>),
    Values(&'a Arc<GenericList>),
}

impl<'a> ValueKind<'a> for Sequence<'a> {
    #[inline(always)]
    fn from_value(value: &'a Value) -> Result<Sequence<'a>> {
        match value {
            Value::IntList(l) => Ok(Sequence::Ints(l)),
            Value::FloatList(l) => Ok(Sequence::Floats(l)),
            Value::BoolList(l) => Ok(Sequence::Bools(l)),
            Value::TensorList(l) => Ok(Sequence::Tensors(l)),
            Value::List(l) => Ok(Sequence::Values(l)),
            other => Err(not_a_list(other)),
        }
    }
}

#[cold]
fn not_a_list(value: &Value) -> Fault {
    Fault::type_error(format!(
        "expected a value of type 'List' but found '{}'",
        value.type_of()
    ))
}

/// The fault of an index outside a list.
#[cold]
pub(super) fn out_of_range() -> Fault {
    Fault::runtime("list index out of range")
}

/// What a list of some representation holds.
pub(super) trait Item: Clone {
    fn read(value: &Value) -> Result<Self>;
    fn write(self) -> Value;
}

macro_rules! items {
    ($($t:ty, $v:ident => $read:expr, $write:expr;)*) => {$(
        impl Item for $t {
            #[inline(always)]
            fn read($v: &Value) -> Result<$t> {
                $read
            }
            #[inline(always)]
            fn write(self) -> Value {
                let $v = self;
                $write
            }
        }
    )*};
}
items! {
    i64, v => v.as_int(), Value::Int(v);
    f64, v => v.as_float(), Value::Float(v);
    bool, v => v.as_bool(), Value::Bool(v);
    Tensor, v => v.as_tensor().cloned(), Value::Tensor(v);
    Value, v => Ok(v.clone()), v;
}

/// Runs the same code on the locked elements of whichever representation the list has.
macro_rules! with_items {
    ($sequence:expr, $items:ident => $body:expr) => {
        match $sequence {
            Sequence::Ints(l) => {
                #[allow(unused_mut)]
                let mut $items = l.lock();
                $body
            }
            Sequence::Floats(l) => {
                #[allow(unused_mut)]
                let mut $items = l.lock();
                $body
            }
            Sequence::Bools(l) => {
                #[allow(unused_mut)]
                let mut $items = l.lock();
                $body
            }
            Sequence::Tensors(l) => {
                #[allow(unused_mut)]
                let mut $items = l.lock();
                $body
            }
            Sequence::Values(l) => {
                #[allow(unused_mut)]
                let mut $items = l.items.lock();
                $body
            }
        }
    };
}

/// A position counted from the end where negative, if it is inside.
#[inline(always)]
pub(super) fn position(index: i64, len: usize) -> Option<usize> {
    let at = if index < 0 {
        index.wrapping_add(len as i64)
    } else {
        index
    };
    (at as u64 as usize).lt(&len).then_some(at as usize)
}

impl<'a> Sequence<'a> {
    /// How many elements there are.
    #[inline]
    pub fn len(self) -> usize {
        with_items!(self, items => items.len())
    }

    /// The element at an index, negative from the end.
    #[inline]
    pub fn get(self, index: i64) -> Result<Value> {
        with_items!(self, items => match position(index, items.len()) {
            Some(at) => Ok(items[at].clone().write()),
            None => Err(out_of_range()),
        })
    }

    /// Replaces the element at an index.
    #[inline]
    pub fn set(self, index: i64, value: &Value) -> Result<()> {
        let old = with_items!(self, items => match position(index, items.len()) {
            Some(at) => {
                let new = Item::read(value)?;
                std::mem::replace(&mut items[at], new).write()
            }
            None => return Err(out_of_range()),
        });
        drop(old);
        Ok(())
    }

    /// Adds an element at the end.
    #[inline]
    pub fn push(self, value: &Value) -> Result<()> {
        with_items!(self, items => memory::push(&mut items, Item::read(value)?));
        Ok(())
    }

    /// Adds an element before an index; beyond the ends, at the ends.
    pub fn insert(self, index: i64, value: &Value) -> Result<()> {
        with_items!(self, items => {
            let at = bound(index, items.len());
            memory::make_room(&mut items, 1);
            items.insert(at, Item::read(value)?);
        });
        Ok(())
    }

    /// Takes the element at an index out.
    pub fn remove(self, index: i64) -> Result<Value> {
        with_items!(self, items => match position(index, items.len()) {
            Some(at) => Ok(items.remove(at).write()),
            None => Err(out_of_range()),
        })
    }

    /// Takes everything out.
    pub fn clear(self) {
        with_items!(self, items => {
            let old = std::mem::take(&mut *items);
            drop(items);
            drop(old);
        });
    }

    /// Turns the order round.
    pub fn reverse(self) {
        with_items!(self, items => items.reverse());
    }

    /// Repeats the elements in place so that they stand `times` times.
    pub fn repeat(self, times: usize) -> Result<()> {
        with_items!(self, items => {
            check_length(items.len(), times)?;
            let new = repeated(&items, times);
            let old = std::mem::replace(&mut *items, new);
            drop(items);
            drop(old);
        });
        Ok(())
    }

    /// Adds the elements of another list, which may be this very one, at the end.
    pub fn extend(self, other: Sequence<'_>) -> Result<()> {
        self.add_all(other, false)
    }

    /// A new list with the elements of both.
    pub fn followed_by(self, other: Sequence<'_>) -> Result<Value> {
        let sum = self.rebuilt(Followed(other.len()))?;
        <Sequence<'_> as rushlight_types::ValueKind>::from_value(&sum)?.add_all(other, true)?;
        Ok(sum)
    }

    /// Adds the elements of another list at the end; where this one is `new`, nobody else knows it or waits for its lock, and
    /// both may be held at once.
    fn add_all(self, other: Sequence<'_>, new: bool) -> Result<()> {
        macro_rules! same {
            ($to:expr, $from:expr) => {
                if new {
                    memory::extend(&mut $to.lock(), &$from.lock());
                } else {
                    let more = memory::copied(&$from.lock());
                    memory::extend(&mut $to.lock(), &more);
                }
            };
        }
        match (self, other) {
            (Sequence::Ints(to), Sequence::Ints(from)) => same!(to, from),
            (Sequence::Floats(to), Sequence::Floats(from)) => same!(to, from),
            (Sequence::Bools(to), Sequence::Bools(from)) => same!(to, from),
            (Sequence::Tensors(to), Sequence::Tensors(from)) => same!(to, from),
            (Sequence::Values(to), Sequence::Values(from)) => same!(to.items, from.items),
            (to, from) => {
                for value in from.values() {
                    to.push(&value)?;
                }
            }
        }
        Ok(())
    }

    /// A new list with the elements of this one that `choose` picks.
    fn rebuilt(self, choose: impl Choose) -> Result<Value> {
        Ok(match self {
            Sequence::Ints(l) => Value::IntList(choose.choose(&l.lock())?.into()),
            Sequence::Floats(l) => Value::FloatList(choose.choose(&l.lock())?.into()),
            Sequence::Bools(l) => Value::BoolList(choose.choose(&l.lock())?.into()),
            Sequence::Tensors(l) => Value::TensorList(choose.choose(&l.lock())?.into()),
            Sequence::Values(l) => {
                let items = l.items.lock();
                if let Some(run) = choose.run(&items) {
                    // Copied to where they stay: what is written in pieces and read whole is waited for.
                    let copy = |i: usize, to: &mut Value| run[i].copy_to(to);
                    return Ok(Value::List(GenericList::build(
                        l.element.clone(),
                        run.len(),
                        copy,
                    )));
                }
                let chosen = choose.choose(&items)?;
                Value::List(Arc::new(GenericList::new(l.element.clone(), chosen)))
            }
        })
    }

    /// A new list with the same elements.
    pub fn copy(self) -> Value {
        // Choosing all cannot fail.
        self.rebuilt(All).unwrap_or_default()
    }

    /// A new list of the elements at `start, start + step, ...` as Python's slices choose them.
    pub fn slice(self, start: Option<i64>, end: Option<i64>, step: i64) -> Result<Value> {
        self.rebuilt(Slice { start, end, step })
    }

    /// A new list in which the elements stand `times` times.
    pub fn repeated(self, times: i64) -> Result<Value> {
        self.rebuilt(Repeat(times))
    }

    /// The elements as values.
    pub fn values(self) -> Vec<Value> {
        with_items!(self, items => memory::collect(items.iter().cloned().map(Item::write)))
    }

    /// Replaces all elements.
    pub fn replace(self, values: Vec<Value>) -> Result<()> {
        with_items!(self, items => {
            let new = values.iter().map(Item::read).collect::<Result<Vec<_>>>()?;
            let old = std::mem::replace(&mut *items, new);
            drop(items);
            drop(old);
        });
        Ok(())
    }
}

/// An index as an insertion point: negative from the end, clamped to the list.
fn bound(index: i64, len: usize) -> usize {
    let at = if index < 0 {
        index.saturating_add(len as i64)
    } else {
        index
    };
    at.clamp(0, len as i64) as usize
}

fn check_length(len: usize, times: usize) -> Result<()> {
    const MOST: usize = 1 << 31;
    match len.checked_mul(times) {
        Some(total) if total <= MOST => Ok(()),
        _ => Err(Fault::runtime("vector::reserve")),
    }
}

fn repeated<T: Clone>(items: &[T], times: usize) -> Vec<T> {
    let times = if items.is_empty() { 0 } else { times };
    let mut out = memory::with_capacity(items.len() * times);
    for _ in 0..times {
        watch::poll();
        out.extend_from_slice(items);
    }
    out
}

/// A choice of elements that works on every representation.
trait Choose {
    fn choose<T: Clone>(&self, items: &[T]) -> Result<Vec<T>>;

    /// What is chosen, where that stands together.
    fn run<'i, T>(&self, _: &'i [T]) -> Option<&'i [T]> {
        None
    }
}

struct All;
impl Choose for All {
    fn choose<T: Clone>(&self, items: &[T]) -> Result<Vec<T>> {
        Ok(memory::copied(items))
    }

    fn run<'i, T>(&self, items: &'i [T]) -> Option<&'i [T]> {
        Some(items)
    }
}

/// All, and room for so many more.
struct Followed(usize);
impl Choose for Followed {
    fn choose<T: Clone>(&self, items: &[T]) -> Result<Vec<T>> {
        let mut out = memory::with_capacity(items.len().saturating_add(self.0));
        out.extend_from_slice(items);
        Ok(out)
    }
}

struct Repeat(i64);
impl Choose for Repeat {
    fn choose<T: Clone>(&self, items: &[T]) -> Result<Vec<T>> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let times = usize::try_from(self.0).map_err(|_| Fault::runtime("vector::reserve"))?;
        check_length(items.len(), times)?;
        Ok(repeated(items, times))
    }
}

struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
}
impl Choose for Slice {
    fn choose<T: Clone>(&self, items: &[T]) -> Result<Vec<T>> {
        if let Some(run) = self.run(items) {
            return Ok(memory::copied(run));
        }
        let range = SliceRange::new(items.len(), self.start, self.end, self.step)?;
        Ok(memory::collect(range.map(|at| items[at].clone())))
    }

    #[inline]
    fn run<'i, T>(&self, items: &'i [T]) -> Option<&'i [T]> {
        let range = SliceRange::new(items.len(), self.start, self.end, self.step).ok()?;
        let (first, count) = range.run()?;
        Some(&items[first..first + count])
    }
}

/// The positions that a slice chooses, in order.
pub(super) struct SliceRange {
    start: usize,
    count: usize,
    step: i64,
}

impl SliceRange {
    /// The positions of `start:end:step` in a sequence of `len`. A step of zero is an error.
    pub fn new(len: usize, start: Option<i64>, end: Option<i64>, step: i64) -> Result<SliceRange> {
        if step == 0 {
            return Err(Fault::runtime("List slice should have non-zero step"));
        }
        if step == i64::MIN {
            return Err(Fault::runtime("List slice step is out of bounds"));
        }
        let len = len as i64;
        let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
        let clamp = |index: i64| {
            let at = if index < 0 {
                index.saturating_add(len)
            } else {
                index
            };
            at.clamp(low, high)
        };
        let (first, last) = if step > 0 { (low, high) } else { (high, low) };
        let start = start.map_or(first, clamp);
        let end = end.map_or(last, clamp);
        let distance = if step > 0 { end - start } else { start - end };
        let count = if distance > 0 {
            (distance as u64).div_ceil(step.unsigned_abs()) as usize
        } else {
            0
        };
        Ok(SliceRange {
            start: start.max(0).min(len) as usize,
            count,
            step,
        })
    }

    /// The first position and how many there are, where they follow one another.
    pub fn run(&self) -> Option<(usize, usize)> {
        (self.step == 1).then_some((self.start, self.count))
    }
}

impl Iterator for SliceRange {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.count = self.count.checked_sub(1)?;
        let at = self.start;
        self.start = (at as i64).wrapping_add(self.step) as usize;
        Some(at)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count, Some(self.count))
    }
}

/// Refuses lists of tensors where a tensor is made of numbers.
pub fn refuse_tensors(data: &Value) -> Result<()> {
    let ty = data.type_of();
    let Some(element) = ty.list_element() else {
        return Ok(());
    };
    let mut leaf = element;
    while let Some(inner) = leaf.list_element() {
        leaf = inner;
    }
    if !leaf.is_tensor() {
        return Ok(());
    }
    let mut message = String::from("Input must be of ints, floats, or bools, got Tensor");
    if element.is_tensor() && data.list_items()?.is_empty() {
        message.push_str("\nEmpty lists default to List[Tensor]. Add a variable annotation to the assignment to create an empty list of another type (torch.jit.annotate(List[T, []]) where T is the type of elements in the list for Python 2)");
    }
    Err(Fault::runtime(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(start: Option<i64>, end: Option<i64>, step: i64) -> Vec<usize> {
        SliceRange::new(5, start, end, step).unwrap().collect()
    }

    #[test]
    fn slices_choose_as_in_python() {
        assert_eq!(slice(None, None, 1), [0, 1, 2, 3, 4]);
        assert_eq!(slice(Some(0), Some(5), 2), [0, 2, 4]);
        assert_eq!(slice(None, None, -1), [4, 3, 2, 1, 0]);
        assert_eq!(slice(Some(4), Some(-6), -1), [4, 3, 2, 1, 0]);
        assert_eq!(slice(None, Some(1), -1), [4, 3, 2]);
        assert_eq!(slice(Some(-100), Some(100), 3), [0, 3]);
        assert_eq!(slice(Some(5), Some(-1), 1), [0usize; 0]);
        assert_eq!(slice(None, Some(i64::MAX), 1), [0, 1, 2, 3, 4]);
        assert_eq!(slice(Some(3), None, i64::MIN + 1), [3]);
        assert!(SliceRange::new(5, None, None, 0).is_err());
        // The reference counts backwards with the opposite, which this one does not have.
        assert!(SliceRange::new(5, None, None, i64::MIN).is_err());
    }

    #[test]
    fn a_list_extended_by_itself_doubles() {
        let list: List<i64> = vec![1, 2].into();
        Sequence::Ints(&list).extend(Sequence::Ints(&list)).unwrap();
        assert_eq!(*list.lock(), [1, 2, 1, 2]);
    }

    #[test]
    fn inserting_beyond_the_ends_inserts_at_the_ends() {
        let list: List<i64> = vec![1, 2].into();
        let sequence = Sequence::Ints(&list);
        sequence.insert(-5, &Value::Int(9)).unwrap();
        sequence.insert(50, &Value::Int(8)).unwrap();
        sequence.insert(-1, &Value::Int(7)).unwrap();
        assert_eq!(*list.lock(), [9, 1, 2, 7, 8]);
        assert!(sequence.get(5).is_err() && sequence.get(-6).is_err());
    }
}
