//! Turning values into text: `str`, `"{}".format(..)` and `"%s" % ..`.

use super::number::fixed_text;
use rushlight_types::{Fault, Result, Value, op, operators, print_text};

operators! {
    /// Formatting.
    pub static ROWS = [
        op!("aten::str(t elem) -> str", print_text),
        op!("aten::format(str self, ...) -> str", format),
        op!("aten::percentFormat(str self, ...) -> str", percent_format),
    ];
}

/// Replaces each `{}` by the next value. Nothing else in the text has a meaning; values too many are ignored.
fn format(text: &str, values: &[Value]) -> Result<String> {
    let mut values = values.iter();
    let mut parts = text.split("{}");
    let mut result = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let Some(value) = values.next() else {
            return Err(Fault::runtime(format!(
                "Too few arguments for format string: {text}"
            )));
        };
        result.push_str(&print_text(value));
        result.push_str(part);
    }
    Ok(result)
}

/// `%s %d %i %f %F %e %E %c %%`, without flags, width or precision.
fn percent_format(text: &str, values: &[Value]) -> Result<String> {
    // `"%s %s" % (a, b)`: a tuple holds the values.
    let mut values = match values {
        [Value::Tuple(tuple)] => tuple.items.iter(),
        other => other.iter(),
    };
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        result.push_str(before);
        let Some(specifier) = after.chars().next() else {
            return Err(Fault::runtime("Incomplete format specifier"));
        };
        rest = &after[specifier.len_utf8()..];
        if specifier == '%' {
            result.push('%');
            continue;
        }
        let Some(value) = values.next() else {
            return Err(Fault::runtime("Too few arguments for format string"));
        };
        result.push_str(&formatted(specifier, value)?);
    }
    if values.next().is_some() {
        return Err(Fault::runtime("Too many arguments for format string"));
    }
    result.push_str(rest);
    Ok(result)
}

fn formatted(specifier: char, value: &Value) -> Result<String> {
    let number = || match value {
        Value::Int(i) => Ok(*i as f64),
        Value::Float(f) => Ok(*f),
        other => Err(Fault::runtime(format!(
            "%{specifier} requires a number for formatting, but got {}",
            tag(other)
        ))),
    };
    match specifier {
        's' => Ok(print_text(value)),
        'd' | 'i' => match value {
            Value::Int(i) => Ok(i.to_string()),
            _ => number().map(|f| narrow(f).to_string()),
        },
        // Through 32 bits, as the reference has it.
        'f' | 'F' => number().map(|f| fixed_text(f64::from(f as f32))),
        'e' => number().map(scientific_text),
        'E' => number().map(|f| scientific_text(f).to_uppercase()),
        'c' => character(value),
        other => Err(Fault::runtime(format!(
            "The specifier %{other} is not supported in TorchScript format strings"
        ))),
    }
}

/// A float as a 32-bit int; what does not fit becomes the smallest.
fn narrow(f: f64) -> i32 {
    let whole = f.trunc();
    if whole >= i32::MIN as f64 && whole <= i32::MAX as f64 {
        whole as i32
    } else {
        i32::MIN
    }
}

fn character(value: &Value) -> Result<String> {
    match value {
        Value::Int(i) if (*i as u8).is_ascii() => Ok((*i as u8 as char).to_string()),
        Value::Str(s) if s.len() == 1 => Ok(s.to_string()),
        other => Err(Fault::runtime(format!(
            "%c requires an int or char for formatting, but got {}",
            tag(other)
        ))),
    }
}

/// A float as `%e` writes it: six decimals and an exponent of at least two digits.
fn scientific_text(f: f64) -> String {
    if !f.is_finite() {
        return fixed_text(f);
    }
    let text = format!("{f:.6e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// The reference's name for a kind of value.
pub(super) fn tag(value: &Value) -> &'static str {
    match value {
        Value::None | Value::Uninitialized => "None",
        Value::Bool(_) => "Bool",
        Value::Int(_) => "Int",
        Value::Float(_) => "Double",
        Value::Complex(_) => "ComplexDouble",
        Value::Str(_) => "String",
        Value::Tensor(_) => "Tensor",
        Value::Device(_) => "Device",
        Value::Generator(_) => "Generator",
        Value::IntList(_)
        | Value::FloatList(_)
        | Value::BoolList(_)
        | Value::TensorList(_)
        | Value::List(_) => "GenericList",
        Value::Dict(_) => "GenericDict",
        Value::Tuple(_) => "Tuple",
        Value::Object(_) | Value::Function(_) => "Object",
        Value::Enum(_) => "Enum",
        Value::Future(_) => "Future",
        Value::Await(_) => "Await",
        Value::Foreign(_) => "PyObject",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_with_content_are_plain_text() {
        let five = [Value::Int(5)];
        assert_eq!(format("{{}}", &five).unwrap(), "{5}");
        assert_eq!(format("{0} {:.2f}", &five).unwrap(), "{0} {:.2f}");
        let fault = format("{} {}", &five).unwrap_err();
        assert_eq!(
            fault.message(),
            "Too few arguments for format string: {} {}"
        );
    }

    #[test]
    fn percent_takes_exactly_its_values() {
        let values = [Value::Int(5), Value::Float(2.5)];
        assert_eq!(
            percent_format("%s%% %e", &values).unwrap(),
            "5% 2.500000e+00"
        );
        assert!(percent_format("%s", &values).is_err());
        assert!(percent_format("%s %s %s", &values).is_err());
        assert!(percent_format("%5d %s", &values).is_err());
        assert!(percent_format("%", &values).is_err());
    }
}
