//! The seam between Rust and machine code: what both see of a run, the calls in both directions, and the memory that the
//! code is in.

use crate::made::MakeSite;
use crate::site::{Fetch, LentSite, Site, Store};
use crate::translate::Translated;
use crate::tuples::TupleSite;
use cranelift_jit::JITModule;
use rushlight_runtime::code::{Code, Reg, RegisterKind};
use rushlight_runtime::machine_code::{Host, Left, MachineCode};
use rushlight_types::{Value, guarded};
use std::mem::ManuallyDrop;

/// What machine code knows of the run; its address is the first argument of all machine code.
#[repr(C)]
pub struct MachineRun<'a> {
    /// Instructions until the interpreter looks at its limits.
    pub fuel: i64,
    /// Whether the thread has the floor, see [`guarded`].
    has_floor: bool,
    frame: *mut Value,
    registers: usize,
    takes_floor: bool,
    code: &'a Code,
    /// Whether somebody sees every call, which only [`perform`] lets them.
    is_watched: bool,
    host: &'a mut dyn Host,
}

/// Where machine code finds the fields that it uses.
pub mod field {
    use super::MachineRun;
    use std::mem::offset_of;

    pub const FUEL: i32 = offset_of!(MachineRun<'static>, fuel) as i32;
}

/// The form of all machine code: the run, the registers, the number of the entry. The result is the number of the
/// instruction at which the code was left, and [`FAULT`] where the host keeps a fault.
pub type Entry = unsafe extern "C" fn(*mut MachineRun<'_>, *mut Value, u64) -> u64;

/// Marks the number of an instruction that failed.
pub const FAULT: u64 = 1 << 32;

/// What [`perform`] says: there was a fault.
pub const FAILED: u64 = 0;
/// The instruction has been performed.
pub const DONE: u64 = 1;
/// It has, but the floor is taken: machine code must be left.
const CROWDED: u64 = 2;

/// Performs one instruction for machine code.
///
/// # Safety
///
/// `run` is what [`Compiled::run`] has handed to the code that calls.
pub unsafe extern "C" fn perform(run: *mut MachineRun<'_>, insn: u64) -> u64 {
    // SAFETY: the run lives on the stack of `Compiled::run` and nothing else uses it while machine code runs.
    let run = unsafe { &mut *run };
    // SAFETY: so do the registers, which `Compiled::run` has borrowed for the time of the run; machine code does not touch
    // them before this returns.
    let frame = unsafe { std::slice::from_raw_parts_mut(run.frame, run.registers) };
    // Whatever this does may wait for another thread, which may want a list.
    run.leave_floor();
    let is_done = run.host.perform(insn as usize, frame);
    run.is_watched = run.host.is_watched();
    match (is_done, run.take_floor()) {
        (false, _) => FAILED,
        (true, true) => DONE,
        (true, false) => CROWDED,
    }
}

/// As [`perform`], for instructions that nearly always run nobody's code and wait for nobody: then the floor is kept.
///
/// # Safety
///
/// As for [`perform`].
pub unsafe extern "C" fn perform_quickly(run: *mut MachineRun<'_>, insn: u64) -> u64 {
    let done = {
        // SAFETY: as in `perform`.
        let run = unsafe { &mut *run };
        // SAFETY: as in `perform`.
        let frame = unsafe { std::slice::from_raw_parts_mut(run.frame, run.registers) };
        run.host.perform_quickly(insn as usize, frame)
    };
    match done {
        Some(true) => DONE,
        Some(false) => FAILED,
        // SAFETY: the caller's promise is the same.
        None => unsafe { perform(run, insn) },
    }
}

/// The instructions have to be performed one by one.
pub const UNDONE: u64 = 3;

/// Does a group of instructions: [`DONE`], [`UNDONE`] or [`FAILED`]. It runs nobody's code, and is short where the thread has
/// the floor.
///
/// # Safety
///
/// As for [`perform`].
pub unsafe extern "C" fn group(run: *mut MachineRun<'_>, number: u64) -> u64 {
    // SAFETY: as in `perform`.
    let run = unsafe { &mut *run };
    // SAFETY: as in `perform`.
    let frame = unsafe { std::slice::from_raw_parts_mut(run.frame, run.registers) };
    match run.host.group(number as usize, frame, run.has_floor) {
        Some(true) => DONE,
        Some(false) => FAILED,
        None => UNDONE,
    }
}

/// Does an instruction by a way that keeps the floor, or, where that has done nothing, has the host perform it.
///
/// # Safety
///
/// As for [`perform`].
#[inline(always)]
unsafe fn quickly(
    run: *mut MachineRun<'_>,
    insn: u64,
    work: impl FnOnce(&MachineRun<'_>, &mut [Value]) -> bool,
) -> u64 {
    let is_done = {
        // SAFETY: as in `perform`.
        let run = unsafe { &*run };
        // SAFETY: as in `perform`.
        let frame = unsafe { std::slice::from_raw_parts_mut(run.frame, run.registers) };
        work(run, frame)
    };
    match is_done {
        true => DONE,
        // SAFETY: the caller's promise is the same.
        false => unsafe { perform(run, insn) },
    }
}

/// As [`perform_quickly`] for a call of an operator that has been taken apart.
///
/// # Safety
///
/// As for [`perform`]; the site belongs to the code that calls.
pub unsafe extern "C" fn call_quickly(run: *mut MachineRun<'_>, site: &Site) -> u64 {
    let work =
        |run: &MachineRun<'_>, frame: &mut [Value]| !run.is_watched && site.call(run.code, frame);
    // SAFETY: the caller's promise is the same.
    unsafe { quickly(run, site.insn, work) }
}

/// Makes a call that is lent some of its inputs: 1, or 0 where nothing is done.
///
/// # Safety
///
/// As for [`call_quickly`]; what is lent is among the values, of which there is one for each input, and lives.
pub unsafe extern "C" fn call_lent(
    run: *mut MachineRun<'_>,
    site: &LentSite,
    values: *const Value,
) -> i64 {
    // SAFETY: as in `perform`.
    let run = unsafe { &*run };
    // SAFETY: as in `perform`.
    let frame = unsafe { std::slice::from_raw_parts_mut(run.frame, run.registers) };
    // SAFETY: the caller's promise.
    i64::from(!run.is_watched && unsafe { site.call(run.code, frame, values) })
}

/// As [`perform_quickly`] for an attribute that takes what is in a register.
///
/// # Safety
///
/// As for [`call_quickly`].
pub unsafe extern "C" fn store_quickly(run: *mut MachineRun<'_>, store: &Store) -> u64 {
    let work = |run: &MachineRun<'_>, frame: &mut [Value]| {
        // SAFETY: the floor has been taken.
        run.has_floor && unsafe { store.store(run.code, frame) }
    };
    // SAFETY: the caller's promise is the same.
    unsafe { quickly(run, store.insn, work) }
}

/// As [`perform_quickly`] for an element of a list of anything, or an attribute.
///
/// # Safety
///
/// As for [`call_quickly`].
pub unsafe extern "C" fn fetch_quickly(run: *mut MachineRun<'_>, fetch: &Fetch) -> u64 {
    let work = |run: &MachineRun<'_>, frame: &mut [Value]| {
        // SAFETY: the floor has been taken.
        run.has_floor && unsafe { fetch.fetch(frame) }
    };
    // SAFETY: the caller's promise is the same.
    unsafe { quickly(run, fetch.insn, work) }
}

/// As [`perform_quickly`] for making tuples and taking them apart.
///
/// # Safety
///
/// As for [`call_quickly`].
pub unsafe extern "C" fn tuple_quickly(run: *mut MachineRun<'_>, site: &(u64, TupleSite)) -> u64 {
    let work = |run: &MachineRun<'_>, frame: &mut [Value]| {
        !run.is_watched && site.1.perform(run.code, frame)
    };
    // SAFETY: the caller's promise is the same.
    unsafe { quickly(run, site.0, work) }
}

