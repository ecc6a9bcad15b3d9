//! How far results are from what was expected: leaf by leaf, with the tolerances of `torch.testing.assert_close`.

use crate::{Done, Failure, show};
use rushlight::tensor::{Complex64, watch};
use rushlight::{DType, Tensor, Value};
use serde_json::{Value as Json, json};

/// Results nested deeper are refused.
const DEPTH: usize = 64;

/// A part of a result, and where in it: `result[0]['key']`.
#[derive(Clone)]
pub struct Leaf {
    pub path: String,
    pub value: Value,
}

/// The tensors, numbers and strings of a result.
pub fn leaves(value: &Value) -> Done<Vec<Leaf>> {
    let mut found = Vec::new();
    gather(value, "result".into(), DEPTH, &mut found)?;
    Ok(found)
}

fn gather(value: &Value, path: String, depth: usize, found: &mut Vec<Leaf>) -> Done {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Failure(format!("{path} is nested too deeply")));
    };
    let numbered = |items: Vec<Value>, found: &mut Vec<Leaf>| {
        let mut items = items.iter().enumerate();
        items.try_for_each(|(i, item)| gather(item, format!("{path}[{i}]"), depth, found))
    };
    match value {
        Value::Tuple(tuple) => numbered(tuple.items.to_vec(), found),
        Value::Dict(dict) => dict.entries().iter().try_for_each(|(key, item)| {
            let path = format!("{path}[{}]", show::repr(key));
            gather(item, path, depth, found)
        }),
        list if list.is_list() => numbered(list.list_items()?, found),
        Value::Object(object) => Err(Failure(format!(
            "{path} is an instance of {}, which cannot be compared; return its parts",
            object.class().basename()
        ))),
        _ => {
            let value = value.clone();
            found.push(Leaf { path, value });
            Ok(())
        }
    }
}

/// Tolerances: those that were chosen, else those of the dtype.
#[derive(Clone, Copy, Default, clap::Args)]
pub struct Tolerance {
    /// Relative difference that is allowed [default: by dtype, as torch.testing.assert_close]
    #[arg(long, value_parser = tolerance)]
    pub rtol: Option<f64>,
    /// Absolute difference that is allowed [default: by dtype, as torch.testing.assert_close]
    #[arg(long, value_parser = tolerance)]
    pub atol: Option<f64>,
}

/// A tolerance on the command line.
pub fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number >= 0.0 => Ok(number),
        _ => Err("a number that is not negative is wanted, such as 1e-5".into()),
    }
}

impl Tolerance {
    /// The relative and the absolute tolerance for a dtype.
    fn of(self, dtype: DType) -> (f64, f64) {
        let (rtol, atol) = match dtype {
            DType::F16 => (1e-3, 1e-5),
            DType::BF16 => (1.6e-2, 1e-5),
            DType::F32 | DType::C64 => (1.3e-6, 1e-5),
            DType::F64 | DType::C128 => (1e-7, 1e-7),
            _ => (0.0, 0.0),
        };
        (self.rtol.unwrap_or(rtol), self.atol.unwrap_or(atol))
    }
}

/// How two leaves compare.
pub struct Row {
    pub path: String,
    /// The dtype and the shape, or the kind of another value.
    pub kind: String,
    pub verdict: Verdict,
}

pub enum Verdict {
    /// Numbers of one dtype and shape.
    Numbers(Difference),
    /// Values that are equal.
    Equal,
    /// Anything else, in words.
    Unlike(String),
}

/// How far numbers are apart.
#[derive(Clone, Copy, Default)]
pub struct Difference {
    pub max_abs: f64,
    /// The largest difference divided by what was expected there, where that is not 0.
    pub max_rel: f64,
    /// Elements outside of the tolerance.
    pub outside: usize,
    pub count: usize,
}

impl Row {
    /// Whether the leaf is as expected.
    pub fn is_same(&self) -> bool {
        match &self.verdict {
            Verdict::Numbers(difference) => difference.outside == 0,
            Verdict::Equal => true,
            Verdict::Unlike(_) => false,
        }
    }

