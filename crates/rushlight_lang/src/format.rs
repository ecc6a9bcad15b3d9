//! Turning values into text: `str`, `"{}".format(..)` and `"%s" % ..`.

use super::bytes::{self, Making};
use super::number::fixed_text;
use rushlight_tensor::memory;
use rushlight_types::{Fault, Result, Str, Value, op, operators, print_str, with_printed};

operators! {
    /// Formatting.
    pub static ROWS = [
        op!("aten::str(t elem) -> str", print_str).quick(print_quickly),
        op!("aten::format(str self, ...) -> str", format).quick(format_quickly),
        op!("aten::percentFormat(str self, ...) -> str", percent_format),
    ];
}

/// Whether printing a value runs nobody's code.
fn is_plain(value: &Value) -> bool {
    matches!(
        value,
        Value::None | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_)
    )
}

fn print_quickly(values: &[&Value], result: &mut Value) -> Result<bool> {
    match values {
        [value] if is_plain(value) => with_printed(value, |text| result.put_text(text)),
        _ => return Ok(false),
    }
    Ok(true)
}

fn format_quickly(values: &[&Value], result: &mut Value) -> Result<bool> {
    match values {
        [Value::Str(text), values @ ..] if values.iter().all(|v| is_plain(v)) => {
            let text = format_all(text.as_bytes(), values.iter().copied())?;
            result.put_text(text.bytes());
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn format(text: &[u8], values: &[Value]) -> Result<Str> {
    Ok(format_all(text, values.iter())?.done())
}

/// Replaces each `{}` by the next value. Nothing else in the text has a meaning; values too many are ignored.
fn format_all<'a>(text: &[u8], mut values: impl Iterator<Item = &'a Value>) -> Result<Making> {
    let mut result = Making::default();
    let mut rest = text;
    while let Some(at) = bytes::find(rest, b"{}") {
        result.put(&rest[..at]);
        rest = &rest[at + 2..];
        let Some(value) = values.next() else {
            return Err(Fault::runtime(format!(
                "Too few arguments for format string: {}",
                Str::from(text)
            )));
        };
        with_printed(value, |text| result.put(text));
    }
    result.put(rest);
    Ok(result)
}

/// `%s %d %i %f %F %e %E %c %%`, without flags, width or precision.
fn percent_format(text: &[u8], values: &[Value]) -> Result<Str> {
    // `"%s %s" % (a, b)`: a tuple holds the values.
    let mut values = match values {
        [Value::Tuple(tuple)] => tuple.items.iter(),
        other => other.iter(),
    };
    let mut result = memory::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.iter().position(|b| *b == b'%') {
        result.extend_from_slice(&rest[..at]);
        let Some(&specifier) = rest.get(at + 1) else {
            return Err(Fault::runtime("Incomplete format specifier"));
        };
        rest = &rest[at + 2..];
        if specifier == b'%' {
            result.push(b'%');
            continue;
        }
        let Some(value) = values.next() else {
            return Err(Fault::runtime("Too few arguments for format string"));
        };
        memory::extend(&mut result, formatted(specifier, value)?.as_bytes());
    }
    if values.next().is_some() {
        return Err(Fault::runtime("Too many arguments for format string"));
    }
    result.extend_from_slice(rest);
    Ok(Str::from_bytes(result))
}

fn formatted(specifier: u8, value: &Value) -> Result<Str> {
    let letter = Str::from(&[specifier][..]);
    let number = || match value {
        Value::Int(i) => Ok(*i as f64),
        Value::Float(f) => Ok(*f),
        other => Err(Fault::runtime(format!(
            "%{letter} requires a number for formatting, but got {}",
            tag(other)
        ))),
    };
    let text = match specifier {
        b's' => return Ok(print_str(value)),
        b'c' => return character(value),
        b'd' | b'i' => match value {
            Value::Int(i) => i.to_string(),
            _ => narrow(number()?).to_string(),
        },
        // Through 32 bits, as the reference has it.
        b'f' | b'F' => fixed_text(f64::from(number()? as f32)),
        b'e' => scientific_text(number()?),
        b'E' => scientific_text(number()?).to_uppercase(),
        _ => {
            return Err(Fault::runtime(format!(
                "The specifier %{letter} is not supported in TorchScript format strings"
            )));
        }
    };
    Ok(text.into())
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

fn character(value: &Value) -> Result<Str> {
    match value {
        Value::Int(i) => Ok(Str::from(&[*i as u8][..])),
        Value::Str(s) if s.as_bytes().len() == 1 => Ok(s.clone()),
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
        assert_eq!(format(b"{{}}", &five).unwrap().text(), Some("{5}"));
        assert_eq!(
            format(b"{0} {:.2f}", &five).unwrap().text(),
            Some("{0} {:.2f}")
        );
        let fault = format(b"{} {}", &five).err().unwrap();
        assert_eq!(
            fault.message(),
            "Too few arguments for format string: {} {}"
        );
    }

    #[test]
    fn percent_takes_exactly_its_values() {
        let values = [Value::Int(5), Value::Float(2.5)];
        assert_eq!(
            percent_format(b"%s%% %e", &values).unwrap().text(),
            Some("5% 2.500000e+00")
        );
        assert!(percent_format(b"%s", &values).is_err());
        assert!(percent_format(b"%s %s %s", &values).is_err());
        assert!(percent_format(b"%5d %s", &values).is_err());
        assert!(percent_format(b"%", &values).is_err());
    }
}