/// As [`perform_quickly`] for making lists, dicts and objects.
///
/// # Safety
///
/// As for [`call_quickly`].
pub unsafe extern "C" fn make_quickly(run: *mut MachineRun<'_>, site: &(u64, MakeSite)) -> u64 {
    let work = |run: &MachineRun<'_>, frame: &mut [Value]| {
        !run.is_watched && site.1.perform(run.code, frame)
    };
    // SAFETY: the caller's promise is the same.
    unsafe { quickly(run, site.0, work) }
}

/// Empties a register if dropping what it holds runs nobody's code and waits for nobody: [`DONE`] if so.
///
/// # Safety
///
/// As for [`perform`]; `number` is that of a register.
pub unsafe extern "C" fn drop_quickly(run: *mut MachineRun<'_>, number: u64) -> u64 {
    // SAFETY: as in `perform`.
    let run = unsafe { &mut *run };
    // SAFETY: as in `perform`.
    let frame = unsafe { std::slice::from_raw_parts_mut(run.frame, run.registers) };
    let value = frame.get_mut(number as usize);
    match value.is_some_and(Value::release_quickly) {
        true => DONE,
        false => FAILED,
    }
}

/// Functions of values that machine code calls where they are more than their two words. Each says whether it has done its
/// work: it does nothing where dropping what is written over might run somebody's code or wait.
pub mod values {
    use rushlight_types::Value;

