//! When a result counts as the recorded one.
//!
//! Kinds, dtypes, shapes and integers exactly; floats within the tolerance of their dtype, NaN equal to NaN.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use crate::recorded::{Elements, Recorded, RecordedTensor};

/// How far a number may be off: `|got - want| <= atol + rtol * |want|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    pub rtol: f64,
    pub atol: f64,
}

/// The tolerances by dtype.
#[derive(Clone, Debug)]
pub struct Tolerances(BTreeMap<String, Tolerance>);

const DEFAULTS: &[(&str, f64, f64)] = &[
    ("float16", 1e-3, 1e-5),
    ("complex32", 1e-3, 1e-5),
    ("bfloat16", 1.6e-2, 1e-5),
    ("float32", 1.3e-6, 1e-5),
    ("complex64", 1.3e-6, 1e-5),
    ("float64", 1e-7, 1e-7),
    ("complex128", 1e-7, 1e-7),
];

impl Default for Tolerances {
    fn default() -> Self {
        let row = |(dtype, rtol, atol): &(&str, f64, f64)| {
            (
                (*dtype).to_owned(),
                Tolerance {
                    rtol: *rtol,
                    atol: *atol,
                },
            )
        };
        Self(DEFAULTS.iter().map(row).collect())
    }
}

impl Tolerances {
    /// The defaults, replaced where `json` (`{"float32": {"rtol": .., "atol": ..}}`) says so.
    pub fn read(json: &Json) -> Self {
        let mut all = Self::default();
        for (dtype, row) in json.as_object().into_iter().flatten() {
            if let (Some(rtol), Some(atol)) = (row["rtol"].as_f64(), row["atol"].as_f64()) {
                all.0.insert(dtype.clone(), Tolerance { rtol, atol });
            }
        }
        all
    }

    /// The same tolerance for every dtype of at most 32 bits, the defaults for the others.
    pub fn with_float32(mut self, tolerance: Tolerance) -> Self {
        for dtype in ["float32", "complex64"] {
            self.0.insert(dtype.to_owned(), tolerance);
        }
        self
    }

    /// The tolerance for a dtype; integers have none.
    pub fn of(&self, dtype: &str) -> Tolerance {
        self.0.get(dtype).copied().unwrap_or(Tolerance {
            rtol: 0.0,
            atol: 0.0,
        })
    }
}

impl Tolerance {
    /// Whether `got` counts as `want`.
    pub fn accepts(self, got: f64, want: f64) -> bool {
        if got.is_nan() || want.is_nan() {
            return got.is_nan() && want.is_nan();
        }
        got == want || (got - want).abs() <= self.atol + self.rtol * want.abs() && want.is_finite()
    }

    fn accepts_complex(self, got: (f64, f64), want: (f64, f64)) -> bool {
        let finite = [got.0, got.1, want.0, want.1]
            .iter()
            .all(|part| part.is_finite());
        if !finite {
            return self.accepts(got.0, want.0) && self.accepts(got.1, want.1);
        }
        let distance = (got.0 - want.0).hypot(got.1 - want.1);
        distance <= self.atol + self.rtol * want.0.hypot(want.1)
    }
}

/// In what way a result is not the recorded one.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// A word of a small vocabulary.
    pub reason: &'static str,
    /// The values at hand.
    pub detail: String,
}

fn differ(reason: &'static str, detail: impl Into<String>) -> Result<(), Difference> {
    Err(Difference {
        reason,
        detail: detail.into(),
    })
}

