//! The CPU random stream: MT19937 (Matsumoto and Nishimura, 1998) with the reference's ways of turning words into
//! numbers, and its saved form.
//!
//! Everything here is exact: programs print the numbers that a seed gives, so the order in which words are drawn and
//! each rounding step are part of the contract.

mod normal;

use crate::{Fault, Result};

/// Words of state.
const WORDS: usize = 624;
/// Distance of the word that the recurrence mixes in.
const SHIFT: usize = 397;
/// Bytes of [`Generator::state`].
pub const STATE_BYTES: usize = 5056;

/// A Mersenne Twister stream, bit for bit the reference's CPU generator.
#[derive(Clone)]
pub struct Generator {
    seed: u64,
    words: [u32; WORDS],
    /// Words that are left before the state must be advanced, plus one.
    left: i32,
    /// The next word.
    next: u32,
    seeded: bool,
    /// The second normal number of the last pair, where it has not been used.
    spare_f64: Option<f64>,
    /// The same of the f32 stream, which only saved states know.
    spare_f32: Option<f32>,
}

impl Generator {
    /// A stream started from a seed; its low 32 bits decide the numbers.
    pub fn new(seed: u64) -> Generator {
        let mut words = [0u32; WORDS];
        words[0] = seed as u32;
        for i in 1..WORDS {
            let last = words[i - 1];
            words[i] = (last ^ (last >> 30))
                .wrapping_mul(1_812_433_253)
                .wrapping_add(i as u32);
        }
        Generator {
            seed,
            words,
            left: 1,
            next: 0,
            seeded: true,
            spare_f64: None,
            spare_f32: None,
        }
    }

    /// The seed the stream was started from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    #[cold]
    #[inline(never)]
    fn advance(&mut self) {
        let twist = |high: u32, low: u32| {
            let mixed = (high & 0x8000_0000) | (low & 0x7fff_ffff);
            (mixed >> 1) ^ (if low & 1 == 1 { 0x9908_b0df } else { 0 })
        };
        let w = &mut self.words;
        for i in 0..WORDS - SHIFT {
            w[i] = w[i + SHIFT] ^ twist(w[i], w[i + 1]);
        }
        for i in WORDS - SHIFT..WORDS - 1 {
            w[i] = w[i + SHIFT - WORDS] ^ twist(w[i], w[i + 1]);
        }
        w[WORDS - 1] = w[SHIFT - 1] ^ twist(w[WORDS - 1], w[0]);
        self.left = WORDS as i32;
        self.next = 0;
    }

    /// The next 32 bits.
    #[inline(always)]
    pub fn random(&mut self) -> u32 {
        self.left -= 1;
        if self.left == 0 {
            self.advance();
        }
        let mut y = self.words[self.next as usize];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// The next 64 bits: two words, the high one first.
    #[inline(always)]
    pub fn random64(&mut self) -> u64 {
        let high = self.random() as u64;
        high << 32 | self.random() as u64
    }

    /// A number of `[0, 1)` with 24 random bits.
    #[inline(always)]
    pub fn uniform_f32(&mut self) -> f32 {
        self.uniform_bits(24)
    }

    /// A number of `[0, 1)` made of the low `bits` (at most 24) of one word: 24 for f32, 11 for f16, 8 for bf16.
    #[inline(always)]
    pub fn uniform_bits(&mut self, bits: u32) -> f32 {
        let mask = (1u32 << bits) - 1;
        (self.random() & mask) as f32 * (1.0 / (1u32 << bits) as f32)
    }

    /// A number of `[0, 1)` with 53 random bits.
    #[inline(always)]
    pub fn uniform_f64(&mut self) -> f64 {
        const BITS: u32 = 53;
        (self.random64() & ((1 << BITS) - 1)) as f64 * (1.0 / (1u64 << BITS) as f64)
    }

    /// A standard normal number: Box–Muller on pairs of f64; the second of a pair is kept for the next call.
    pub fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare_f64.take() {
            return spare;
        }
        let angle = 2.0 * std::f64::consts::PI * self.uniform_f64();
        let radius = (-2.0 * (-self.uniform_f64()).ln_1p()).sqrt();
        self.spare_f64 = Some(radius * angle.sin());
        radius * angle.cos()
    }

