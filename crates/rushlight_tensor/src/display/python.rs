//! What Python's `repr(tensor)` shows: `tensor([[1., 2.], [3., 4.]])`, aligned, wrapped, shortened when large, and with
//! whatever the text alone does not tell (sizes of empty tensors, dtype, device, gradient).

use super::script::general;
use super::{fixed, scientific};
use crate::{Complex64, DType, Quantizer, Result, Tensor};
use std::ops::Range;

/// `torch.set_printoptions`.
#[derive(Clone, PartialEq, Debug)]
pub struct PrintOptions {
    /// Digits after the point.
    pub precision: usize,
    /// Tensors with more elements are shortened.
    pub threshold: f64,
    /// Elements shown at each end of a shortened dimension.
    pub edgeitems: usize,
    /// Columns of text that one line may hold.
    pub linewidth: usize,
    /// Whether to use scientific notation; `None` decides by the numbers.
    pub sci_mode: Option<bool>,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions {
            precision: 4,
            threshold: 1000.0,
            edgeitems: 3,
            linewidth: 80,
            sci_mode: None,
        }
    }
}

const PREFIX: &str = "tensor(";

/// How the elements of one tensor are written.
enum Cells {
    Bool { width: usize },
    Integer { width: usize },
    Float(Floats),
    Complex(Floats, Floats),
}

/// How floats are written.
struct Floats {
    width: usize,
    notation: Notation,
    precision: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Notation {
    Integer,
    Fixed,
    Scientific,
}

impl Floats {
    fn of(values: impl Iterator<Item = f64>, options: &PrintOptions) -> Floats {
        let values: Vec<f64> = values.filter(|v| v.is_finite() && *v != 0.0).collect();
        let integers = values.iter().all(|v| *v == v.ceil());
        let most = values.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let least = values.iter().fold(f64::INFINITY, |m, v| m.min(v.abs()));
        let wild = most / least > 1000.0 || most > 1e8 || (!integers && least < 1e-4);
        let shown = |notation| {
            let mut floats = Floats {
                width: 1,
                notation,
                precision: options.precision,
            };
            let widths = values.iter().map(|v| floats.bare(*v).len());
            floats.width = widths.max().unwrap_or(0).max(1);
            floats
        };
        let by_value = match (wild, integers) {
            (true, _) => Notation::Scientific,
            (false, true) => Notation::Integer,
            (false, false) => Notation::Fixed,
        };
        let mut floats = shown(by_value);
        match options.sci_mode {
            _ if values.is_empty() => {}
            Some(true) => floats = shown(Notation::Scientific),
            Some(false) if by_value == Notation::Scientific => {
                floats = shown(if integers {
                    Notation::Integer
                } else {
                    Notation::Fixed
                });
            }
            _ => {}
        }
        floats
    }

    fn bare(&self, value: f64) -> String {
        match self.notation {
            Notation::Scientific => scientific(value, self.precision),
            Notation::Integer if value.is_finite() => format!("{value:.0}."),
            _ => fixed(value, self.precision),
        }
    }

    fn padded(&self, value: f64) -> String {
        format!("{:>width$}", self.bare(value), width = self.width)
    }
}

/// One element, read from any dtype.
#[derive(Clone, Copy)]
enum Element {
    Integer(i128),
    Number(Complex64),
}

fn elements(tensor: &Tensor) -> Vec<Element> {
    if tensor.dtype().is_integral(true) {
        let wide = |v: i64| match tensor.dtype() {
            DType::U64 => Element::Integer((v as u64).into()),
            _ => Element::Integer(v.into()),
        };
        tensor.to_vec::<i64>().into_iter().map(wide).collect()
    } else {
        // The least power of two stands for zero where there is none.
        let has_no_zero = tensor.dtype() == DType::F8E8M0FNU;
        let shown = |v: Complex64| match has_no_zero && v.re == 2f64.powi(-127) {
            true => Complex64::ZERO,
            false => v,
        };
        let values = tensor.to_vec::<Complex64>().into_iter();
        values.map(|v| Element::Number(shown(v))).collect()
    }
}

impl Cells {
    fn of(shown: &[Element], dtype: DType, options: &PrintOptions) -> Cells {
        let widest = |text: &dyn Fn(i128) -> String| {
            let widths = shown.iter().map(|e| match e {
                Element::Integer(v) => text(*v).len(),
                Element::Number(_) => 0,
            });
            widths.max().unwrap_or(0).max(1)
        };
        let numbers = || {
            shown.iter().filter_map(|e| match e {
                Element::Number(v) => Some(*v),
                Element::Integer(_) => None,
            })
        };
        match dtype {
            DType::Bool => Cells::Bool {
                width: widest(&|v| truth(v).to_string()),
            },
            d if d.is_integral(false) => Cells::Integer {
                width: widest(&|v| v.to_string()),
            },
            d if d.is_complex() => Cells::Complex(
                Floats::of(numbers().map(|c| c.re), options),
                Floats::of(numbers().map(|c| c.im), options),
            ),
            _ => Cells::Float(Floats::of(numbers().map(|c| c.re), options)),
        }
    }

