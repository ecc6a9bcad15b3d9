//! Random streams: making, seeding and asking them.

use rushlight_tensor::{Device, Generator};
use rushlight_types::{Context, DEFAULT_SEED, Effect, SharedGenerator, Value, op, operators};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

operators! {
    /// `torch.manual_seed` and generators.
    pub static ROWS = [
        op!("aten::manual_seed(int seed) -> ()", manual_seed).effect(Effect::SideEffect),
        op!("aten::manual_seed.generator(Generator(a!) self, int seed) -> Generator(a!)", restart).effect(Effect::SideEffect),
        op!("aten::Generator(*, Device? device=None, int? seed=None) -> Generator", generator).effect(Effect::Random),
        op!("aten::initial_seed(Generator self) -> int", initial_seed).effect(Effect::Random),
        op!("aten::seed(Generator(a!) self) -> int", seed).effect(Effect::SideEffect),
    ];
}

fn manual_seed(cx: &Context, seed: i64) {
    cx.manual_seed(seed as u64);
}

fn restart(stream: &SharedGenerator, seed: i64) -> Value {
    *stream.lock() = Generator::new(seed as u64);
    Value::Generator(stream.clone())
}

fn generator(_device: Option<Device>, seed: Option<i64>) -> Value {
    let seed = seed.map_or(DEFAULT_SEED, |seed| seed as u64);
    Value::Generator(Arc::new(parking_lot::Mutex::new(Generator::new(seed))))
}

fn initial_seed(stream: &SharedGenerator) -> i64 {
    stream.lock().seed() as i64
}

/// Restarts a stream from a seed that nobody chose.
fn seed(stream: &SharedGenerator) -> i64 {
    let seed = RandomState::new().hash_one(0u8) >> 1;
    *stream.lock() = Generator::new(seed);
    seed as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_knows_its_seed() {
        let Value::Generator(stream) = generator(None, Some(7)) else {
            panic!("a generator is made");
        };
        assert_eq!(initial_seed(&stream), 7);
        restart(&stream, -1);
        assert_eq!(initial_seed(&stream), -1);
    }
}
