//! A controller that asks a policy network a thousand times a second: how long a call takes, how late the loop is, and how
//! many allocations a call makes.
//!
//!     cargo run --release -p rushlight --example policy -- policy.pt 1,24 1,6
//!
//! The arguments after the file are the sizes of the network's inputs. Without arguments a small network is compiled from
//! source.

use rushlight::tensor::threads;
use rushlight::{DType, Module, Result, Scalar, Tensor, Value};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};

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

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(old, layout, size) }
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

def forward(observation: Tensor) -> Tensor:
    gain = torch.full([4, 8], 0.1)
    return torch.tanh(torch.mv(gain, observation))
";

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let policy: Module = match arguments.next() {
        Some(path) => rushlight::Loader::new().eval().load(path)?,
        None => rushlight::compile(SOURCE)?
            .module(None)
            .expect("the source has a forward"),
    };
    let mut inputs = Vec::new();
    for sizes in arguments {
        let sizes = sizes.split(',').filter_map(|size| size.parse().ok());
        inputs.push(Tensor::full(
            &sizes.collect::<Vec<usize>>(),
            Scalar::Float(0.5),
            DType::F32,
        )?);
    }
    if inputs.is_empty() {
        inputs.push(Tensor::full(&[8], Scalar::Float(0.5), DType::F32)?);
    }
    // One thread: a network this small is done before another one has woken up.
    threads::set_count(1);

    let forward = policy.bound_method("forward")?;
    let observation = inputs[0].clone();
    let arguments: Vec<Value> = inputs.iter().map(Value::from).collect();
    let mut sensors = observation.try_to_vec::<f32>()?;
    let mut step = |tick: u32| -> Result<()> {
        sensors[0] = tick as f32 * 0.001;
        // Into the same tensor each time.
        observation.write_from(&sensors)?;
        let action = forward.call(&arguments)?;
        std::hint::black_box(&action);
        Ok(())
    };

    for tick in 0..20_000 {
        step(tick)?;
    }
    let (calls, asked, start) = (100_000, ASKED.get(), Instant::now());
    for tick in 0..calls {
        step(tick)?;
    }
    let nanos = start.elapsed().as_nanos() as f64 / f64::from(calls);
    let asked = (ASKED.get() - asked) as f64 / f64::from(calls);
    println!(
        "{:.2} us and {asked:.2} allocations for each call",
        nanos / 1000.0
    );

    let (mut late, mut next) = (Duration::ZERO, Instant::now());
    for tick in 0..1000 {
        next += Duration::from_millis(1);
        step(tick)?;
        std::thread::sleep(next.saturating_duration_since(Instant::now()));
        late = late.max(Instant::now().saturating_duration_since(next));
    }
    println!("a second at 1 kHz: at most {late:?} late");
    Ok(())
}