    /// The state as the reference saves it: seed, position, words (each as 64 bits) and the kept normal numbers.
    pub fn state(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(STATE_BYTES);
        out.extend(self.seed.to_le_bytes());
        out.extend(self.left.to_le_bytes());
        out.extend((self.seeded as i32).to_le_bytes());
        out.extend((self.next as u64).to_le_bytes());
        for word in self.words {
            out.extend((word as u64).to_le_bytes());
        }
        out.extend(0f64.to_le_bytes());
        out.extend(self.spare_f64.unwrap_or(0.0).to_le_bytes());
        out.extend(0f64.to_le_bytes());
        out.extend((self.spare_f64.is_some() as u64).to_le_bytes());
        out.extend(self.spare_f32.unwrap_or(0.0).to_le_bytes());
        out.extend((self.spare_f32.is_some() as u32).to_le_bytes());
        debug_assert_eq!(out.len(), STATE_BYTES);
        out
    }

    /// Takes over a saved state. Fails on a wrong size or an impossible position.
    pub fn set_state(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() != STATE_BYTES {
            return Err(Fault::runtime(format!(
                "Expected a CPUGeneratorImplState of size {STATE_BYTES} but found the input RNG state size to be {}",
                bytes.len()
            )));
        }
        let long = |at: usize| {
            let mut eight = [0u8; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        let tail = 24 + 8 * WORDS;
        let (left, seeded) = (long(8) as u32 as i32, (long(8) >> 32) != 0);
        let next = long(16);
        if !seeded || !(1..=WORDS as i32).contains(&left) || next > WORDS as u64 {
            return Err(Fault::runtime("Invalid mt19937 state"));
        }
        if left > 1 && next + left as u64 - 1 > WORDS as u64 {
            return Err(Fault::runtime("Invalid mt19937 state"));
        }
        let kept = |at: usize, there: bool| there.then(|| long(at));
        *self = Generator {
            seed: long(0),
            words: std::array::from_fn(|i| long(24 + 8 * i) as u32),
            left,
            next: next as u32,
            seeded,
            spare_f64: kept(tail + 8, long(tail + 24) as u32 != 0).map(f64::from_bits),
            spare_f32: kept(tail + 32, long(tail + 32) >> 32 & 0xff != 0)
                .map(|pair| f32::from_bits(pair as u32)),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of `torch.manual_seed(0); torch.rand(3)` and of seed 1234.
    #[test]
    fn uniform_numbers_follow_the_seed() {
        let mut g = Generator::new(0);
        let first: Vec<f32> = (0..3).map(|_| g.uniform_f32()).collect();
        assert_eq!(first, [0.496_256_6, 0.768_221_8, 0.088_477_43]);
        assert_eq!(Generator::new(1234).uniform_f32(), 0.028_979_242);
    }

    /// `torch.manual_seed(0); torch.randn(3)`.
    #[test]
    fn single_normal_numbers_come_in_pairs() {
        let mut g = Generator::new(0);
        let first: Vec<f32> = (0..3).map(|_| g.normal() as f32).collect();
        assert_eq!(first, [1.540_996_1, -0.293_428_9, -2.178_789_4]);
    }

    #[test]
    fn a_saved_state_continues_the_stream() {
        let mut g = Generator::new(77);
        for _ in 0..700 {
            g.random();
        }
        g.normal();
        let saved = g.state();
        let expected = (g.normal(), g.random(), g.random64());
        let mut other = Generator::new(1);
        other.set_state(&saved).expect("a state of ours is valid");
        assert_eq!(other.seed(), 77);
        assert_eq!((other.normal(), other.random(), other.random64()), expected);
    }

    #[test]
    fn impossible_states_are_refused() {
        let mut g = Generator::new(1);
        assert!(g.set_state(&[0; 10]).is_err());
        assert!(g.set_state(&[0; STATE_BYTES]).is_err());
        let mut wild = g.state();
        wild[16..24].copy_from_slice(&900u64.to_le_bytes());
        assert!(g.set_state(&wild).is_err());
        let mut long = g.state();
        long[8..12].copy_from_slice(&600i32.to_le_bytes());
        long[16..24].copy_from_slice(&100u64.to_le_bytes());
        assert!(g.set_state(&long).is_err());
    }
}
