//! What a script's `print(tensor)` and `str(tensor)` show: numbers in columns of one width, `(1,.,.) = ` before each
//! matrix of a larger tensor, then the type and sizes:
//!
//! ```text
//!  1  2
//!  3  4
//! [ CPUFloatType{2,2} ]
//! ```

use super::{fixed, named, scientific, with_exponent};
use crate::{Quantizer, Result, Tensor, watch};

/// Columns of text that one line may hold.
const LINE: usize = 80;
/// Digits after the point.
const PRECISION: usize = 4;

/// How the numbers of one matrix are shown.
struct Columns {
    /// All numbers are divided by this; it is shown first when it is not 1.
    scale: f64,
    width: usize,
    notation: Notation,
}

#[derive(Clone, Copy)]
enum Notation {
    Integer,
    Fixed,
    Scientific,
}

impl Columns {
    fn of(values: &[f64]) -> Columns {
        watch::poll();
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let integers = finite().all(|v| v == v.ceil());
        let most = digits(finite().map(f64::abs).fold(0.0, f64::max));
        let least = digits(finite().map(f64::abs).reduce(f64::min).unwrap_or_default());
        let columns = |width, notation| Columns {
            scale: 1.0,
            width: width as usize,
            notation,
        };
        if integers {
            return match most {
                ..=9 => columns(most.max(0) + 1, Notation::Integer),
                _ => columns(11, Notation::Scientific),
            };
        }
        if most - least > 4 {
            let long = most.abs() > 99 || least.abs() > 99;
            return columns(11 + long as i32, Notation::Scientific);
        }
        match most {
            0 => columns(7, Notation::Fixed),
            1..=5 => columns(most + 6, Notation::Fixed),
            _ => Columns {
                scale: 10f64.powi(most - 1),
                ..columns(7, Notation::Fixed)
            },
        }
    }

    fn is_scaled(&self) -> bool {
        self.scale != 1.0
    }

    /// The line that tells the scale.
    fn announcement(&self) -> String {
        format!("{} *\n", general(self.scale))
    }

    /// One number, padded to the width.
    fn number(&self, value: f64) -> String {
        let value = value / self.scale;
        let text = match self.notation {
            _ if !value.is_finite() => not_finite(value).to_string(),
            Notation::Integer => whole(value),
            Notation::Fixed => fixed(value, PRECISION),
            Notation::Scientific => scientific(value, PRECISION),
        };
        format!("{text:>width$}", width = self.width)
    }
}

/// Decimal digits before the point of a magnitude: 1 for 0 and 1..10, 0 for 0.1..1, and so on.
fn digits(magnitude: f64) -> i32 {
    if magnitude == 0.0 {
        1
    } else {
        magnitude.log10().floor() as i32 + 1
    }
}

/// A whole number with six significant digits, `%g` of C: longer ones get an exponent.
fn whole(value: f64) -> String {
    if value.abs() < 999_999.5 {
        return fixed(value, 0);
    }
    let text = scientific(value, 5);
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
            format!("{mantissa}e{exponent}")
        }
        None => text,
    }
}

/// The shortest decimal that reads back to the same number; an exponent from 1e16 on and below 1e-4.
pub(super) fn general(value: f64) -> String {
    if !value.is_finite() {
        return not_finite(value).to_string();
    }
    let (mantissa, exponent) = shortest(value);
    match exponent.parse::<i32>() {
        Ok(exponent @ -4..=15) => {
            let digits = mantissa.chars().filter(char::is_ascii_digit).count() as i32;
            fixed(value, (digits - 1 - exponent).max(0) as usize)
        }
        _ => with_exponent(&mantissa, &exponent),
    }
}

/// The name of a value that is no finite number; a NaN shows its sign.
fn not_finite(value: f64) -> &'static str {
    if value.is_nan() && value.is_sign_negative() {
        "-nan"
    } else {
        named(value)
    }
}

/// Mantissa and exponent of the shortest decimal that reads back to the same number; of two equally near ones the
/// even one.
fn shortest(value: f64) -> (String, String) {
    let split = |text: String| match text.split_once('e') {
        Some((mantissa, exponent)) => (mantissa.to_string(), exponent.to_string()),
        None => (text, "0".to_string()),
    };
    let text = format!("{value:e}");
    let (mantissa, _) = split(text.clone());
    let digits = mantissa.chars().filter(char::is_ascii_digit).count();
    // Rounding to that many digits breaks ties to even, which the shortest form alone does not promise.
    let nearest = format!("{value:.*e}", digits - 1);
    split(match nearest.parse::<f64>() {
        Ok(back) if back == value => nearest,
        _ => text,
    })
}

fn vector(out: &mut String, values: &[f64]) {
    if values.is_empty() {
        return;
    }
    let columns = Columns::of(values);
    if columns.is_scaled() {
        out.push_str(&columns.announcement());
    }
    for value in values {
        watch::poll();
        out.push_str(&columns.number(*value));
        out.push('\n');
    }
}

