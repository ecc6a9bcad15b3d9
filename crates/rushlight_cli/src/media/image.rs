//! PNG and JPEG images as float tensors (channels, height, width) in 0..1.

use crate::{Done, Failure};
use rushlight::Tensor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Images with more pixels than this are refused.
const MAX_PIXELS: usize = 1 << 28;

/// The first `kept` of the `given` numbers of each pixel, which are below `one` and stand for parts of it.
fn planes<T: Copy + Into<f32>>(
    pixels: &[T],
    [width, height]: [usize; 2],
    [given, kept]: [usize; 2],
    one: f32,
) -> Done<Tensor> {
    let count = width * height;
    if count * given > pixels.len() {
        return Err(Failure("the image ends early".into()));
    }
    let mut out = vec![0f32; kept * count];
    for c in 0..kept {
        for i in 0..count {
            out[c * count + i] = pixels[i * given + c].into() / one;
        }
    }
    Ok(Tensor::from_vec(out, &[kept, height, width])?)
}

/// A PNG image: grey has one channel, colour three; transparency is dropped.
pub fn read_png(bytes: &[u8]) -> Done<Tensor> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
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
    let channels = match frame.color_type {
        png::ColorType::Grayscale => [1, 1],
        png::ColorType::GrayscaleAlpha => [2, 1],
        png::ColorType::Rgba => [4, 3],
        _ => [3, 3],
    };
    let size = [width, height];
    if frame.bit_depth != png::BitDepth::Sixteen {
        return planes(&pixels, size, channels, 255.0);
    }
    let (pairs, _) = pixels.as_chunks::<2>();
    let pixels: Vec<u16> = pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
    planes(&pixels, size, channels, 65535.0)
}

/// A JPEG image, with three channels.
pub fn read_jpeg(bytes: &[u8]) -> Done<Tensor> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(bytes, options);
    let pixels = decoder.decode().map_err(|e| Failure(e.to_string()))?;
    let (width, height) = decoder
        .dimensions()
        .ok_or_else(|| Failure("the image has no size".into()))?;
    planes(&pixels, [width, height], [3, 3], 255.0)
}