    /// Copies a value over another.
    ///
    /// # Safety
    ///
    /// Both are values that nobody else writes meanwhile, not the same, and the first does not live by the second.
    pub unsafe extern "C" fn copy(from: *const Value, to: *mut Value) -> i64 {
        // SAFETY: the caller's promise.
        let from = unsafe { &*from };
        // SAFETY: as above; they are not the same.
        let to = unsafe { &mut *to };
        let is_free = to.release_quickly();
        if is_free {
            from.copy_to(to);
        }
        i64::from(is_free)
    }

    /// Moves a value over another one, which is not the same.
    ///
    /// # Safety
    ///
    /// As for [`copy`].
    pub unsafe extern "C" fn shift(from: *mut Value, to: *mut Value) -> i64 {
        // SAFETY: the caller's promise.
        if !unsafe { &mut *to }.release_quickly() {
            return 0;
        }
        // SAFETY: as above.
        let (from, to) = unsafe { (&mut *from, &mut *to) };
        from.take_to(to);
        1
    }
}

/// Functions of numbers that machine code calls: what the operators' own kernels compute.
pub mod numbers {
    macro_rules! functions {
        ($($name:ident = $function:expr;)*) => {
            $(pub extern "C" fn $name(x: f64) -> f64 {
                $function(x)
            })*
        };
    }

    functions! {
        exp = f64::exp;
        expm1 = f64::exp_m1;
        log = f64::ln;
        log1p = f64::ln_1p;
        log10 = f64::log10;
        sin = f64::sin;
        cos = f64::cos;
        tan = f64::tan;
        asin = f64::asin;
        acos = f64::acos;
        atan = f64::atan;
        sinh = f64::sinh;
        cosh = f64::cosh;
        tanh = f64::tanh;
    }

    pub extern "C" fn pow(x: f64, y: f64) -> f64 {
        x.powf(y)
    }

    pub extern "C" fn atan2(y: f64, x: f64) -> f64 {
        y.atan2(x)
    }

    pub extern "C" fn hypot(x: f64, y: f64) -> f64 {
        x.hypot(y)
    }

    pub extern "C" fn fmod(x: f64, y: f64) -> f64 {
        x % y
    }

    pub extern "C" fn remainder(x: f64, y: f64) -> f64 {
        ((x % y) + y) % y
    }

    /// How many steps there are from `low` to `high`; the step is not zero.
    pub extern "C" fn range_length(low: i64, high: i64, step: i64) -> i64 {
        let distance = match step {
            1.. if low < high => high.wrapping_sub(low),
            ..=-1 if high < low => low.wrapping_sub(high),
            _ => return 0,
        };
        (distance as u64).div_ceil(step.unsigned_abs().max(1)) as i64
    }
}

/// Functions of strings that machine code calls where they are not short.
pub mod texts {
    use rushlight_types::Value;
    use std::mem;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// The bytes of a string; machine code asks for those of nothing else.
    fn bytes(value: &Value) -> &[u8] {
        value.as_bytes().unwrap_or_default()
    }