/// Rows of columns. The reference indents what follows a heading and every row but the first, and shifts the later rows
/// of scaled numbers by one more.
fn matrix(out: &mut String, values: &[f64], row_length: usize, indent: usize) {
    if values.is_empty() {
        return;
    }
    let columns = Columns::of(values);
    let fit = ((LINE - indent) / (columns.width + 1)).max(1);
    let indent = " ".repeat(indent);
    let between_rows = match columns.is_scaled() {
        true => format!("\n {indent}"),
        false => format!("\n{indent}"),
    };
    for first in (0..row_length).step_by(fit) {
        let last = (first + fit).min(row_length);
        if first > 0 {
            out.push('\n');
        }
        if fit < row_length {
            out.push_str(&format!("Columns {} to {last}{indent}", first + 1));
        }
        if columns.is_scaled() {
            out.push_str(&columns.announcement());
            out.push_str(&indent);
        }
        let rows = values.chunks_exact(row_length).map(|row| {
            watch::poll();
            let cells: Vec<String> = row[first..last]
                .iter()
                .map(|v| columns.number(*v))
                .collect();
            cells.join(" ")
        });
        out.push_str(&rows.collect::<Vec<String>>().join(&between_rows));
        out.push('\n');
    }
}

/// Every matrix of the last two dimensions under its index; the first index runs fastest.
fn matrices(out: &mut String, values: &[f64], sizes: &[usize]) {
    let (outer, inner) = sizes.split_at(sizes.len() - 2);
    let area = inner[0] * inner[1];
    let count: usize = outer.iter().product();
    let mut index = vec![0usize; outer.len()];
    for n in 0..count {
        if n > 0 {
            out.push('\n');
        }
        let at = index
            .iter()
            .zip(outer)
            .fold(0, |at, (i, size)| at * size + i);
        let names: Vec<String> = index.iter().map(|i| (i + 1).to_string()).collect();
        out.push_str(&format!("({},.,.) = \n", names.join(",")));
        matrix(out, &values[at * area..(at + 1) * area], inner[1], 1);
        for (i, size) in index.iter_mut().zip(outer) {
            *i += 1;
            if *i < *size {
                break;
            }
            *i = 0;
        }
    }
}

/// What is said behind the sizes of the numbers that integers stand for.
fn quantization(quantizer: &Quantizer) -> String {
    let name = quantizer.scheme_name();
    match quantizer {
        Quantizer::Tensor { scale, zero_point } => format!(
            ", qscheme: {name}, scale: {}, zero_point: {zero_point}",
            general(*scale)
        ),
        Quantizer::Channel { axis, .. } => {
            let shown =
                |tensor: Result<Tensor>| tensor.map_or_else(|_| "?".into(), |t| t.script_text());
            format!(
                ", qscheme: {name}, scales: {}, zero_points: {}, axis: {axis}",
                shown(quantizer.scales()),
                shown(quantizer.zero_points())
            )
        }
    }
}

/// As a script's `print` shows it.
impl std::fmt::Display for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.script_text())
    }
}

impl Tensor {
    /// The text that a script's `print` and `str` show. Numbers pass through f64; complex ones show their real part.
    pub fn script_text(&self) -> String {
        let values: Vec<f64> = match self.quantizer() {
            Some(_) => self.dequantized().to_vec(),
            None => self.to_vec(),
        };
        let mut out = String::new();
        match self.sizes() {
            [] => {
                out.push_str(&general(values[0]));
                out.push('\n');
            }
            [_] => vector(&mut out, &values),
            [_, row_length] => matrix(&mut out, &values, *row_length, 0),
            _ if values.is_empty() => {}
            sizes => matrices(&mut out, &values, sizes),
        }
        let sizes: Vec<String> = self.sizes().iter().map(usize::to_string).collect();
        out.push_str(&format!(
            "[ {}{}{}Type{{{}}}{} ]",
            if self.quantizer().is_some() {
                "Quantized"
            } else {
                ""
            },
            self.device().kind_name().to_uppercase(),
            self.dtype().class_name(),
            sizes.join(","),
            self.quantizer()
                .map_or_else(String::new, |q| quantization(q)),
        ));
        out
    }
}

#[cfg(test)]
mod tests {
    use crate::{DType, Scalar, Tensor};

    fn text(values: &[f64], sizes: &[usize]) -> String {
        Tensor::from_slice(values, sizes)
            .expect("the values fill the sizes")
            .script_text()
    }

    #[test]
    fn numbers_of_like_size_are_shown_with_four_digits() {
        assert_eq!(
            text(&[1.0, 2.5], &[2]),
            " 1.0000\n 2.5000\n[ CPUDoubleType{2} ]"
        );
    }

    #[test]
    fn whole_numbers_are_shown_without_a_point() {
        assert_eq!(
            text(&[1.0, 2.0, 3.0, 40.0], &[2, 2]),
            "  1   2\n  3  40\n[ CPUDoubleType{2,2} ]"
        );
    }

    #[test]
    fn a_common_scale_is_announced() {
        assert_eq!(
            text(&[123456.5, 111111.25], &[2]),
            "100000 *\n 1.2346\n 1.1111\n[ CPUDoubleType{2} ]"
        );
    }

    #[test]
    fn a_lone_number_is_shown_in_full() {
        let third = Tensor::scalar(Scalar::Float(1.0 / 3.0), DType::F32);
        assert_eq!(
            third.script_text(),
            "0.3333333432674408\n[ CPUFloatType{} ]"
        );
    }
}