    /// The row for programs.
    pub fn json(&self) -> Json {
        let mut row = json!({"output": self.path, "kind": self.kind, "same": self.is_same()});
        match &self.verdict {
            Verdict::Numbers(d) => {
                row["max_abs"] = json_number(d.max_abs);
                row["max_rel"] = json_number(d.max_rel);
                row["outside"] = d.outside.into();
                row["count"] = d.count.into();
            }
            Verdict::Equal => {}
            Verdict::Unlike(why) => row["why"] = why.as_str().into(),
        }
        row
    }
}

/// A number, or its name where JSON has none for it.
pub fn json_number(number: f64) -> Json {
    match serde_json::Number::from_f64(number) {
        Some(number) => Json::Number(number),
        None => Json::String(number.to_string().to_lowercase()),
    }
}

/// Compares all leaves of two results.
pub fn rows(expected: &[Leaf], actual: &[Leaf], tolerance: Tolerance) -> Vec<Row> {
    let mut rows: Vec<Row> = expected
        .iter()
        .map(|leaf| match actual.iter().find(|a| a.path == leaf.path) {
            Some(other) => row(leaf, other, tolerance),
            None => Row {
                path: leaf.path.clone(),
                kind: kind(&leaf.value),
                verdict: Verdict::Unlike("missing".into()),
            },
        })
        .collect();
    let is_new = |leaf: &&Leaf| !expected.iter().any(|e| e.path == leaf.path);
    rows.extend(actual.iter().filter(is_new).map(|leaf| Row {
        path: leaf.path.clone(),
        kind: kind(&leaf.value),
        verdict: Verdict::Unlike("not expected".into()),
    }));
    rows
}

/// `float32 [2, 3]`, or the type of what is no tensor.
pub fn kind(value: &Value) -> String {
    match value {
        Value::Tensor(t) => format!("{} {:?}", t.dtype().name(), t.sizes()),
        other => other.type_of().annotation(),
    }
}

