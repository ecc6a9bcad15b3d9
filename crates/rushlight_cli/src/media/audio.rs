//! WAV files as float tensors (channels, frames) in -1..1.

use crate::{Done, Failure};
use rushlight::Tensor;

/// A WAV file of integer or float samples.
pub fn read(bytes: &[u8]) -> Done<Tensor> {
    let mut reader = hound::WavReader::new(std::io::Cursor::new(bytes))?;
    let spec = reader.spec();
    let channels = spec.channels as usize;
    if channels == 0 {
        return Err(Failure("the file has no channels".into()));
    }
    let samples: Vec<f32> = match spec.sample_format {
        hound::SampleFormat::Float => reader.samples::<f32>().collect::<Result<_, _>>()?,
        hound::SampleFormat::Int => {
            let scale = (1i64 << (spec.bits_per_sample.clamp(1, 32) - 1)) as f32;
            reader
                .samples::<i32>()
                .map(|s| s.map(|v| v as f32 / scale))
                .collect::<Result<_, _>>()?
        }
    };
    let frames = samples.len() / channels;
    let mut out = vec![0f32; channels * frames];
    for (i, frame) in samples.chunks_exact(channels).enumerate() {
        for (c, sample) in frame.iter().enumerate() {
            out[c * frames + i] = *sample;
        }
    }
    Ok(Tensor::from_vec(out, &[channels, frames])?)
}
