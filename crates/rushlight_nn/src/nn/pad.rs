//! Padding: with a constant, by reflection, by repeating the border, and around the circle.

use rushlight_kernels::nn::pad::{Mode, Places, surrounded, take, take_both};
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Dims, Fault, Layout, MemoryFormat, Result, Scalar, Tensor};
use rushlight_types::{Quantized, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;

operators! {
    /// Padding.
    pub static ROWS = [
        op!("aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor", constant_pad_nd).quantized(Quantized::Numbers).out("out", rushlight_ops::out::exact),
        op!("aten::pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor", pad).quantized(Quantized::Numbers),
        op!("aten::_pad_enum(Tensor self, SymInt[] pad, int mode, float? value=None) -> Tensor", pad_enum),
        op!("aten::_pad_circular(Tensor self, SymInt[] pad) -> Tensor", pad_circular),
        op!("aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor", reflection_pad1d).out("out", rushlight_ops::out::cast),
        op!("aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor", reflection_pad2d).out("out", rushlight_ops::out::cast),
        op!("aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor", reflection_pad3d).out("out", rushlight_ops::out::cast),
        op!("aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor", replication_pad1d).out("out", rushlight_ops::out::cast),
        op!("aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor", replication_pad2d).out("out", rushlight_ops::out::cast),
        op!("aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor", replication_pad3d).out("out", rushlight_ops::out::cast),
    ];
}

fn constant_pad_nd(t: &Tensor, pad: Ints, value: Scalar) -> Result<Tensor> {
    rushlight_tensor::promote::check_real(value, t.dtype())?;
    if !pad.len().is_multiple_of(2) {
        return Err(Fault::runtime(format!(
            "Length of pad must be even but instead it equals {}",
            pad.len()
        )));
    }
    let dims = pad.len() / 2;
    if dims > t.rank() {
        return Err(Fault::runtime(format!(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is {}while the input has {}dimensions.",
            pad.len(),
            t.rank()
        )));
    }
    let mut sizes = Dims::from_slice(t.sizes());
    let mut source = t.clone();
    let mut starts = memory::filled(t.rank(), 0usize);
    for i in 0..dims {
        let d = t.rank() - 1 - i;
        let (before, after) = (pad[2 * i], pad[2 * i + 1]);
        let size = t.size(d) as i64;
        let new = size.saturating_add(before).saturating_add(after);
        if new < 0
            || size
                .saturating_add(before.min(0))
                .saturating_add(after.min(0))
                < 0
        {
            return Err(Fault::runtime("narrow(): length must be non-negative."));
        }
        sizes[d] = new as usize;
        // Negative padding takes away from the source, positive shifts the target.
        let skip = (-before).max(0).min(size);
        let end = (size + after.min(0)).max(skip);
        if source.numel() > 0 {
            source = source.narrow(d, skip as usize, (end - skip) as usize)?;
        }
        starts[d] = before.max(0) as usize;
    }
    if pad.iter().all(|p| *p <= 0) && source.sizes() == &sizes[..] {
        return rushlight_ops::copied(&source, None);
    }
    rushlight_tensor::layout::checked_numel(&sizes)?;
    let format = t.layout().suggested_format();
    let fits = (0..t.rank()).all(|d| starts[d] + source.size(d) <= sizes[d]);
    if fits && format == MemoryFormat::Contiguous && !t.dtype().is_quantized() {
        return surrounded(&source.contiguous(), &sizes, &starts, value);
    }
    let layout = Layout::with_format(&sizes, format)?;
    let out = Tensor::empty_with(&layout, t.dtype())?;
    if out.numel() == 0 {
        return Ok(out);
    }
    out.fill(value)?;
    if source.numel() == 0 {
        return Ok(out);
    }
    let mut inside = out.clone();
    for d in 0..t.rank() {
        let room = sizes[d].saturating_sub(starts[d]).min(source.size(d));
        inside = inside.narrow(d, starts[d].min(sizes[d]), room)?;
        source = source.narrow(d, 0, room)?;
    }
    inside.copy_from(&source)?;
    Ok(out)
}

/// Refuses lists of padding that do not say both sides of dimensions that the tensor has.
fn check_padding(t: &Tensor, pad: &[i64]) -> Result<()> {
    if !pad.len().is_multiple_of(2) {
        return Err(Fault::runtime("Padding length must be divisible by 2"));
    }
    if pad.len() > 2 * t.rank() {
        return Err(Fault::runtime(format!(
            "Padding length should be less than or equal to two times the input dimension but got padding length {} and input of dimension {}",
            pad.len(),
            t.rank()
        )));
    }
    Ok(())
}

pub(super) fn pad(t: &Tensor, pad: Ints, mode: &str, value: Option<f64>) -> Result<Tensor> {
    check_padding(t, &pad)?;
    if mode == "constant" {
        return constant_pad_nd(t, pad, Scalar::Float(value.unwrap_or(0.0)));
    }
    if value.is_some_and(|v| v != 0.0) {
        return Err(Fault::runtime(format!(
            "Padding mode \"{mode}\" doesn't take in value argument"
        )));
    }
    let kind = match mode {
        "reflect" => Mode::Reflect,
        "replicate" => Mode::Replicate,
        "circular" => Mode::Circular,
        _ => {
            return Err(Fault::not_implemented(format!(
                "Unrecognised padding mode {mode}"
            )));
        }
    };
    let dims = pad.len() / 2;
    let fits = pad.len().is_multiple_of(2)
        && (1..=3).contains(&dims)
        && (t.rank() == dims + 1 || t.rank() == dims + 2);
    if !fits {
        return Err(Fault::not_implemented(format!(
            "Padding size {} is not supported for {}D input tensor.\nSupported combinations for non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
            pad.len(),
            t.rank()
        )));
    }
    extend(kind, t, &pad)
}

fn pad_enum(t: &Tensor, list: Ints, mode: i64, value: Option<f64>) -> Result<Tensor> {
    let name = match mode {
        0 => "reflect",
        1 => "replicate",
        2 => "circular",
        3 => "constant",
        other => return Err(Fault::runtime(format!("padding mode {other} is not known"))),
    };
    pad(t, list, name, value)
}

fn pad_circular(t: &Tensor, pad: Ints) -> Result<Tensor> {
    extend(Mode::Circular, t, &pad)
}

macro_rules! fixed_rank {
    ($($name:ident $mode:ident $dims:literal;)*) => {$(
        fn $name(t: &Tensor, pad: Ints) -> Result<Tensor> {
            if pad.len() != 2 * $dims {
                return Err(Fault::runtime(format!(
                    "padding size is expected to be {}, but got: {}",
                    2 * $dims,
                    pad.len()
                )));
            }
            if t.rank() != $dims + 1 && t.rank() != $dims + 2 {
                return Err(Fault::runtime(format!(
                    "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {}",
                    $dims + 1,
                    $dims + 2,
                    list(t.sizes())
                )));
            }
            extend(Mode::$mode, t, &pad)
        }
    )*};
}
fixed_rank! {
    reflection_pad1d Reflect 1;
    reflection_pad2d Reflect 2;
    reflection_pad3d Reflect 3;
    replication_pad1d Replicate 1;
    replication_pad2d Replicate 2;
    replication_pad3d Replicate 3;
}

/// Checks the padding of one dimension.
fn check(mode: Mode, t: &Tensor, d: usize, before: i64, after: i64) -> Result<()> {
    let size = t.size(d) as i64;
    match mode {
        Mode::Reflect if before >= size || after >= size => Err(Fault::runtime(format!(
            "Argument #{}: Padding size should be less than the corresponding input dimension, but got: padding ({before}, {after}) at dimension {d} of input {}",
            2 * (t.rank() - d) + 2,
            list(t.sizes())
        ))),
        Mode::Circular if before > size || after > size => Err(Fault::runtime(
            "Padding value causes wrapping around more than once.",
        )),
        Mode::Circular if before.saturating_add(after).saturating_add(size) < 0 => Err(
            Fault::runtime("Negative padding value is resulting in an empty dimension"),
        ),
        Mode::Replicate if size == 0 && (before > 0 || after > 0) => Err(Fault::runtime(format!(
            "Expected a non-empty dimension {d} to replicate, but got input {}",
            list(t.sizes())
        ))),
        _ => Ok(()),
    }
}

/// Checks the padding of all dimensions, where every mode but the circular has rules of its own.
fn check_all(mode: Mode, t: &Tensor, pad: &[i64]) -> Result<()> {
    let dims = pad.len() / 2;
    let spatial = &t.sizes()[t.rank() - dims..];
    let lead = &t.sizes()[..t.rank() - dims];
    if spatial.contains(&0) || lead.iter().skip(lead.len() - 1).any(|s| *s == 0) {
        return Err(Fault::runtime(format!(
            "Expected {}D or {}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {}",
            dims + 1,
            dims + 2,
            list(t.sizes())
        )));
    }
    let padded = |i: usize| {
        let at = 2 * (dims - 1 - i);
        spatial[i] as i64 + pad[at] + pad[at + 1]
    };
    if mode == Mode::Reflect {
        for i in (0..dims).rev() {
            let at = 2 * (dims - 1 - i);
            check(mode, t, t.rank() - dims + i, pad[at], pad[at + 1])?;
        }
    }
    if (0..dims).all(|i| padded(i) >= 1) {
        return Ok(());
    }
    if dims == 1 {
        return Err(Fault::runtime(format!(
            "input (W: {}) is too small. Calculated output W: {}",
            spatial[0],
            padded(0)
        )));
    }
    let names = &["D", "H", "W"][3 - dims..];
    let shown: Vec<String> = (0..dims)
        .map(|i| format!("{}: {}", names[i], padded(i)))
        .collected();
    let own: Vec<String> = (0..dims)
        .map(|i| format!("{}: {}", names[i], spatial[i]))
        .collected();
    Err(Fault::runtime(format!(
        "Calculated output {} must be >= 1 in every dimension (input {})",
        shown.join(" "),
        own.join(", ")
    )))
}

/// Pads the dimensions from the last on.
fn extend(mode: Mode, t: &Tensor, pad: &[i64]) -> Result<Tensor> {
    if mode != Mode::Circular {
        check_all(mode, t, pad)?;
        if t.dtype() == DType::Bool {
            let kind = if mode == Mode::Reflect {
                "reflection"
            } else {
                "replication"
            };
            let last = match t.layout().suggested_format() {
                MemoryFormat::ChannelsLast | MemoryFormat::ChannelsLast3d => "_channels_last",
                _ => "",
            };
            let kernel = format!("{kind}_pad{}d{last}", pad.len() / 2);
            return Err(Fault::no_kernel(&kernel, t.dtype()));
        }
    } else if pad.len() / 2 > t.rank() {
        return Err(Fault::runtime(format!(
            "Invalid padding size, expected 1 or 2 non-padded dimensions, which would be equivalent to padding of length {} or {} respectively but got {}",
            2 * (t.rank() as i64 - 1),
            2 * (t.rank() as i64 - 2),
            pad.len()
        )));
    }
    let mut out = t.clone();
    // The last two dimensions are padded together.
    let mut columns = None;
    for i in 0..pad.len() / 2 {
        let d = t.rank() - 1 - i;
        let (before, after) = (pad[2 * i], pad[2 * i + 1]);
        check(mode, t, d, before, after)?;
        let kept = (t.size(d) as i64).saturating_add(before.min(0));
        if kept.saturating_add(after.min(0)) <= 0 && mode == Mode::Circular {
            // Nothing is left to go round in.
            if let Some(columns) = columns.take() {
                out = take(&out, t.rank() - 1, &columns)?;
            }
            let mut sizes = Dims::from_slice(out.sizes());
            let size = (t.size(d) as i64).saturating_add(before);
            sizes[d] = size.saturating_add(after).max(0) as usize;
            out = Tensor::zeros(&sizes, t.dtype())?;
            continue;
        }
        let places = Places::of(mode, t.size(d) as i64, before, after);
        out = match columns.take() {
            _ if i == 0 && pad.len() >= 4 => {
                columns = Some(places);
                continue;
            }
            Some(columns) => take_both(&out, &places, &columns)?,
            None => take(&out, d, &places)?,
        };
    }
    out.contiguous_in(match mode {
        Mode::Circular => MemoryFormat::Contiguous,
        _ => t.layout().suggested_format(),
    })
}
