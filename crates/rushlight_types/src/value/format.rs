//! Values as text: what `print` and `str` show in a script, and defaults in schemas.

use super::decimal::Decimal;
use super::{Str, Value};
use rushlight_tensor::{memory, watch};
use std::fmt;
use std::io::{self, Write};

/// Nesting beyond this prints as `...`: cyclic data must end.
const MAX_DEPTH: usize = 64;

/// Room for one more item of a container, in bytes.
const ROOM: usize = 64;

/// A float as graphs and code show it: seventeen significant digits; whole numbers have a point behind them, except
/// from ten digits on (as in the reference, where only the type tells those from ints).
pub fn float_text(v: f64) -> String {
    shown_float(v).text().into()
}

fn shown_float(v: f64) -> Decimal {
    let mut text = Decimal::of_float(v, 17);
    let is_whole = !text.bytes().iter().any(|b| matches!(b, b'.' | b'e' | b'n'));
    if is_whole && v.abs() < 1e10 {
        text.put(b".");
    }
    text
}

/// A float as scripts print it: whole numbers in full, NaNs with their sign.
fn printed_float(v: f64) -> Decimal {
    if v == v.trunc() && v >= i64::MIN as f64 && v < -(i64::MIN as f64) {
        let mut text = Decimal::of_int(v as i64);
        text.put(b".");
        text
    } else if v.is_nan() && v.is_sign_negative() {
        Decimal::of_text(b"-nan")
    } else {
        shown_float(v)
    }
}

/// A float in at most so many significant digits, seventeen at the most, as C's `%g` writes it: no zeros at the end, no
/// point without digits after it.
pub fn general_text(v: f64, digits: usize) -> String {
    Decimal::of_float(v, digits).text().into()
}

/// Which of two forms a value is written in.
#[derive(Clone, Copy, PartialEq)]
enum ValueStyle {
    /// As `print` and `str` show it: strings bare, also inside containers; NamedTuples as tuples.
    Printed,
    /// As graphs and code show it: strings quoted.
    Quoted,
}

/// What `str(value)` gives in a script.
pub fn print_str(value: &Value) -> Str {
    match value {
        Value::Str(s) => s.clone(),
        other => with_printed(other, |text| Str::from(text)),
    }
}

/// Hands over the bytes of what `str(value)` gives in a script.
pub fn with_printed<T>(value: &Value, take: impl FnOnce(&[u8]) -> T) -> T {
    match value {
        Value::Str(s) => take(s.as_bytes()),
        Value::Int(i) => take(Decimal::of_int(*i).bytes()),
        Value::Float(f) => take(printed_float(*f).bytes()),
        other => take(&bytes_in(ValueStyle::Printed, other)),
    }
}

/// What `print(value)` and `str(value)` show in a script, for people to read.
pub fn print_text(value: &Value) -> String {
    match value {
        Value::Str(s) => s.to_string(),
        other => text_in(ValueStyle::Printed, other),
    }
}

/// The value as it shows in graphs, with strings quoted.
pub fn repr_text(value: &Value) -> String {
    text_in(ValueStyle::Quoted, value)
}

fn text_in(form: ValueStyle, value: &Value) -> String {
    String::from_utf8(bytes_in(form, value))
        .unwrap_or_else(|torn| String::from_utf8_lossy(torn.as_bytes()).into_owned())
}

fn bytes_in(form: ValueStyle, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_value(&mut out, value, form, 0);
    out
}

fn put(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    out.extend_from_slice(text.as_bytes());
    Ok(())
}

fn write_sequence<'a>(
    out: &mut Vec<u8>,
    open: &str,
    items: impl IntoIterator<Item = &'a Value>,
    close: &str,
    form: ValueStyle,
    depth: usize,
) -> io::Result<()> {
    put(out, open)?;
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            put(out, ", ")?;
        }
        write_value(out, item, form, depth + 1)?;
    }
    put(out, close)
}

