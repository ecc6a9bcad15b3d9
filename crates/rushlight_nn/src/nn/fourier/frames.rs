//! The short-time Fourier transform: overlapping windowed frames, and adding them up again.

use super::spectra::{irfft, spectrum_of_rows};
use super::transform::{frames_to_complex, spectrum_dtype};
use crate::nn::pad::pad;
use rushlight_kernels::linalg::product::scaled;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory;
use rushlight_tensor::promote::promote_types;
use rushlight_tensor::{Complex64, DType, Fault, Layout, Result, Scalar, Tensor, watch};
use rushlight_types::warning::Notice;
use rushlight_types::{Context, arguments, op, operators};

operators! {
    /// Short-time transforms.
    pub static ROWS = [
        op!("aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor", stft),
        op!("aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor", stft_center),
        op!("aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor", istft),
    ];
}

arguments! {
    /// The frames and the window of a call, as it gives them.
    #[derive(Clone, Copy)]
    struct Given<'a> {
        /// Length of a frame.
        n_fft: i64,
        /// Elements from frame to frame.
        hop: Option<i64>,
        win_length: Option<i64>,
        window: Option<&'a Tensor>,
    }
}

arguments! {
    /// What spectra are to look like.
    struct Wanted {
        normalized: bool,
        onesided: Option<bool>,
        return_complex: Option<bool>,
        align: Option<bool>,
    }
}

arguments! {
    /// What signals are to look like that come back from spectra.
    struct Signals {
        center: bool,
        normalized: bool,
        onesided: Option<bool>,
        length: Option<i64>,
        return_complex: bool,
    }
}

/// What a call asks for, as refusals show it.
struct Asked<'a> {
    operator: &'static str,
    signal: &'a Tensor,
    n_fft: i64,
    hop: i64,
    win_length: i64,
    window: Option<&'a Tensor>,
    /// The other arguments, by name.
    rest: &'a [(&'static str, Option<i64>)],
}

impl<'a> Asked<'a> {
    fn new(
        operator: &'static str,
        signal: &'a Tensor,
        given: Given<'a>,
        rest: &'a [(&'static str, Option<i64>)],
    ) -> Asked<'a> {
        Asked {
            operator,
            signal,
            n_fft: given.n_fft,
            hop: given.hop.unwrap_or(given.n_fft >> 2),
            win_length: given.win_length.unwrap_or(given.n_fft),
            window: given.window,
            rest,
        }
    }

    fn shown(&self) -> String {
        let sizes = |t: &Tensor| list(t.sizes());
        let window = self.window.map_or("None".to_string(), |w| {
            format!("{}{{{}}}", w.dtype().tensor_type_name(), sizes(w))
        });
        let mut text = format!(
            "{}({}{}, n_fft={}, hop_length={}, win_length={}, window={window}",
            self.operator,
            self.signal.dtype().tensor_type_name(),
            sizes(self.signal),
            self.n_fft,
            self.hop,
            self.win_length
        );
        for (name, value) in self.rest {
            let value = value.map_or("None".to_string(), |v| v.to_string());
            text.push_str(&format!(", {name}={value}"));
        }
        text + ")"
    }

    fn refusal<T>(&self, why: impl std::fmt::Display) -> Result<T> {
        Err(Fault::runtime(format!("{} : {why}", self.shown())))
    }

    /// The real type in which signal and window are together.
    fn real(&self) -> DType {
        let own = self.signal.dtype().to_real();
        self.window
            .map_or(own, |w| promote_types(own, w.dtype().to_real()))
    }
}

/// Frame length, step and window length, and the window grown to the frame's length.
struct Frames {
    length: usize,
    hop: usize,
    window: Option<Tensor>,
}

