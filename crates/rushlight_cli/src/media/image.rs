//! PNG and JPEG images as float tensors (channels, height, width) in 0..1.

use crate::{Done, Failure};
use rushlight::Tensor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Images with more pixels than this are refused.
const MAX_PIXELS: usize = 1 << 28;

fn planes(pixels: &[u8], width: usize, height: usize, channels: usize) -> Done<Tensor> {
    if width * height * channels > pixels.len() {
        return Err(Failure("the image ends early".into()));
    }
    let mut out = vec![0f32; channels * height * width];
    for c in 0..channels {
        for i in 0..width * height {
            out[c * width * height + i] = pixels[i * channels + c] as f32 / 255.0;
        }
    }
    Ok(Tensor::from_vec(out, &[channels, height, width])?)
}

/// A PNG image: grey has one channel, colour three; transparency is dropped.
pub fn read_png(bytes: &[u8]) -> Done<Tensor> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    if width.saturating_mul(height) > MAX_PIXELS {
        return Err(Failure("the image is too large".into()));
    }
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| Failure("the image is too large".into()))?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels)?;
    let (given, kept) = match frame.color_type {
        png::ColorType::Grayscale => (1, 1),
        png::ColorType::GrayscaleAlpha => (2, 1),
        png::ColorType::Rgba => (4, 3),
        _ => (3, 3),
    };
    let opaque: Vec<u8> = pixels
        .chunks_exact(given)
        .flat_map(|p| p[..kept].iter().copied())
        .collect();
    planes(&opaque, width, height, kept)
}

/// A JPEG image, with three channels.
pub fn read_jpeg(bytes: &[u8]) -> Done<Tensor> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(bytes, options);
    let pixels = decoder.decode().map_err(|e| Failure(e.to_string()))?;
    let (width, height) = decoder
        .dimensions()
        .ok_or_else(|| Failure("the image has no size".into()))?;
    planes(&pixels, width, height, 3)
}