    fn width(&self) -> usize {
        match self {
            Cells::Bool { width } | Cells::Integer { width } => *width,
            Cells::Float(floats) => floats.width,
            Cells::Complex(re, im) => re.width + im.width + 1,
        }
    }

    fn text(&self, element: Element) -> String {
        match (self, element) {
            (Cells::Bool { width }, Element::Integer(v)) => format!("{:>width$}", truth(v)),
            (Cells::Integer { width }, Element::Integer(v)) => format!("{v:>width$}"),
            (Cells::Float(floats), Element::Number(c)) => floats.padded(c.re),
            (Cells::Complex(re, im), Element::Number(c)) => {
                let imaginary = im.padded(c.im);
                let imaginary = imaginary.trim_start();
                let sign = if imaginary.starts_with('-') { "" } else { "+" };
                format!("{}{sign}{imaginary}j", re.padded(c.re))
            }
            (_, Element::Integer(v)) => v.to_string(),
            (_, Element::Number(c)) => c.to_string(),
        }
    }
}

fn truth(v: i128) -> &'static str {
    if v != 0 { "True" } else { "False" }
}

/// The nested brackets of one tensor.
struct Brackets<'a> {
    options: &'a PrintOptions,
    cells: Cells,
}

/// What is shown of a dimension.
#[derive(Clone, Copy)]
struct Shown {
    /// How many indices.
    count: usize,
    /// How many of them stand before the ones that are left out.
    gap: Option<usize>,
}

impl Shown {
    /// All indices, or both ends around a gap.
    fn of(size: usize, options: &PrintOptions, shorten: bool) -> Shown {
        let edge = options.edgeitems;
        match edge.checked_mul(2) {
            Some(ends) if shorten && size > ends => Shown {
                count: ends,
                gap: Some(edge),
            },
            _ => Shown {
                count: size,
                gap: None,
            },
        }
    }

    /// The indices, of a dimension of that size.
    fn indices(self, size: usize) -> [Range<usize>; 2] {
        let first = self.gap.unwrap_or(self.count);
        [0..first, size - (self.count - first)..size]
    }
}

impl Brackets<'_> {
    fn row(&self, elements: &[Element], dim: Shown, indent: usize) -> String {
        let room = self.options.linewidth.saturating_sub(indent);
        let per_line = (room / (self.cells.width() + 2)).max(1);
        let mut texts: Vec<String> = elements.iter().map(|e| self.cells.text(*e)).collect();
        if let Some(at) = dim.gap {
            let text = if texts.is_empty() { "..." } else { " ..." };
            texts.insert(at, text.to_string());
        }
        let lines: Vec<String> = texts.chunks(per_line).map(|line| line.join(", ")).collect();
        let separator = format!(",\n{}", " ".repeat(indent + 1));
        format!("[{}]", lines.join(&separator))
    }

    /// What is shown of a tensor, from the elements that are.
    fn nested(&self, elements: &[Element], dims: &[Shown], indent: usize) -> String {
        let [dim, inner @ ..] = dims else {
            return elements
                .first()
                .map_or_else(String::new, |e| self.cells.text(*e));
        };
        if inner.is_empty() {
            return self.row(elements, *dim, indent);
        }
        let step: usize = inner.iter().map(|dim| dim.count).product();
        let parts = (0..dim.count)
            .map(|i| self.nested(&elements[i * step..(i + 1) * step], inner, indent + 1));
        let mut parts: Vec<String> = parts.collect();
        if let Some(at) = dim.gap {
            parts.insert(at, "...".to_string());
        }
        let separator = format!(",{}{}", "\n".repeat(inner.len()), " ".repeat(indent + 1));
        format!("[{}]", parts.join(&separator))
    }
}