fn write_value(out: &mut Vec<u8>, value: &Value, form: ValueStyle, depth: usize) -> io::Result<()> {
    if depth > MAX_DEPTH {
        return put(out, "...");
    }
    // Data that holds the same parts again and again is far longer as text.
    watch::poll();
    memory::make_room(out, ROOM);
    let float = match form {
        ValueStyle::Printed => printed_float,
        ValueStyle::Quoted => shown_float,
    };
    match value {
        Value::None | Value::Uninitialized => put(out, "None"),
        Value::Bool(b) => put(out, if *b { "True" } else { "False" }),
        Value::Int(i) => write!(out, "{i}"),
        Value::Float(f) => out.write_all(float(*f).bytes()),
        Value::Complex(c) => {
            // Zeros show no sign, in programs either.
            let (re, im) = (float(c.re + 0.0), float(c.im + 0.0));
            let sign = if im.bytes().starts_with(b"-") {
                ""
            } else {
                "+"
            };
            write!(out, "{}{sign}{}j", re.text(), im.text())
        }
        Value::Str(s) if form == ValueStyle::Printed => out.write_all(s.as_bytes()),
        Value::Str(s) => write_quoted(out, s.as_bytes()),
        Value::Tensor(t) => put(out, &t.script_text()),
        Value::Device(d) => write!(out, "{d}"),
        Value::Generator(_) => put(out, "Generator"),
        Value::IntList(_)
        | Value::FloatList(_)
        | Value::BoolList(_)
        | Value::TensorList(_)
        | Value::List(_) => {
            let items = value.list_items().unwrap_or_default();
            write_sequence(out, "[", &items, "]", form, depth)
        }
        Value::Dict(d) => {
            put(out, "{")?;
            for (i, (k, v)) in d.entries().into_iter().enumerate() {
                if i > 0 {
                    put(out, ", ")?;
                }
                write_value(out, &k, form, depth + 1)?;
                put(out, ": ")?;
                write_value(out, &v, form, depth + 1)?;
            }
            put(out, "}")
        }
        Value::Tuple(t) => match &t.ty {
            Some(ty) if ty.name.is_some() && form == ValueStyle::Quoted => {
                put(
                    out,
                    ty.name
                        .as_deref()
                        .and_then(|n| n.rsplit('.').next())
                        .unwrap_or(""),
                )?;
                put(out, "(")?;
                for (i, (field, item)) in ty.fields.iter().zip(t.items.iter()).enumerate() {
                    if i > 0 {
                        put(out, ", ")?;
                    }
                    write!(out, "{field}=")?;
                    write_value(out, item, form, depth + 1)?;
                }
                put(out, ")")
            }
            _ => {
                let close = if t.items.len() == 1 { ",)" } else { ")" };
                write_sequence(out, "(", t.items.iter(), close, form, depth)
            }
        },
        Value::Object(o) => write!(
            out,
            "<{} object at {:p}>",
            o.class().name(),
            std::sync::Arc::as_ptr(o)
        ),
        Value::Enum(e) => {
            let class = e.ty.name.rsplit('.').next().unwrap_or_default();
            write!(out, "Enum<{class}.{}>", e.name())
        }
        Value::Future(_) => put(out, "Future"),
        Value::Await(_) => put(out, "Await"),
        Value::Function(f) => write!(out, "<function {}>", f.name()),
        Value::Foreign(_) => put(out, "<PyObject>"),
    }
}

/// A string in double quotes with the reference's escapes.
fn write_quoted(out: &mut Vec<u8>, s: &[u8]) -> io::Result<()> {
    put(out, "\"")?;
    for &byte in s {
        match byte {
            b'\\' => put(out, "\\\\")?,
            b'\'' => put(out, "\\'")?,
            b'"' => put(out, "\\\"")?,
            0x07 => put(out, "\\a")?,
            0x08 => put(out, "\\b")?,
            0x0c => put(out, "\\f")?,
            b'\n' => put(out, "\\n")?,
            b'\r' => put(out, "\\r")?,
            b'\t' => put(out, "\\t")?,
            0x0b => put(out, "\\v")?,
            0x20..=0x7e => out.push(byte),
            other => write_escaped(out, other as i8)?,
        }
    }
    put(out, "\"")
}

/// A byte in three octal digits. The reference takes bytes for signed numbers, so that the digits of those beyond ASCII
/// come out below `0`.
fn write_escaped(out: &mut Vec<u8>, byte: i8) -> io::Result<()> {
    put(out, "\\")?;
    for digit in [byte / 64, byte % 64 / 8, byte % 8] {
        out.push((b'0' as i8 + digit) as u8);
    }
    Ok(())
}

/// A default value as schemas show it: as `print` shows it, with quotes where the argument is a str.
pub(crate) fn write_default(
    f: &mut fmt::Formatter<'_>,
    value: &Value,
    ty: &crate::Type,
) -> fmt::Result {
    let inner = match ty {
        crate::Type::Optional(inner) => inner,
        other => other,
    };
    match (value, inner) {
        (Value::Str(s), crate::Type::Str) => {
            let mut text = Vec::new();
            write_quoted(&mut text, s.as_bytes()).map_err(|_| fmt::Error)?;
            f.write_str(&String::from_utf8_lossy(&text))
        }
        (Value::None, crate::Type::Tensor(_)) if *ty == *inner => {
            f.write_str("[ Tensor (undefined) ]")
        }
        _ => f.write_str(&print_text(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_floats_have_all_their_digits_and_a_point() {
        let printed = |f: f64| print_text(&Value::Float(f));
        assert_eq!(printed(1.0), "1.");
        assert_eq!(printed(0.1), "0.10000000000000001");
        assert_eq!(printed(1e17), "100000000000000000.");
        assert_eq!(printed(1e20), "1e+20");
        assert_eq!(printed(9223372036854775808.0), "9.2233720368547758e+18");
        assert_eq!(printed(-0.0), "0.");
        assert_eq!(printed(1e-5), "1.0000000000000001e-05");
        assert_eq!(printed(-f64::NAN.abs()), "-nan");
    }

    #[test]
    fn graphs_show_large_and_zero_floats_otherwise() {
        assert_eq!(float_text(1e17), "1e+17");
        assert_eq!(float_text(1e16), "10000000000000000");
        assert_eq!(float_text(9999999999.0), "9999999999.");
        assert_eq!(float_text(-0.0), "-0.");
        assert_eq!(general_text(-3.0, 6), "-3");
        assert_eq!(general_text(1234567.0, 6), "1.23457e+06");
    }

    #[test]
    fn strings_print_bare_inside_containers() {
        let value = Value::tuple(vec![Value::from(vec!["it's".to_string()])]);
        assert_eq!(print_text(&value), "([it's],)");
        assert_eq!(repr_text(&value), r#"(["it\'s"],)"#);
    }

    #[test]
    fn complex_numbers_show_both_parts() {
        let print = |re, im| print_text(&Value::complex(rushlight_tensor::Complex64::new(re, im)));
        assert_eq!(print(-0.0, -1.0), "0.-1.j");
        assert_eq!(print(2.0, 3.5), "2.+3.5j");
        assert_eq!(print(f64::INFINITY, f64::NAN), "inf+nanj");
    }
}
