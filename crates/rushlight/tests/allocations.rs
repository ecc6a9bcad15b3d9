//! What a call asks the allocator for, once it is warm: nothing for itself, two small blocks for each tensor that is made.

use rushlight::{Tensor, Value, values};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a count of what each thread asks it for.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SOURCE: &str = "
import torch
from torch import Tensor

def total(n: int, scale: float) -> float:
    out = 0.0
    for i in range(n):
        out += float(i) * scale
    return out

def layer(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.relu(torch.nn.functional.linear(x, weight, bias))
";

/// Allocations of one call after many.
fn asked(function: &str, arguments: &[Value]) -> u64 {
    rushlight::tensor::threads::set_count(1);
    let script = rushlight::compile(SOURCE).expect("compiles");
    let module = script.module(Some("layer")).expect("there is a layer");
    let method = module.bound_method(function).expect("is there");
    let call = || drop(method.call(arguments).expect("runs"));
    for _ in 0..200 {
        call();
    }
    let before = ASKED.get();
    call();
    ASKED.get() - before
}

#[test]
fn a_call_on_numbers_asks_for_nothing() {
    assert_eq!(asked("total", &values![3, 0.5]), 0);
}

#[test]
fn a_layer_asks_for_two_blocks_a_tensor() {
    let filled = |sizes: &[usize]| {
        let count = sizes.iter().product();
        Value::from(Tensor::from_vec(vec![0.25f32; count], sizes).expect("fits"))
    };
    let arguments = [filled(&[1, 64]), filled(&[64, 64]), filled(&[64])];
    let asked = asked("forward", &arguments);
    assert!(asked <= 4, "{asked}");
}
