//! Sound as it comes: a filter gets a chunk and what it remembers, and gives a chunk and what it is to remember next. Reads
//! little-endian 16-bit mono from standard input and writes it to standard output.
//!
//!     arecord -f S16_LE -r 16000 | cargo run --release -p rushlight --example stream | aplay -f S16_LE -r 16000
//!
//! A model that keeps its state in attributes is used the same way: one `Module::deep_copy` for each stream.

use rushlight::{DType, Result, Tensor, values};
use std::io::{ErrorKind, Read, Write};

/// A low-pass by convolution; the state is the end of the chunk before.
const SOURCE: &str = "
import torch
from torch import Tensor
from typing import Tuple

def step(chunk: Tensor, state: Tensor) -> Tuple[Tensor, Tensor]:
    taps = torch.hann_window(33)[1:]
    taps = taps / taps.sum()
    joined = torch.cat([state, chunk])
    out = torch.conv1d(joined[None, None], taps[None, None])[0, 0]
    return out, joined[-(taps.size(0) - 1):]
";

/// Samples of a chunk.
const CHUNK: usize = 512;

fn main() -> Result<()> {
    let script = rushlight::compile(SOURCE)?;
    let step = script.get("step").expect("the source defines it");
    let mut state = Tensor::zeros(&[31], DType::F32)?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut bytes = [0u8; 2 * CHUNK];
    loop {
        match input.read_exact(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            other => other?,
        }
        let samples = bytes.chunks_exact(2);
        let samples = samples.map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0);
        let chunk = Tensor::from_vec(samples.collect(), &[CHUNK])?;
        let (out, next) = step
            .call(&values![chunk, &state])?
            .to::<(Tensor, Tensor)>()?;
        state = next;
        for sample in out.try_data::<f32>()?.iter() {
            let sample = (sample * 32768.0).clamp(-32768.0, 32767.0) as i16;
            output.write_all(&sample.to_le_bytes())?;
        }
        output.flush()?;
    }
}