    /// The byte at an index that may count from the end, if it is one of ASCII; else -1.
    pub extern "C" fn byte(s: &Value, index: i64) -> i64 {
        let s = bytes(s);
        let from_end = if index < 0 { s.len() as i64 } else { 0 };
        let place = usize::try_from(index.wrapping_add(from_end)).ok();
        let byte = place.and_then(|at| s.get(at)).filter(|b| b.is_ascii());
        byte.map_or(-1, |b| i64::from(*b))
    }

    /// Whether two strings are equal: 1 or 0.
    pub extern "C" fn are_equal(a: &Value, b: &Value) -> i64 {
        i64::from(bytes(a) == bytes(b))
    }

    /// The first of two strings goes with the use, as far as [`add`] is told.
    pub const FIRST_GOES: i64 = 1;
    /// The second does.
    pub const SECOND_GOES: i64 = 2;

    /// Puts the sum of two strings where something light is: 1, or 0 where nothing is done.
    ///
    /// # Safety
    ///
    /// The first two are addresses of strings, the third that of a register, and so is that of what goes; nobody else uses
    /// them meanwhile. They may be the same.
    pub unsafe extern "C" fn add(a: *mut Value, b: *mut Value, to: *mut Value, goes: i64) -> i64 {
        // SAFETY: the caller's promise.
        let sum = match unsafe { (&*a, &*b) } {
            (Value::Str(a), Value::Str(b)) => a.short_sum(b),
            _ => return 0,
        };
        // SAFETY: as above; the two are not read any more where this is written.
        if !unsafe { &*to }.is_light() {
            return 0;
        }
        let Some(sum) = sum else {
            // Nothing may unwind through machine code: where there is no memory, the host meets the same and says so.
            // SAFETY: the caller's promise.
            let work = AssertUnwindSafe(|| unsafe { add_long(a, b, to, goes) });
            return i64::from(catch_unwind(work).is_ok());
        };
        // SAFETY: as above.
        unsafe { &mut *to }.put_short(sum);
        1
    }

    /// # Safety
    ///
    /// As for [`add`].
    unsafe fn add_long(a: *mut Value, b: *mut Value, to: *mut Value, goes: i64) {
        let goes = [goes & FIRST_GOES != 0, goes & SECOND_GOES != 0];
        // SAFETY: the caller's promise, of all; what is borrowed of one is given back before another is written.
        unsafe {
            let grows = goes[0] && a != b;
            // It is added to where it lies.
            if grows && let (Value::Str(first), Value::Str(second)) = (&mut *a, &*b) {
                first.push(second);
            }
            let sum = match grows {
                true => mem::take(&mut *a),
                false => match (&*a, &*b) {
                    (Value::Str(first), Value::Str(second)) => Value::Str(first.sum(second)),
                    _ => Value::None,
                },
            };
            for (text, goes) in [(a, goes[0]), (b, goes[1])] {
                if goes && text != to {
                    *text = Value::None;
                }
            }
            *to = sum;
        }
    }
}

/// Functions of tensors that machine code calls: numbers that they say of themselves. Each gives -1 where the host has to look.
pub mod tensors {
    use super::MachineRun;
    use rushlight_tensor::Tensor;
    use rushlight_types::Value;

    macro_rules! questions {
        ($($name:ident = $answer:expr;)*) => {$(
            /// # Safety
            ///
            /// The run is that of the machine code that calls this, and the value is there.
            pub unsafe extern "C" fn $name(
                run: *const MachineRun<'_>,
                value: *const Value,
                dim: i64,
            ) -> i64 {
                // SAFETY: the caller's promise.
                let (run, value) = unsafe { (&*run, &*value) };
                match value {
                    Value::Tensor(tensor) if !run.is_watched => {
                        $answer(tensor, dim).map_or(-1, |number: usize| number as i64)
                    }
                    _ => -1,
                }
            }
        )*};
    }

    questions! {
        size = |tensor: &Tensor, dim: i64| {
            let from_end = if dim < 0 { tensor.rank() as i64 } else { 0 };
            let at = usize::try_from(dim.wrapping_add(from_end)).ok()?;
            tensor.sizes().get(at).copied()
        };
        rank = |tensor: &Tensor, _: i64| Some(tensor.rank());
        len = |tensor: &Tensor, _: i64| tensor.sizes().first().copied();
        numel = |tensor: &Tensor, _: i64| Some(tensor.numel());
    }
}

