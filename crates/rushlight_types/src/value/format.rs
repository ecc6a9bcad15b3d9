//! Values as text: what `print` and `str` show in a script, and defaults in schemas.

use super::Value;
use std::fmt::{self, Write};

/// Nesting beyond this prints as `...`: cyclic data must end.
const MAX_DEPTH: usize = 64;

/// A float as scripts print it: shortest of six significant digits (`%g`-like), always with a point or exponent.
pub fn float_text(v: f64) -> String {
    if v.is_nan() {
        return "nan".into();
    }
    if v.is_infinite() {
        return if v > 0.0 { "inf".into() } else { "-inf".into() };
    }
    general(v, 6)
}

/// `%.{digits}g` with `.` kept: integers print as `2.`.
fn general(v: f64, digits: usize) -> String {
    if v == 0.0 {
        return if v.is_sign_negative() {
            "-0.".into()
        } else {
            "0.".into()
        };
    }
    let scientific = format!("{:.*e}", digits - 1, v);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |s: &str| -> String {
        if s.contains('.') {
            s.trim_end_matches('0').trim_end_matches('.').to_string()
        } else {
            s.to_string()
        }
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    let text = trim(&format!("{v:.decimals$}"));
    if text.contains('.') {
        text
    } else {
        format!("{text}.")
    }
}

/// What `print(value)` and `str(value)` show: strings bare at the top, quoted inside containers.
pub fn print_text(value: &Value) -> String {
    match value {
        Value::Str(s) => s.to_string(),
        other => repr_text(other),
    }
}

/// The value as it shows inside a container.
pub fn repr_text(value: &Value) -> String {
    let mut out = String::new();
    let _ = write_value(&mut out, value, 0);
    out
}

fn write_sequence<'a>(
    out: &mut String,
    open: &str,
    items: impl IntoIterator<Item = &'a Value>,
    close: &str,
    depth: usize,
) -> fmt::Result {
    out.write_str(open)?;
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.write_str(", ")?;
        }
        write_value(out, item, depth + 1)?;
    }
    out.write_str(close)
}

fn write_value(out: &mut String, value: &Value, depth: usize) -> fmt::Result {
    if depth > MAX_DEPTH {
        return out.write_str("...");
    }
    match value {
        Value::None | Value::Uninitialized => out.write_str("None"),
        Value::Bool(b) => out.write_str(if *b { "True" } else { "False" }),
        Value::Int(i) => write!(out, "{i}"),
        Value::Float(f) => out.write_str(&float_text(*f)),
        Value::Complex(c) => {
            let (re, im) = (float_text(c.re), float_text(c.im));
            let sign = if im.starts_with('-') { "" } else { "+" };
            write!(out, "{re}{sign}{im}j")
        }
        Value::Str(s) => write_quoted(out, s),
        Value::Tensor(t) => out.write_str(&t.script_text()),
        Value::Device(d) => write!(out, "{d}"),
        Value::Generator(_) => out.write_str("Generator"),
        Value::IntList(_)
        | Value::FloatList(_)
        | Value::BoolList(_)
        | Value::TensorList(_)
        | Value::List(_) => {
            let items = value.list_items().unwrap_or_default();
            write_sequence(out, "[", &items, "]", depth)
        }
        Value::Dict(d) => {
            out.write_char('{')?;
            for (i, (k, v)) in d.entries().into_iter().enumerate() {
                if i > 0 {
                    out.write_str(", ")?;
                }
                write_value(out, &k, depth + 1)?;
                out.write_str(": ")?;
                write_value(out, &v, depth + 1)?;
            }
            out.write_char('}')
        }
        Value::Tuple(t) => match &t.ty {
            Some(ty) if ty.name.is_some() => {
                out.write_str(
                    ty.name
                        .as_deref()
                        .and_then(|n| n.rsplit('.').next())
                        .unwrap_or(""),
                )?;
                out.write_char('(')?;
                for (i, (field, item)) in ty.fields.iter().zip(t.items.iter()).enumerate() {
                    if i > 0 {
                        out.write_str(", ")?;
                    }
                    write!(out, "{field}=")?;
                    write_value(out, item, depth + 1)?;
                }
                out.write_char(')')
            }
            _ => {
                let close = if t.items.len() == 1 { ",)" } else { ")" };
                write_sequence(out, "(", t.items.iter(), close, depth)
            }
        },
        Value::Object(o) => write!(
            out,
            "<{} object at {:p}>",
            o.class().name(),
            std::sync::Arc::as_ptr(o)
        ),
        Value::Enum(e) => {
            write!(out, "Enum<{}.{}>", e.ty.name, e.name())
        }
        Value::Future(_) => out.write_str("Future"),
        Value::Await(_) => out.write_str("Await"),
        Value::Function(f) => write!(out, "<function {}>", f.name()),
        Value::Foreign(_) => out.write_str("<PyObject>"),
    }
}

/// A string in double quotes with the reference's escapes.
fn write_quoted(out: &mut String, s: &str) -> fmt::Result {
    out.write_char('"')?;
    for byte in s.bytes() {
        match byte {
            b'\\' => out.write_str("\\\\")?,
            b'\'' => out.write_str("\\'")?,
            b'"' => out.write_str("\\\"")?,
            0x07 => out.write_str("\\a")?,
            0x08 => out.write_str("\\b")?,
            0x0c => out.write_str("\\f")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            0x0b => out.write_str("\\v")?,
            0x20..=0x7e => out.write_char(byte as char)?,
            other => write!(out, "\\{other:03o}")?,
        }
    }
    out.write_char('"')
}

/// A default value as schemas print it.
pub(crate) fn write_default(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Float(v) if v.is_finite() && *v == v.trunc() && v.abs() < 1e16 => {
            write!(f, "{v:.1}")
        }
        Value::Float(v) => write!(f, "{v}"),
        Value::Str(s) => {
            let mut text = String::new();
            write_quoted(&mut text, s)?;
            f.write_str(&text)
        }
        other => f.write_str(&repr_text(other)),
    }
}