/// Compares a result with the recorded one.
pub fn compare(want: &Recorded, got: &Recorded, tolerances: &Tolerances) -> Result<(), Difference> {
    match (want, got) {
        (Recorded::Float(w), Recorded::Float(g)) => {
            match tolerances.of("float64").accepts(*g, *w) {
                true => Ok(()),
                false => differ("values", format!("got {g:?}, want {w:?}")),
            }
        }
        (Recorded::Complex(wr, wi), Recorded::Complex(gr, gi)) => {
            match tolerances
                .of("complex128")
                .accepts_complex((*gr, *gi), (*wr, *wi))
            {
                true => Ok(()),
                false => differ("values", format!("got {gr:?}{gi:+?}j, want {wr:?}{wi:+?}j")),
            }
        }
        (Recorded::Tensor(w), Recorded::Tensor(g)) => tensors(w, g, tolerances),
        (Recorded::List(w), Recorded::List(g)) | (Recorded::Tuple(w), Recorded::Tuple(g)) => {
            sequences(w, g, tolerances)
        }
        (Recorded::Dict(w), Recorded::Dict(g)) => {
            let keys = |entries: &[(Recorded, Recorded)]| {
                entries.iter().map(|(k, _)| k.clone()).collect::<Vec<_>>()
            };
            let values = |entries: &[(Recorded, Recorded)]| {
                entries.iter().map(|(_, v)| v.clone()).collect::<Vec<_>>()
            };
            sequences(&keys(w), &keys(g), tolerances)?;
            sequences(&values(w), &values(g), tolerances)
        }
        (Recorded::Some(kind), _) => match kind_of(got) == kind || kind == "Any" {
            true => Ok(()),
            false => differ("kind", format!("got {got:?}, want some {kind}")),
        },
        _ if want == got => Ok(()),
        _ if std::mem::discriminant(want) == std::mem::discriminant(got) => {
            differ("values", format!("got {got:?}, want {want:?}"))
        }
        _ => differ("kind", format!("got {}, want {}", brief(got), brief(want))),
    }
}

fn sequences(
    want: &[Recorded],
    got: &[Recorded],
    tolerances: &Tolerances,
) -> Result<(), Difference> {
    if want.len() != got.len() {
        return differ(
            "length",
            format!("got {} items, want {}", got.len(), want.len()),
        );
    }
    want.iter()
        .zip(got)
        .enumerate()
        .try_for_each(|(index, (want, got))| {
            compare(want, got, tolerances).map_err(|found| Difference {
                detail: format!("item {index}: {}", found.detail),
                ..found
            })
        })
}

fn tensors(
    want: &RecordedTensor,
    got: &RecordedTensor,
    tolerances: &Tolerances,
) -> Result<(), Difference> {
    if want.dtype != got.dtype {
        return differ("dtype", format!("got {}, want {}", got.dtype, want.dtype));
    }
    if want.shape != got.shape {
        return differ(
            "shape",
            format!("got {:?}, want {:?}", got.shape, want.shape),
        );
    }
    let tolerance = tolerances.of(&want.dtype);
    let wrong = match (&want.elements, &got.elements) {
        (None, _) => None,
        (Some(Elements::Ints(w)), Some(Elements::Ints(g))) => first(w, g, |g, w| g == w),
        (Some(Elements::Floats(w)), Some(Elements::Floats(g))) => {
            first(w, g, |g, w| tolerance.accepts(*g, *w))
        }
        (Some(Elements::Complex(w)), Some(Elements::Complex(g))) => {
            first(w, g, |g, w| tolerance.accepts_complex(*g, *w))
        }
        _ => return differ("dtype", "elements of another kind"),
    };
    wrong.map_or(Ok(()), |detail| differ("values", detail))
}

/// Where the first elements differ and how many do.
fn first<T: std::fmt::Debug>(
    want: &[T],
    got: &[T],
    same: impl Fn(&T, &T) -> bool,
) -> Option<String> {
    let mut wrong = want
        .iter()
        .zip(got)
        .enumerate()
        .filter(|(_, (w, g))| !same(g, w));
    let (index, (want_one, got_one)) = wrong.next()?;
    let count = 1 + wrong.count();
    Some(format!(
        "{count} of {}: at {index} got {got_one:?}, want {want_one:?}",
        want.len()
    ))
}

/// Whether the strides of all tensors agree, wherever they can be told apart.
pub fn same_strides(want: &Recorded, got: &Recorded) -> bool {
    match (want, got) {
        (Recorded::Tensor(w), Recorded::Tensor(g)) => {
            let told = |tensor: &RecordedTensor| -> Vec<usize> {
                let strides = tensor.strides().into_iter().zip(&tensor.shape);
                strides
                    .filter(|(_, size)| **size > 1)
                    .map(|(stride, _)| stride)
                    .collect()
            };
            w.numel() == 0 || told(w) == told(g)
        }
        (Recorded::List(w), Recorded::List(g)) | (Recorded::Tuple(w), Recorded::Tuple(g)) => {
            w.iter().zip(g).all(|(w, g)| same_strides(w, g))
        }
        _ => true,
    }
}