fn row(expected: &Leaf, actual: &Leaf, tolerance: Tolerance) -> Row {
    let verdict = match (&expected.value, &actual.value) {
        (Value::Tensor(e), Value::Tensor(a)) => {
            match e.dtype() == a.dtype() && e.sizes() == a.sizes() {
                true => Verdict::Numbers(difference(e, a, tolerance)),
                false => Verdict::Unlike(format!("is {}", kind(&actual.value))),
            }
        }
        (Value::Float(e), Value::Float(a)) => {
            let mut found = Difference::default();
            found.see(
                *e,
                (e - a).abs(),
                e == a || e.is_nan() && a.is_nan(),
                tolerance.of(DType::F64),
            );
            Verdict::Numbers(found)
        }
        (e, a) => match (show::repr(e), show::repr(a)) {
            (e, a) if e == a => Verdict::Equal,
            (_, a) => Verdict::Unlike(format!("is {}", shortened(&a))),
        },
    };
    Row {
        path: expected.path.clone(),
        kind: kind(&expected.value),
        verdict,
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.chars().count() > MOST {
        true => text.chars().take(MOST).chain("...".chars()).collect(),
        false => text.to_string(),
    }
}

/// How far two tensors of one dtype and shape are apart.
pub fn difference(expected: &Tensor, actual: &Tensor, tolerance: Tolerance) -> Difference {
    let dtype = expected.dtype();
    let allowed = tolerance.of(dtype);
    let mut found = Difference::default();
    if dtype.is_complex() {
        let (e, a) = (expected.to_vec::<Complex64>(), actual.to_vec::<Complex64>());
        for (e, a) in e.iter().zip(&a) {
            let is_same = e == a || e.is_nan() && a.is_nan();
            found.see(e.norm(), (e - a).norm(), is_same, allowed);
        }
    } else if dtype.is_float() {
        let (e, a) = (expected.to_vec::<f64>(), actual.to_vec::<f64>());
        for (e, a) in e.iter().zip(&a) {
            let is_same = e == a || e.is_nan() && a.is_nan();
            found.see(*e, (e - a).abs(), is_same, allowed);
        }
    } else if dtype == DType::U64 {
        let (e, a) = (expected.to_vec::<u64>(), actual.to_vec::<u64>());
        for (e, a) in e.iter().zip(&a) {
            found.see(*e as f64, e.abs_diff(*a) as f64, e == a, allowed);
        }
    } else {
        // All bits of the largest integers count.
        let (e, a) = (expected.to_vec::<i64>(), actual.to_vec::<i64>());
        for (e, a) in e.iter().zip(&a) {
            found.see(*e as f64, e.abs_diff(*a) as f64, e == a, allowed);
        }
    }
    found
}

impl Difference {
    /// Takes another element into account.
    fn see(&mut self, expected: f64, distance: f64, is_same: bool, (rtol, atol): (f64, f64)) {
        watch::poll();
        self.count += 1;
        if is_same {
            return;
        }
        // Not a number, or an infinity, on one side only: as far away as can be.
        let distance = if distance.is_nan() {
            f64::INFINITY
        } else {
            distance
        };
        self.max_abs = self.max_abs.max(distance);
        if expected != 0.0 && expected.is_finite() {
            self.max_rel = self.max_rel.max(distance / expected.abs());
        }
        let is_close = distance.is_finite() && distance <= atol + rtol * expected.abs();
        self.outside += usize::from(!is_close);
    }
}

/// The rows as a table for people.
pub fn table(rows: &[Row]) -> String {
    let mut lines = vec![["output", "kind", "max abs", "max rel", "outside", ""].map(String::from)];
    for row in rows {
        let mark = match row.is_same() {
            true => "same",
            false => "DIFFERENT",
        };
        lines.push(match &row.verdict {
            Verdict::Numbers(d) => [
                row.path.clone(),
                row.kind.clone(),
                short_number(d.max_abs),
                short_number(d.max_rel),
                format!("{} of {}", d.outside, d.count),
                mark.into(),
            ],
            Verdict::Equal | Verdict::Unlike(_) => [
                row.path.clone(),
                row.kind.clone(),
                "-".into(),
                "-".into(),
                "-".into(),
                match &row.verdict {
                    Verdict::Unlike(why) => format!("{mark}: {why}"),
                    _ => mark.into(),
                },
            ],
        });
    }
    columns(&lines)
}

/// 0, or a number with three digits.
pub fn short_number(number: f64) -> String {
    match number {
        0.0 => "0".into(),
        number => format!("{number:.2e}"),
    }
}

/// Lines with their columns under one another.
pub fn columns<const N: usize>(lines: &[[String; N]]) -> String {
    let width = |i: usize| {
        lines
            .iter()
            .map(|l| l[i].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(expected: Vec<f32>, actual: Vec<f32>) -> Difference {
        let tensor = |v: Vec<f32>| Tensor::from_slice(&v, &[v.len()]).unwrap();
        difference(&tensor(expected), &tensor(actual), Tolerance::default())
    }

    #[test]
    fn differences_are_measured_and_held_to_tolerances() {
        let found = compared(vec![1.0, 0.0, -2.0], vec![1.0, 5e-6, -2.5]);
        assert_eq!((found.outside, found.count), (1, 3));
        assert_eq!((found.max_abs, found.max_rel), (0.5, 0.25));
        let odd = [f32::NAN, f32::INFINITY];
        assert_eq!(compared(odd.into(), odd.into()).outside, 0);
        let found = compared(odd.into(), vec![0.0, f32::NEG_INFINITY]);
        assert_eq!((found.outside, found.max_abs), (2, f64::INFINITY));
    }

    #[test]
    fn large_integers_differ_by_one() {
        let tensor = |v: i64| Tensor::from_vec(vec![v], &[1]).unwrap();
        let found = difference(
            &tensor(i64::MAX),
            &tensor(i64::MAX - 1),
            Tolerance::default(),
        );
        assert_eq!((found.outside, found.max_abs), (1, 1.0));
    }

    #[test]
    fn leaves_are_found_by_path() {
        let value = Value::tuple(vec![Value::Int(1), Value::tuple(vec![Value::str("a")])]);
        let expected = leaves(&value).unwrap();
        let paths: Vec<&str> = expected.iter().map(|l| l.path.as_str()).collect();
        assert_eq!(paths, ["result[0]", "result[1][0]"]);
        let rows = rows(&expected, &expected[1..], Tolerance::default());
        assert!(!rows[0].is_same() && rows[1].is_same());
        assert!(table(&rows).contains("DIFFERENT: missing"));
    }
}