/// Functions of lists that machine code calls while the thread has the floor. They touch nothing but the list and the value,
/// so that what is borrowed stays.
pub mod lists {
    use crate::made::{bool, float, int};
    use rushlight_tensor::memory;
    use rushlight_types::Value;
    use std::mem::{ManuallyDrop, transmute};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn push<T>(items: Option<&mut Vec<T>>, item: Option<T>) -> bool {
        let (Some(items), Some(item)) = (items, item) else {
            return false;
        };
        memory::make_room(items, 1);
        items.push(item);
        true
    }

    /// Moves a value to the end of a list of any kind, which may have to grow; `false`, and nothing done, where it cannot.
    ///
    /// # Safety
    ///
    /// This thread has the floor.
    unsafe fn append_to(list: &Value, value: &mut Value) -> bool {
        // SAFETY: the caller's promise, of all four.
        unsafe {
            match list {
                Value::List(list) => match list.items.unlocked() {
                    Some(items) => {
                        memory::make_room(items, 1);
                        items.push(Value::None);
                        items.last_mut().is_some_and(|to| {
                            value.take_to(to);
                            true
                        })
                    }
                    None => false,
                },
                Value::IntList(list) => push(list.guarded().unlocked(), int(value)),
                Value::FloatList(list) => push(list.guarded().unlocked(), float(value)),
                Value::BoolList(list) => push(list.guarded().unlocked(), bool(value)),
                _ => false,
            }
        }
    }

    /// # Safety
    ///
    /// As for [`append`].
    unsafe fn append_quietly(list: [u64; 2], value: &mut Value) -> i64 {
        // SAFETY: the words are those of a value that is there, which is not dropped.
        let list = ManuallyDrop::new(unsafe { transmute::<[u64; 2], Value>(list) });
        // Nothing may unwind through machine code: where there is no memory, the host meets the same and says so.
        // SAFETY: the caller's promise.
        let work = AssertUnwindSafe(|| unsafe { append_to(&list, value) });
        i64::from(catch_unwind(work).unwrap_or(false))
    }

    /// Moves a value to the end of a list, given by its words: 1 if that was done, or 0 where nothing was.
    ///
    /// # Safety
    ///
    /// This thread has the floor, both are there, and the value is no element of the list.
    pub unsafe extern "C" fn append(head: u64, word: u64, value: *mut Value) -> i64 {
        // SAFETY: the caller's promise.
        unsafe { append_quietly([head, word], &mut *value) }
    }

    /// As [`append`] for a copy.
    ///
    /// # Safety
    ///
    /// As for [`append`].
    pub unsafe extern "C" fn append_copy(head: u64, word: u64, value: *const Value) -> i64 {
        // SAFETY: the caller's promise; the copy owns what it holds.
        let mut copy = unsafe { &*value }.clone();
        // SAFETY: as above.
        unsafe { append_quietly([head, word], &mut copy) }
    }

    /// As [`append`] for a number or a bool, given by its words.
    ///
    /// # Safety
    ///
    /// As for [`append`].
    pub unsafe extern "C" fn append_number(head: u64, word: u64, first: u64, second: u64) -> i64 {
        // SAFETY: the words are those of a number, which needs no dropping.
        let mut value = ManuallyDrop::new(unsafe { transmute::<[u64; 2], Value>([first, second]) });
        // SAFETY: as above.
        unsafe { append_quietly([head, word], &mut value) }
    }
}

/// Functions of dicts that machine code calls while the thread has the floor.
pub mod dicts {
    use rushlight_types::Value;
    use std::mem::ManuallyDrop;
    use std::ptr::null_mut;
    use std::sync::Arc;

    /// No place, since the host has to look.
    pub const ASK: *mut Value = std::ptr::dangling_mut();

    fn find(dict: &Value, goes: i64, key: &Value) -> *mut Value {
        match dict {
            // A dict that goes with this use must have another owner.
            Value::Dict(dict) if goes == 0 || Arc::strong_count(dict) > 1 => {
                // SAFETY: who calls this has the floor, and uses the place at once.
                unsafe { dict.place(key) }.unwrap_or(ASK)
            }
            _ => ASK,
        }
    }

