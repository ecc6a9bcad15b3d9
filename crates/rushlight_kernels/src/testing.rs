//! Numbers for tests.

/// So many numbers of a pattern that repeats late, from 0 to 28.
fn pattern(count: usize, step: usize) -> impl Iterator<Item = f32> {
    (0..count).map(move |i| ((i * step + i / 7) % 29) as f32)
}

/// Numbers from -2 to 2.
pub fn numbers(count: usize, step: usize) -> Vec<f32> {
    pattern(count, step).map(|v| v / 7.0 - 2.0).collect()
}

/// Numbers of magnitudes below one half.
pub fn small_numbers(count: usize, step: usize) -> Vec<f32> {
    pattern(count, step).map(|v| v / 30.0 - 0.45).collect()
}