/// Adds the elements that are shown: no others are read, however many there are.
fn ends(tensor: &Tensor, dims: &[Shown], out: &mut Vec<Element>) {
    let is_cut = dims.iter().any(|dim| dim.gap.is_some());
    let ([dim, inner @ ..], true) = (dims, is_cut) else {
        out.extend(elements(tensor));
        return;
    };
    for range in dim.indices(tensor.size(0)) {
        if inner.is_empty() {
            let part = tensor.layout().slice(0, range.start, range.end, 1);
            out.extend(elements(&tensor.derive(part)));
        } else {
            for i in range {
                ends(&tensor.derive(tensor.layout().select(0, i)), inner, out);
            }
        }
    }
}

impl Tensor {
    /// Python's `repr(tensor)`. `default` is the dtype that needs no mention, `gradient` what is said of the gradient
    /// history (`grad_fn=<AddBackward0>`); without one a leaf that requires gradients says so.
    pub fn repr(&self, options: &PrintOptions, default: DType, gradient: Option<&str>) -> String {
        let mut suffixes = Vec::new();
        if !self.device().is_cpu() {
            suffixes.push(format!("device='{}'", self.device()));
        }
        let dtype = format!("dtype={}", self.dtype());
        let body = if self.is_meta() {
            suffixes.push(format!("size={}", tuple(self.sizes())));
            if self.dtype() != default {
                suffixes.push(dtype);
            }
            "...".to_string()
        } else if let Some(quantizer) = self.quantizer() {
            suffixes.push(format!("size={}", tuple(self.sizes())));
            suffixes.push(dtype);
            suffixes.extend(quantization(quantizer, options, default));
            self.dequantized().body(options)
        } else if self.numel() == 0 {
            if self.rank() != 1 {
                suffixes.push(format!("size={}", tuple(self.sizes())));
            }
            if self.dtype() != default {
                suffixes.push(dtype);
            }
            "[]".to_string()
        } else {
            // Where no element need be shown, the sizes are.
            if options.edgeitems == 0 {
                suffixes.push(format!("size={}", tuple(self.sizes())));
            }
            let plain = [default, default.to_complex(), DType::I64, DType::Bool];
            if !plain.contains(&self.dtype()) {
                suffixes.push(dtype);
            }
            self.body(options)
        };
        match gradient {
            Some(text) => suffixes.push(text.to_string()),
            None if self.requires_grad() => suffixes.push("requires_grad=True".to_string()),
            None => {}
        }
        assemble(&body, &suffixes, options)
    }

    /// Python's `repr` of the elements alone: the nested brackets, indented to stand after `tensor(`.
    fn body(&self, options: &PrintOptions) -> String {
        if self.numel() == 0 {
            return "[]".to_string();
        }
        let shorten = self.numel() as f64 > options.threshold;
        let sizes = self.sizes().iter();
        let dims: Vec<Shown> = sizes
            .map(|size| Shown::of(*size, options, shorten))
            .collect();
        let mut shown = Vec::new();
        ends(self, &dims, &mut shown);
        let cells = Cells::of(&shown, self.dtype(), options);
        let brackets = Brackets { options, cells };
        brackets.nested(&shown, &dims, PREFIX.len())
    }
}

