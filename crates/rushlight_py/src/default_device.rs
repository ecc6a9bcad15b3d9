//! The device on which Python makes new tensors where it names none: `with torch.device(...)`, `torch.set_default_device`.
//!
//! Both are scopes on one stack. The one that is set takes the place of all that the thread is in, and gives them back when it
//! ends; a `with` statement ends the innermost scope, whoever began it.

use pyo3::PyResult;
use pyo3::exceptions::PyAssertionError;
use rushlight::types::Operator;
use rushlight::{Device, Value};
use std::cell::{Cell, RefCell};

#[derive(Default)]
struct Scopes {
    /// From the outermost to the innermost.
    stack: Vec<Device>,
    /// Where a device is set: the scopes whose place it took.
    replaced: Option<Vec<Device>>,
}

thread_local! {
    static SCOPES: RefCell<Scopes> = RefCell::default();
    /// The one that counts, unless it is the CPU.
    static CURRENT: Cell<Option<Device>> = const { Cell::new(None) };
}

/// Changes the scopes; afterwards the innermost counts.
fn change<T>(how: impl FnOnce(&mut Scopes) -> T) -> T {
    SCOPES.with_borrow_mut(|scopes| {
        let result = how(scopes);
        let innermost = scopes.stack.last().copied();
        CURRENT.set(innermost.filter(|device| !device.is_cpu()));
        result
    })
}

/// Sets the device for this thread, or ends that it is set.
pub fn set(device: Option<Device>) -> PyResult<()> {
    change(|scopes| {
        if scopes.replaced.is_some() && scopes.stack.len() > 1 {
            return Err(PyAssertionError::new_err(
                "Found nested DeviceContext on the mode stack where none expected",
            ));
        }
        if let Some(replaced) = scopes.replaced.take() {
            scopes.stack = replaced;
        }
        if let Some(device) = device {
            scopes.replaced = Some(std::mem::replace(&mut scopes.stack, vec![device]));
        }
        Ok(())
    })
}

/// Enters a `with` statement.
pub fn enter(device: Device) {
    change(|scopes| scopes.stack.push(device));
}

/// Leaves the innermost `with` statement.
pub fn leave() {
    change(|scopes| scopes.stack.pop());
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