    /// Where the value of a key is, null where there is none, or [`ASK`].
    ///
    /// # Safety
    ///
    /// This thread has the floor.
    pub unsafe extern "C" fn place(dict: &Value, goes: i64, key: &Value) -> *mut Value {
        find(dict, goes, key)
    }

    /// As [`place`] for a key that is an int.
    ///
    /// # Safety
    ///
    /// As for [`place`].
    pub unsafe extern "C" fn place_of_int(dict: &Value, goes: i64, key: i64) -> *mut Value {
        find(dict, goes, &Value::Int(key))
    }

    fn find_or_add(dict: &Value, goes: i64, key: &Value) -> *mut Value {
        match dict {
            Value::Dict(dict) if goes == 0 || Arc::strong_count(dict) > 1 => {
                // Nothing may unwind through machine code: where there is no memory, the host meets the same and says so.
                let work = std::panic::AssertUnwindSafe(|| {
                    // SAFETY: as in `find`.
                    unsafe { dict.place_or_new(key) }
                });
                std::panic::catch_unwind(work).ok().flatten().unwrap_or(ASK)
            }
            _ => ASK,
        }
    }

    /// As [`place`], where a key that is not there is added, with `None`, which is written over at once.
    ///
    /// # Safety
    ///
    /// As for [`place`].
    pub unsafe extern "C" fn new_place(dict: &Value, goes: i64, key: &Value) -> *mut Value {
        find_or_add(dict, goes, key)
    }

    /// As [`new_place`] for a key that is an int.
    ///
    /// # Safety
    ///
    /// As for [`place`].
    pub unsafe extern "C" fn new_place_of_int(dict: &Value, goes: i64, key: i64) -> *mut Value {
        find_or_add(dict, goes, &Value::Int(key))
    }

    /// How many entries there are; -1 where the host has to look.
    ///
    /// # Safety
    ///
    /// This thread has the floor.
    pub unsafe extern "C" fn len(dict: &Value) -> i64 {
        match dict {
            // SAFETY: the caller's promise.
            Value::Dict(dict) => unsafe { dict.len_unlocked() }.map_or(-1, |len| len as i64),
            _ => -1,
        }
    }

    fn put(dict: &Value, key: &Value, words: [u64; 2]) -> i64 {
        let Value::Dict(dict) = dict else {
            return 0;
        };
        // SAFETY: the words are those of a value that goes with this use, or of a number or a short string, which are
        // copied as they are; where nothing is done, it is not dropped either.
        let value = unsafe { std::mem::transmute::<[u64; 2], Value>(words) };
        let mut value = ManuallyDrop::new(value);
        // Nothing may unwind through machine code: where there is no memory, the host meets the same and says so.
        let work = std::panic::AssertUnwindSafe(|| dict.insert_quickly(key, &mut value));
        i64::from(std::panic::catch_unwind(work).unwrap_or(false))
    }

    /// Puts a value, given by its words, at a key that is not there: 1 if the value is the dict's now, or 0 where nothing is
    /// done.
    pub extern "C" fn insert(dict: &Value, key: &Value, head: u64, word: u64) -> i64 {
        put(dict, key, [head, word])
    }

    /// As [`insert`] for a key that is an int.
    pub extern "C" fn insert_at_int(dict: &Value, key: i64, head: u64, word: u64) -> i64 {
        put(dict, &Value::Int(key), [head, word])
    }

    /// Empties a register of a dict that has other owners.
    pub extern "C" fn release(dict: &mut Value) -> *mut Value {
        *dict = Value::None;
        null_mut()
    }
}

impl MachineRun<'_> {
    /// Whether this thread may touch lists without their locks, or need not.
    fn take_floor(&mut self) -> bool {
        if self.takes_floor {
            self.has_floor = guarded::take_floor();
        }
        self.has_floor || !self.takes_floor
    }

    fn leave_floor(&mut self) {
        if std::mem::take(&mut self.has_floor) {
            guarded::leave_floor();
        }
    }
}

