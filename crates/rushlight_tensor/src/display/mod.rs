//! Tensors as text, in the two forms that the reference has: what a script's `print` and `str` show ([`script`]) and
//! what Python's `repr` shows ([`python`]).

mod python;
mod script;

pub use python::PrintOptions;

/// `%.{precision}e` of C and Python: at least two digits of exponent, with a sign.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => with_exponent(mantissa, exponent),
        None => named(value).to_string(),
    }
}

/// A mantissa and an exponent as Rust prints it, in C's spelling.
fn with_exponent(mantissa: &str, exponent: &str) -> String {
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// `%.{precision}f`.
fn fixed(value: f64, precision: usize) -> String {
    if value.is_finite() {
        format!("{value:.precision$}")
    } else {
        named(value).to_string()
    }
}

/// The name of a value that is no finite number.
fn named(value: f64) -> &'static str {
    if value.is_nan() {
        "nan"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    }
}