impl Frames {
    /// The frames of a call whose lengths and window are checked.
    fn of(call: &Asked<'_>) -> Result<Frames> {
        let window = call.window;
        let (length, own) = (call.n_fft as usize, call.win_length as usize);
        let left = (length - own) / 2;
        let window = match window {
            None if own == length => None,
            window => {
                let dtype = window.map_or(DType::F64, Tensor::dtype);
                let grown = Tensor::zeros(&[length], dtype)?;
                let middle = grown.narrow(0, left, own)?;
                match window {
                    Some(window) => middle.copy_from(window)?,
                    None => middle.fill(Scalar::Int(1))?,
                }
                Some(grown)
            }
        };
        Ok(Frames {
            length,
            hop: call.hop as usize,
            window,
        })
    }

    fn has_complex_window(&self) -> bool {
        self.window.as_ref().is_some_and(|w| w.dtype().is_complex())
    }
}

/// Without a window.
static RECTANGULAR: Notice = Notice::new(
    "A window was not provided. A rectangular window will be applied,which is known to cause spectral leakage. Other windows such as torch.hann_window or torch.hamming_window are recommended to reduce spectral leakage.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.",
);

/// Where pairs of real numbers are asked for.
static IN_PAIRS: Notice = Notice::new(
    "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call torch.view_as_real on the complex output to recover the old return format.",
);

fn stft(cx: &Context, t: &Tensor, given: Given<'_>, wanted: Wanted) -> Result<Tensor> {
    stft_center(cx, t, given, false, "constant", wanted)
}

fn stft_center(
    cx: &Context,
    t: &Tensor,
    given: Given<'_>,
    center: bool,
    pad_mode: &str,
    wanted: Wanted,
) -> Result<Tensor> {
    let Given { n_fft, window, .. } = given;
    if window.is_none() {
        RECTANGULAR.give(cx)?;
    }
    let Wanted {
        normalized,
        onesided,
        return_complex,
        align,
    } = wanted;
    let fail = |message: &str| Err(Fault::runtime(message));
    if align.is_some() && center {
        return fail("stft align_to_window should only be set when center = false.");
    }
    if align == Some(true) {
        return Err(Fault::not_implemented(
            "stft with align_to_window is not supported",
        ));
    }
    let flag = |flag: Option<bool>| flag.map(i64::from);
    let rest = [
        ("normalized", Some(i64::from(normalized))),
        ("onesided", flag(onesided)),
        ("return_complex", flag(return_complex)),
        ("align_to_window", flag(align)),
    ];
    let asked = |signal| Asked::new("stft", signal, given, &rest);
    if !t.dtype().is_float() && !t.dtype().is_complex() {
        let shown = asked(t).shown();
        return Err(Fault::not_implemented(format!(
            "{shown} : expected a tensor of floating point or complex values"
        )));
    }
    if !(1..=2).contains(&t.rank()) {
        return asked(t).refusal("expected a 1D or 2D tensor");
    }
    let any_complex = t.dtype().is_complex() || window.is_some_and(|w| w.dtype().is_complex());
    if return_complex.is_none() && !any_complex {
        return fail(
            "stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True in a future PyTorch release.",
        );
    }
    if return_complex == Some(false) {
        IN_PAIRS.give(cx)?;
    }
    let single = t.rank() == 1;
    let mut x = if single { t.unsqueeze(0)? } else { t.clone() };
    if center {
        let half = n_fft / 2;
        // The padding operators want a channel.
        x = pad(
            &x.unsqueeze(0)?,
            smallvec::smallvec![half, half],
            pad_mode,
            None,
        )?
        .select(0, 0)?;
    }
    let shown = if single { x.select(0, 0)? } else { x.clone() };
    let call = asked(&shown);
    if n_fft <= 0 || n_fft as usize > x.size(1) {
        let length = x.size(1);
        return call.refusal(format_args!(
            "expected 0 < n_fft < {length}, but got n_fft={n_fft}"
        ));
    }
    if call.hop <= 0 {
        let hop = call.hop;
        return call.refusal(format_args!(
            "expected hop_length > 0, but got hop_length={hop}"
        ));
    }
    let own = call.win_length;
    if own <= 0 || own > n_fft {
        return call.refusal(format_args!(
            "expected 0 < win_length <= n_fft, but got win_length={own}"
        ));
    }
    if let Some(w) = window.filter(|w| w.rank() != 1 || w.size(0) as i64 != own) {
        return call.refusal(format_args!(
            "expected a 1D window tensor of size equal to win_length={own}, but got window with size {}",
            list(w.sizes())
        ));
    }
    let frames = Frames::of(&call)?;
    let onesided = onesided.unwrap_or(!any_complex);
    if onesided && any_complex {
        return fail("Cannot have onesided output if window or input is complex");
    }
    let spectrum = analyse(&x, call.real(), &frames, normalized, onesided)?;
    // Frames by frequencies, read as frequencies by frames.
    let out = spectrum.transpose(1, 2)?;
    let out = if single { out.select(0, 0)? } else { out };
    if return_complex.unwrap_or(any_complex) {
        Ok(out)
    } else {
        rushlight_ops::view_as_real(&out)
    }
}

