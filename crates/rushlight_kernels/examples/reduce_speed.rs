//! Times reductions: `cargo run --release -p rushlight_kernels --example reduce_speed`. Prints the best of many calls in
//! microseconds.

use rushlight_kernels::reduce::dims::Mask;
use rushlight_kernels::reduce::extremes::{extreme, with_indices};
use rushlight_kernels::reduce::sum::sum_masked;
use rushlight_tensor::{DType, Tensor, threads};
use std::time::Instant;

fn time(name: &str, mut call: impl FnMut()) {
    let best = (0..2000).map(|_| {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64()
    });
    println!("{name}: {:.2} us", best.fold(f64::MAX, f64::min) * 1e6);
}

fn main() {
    threads::set_count(1);
    let numbers = (0..128 * 768).map(|i| (i * 37 % 127) as f32 / 64.0 - 1.0);
    let x = Tensor::from_vec(numbers.collect::<Vec<f32>>(), &[128, 768]).unwrap();
    let mask = |dims: [bool; 2]| dims.into_iter().collect::<Mask>();
    for dims in [[true, false], [false, true], [true, true]] {
        let mask = mask(dims);
        time(&format!("sum over {dims:?}"), || {
            sum_masked(&x, &mask, false, DType::F32).unwrap();
        });
        time(&format!("largest over {dims:?}"), || {
            extreme::<true>(&x, &mask, false).unwrap();
        });
    }
    time("largest and where", || {
        with_indices::<true>(&x, 1, false).unwrap();
    });
}
