//! Results as Python prints them.

use rushlight::Value;
use rushlight::tensor::{DType, PrintOptions};

/// The text of a value.
pub fn value(value: &Value) -> String {
    match value {
        Value::Str(s) => s.to_string(),
        other => nested(other, 0),
    }
}

/// The text of a value as Python's `repr` gives it.
pub fn repr(value: &Value) -> String {
    nested(value, 0)
}

fn nested(value: &Value, depth: usize) -> String {
    const MAX_DEPTH: usize = 64;
    if depth > MAX_DEPTH {
        return "...".to_string();
    }
    let joined = |items: Vec<Value>| {
        items
            .iter()
            .map(|v| nested(v, depth + 1))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match value {
        Value::Tensor(t) => t.repr(&PrintOptions::default(), DType::F32, None),
        Value::Float(f) => python_float(*f),
        Value::Complex(z) => python_complex(z.re, z.im),
        Value::Str(s) => format!(
            "'{}'",
            s.shown()
                .replace('\\', "\\\\")
                .replace('\'', "\\'")
                .replace('\n', "\\n")
        ),
        Value::Tuple(t) => match t.ty.as_ref().filter(|ty| ty.name.is_some()) {
            Some(ty) => {
                let fields: Vec<String> = ty
                    .fields
                    .iter()
                    .zip(t.items.iter())
                    .map(|(name, item)| format!("{name}={}", nested(item, depth + 1)))
                    .collect();
                let name = ty
                    .name
                    .as_deref()
                    .and_then(|n| n.rsplit('.').next())
                    .unwrap_or("");
                format!("{name}({})", fields.join(", "))
            }
            None if t.items.len() == 1 => format!("({},)", joined(t.items.to_vec())),
            None => format!("({})", joined(t.items.to_vec())),
        },
        Value::Dict(d) => {
            let entries: Vec<String> = d
                .entries()
                .iter()
                .map(|(k, v)| format!("{}: {}", nested(k, depth + 1), nested(v, depth + 1)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
        list if list.is_list() => format!("[{}]", joined(list.list_items().unwrap_or_default())),
        other => rushlight::types::repr_text(other),
    }
}

/// A complex number as Python's repr shows it.
fn python_complex(re: f64, im: f64) -> String {
    let part = |f: f64| {
        let text = python_float(f);
        text.strip_suffix(".0").map_or(text.clone(), str::to_string)
    };
    if re == 0.0 && re.is_sign_positive() {
        return format!("{}j", part(im));
    }
    let sign = match im.is_sign_negative() && !im.is_nan() {
        true => "",
        false => "+",
    };
    format!("({}{sign}{}j)", part(re), part(im))
}

/// A float as Python's repr shows it.
pub fn python_float(f: f64) -> String {
    if f.is_nan() {
        return "nan".into();
    }
    if f.is_infinite() {
        return if f > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let magnitude = f.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let text = format!("{f:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return match exponent.strip_prefix('-') {
            Some(digits) => format!("{mantissa}e-{digits:0>2}"),
            None => format!("{mantissa}e+{exponent:0>2}"),
        };
    }
    let text = format!("{f}");
    if text.contains('.') {
        text
    } else {
        format!("{text}.0")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complex_numbers_print_as_in_python() {
        for (re, im, text) in [
            (1.0, 2.0, "(1+2j)"),
            (0.0, -1.5, "-1.5j"),
            (-0.0, 1.0, "(-0+1j)"),
            (1e20, -0.0, "(1e+20-0j)"),
            (f64::NAN, f64::INFINITY, "(nan+infj)"),
        ] {
            assert_eq!(python_complex(re, im), text);
        }
    }

    #[test]
    fn floats_print_as_in_python() {
        for (f, text) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (1e-5, "1e-05"),
            (123456.75, "123456.75"),
        ] {
            assert_eq!(python_float(f), text);
        }
    }

    #[test]
    fn tuples_of_one_keep_their_comma() {
        assert_eq!(value(&Value::tuple(vec![Value::Int(1)])), "(1,)");
    }
}