/// What is said of the numbers that the integers of a quantized tensor stand for.
fn quantization(quantizer: &Quantizer, options: &PrintOptions, default: DType) -> Vec<String> {
    let mut said = vec![format!(
        "quantization_scheme=torch.{}",
        quantizer.scheme_name()
    )];
    match quantizer {
        Quantizer::Tensor { scale, zero_point } => {
            said.push(format!("scale={}", python_float(*scale)));
            said.push(format!("zero_point={zero_point}"));
        }
        Quantizer::Channel { axis, .. } => {
            let shown = |tensor: Result<Tensor>| match tensor {
                Ok(tensor) => tensor.repr(options, default, None),
                Err(_) => "?".to_string(),
            };
            said.push(format!("scale={}", shown(quantizer.scales())));
            said.push(format!("zero_point={}", shown(quantizer.zero_points())));
            said.push(format!("axis={axis}"));
        }
    }
    said
}

/// Python's `repr` of a float.
fn python_float(value: f64) -> String {
    let text = general(value);
    let is_whole = text.chars().all(|c| c.is_ascii_digit() || c == '-');
    if is_whole { text + ".0" } else { text }
}

/// `(2, 3)`, `(2,)`, `()`.
fn tuple(sizes: &[usize]) -> String {
    let items: Vec<String> = sizes.iter().map(usize::to_string).collect();
    match items.len() {
        1 => format!("({},)", items[0]),
        _ => format!("({})", items.join(", ")),
    }
}

/// Puts the suffixes behind the body, each on the same line if it fits there.
fn assemble(body: &str, suffixes: &[String], options: &PrintOptions) -> String {
    let mut out = format!("{PREFIX}{body}");
    let last_line = out.rfind('\n').map_or(out.len() + 1, |at| out.len() - at) + 1;
    let mut column = last_line;
    for suffix in suffixes {
        if column + suffix.len() + 2 > options.linewidth {
            out.push_str(&format!(",\n{}{suffix}", " ".repeat(PREFIX.len())));
            column = PREFIX.len() + suffix.len();
        } else {
            out.push_str(&format!(", {suffix}"));
            column += suffix.len() + 2;
        }
    }
    out.push(')');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scalar;

    fn shown(tensor: &Tensor) -> String {
        tensor.repr(&PrintOptions::default(), DType::F32, None)
    }

    #[test]
    fn rows_are_aligned_under_the_bracket() {
        let t = Tensor::from_slice(&[1i64, 2, 3, 40], &[2, 2]).expect("four values");
        assert_eq!(shown(&t), "tensor([[ 1,  2],\n        [ 3, 40]])");
    }

    #[test]
    fn large_tensors_are_shortened() {
        let values: Vec<i64> = (0..2000).collect();
        let t = Tensor::from_vec(values, &[2000]).expect("as many values");
        assert_eq!(
            shown(&t),
            "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"
        );
    }

    #[test]
    fn both_ends_of_each_dimension_are_shown() {
        let values: Vec<i64> = (0..16 * 9 * 9).collect();
        let t = Tensor::from_vec(values, &[16, 9, 9]).expect("as many values");
        let t = t.permute(&[1, 0, 2]).expect("three dimensions");
        let text = shown(&t);
        assert!(text.starts_with("tensor([[[   0,    1,    2,  ...,    6,    7,    8],"));
        assert!(text.ends_with("[1287, 1288, 1289,  ..., 1293, 1294, 1295]]])"));
        assert_eq!(text.matches("...").count(), 6 * 6 + 6 + 1);
        let options = PrintOptions {
            edgeitems: 0,
            ..PrintOptions::default()
        };
        assert_eq!(
            t.repr(&options, DType::F32, None),
            "tensor([...], size=(9, 16, 9))"
        );
    }

    #[test]
    fn empty_tensors_show_their_sizes() {
        let t = Tensor::zeros(&[0, 3], DType::I64).expect("small");
        assert_eq!(shown(&t), "tensor([], size=(0, 3), dtype=torch.int64)");
    }

    #[test]
    fn gradients_follow_the_dtype() {
        let t = Tensor::full(&[], Scalar::Float(2.5), DType::F64).expect("small");
        t.set_requires_grad(true);
        assert_eq!(
            shown(&t),
            "tensor(2.5000, dtype=torch.float64, requires_grad=True)"
        );
    }
}
