//! The device on which Python makes new tensors where it names none: `with torch.device(...)`, `torch.set_default_device`.

use rushlight::types::Operator;
use rushlight::{Device, Value};
use std::cell::{Cell, RefCell};

thread_local! {
    /// The devices of the `with` statements that this thread is in, on the one that was set.
    static STACK: RefCell<Vec<Device>> = const { RefCell::new(Vec::new()) };
    static SET: Cell<Option<Device>> = const { Cell::new(None) };
    /// The one that counts, unless it is the CPU.
    static CURRENT: Cell<Option<Device>> = const { Cell::new(None) };
}

fn settle() {
    let top = STACK.with_borrow(|stack| stack.last().copied());
    CURRENT.set(top.or(SET.get()).filter(|device| !device.is_cpu()));
}

/// Sets the device for this thread, outside `with` statements.
pub fn set(device: Option<Device>) {
    SET.set(device);
    settle();
}

/// Enters a `with` statement.
pub fn enter(device: Device) {
    STACK.with_borrow_mut(|stack| stack.push(device));
    settle();
}

/// Leaves the innermost `with` statement.
pub fn leave() {
    STACK.with_borrow_mut(|stack| stack.pop());
    settle();
}

/// The device of new tensors, unless it is the CPU.
#[inline]
pub fn current() -> Option<Device> {
    CURRENT.get()
}

/// Tells an operator that makes tensors of nothing where to make them, if the call does not.
#[inline]
pub fn prepare(operator: &Operator, slots: &mut [Value]) {
    if let (Some(device), Some(at)) = (current(), operator.device_at()) {
        name_device(device, at, slots);
    }
}

#[cold]
fn name_device(device: Device, at: usize, slots: &mut [Value]) {
    if slots.iter().any(|value| value.any_tensor(|_| true)) {
        return;
    }
    if let Some(slot @ Value::None) = slots.get_mut(at) {
        *slot = Value::Device(device);
    }
}