/// The name of the value's type.
fn kind_of(value: &Recorded) -> &str {
    match value {
        Recorded::None => "NoneType",
        Recorded::Bool(_) => "bool",
        Recorded::Int(_) => "int",
        Recorded::Float(_) => "float",
        Recorded::Complex(..) => "complex",
        Recorded::Str(_) => "str",
        Recorded::List(_) => "list",
        Recorded::Tuple(_) => "tuple",
        Recorded::Dict(_) => "dict",
        Recorded::DType(_) => "dtype",
        Recorded::Layout(_) => "layout",
        Recorded::MemoryFormat(_) => "memory_format",
        Recorded::Device(_) => "device",
        Recorded::Tensor(_) => "Tensor",
        Recorded::Argument(_) => "argument",
        Recorded::Some(kind) | Recorded::Other(kind) => kind,
    }
}

fn brief(value: &Recorded) -> String {
    match value {
        Recorded::Tensor(tensor) => format!("Tensor({}, {:?})", tensor.dtype, tensor.shape),
        Recorded::List(_) | Recorded::Tuple(_) | Recorded::Dict(_) | Recorded::None => {
            kind_of(value).to_owned()
        }
        _ => format!("{} {value:?}", kind_of(value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Recorded {
        crate::recorded::read(&serde_json::from_str(text).expect("JSON")).expect("a value")
    }

    #[track_caller]
    fn check(want: &str, got: &str, reason: Option<&str>) {
        let found = compare(&value(want), &value(got), &Tolerances::default());
        assert_eq!(found.err().map(|found| found.reason), reason);
    }

    #[test]
    fn floats_match_within_the_tolerance_of_their_dtype() {
        check(
            r#"{"t":"float32","shape":[1],"data":[1.0]}"#,
            r#"{"t":"float32","shape":[1],"data":[1.00001]}"#,
            None,
        );
        check(
            r#"{"t":"float64","shape":[1],"data":[1.0]}"#,
            r#"{"t":"float64","shape":[1],"data":[1.00001]}"#,
            Some("values"),
        );
        check(r#"{"f":1.0}"#, r#"{"f":1.0000000001}"#, None);
        check(r#"{"f":"nan"}"#, r#"{"f":"nan"}"#, None);
        check(r#"{"f":"inf"}"#, r#"{"f":1e308}"#, Some("values"));
        check(r#"{"f":1e308}"#, r#"{"f":"inf"}"#, Some("values"));
    }

    #[test]
    fn kinds_dtypes_shapes_and_integers_match_exactly() {
        check("1", "1", None);
        check("1", r#"{"f":1.0}"#, Some("kind"));
        check("true", "1", Some("kind"));
        check(
            r#"{"t":"int64","shape":[1],"data":[1]}"#,
            r#"{"t":"int32","shape":[1],"data":[1]}"#,
            Some("dtype"),
        );
        check(
            r#"{"t":"int64","shape":[1],"data":[1]}"#,
            r#"{"t":"int64","shape":[],"data":[1]}"#,
            Some("shape"),
        );
        check("[1,2]", "[1,3]", Some("values"));
        check("[1,2]", "[1]", Some("length"));
    }

    #[test]
    fn values_that_are_not_reproducible_match_by_kind() {
        check(r#"{"type":"float"}"#, r#"{"f":3.0}"#, None);
        check(r#"{"type":"float"}"#, "3", Some("kind"));
        check(
            r#"{"t":"float32","shape":[1]}"#,
            r#"{"t":"float32","shape":[1],"data":[5.0]}"#,
            None,
        );
    }

    #[test]
    fn strides_count_where_they_can_be_told_apart() {
        let one = value(r#"{"t":"int64","shape":[2,1],"data":[1,2]}"#);
        let other = value(r#"{"t":"int64","shape":[2,1],"stride":[1,7],"data":[1,2]}"#);
        let third = value(r#"{"t":"int64","shape":[2,1],"stride":[3,1],"data":[1,2]}"#);
        assert!(same_strides(&one, &other));
        assert!(!same_strides(&one, &third));
    }
}