/// The spectra of the frames of each row: row by frame by frequency.
fn analyse(
    x: &Tensor,
    real: DType,
    frames: &Frames,
    normalized: bool,
    onesided: bool,
) -> Result<Tensor> {
    let n = frames.length;
    let (rows, length) = (x.size(0), x.size(1));
    let count = 1 + (length - n) / frames.hop;
    let complex = x.dtype().is_complex() || frames.has_complex_window();
    let together = if complex { real.to_complex() } else { real };
    if matches!(together, DType::F16 | DType::BF16) {
        return Err(Fault::not_implemented(format!(
            "MKL FFT doesn't support tensors of type: {}",
            together.class_name()
        )));
    }
    let dtype = spectrum_dtype(together, !complex)?;
    let x = x.to_dtype(dtype).contiguous();
    let window = frames.window.as_ref().map(|w| w.to_dtype(dtype));
    let scale = if normalized {
        1.0 / (n as f64).sqrt()
    } else {
        1.0
    };
    if !complex && onesided {
        let frames = [count, n, frames.hop];
        return frames_to_complex(&x, frames, window.as_ref(), scale);
    }
    let sizes = [rows, count, n];
    let overlapping = Layout::strided(&sizes, &[length, frames.hop, 1], x.layout().offset());
    let mut cut = x.view_with(overlapping)?;
    if let Some(window) = window {
        cut = scaled(&cut, &window.expand_to(&sizes)?)?;
    }
    spectrum_of_rows(&cut.to_dtype(dtype.to_complex()), n, scale, false)
}

/// Without a window, back from spectra.
static RECTANGULAR_AGAIN: Notice = Notice::new(
    "A window was not provided. A rectangular window will be applied.Please provide the same window used by stft to make the inversion lossless.To suppress this warning and use a rectangular window, explicitly set `window=torch.ones(n_fft, device=<device>)`.",
);

