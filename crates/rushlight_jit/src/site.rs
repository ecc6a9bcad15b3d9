//! Instructions that machine code has the host do again and again, taken apart once.

use crate::made::MakeSite;
use crate::tuples::TupleSite;
use rushlight_runtime::code::{Code, NOWHERE, OperatorCall, Reg, Source};
use rushlight_types::{Operator, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Operators with more arguments are taken apart at each call.
const MOST: usize = 4;

/// What machine code knows by its address: it stays where it is for as long as the code lives.
#[derive(Default)]
pub struct Sites {
    #[expect(clippy::vec_box, reason = "the addresses are known")]
    calls: Vec<Box<Site>>,
    #[expect(clippy::vec_box, reason = "as above")]
    lent: Vec<Box<LentSite>>,
    #[expect(clippy::vec_box, reason = "as above")]
    fetches: Vec<Box<Fetch>>,
    #[expect(clippy::vec_box, reason = "as above")]
    stores: Vec<Box<Store>>,
    #[expect(clippy::vec_box, reason = "as above")]
    tuples: Vec<Box<(u64, TupleSite)>>,
    #[expect(clippy::vec_box, reason = "as above")]
    made: Vec<Box<(u64, MakeSite)>>,
    #[expect(clippy::vec_box, reason = "as above")]
    constants: Vec<Box<Value>>,
    #[expect(clippy::vec_box, reason = "as above")]
    tables: Vec<Box<[i8; 128]>>,
}

impl Sites {
    /// Keeps a call; its address.
    pub fn keep_call(&mut self, site: Site) -> i64 {
        let site = Box::new(site);
        let address = &raw const *site as i64;
        self.calls.push(site);
        address
    }

    /// Keeps a call that is lent something; its address.
    pub fn keep_lent(&mut self, site: LentSite) -> i64 {
        let site = Box::new(site);
        let address = &raw const *site as i64;
        self.lent.push(site);
        address
    }

    /// Keeps a tuple instruction and its number; their address.
    pub fn keep_tuple(&mut self, insn: u64, site: TupleSite) -> i64 {
        let site = Box::new((insn, site));
        let address = &raw const *site as i64;
        self.tuples.push(site);
        address
    }

    /// Keeps an instruction that makes something, and its number; their address.
    pub fn keep_made(&mut self, insn: u64, site: MakeSite) -> i64 {
        let site = Box::new((insn, site));
        let address = &raw const *site as i64;
        self.made.push(site);
        address
    }

    /// Keeps a constant; its address.
    pub fn keep_constant(&mut self, constant: Value) -> i64 {
        let constant = Box::new(constant);
        let address = &raw const *constant as i64;
        self.constants.push(constant);
        address
    }

    /// Keeps what operators say of bytes; its address.
    pub fn keep_table(&mut self, table: [i8; 128]) -> i64 {
        let table = Box::new(table);
        let address = table.as_ptr() as i64;
        self.tables.push(table);
        address
    }

    /// Keeps a store; its address.
    pub fn keep_store(&mut self, store: Store) -> i64 {
        let store = Box::new(store);
        let address = &raw const *store as i64;
        self.stores.push(store);
        address
    }

    /// Keeps a fetch; its address.
    pub fn keep_fetch(&mut self, fetch: Fetch) -> i64 {
        let fetch = Box::new(fetch);
        let address = &raw const *fetch as i64;
        self.fetches.push(fetch);
        address
    }
}

/// A call of an operator by its quick form.
pub struct Site {
    pub insn: u64,
    operator: &'static Operator,
    count: usize,
    inputs: [Source; MOST],
    target: Reg,
}

impl Site {
    /// The call of an instruction, if its operator has a quick form and one result at the most.
    pub fn new(code: &Code, insn: usize, call: &OperatorCall) -> Option<Site> {
        call.operator.quick?;
        let operands = call.arguments.of(&code.operands);
        let mut inputs = [Source::Constant(0); MOST];
        for (input, operand) in inputs.get_mut(..operands.len())?.iter_mut().zip(operands) {
            *input = operand.source();
        }
        let target = match *call.results.of(&code.targets) {
            [] => NOWHERE,
            [target] => target,
            _ => return None,
        };
        Some(Site {
            insn: insn as u64,
            operator: call.operator,
            count: operands.len(),
            inputs,
            target,
        })
    }

    /// The same call, some of whose inputs are lent to it.
    pub fn lending(self, is_lent: impl Fn(usize) -> bool) -> LentSite {
        LentSite {
            lent: std::array::from_fn(is_lent),
            site: self,
        }
    }

    /// Makes the call; `false`, and nothing done, where it may wait, where what it drops may run code, or where it fails.
    pub fn call(&self, code: &Code, frame: &mut [Value]) -> bool {
        self.call_with(code, frame, [None; MOST])
    }

    /// As [`Site::call`] with inputs from elsewhere, which stay where they are.
    #[inline(always)]
    fn call_with(&self, code: &Code, frame: &mut [Value], lent: [Option<&Value>; MOST]) -> bool {
        let Some(quick) = self.operator.quick_form() else {
            return false;
        };
        let sources = &self.inputs[..self.count];
        let nothing = Value::None;
        let mut inputs = [&nothing; MOST];
        for ((input, source), lent) in inputs.iter_mut().zip(sources).zip(lent) {
            let (value, stays) = match (*source, lent) {
                (_, Some(value)) => (value, true),
                (Source::Constant(k), None) => (&code.constants[k as usize], true),
                (Source::Copy(r), None) => (&frame[r as usize], true),
                (Source::Move(r), None) => (&frame[r as usize], false),
            };
            // Lists and dicts may have to be waited for.
            if value.is_locked() || !(stays || value.goes_quickly()) {
                return false;
            }
            *input = value;
        }
        if self.target != NOWHERE && !frame[self.target as usize].is_light() {
            return false;
        }
        let mut result = Value::None;
        // Nothing may unwind through machine code: the host meets the same cause and knows what to do.
        let work =
            AssertUnwindSafe(|| matches!(quick(&inputs[..self.count], &mut result), Ok(true)));
        if !catch_unwind(work).unwrap_or(false) {
            return false;
        }
        for (source, lent) in sources.iter().zip(lent) {
            if let (Source::Move(r), None) = (*source, lent) {
                // What cannot go after all goes with the register.
                frame[r as usize].release_quickly();
            }
        }
        if self.target != NOWHERE {
            result.take_to(&mut frame[self.target as usize]);
        }
        true
    }
}

/// A call that is lent some of its inputs.
pub struct LentSite {
    site: Site,
    lent: [bool; MOST],
}

impl LentSite {
    /// Makes the call as [`Site::call`] does. Of the values, of which there is one for each input, those are looked at that
    /// are lent.
    ///
    /// # Safety
    ///
    /// Those values are there, and nothing that they stand for goes meanwhile.
    pub unsafe fn call(&self, code: &Code, frame: &mut [Value], values: *const Value) -> bool {
        let lent = std::array::from_fn(|i| {
            // SAFETY: the caller's promise.
            self.lent[i].then(|| unsafe { &*values.add(i) })
        });
        self.site.call_with(code, frame, lent)
    }
}

/// Has `copy` put a part of what is in a register, which may go with this use, into another register or the same;
/// `false`, and nothing done, where it does not or where what would be dropped may run code.
pub fn take_part(
    frame: &mut [Value],
    (from, goes): (Reg, bool),
    target: Reg,
    copy: impl FnOnce(&Value, &mut Value) -> bool,
) -> bool {
    let Ok([whole, to]) = frame.get_disjoint_mut([from as usize, target as usize]) else {
        let Some(whole) = frame.get_mut(from as usize).filter(|_| from == target) else {
            return false;
        };
        let mut part = Value::None;
        let is_done = copy(whole, &mut part) && whole.release_quickly();
        if is_done {
            part.take_to(whole);
        }
        return is_done;
    };
    let may_go = !goes || whole.goes_quickly();
    let is_done = may_go && to.release_quickly() && copy(whole, to);
    if is_done && goes {
        // What cannot go after all goes with the register.
        whole.release_quickly();
    }
    is_done
}

/// An element of a list of anything, or an attribute of an object.
pub struct Fetch {
    pub insn: u64,
    pub target: Reg,
    /// The list or object.
    pub from: Reg,
    /// Whether that goes with this use.
    pub goes: bool,
    pub place: Place,
}

/// Where something is that is fetched.
pub enum Place {
    /// At the index in a register.
    Index(Reg),
    /// In a slot.
    Slot(usize),
}

impl Fetch {
    /// Fetches it; `false`, and nothing done, where the host has to.
    ///
    /// # Safety
    ///
    /// This thread has the floor, see [`rushlight_types::guarded`].
    pub unsafe fn fetch(&self, frame: &mut [Value]) -> bool {
        let at = match self.place {
            Place::Index(index) => match frame[index as usize] {
                Value::Int(index) => index,
                _ => return false,
            },
            Place::Slot(slot) => slot as i64,
        };
        // SAFETY: the caller's promise.
        let part = |from: &Value, to: &mut Value| unsafe { self.copy(from, at, to) };
        take_part(frame, (self.from, self.goes), self.target, part)
    }

    /// Copies what is at a place to where nothing is: at once, for what is written in pieces and read whole is waited for.
    ///
    /// # Safety
    ///
    /// As for [`Fetch::fetch`].
    unsafe fn copy(&self, from: &Value, at: i64, to: &mut Value) -> bool {
        let items = match (from, &self.place) {
            // SAFETY: the caller's promise.
            (Value::List(list), Place::Index(_)) => unsafe { list.items.unlocked() },
            // SAFETY: as above.
            (Value::Object(object), Place::Slot(_)) => unsafe { object.guarded().unlocked() },
            _ => return false,
        };
        let Some(items) = items else {
            return false;
        };
        let from_end = if at < 0 { items.len() as i64 } else { 0 };
        let place = usize::try_from(at.wrapping_add(from_end)).ok();
        let Some(item) = place.and_then(|at| items.get(at)) else {
            return false;
        };
        item.copy_to(to);
        true
    }
}

/// An attribute of an object takes what is in a register, or a constant.
pub struct Store {
    pub insn: u64,
    pub object: Reg,
    /// Whether that goes with this use.
    pub object_goes: bool,
    pub slot: usize,
    /// In another register.
    pub value: Source,
}

impl Store {
    /// Stores it; `false`, and nothing done, where the host has to.
    ///
    /// # Safety
    ///
    /// As for [`Fetch::fetch`].
    pub unsafe fn store(&self, code: &Code, frame: &mut [Value]) -> bool {
        let whole = &frame[self.object as usize];
        let Value::Object(object) = whole else {
            return false;
        };
        if self.object_goes && !whole.goes_quickly() {
            return false;
        }
        // SAFETY: the caller's promise.
        let slots = unsafe { object.guarded().unlocked() };
        let Some(slot) = slots.and_then(|slots| slots.get_mut(self.slot)) else {
            return false;
        };
        let slot = std::ptr::from_mut(slot);
        // SAFETY: the object stays in its register, which is none of the value, until the slot is written, and nothing but this
        // thread reaches the slot.
        let slot = unsafe { &mut *slot };
        if !slot.release_quickly() {
            return false;
        }
        match self.value {
            Source::Move(r) => frame[r as usize].take_to(slot),
            Source::Copy(r) => frame[r as usize].copy_to(slot),
            Source::Constant(k) => code.constants[k as usize].copy_to(slot),
        }
        if self.object_goes {
            // What cannot go after all goes with the register.
            frame[self.object as usize].release_quickly();
        }
        true
    }
}