/// The machine code of one function.
pub struct Compiled {
    entry: Entry,
    parts: Translated,
    registers: usize,
    memory: ManuallyDrop<JITModule>,
}

// SAFETY: the module is not used but to free its memory when nobody runs the code any more; code and tables do not change.
unsafe impl Send for Compiled {}
// SAFETY: as above.
unsafe impl Sync for Compiled {}

impl Compiled {
    /// Takes over finished machine code.
    ///
    /// # Safety
    ///
    /// `entry` is a function of `memory` made by `translate` for code with so many registers.
    pub unsafe fn new(
        memory: JITModule,
        entry: *const u8,
        parts: Translated,
        registers: usize,
    ) -> Compiled {
        Compiled {
            // SAFETY: the caller promises that this is a function of this form.
            entry: unsafe { std::mem::transmute::<*const u8, Entry>(entry) },
            parts,
            registers,
            memory: ManuallyDrop::new(memory),
        }
    }
}

/// A place to enter at.
pub struct Door {
    pub insn: u32,
    /// The registers that must hold what they are made for.
    pub live: Vec<Reg>,
}

fn is_of_kind(value: &Value, kind: RegisterKind) -> bool {
    matches!(
        (value, kind),
        (Value::Int(_), RegisterKind::Int | RegisterKind::Optional)
            | (
                Value::Float(_),
                RegisterKind::Float | RegisterKind::Optional
            )
            | (Value::Bool(_), RegisterKind::Bool | RegisterKind::Optional)
            | (Value::None, RegisterKind::Optional)
    )
}

impl Compiled {
    /// Puts a number into every register that machine code keeps, so that it need write no tags; `false` if a register
    /// holds something that it cannot take.
    fn prepare(&self, door: &Door, frame: &mut [Value]) -> bool {
        let kept = &self.parts.kept;
        if kept
            .iter()
            .all(|(r, kind)| is_of_kind(&frame[*r as usize], *kind))
        {
            return true;
        }
        for (r, kind) in kept {
            let value = &frame[*r as usize];
            // A variable that is not assigned yet is not read either.
            let may_be_anything = matches!(value, Value::Uninitialized);
            if !is_of_kind(value, *kind) && !may_be_anything && door.live.contains(r) {
                return false;
            }
        }
        for (r, kind) in kept {
            let register = &mut frame[*r as usize];
            if !is_of_kind(register, *kind) {
                *register = match kind {
                    RegisterKind::Float => Value::Float(0.0),
                    RegisterKind::Bool => Value::Bool(false),
                    RegisterKind::Optional => Value::None,
                    RegisterKind::Int | RegisterKind::Other => Value::Int(0),
                };
            }
        }
        true
    }
}

impl MachineCode for Compiled {
    fn run(
        &self,
        code: &Code,
        at: usize,
        frame: &mut [Value],
        fuel: &mut i64,
        host: &mut dyn Host,
    ) -> Left {
        let doors = &self.parts.entries;
        let Ok(number) = doors.binary_search_by_key(&(at as u32), |d| d.insn) else {
            return Left::At(at);
        };
        if frame.len() < self.registers || !self.prepare(&doors[number], frame) {
            return Left::At(at);
        }
        let mut run = MachineRun {
            fuel: *fuel,
            has_floor: false,
            frame: frame.as_mut_ptr(),
            registers: frame.len(),
            takes_floor: self.parts.touches_lists,
            code,
            is_watched: host.is_watched(),
            host,
        };
        if !run.take_floor() {
            return Left::At(at);
        }
        let registers = run.frame;
        // SAFETY: the code was made for frames of so many registers and touches these, and lists whose lock it finds free
        // while this thread has the floor; it leaves values whole at every call and at its end (see `translate`).
        let left = unsafe { (self.entry)(&raw mut run, registers, number as u64) };
        run.leave_floor();
        *fuel = run.fuel;
        let insn = (left & (FAULT - 1)) as usize;
        match left & FAULT {
            0 => Left::At(insn),
            _ => Left::Fault(insn),
        }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // SAFETY: it is not used again.
        let memory = unsafe { ManuallyDrop::take(&mut self.memory) };
        // SAFETY: the code is run through this object only, which nobody has any more.
        unsafe { memory.free_memory() };
    }
}