fn istft(cx: &Context, t: &Tensor, given: Given<'_>, signals: Signals) -> Result<Tensor> {
    let Signals {
        center,
        normalized,
        onesided,
        length,
        return_complex,
    } = signals;
    if !t.dtype().is_complex() {
        return Err(Fault::type_error(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.",
        ));
    }
    let flag = |flag: bool| Some(i64::from(flag));
    let rest = [
        ("center", flag(center)),
        ("normalized", flag(normalized)),
        ("onesided", onesided.map(i64::from)),
        ("length", length),
        ("return_complex", flag(return_complex)),
    ];
    let Given { n_fft, window, .. } = given;
    if window.is_none() {
        RECTANGULAR_AGAIN.give(cx)?;
    }
    let call = Asked::new("istft", t, given, &rest);
    if t.numel() == 0 {
        return call.refusal("input tensor cannot be empty.");
    }
    if !(2..=3).contains(&t.rank()) {
        return call.refusal(format_args!(
            "expected a tensor with 2 or 3 dimensions, but got {}",
            t.rank()
        ));
    }
    let single = t.rank() == 2;
    let x = if single { t.unsqueeze(0)? } else { t.clone() };
    let (rows, bins, count) = (x.size(0), x.size(1), x.size(2));
    let onesided = onesided.unwrap_or(bins as i64 != n_fft);
    let expected = if onesided { n_fft / 2 + 1 } else { n_fft };
    if bins as i64 != expected {
        return call.refusal(format_args!(
            "expected the frequency dimension (3rd to the last) of the input tensor to match n_fft{} when onesided={}, but got {bins}",
            if onesided { " / 2 + 1" } else { "" },
            if onesided { "True" } else { "False" }
        ));
    }
    if onesided && return_complex {
        return Err(Fault::runtime(
            "Cannot have onesided output if window or input is complex",
        ));
    }
    if call.hop <= 0 || call.hop > call.win_length {
        return call.refusal("expected 0 < hop_length <= win_length");
    }
    if call.win_length <= 0 || call.win_length > n_fft {
        return call.refusal("expected 0 < win_length <= n_fft");
    }
    if window.is_some_and(|w| w.rank() != 1 || w.size(0) as i64 != call.win_length) {
        return call
            .refusal("Invalid window shape. window has to be 1D and length of `win_length`");
    }
    if !return_complex && window.is_some_and(|w| w.dtype().is_complex()) {
        return Err(Fault::runtime(
            "Complex windows are incompatible with return_complex=False",
        ));
    }
    let frames = Frames::of(&call)?;
    let n = frames.length;
    let spectra = x.transpose(1, 2)?;
    let norm = if normalized { "ortho" } else { "backward" };
    let signal = if !return_complex {
        // The second half of a whole spectrum is the first half's mirror and not looked at.
        let half = spectra.narrow(2, 0, n / 2 + 1)?;
        irfft(&half, Some(n_fft), -1, Some(norm))?
    } else {
        let scale = if normalized {
            1.0 / (n as f64).sqrt()
        } else {
            1.0 / n as f64
        };
        spectrum_of_rows(&spectra, n, scale, true)?
    };
    let window: Vec<Complex64> = match &frames.window {
        Some(w) => w.to_vec::<Complex64>(),
        None => memory::filled(n, Complex64::new(1.0, 0.0)),
    };
    let total = n + frames.hop * (count - 1);
    let signal = signal.to_vec::<Complex64>();
    let mut envelope = memory::filled(total, Complex64::default());
    for frame in 0..count {
        watch::poll();
        for (k, w) in window.iter().enumerate() {
            envelope[frame * frames.hop + k] += w * w;
        }
    }
    let start = if center { n / 2 } else { 0 };
    let end = match length {
        Some(length) => start.saturating_add(length.max(0) as usize),
        None if center => total - n / 2,
        None => total,
    };
    let kept = end.min(total).max(start);
    if envelope[start..kept].iter().any(|e| e.norm() <= 1e-11) {
        let shown = call.shown();
        return Err(Fault::runtime(format!(
            "{shown} window overlap add min: 1\n[ CPUBoolType{{}} ]"
        )));
    }
    let size = end.saturating_sub(start);
    let mut out = memory::filled(memory::times([rows, size]), Complex64::default());
    for row in 0..rows {
        watch::poll();
        let mut sum = memory::filled(total, Complex64::default());
        for frame in 0..count {
            watch::poll();
            let values = &signal[(row * count + frame) * n..][..n];
            for (k, (v, w)) in values.iter().zip(&window).enumerate() {
                sum[frame * frames.hop + k] += v * w;
            }
        }
        for (i, at) in (start..kept).enumerate() {
            out[row * size + i] = sum[at] / envelope[at];
        }
    }
    let dtype = if return_complex {
        call.real().to_complex()
    } else {
        call.real()
    };
    let sizes: &[usize] = if single { &[size] } else { &[rows, size] };
    Ok(Tensor::from_vec(out, sizes)?.to_dtype(dtype))
}
