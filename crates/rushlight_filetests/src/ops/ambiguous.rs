//! Calls to which several answers are right: the answer is held to what must be true of every right one.
//!
//! Asked only after the answer was found to differ from the recorded one, and only in files whose header says
//! that answers may differ.

use super::record::{Header, Record};
use crate::compare::compare;
use crate::recorded::{Elements, Recorded, RecordedTensor, contiguous};

/// Whether result `index` is right, although it is not the recorded one.
pub fn accepts(
    header: &Header,
    record: &Record,
    want: &[Recorded],
    got: &[Recorded],
    index: usize,
) -> bool {
    let name = record.operator().split('.').next().unwrap_or_default();
    match FACTORS.iter().find(|(known, _)| *known == name) {
        Some((_, holds)) => {
            let same_shapes = want
                .iter()
                .zip(got)
                .all(|(want, got)| same_shape(want, got));
            same_shapes
                && holds(&Answer {
                    header,
                    record,
                    want,
                    got,
                })
                .unwrap_or(false)
        }
        None => {
            let (Recorded::Tensor(want), Recorded::Tensor(got)) = (&want[index], &got[index])
            else {
                return false;
            };
            same_choice(record, want, got).unwrap_or(false)
        }
    }
}

fn same_shape(want: &Recorded, got: &Recorded) -> bool {
    matches!((want, got), (Recorded::Tensor(want), Recorded::Tensor(got)) if want.shape == got.shape && want.dtype == got.dtype)
}

/// Indices into `self` along `dim` are right if they choose elements equal to those the recorded ones choose,
/// none of them twice.
fn same_choice(record: &Record, want: &RecordedTensor, got: &RecordedTensor) -> Option<bool> {
    if want.shape != got.shape || matches!(record.arg("stable"), Some(Recorded::Bool(true))) {
        return Some(false);
    }
    let Recorded::Tensor(source) = record.arg("self")? else {
        return None;
    };
    let dim = match record.arg("dim") {
        Some(Recorded::Int(dim)) => *dim,
        _ => -1,
    };
    let rank = source.shape.len();
    let dim = usize::try_from(if dim < 0 { dim + rank as i64 } else { dim }).ok()?;
    let (Some(Elements::Ints(want_at)), Some(Elements::Ints(got_at))) =
        (&want.elements, &got.elements)
    else {
        return None;
    };
    let mut shape = got.shape.clone();
    if shape.len() + 1 == rank {
        // Without `keepdim` the dimension is gone; its one place stays.
        shape.insert(dim, 1);
    }
    let strides = contiguous(&source.shape);
    let mut taken = std::collections::BTreeSet::new();
    for (number, (want_at, got_at)) in want_at.iter().zip(got_at).enumerate() {
        let base = base_of(number, &shape, dim, &strides);
        let size = source.shape.get(dim).map_or(1, |size| *size as i64);
        if !(0..size).contains(got_at) {
            return Some(false);
        }
        let place = |at: i64| base + at as usize * strides.get(dim).copied().unwrap_or(1);
        let differs = !equal_elements(source.elements.as_ref()?, place(*want_at), place(*got_at));
        if differs || !taken.insert(place(*got_at)) {
            return Some(false);
        }
    }
    Some(true)
}

/// The place of element `number` of `shape` in a tensor with `strides`, leaving out dimension `dim`.
fn base_of(number: usize, shape: &[usize], dim: usize, strides: &[usize]) -> usize {
    let inner = contiguous(shape);
    let dims = (0..shape.len()).filter(|at| *at != dim);
    dims.map(|at| number / inner[at] % shape[at] * strides[at])
        .sum()
}

fn equal_elements(elements: &Elements, one: usize, other: usize) -> bool {
    match elements {
        Elements::Ints(items) => items.get(one) == items.get(other),
        Elements::Floats(items) => match (items.get(one), items.get(other)) {
            (Some(one), Some(other)) => one == other || one.is_nan() && other.is_nan(),
            _ => false,
        },
        Elements::Complex(items) => items.get(one) == items.get(other),
    }
}

/// All results of a call and what it was.
struct Answer<'a> {
    header: &'a Header,
    record: &'a Record,
    want: &'a [Recorded],
    got: &'a [Recorded],
}

type Property = fn(&Answer<'_>) -> Option<bool>;

/// What holds of every right answer, by operator. `None` stands for results that cannot be read as matrices.
const FACTORS: &[(&str, Property)] = &[
    ("aten::linalg_svd", |answer| {
        answer.singular("A", Matrices::clone)
    }),
    ("aten::svd", |answer| {
        answer.singular("self", Matrices::adjoint)
    }),
    ("aten::linalg_eigh", |answer| {
        let [_, vectors] = answer.matrices::<2>()?;
        Some(answer.same(0) && answer.eigen()? && vectors.has_orthonormal_columns())
    }),
    ("aten::linalg_eig", |answer| {
        Some(answer.same_set(0)? && answer.eigen()?)
    }),
    ("aten::linalg_eigvals", |answer| answer.same_set(0)),
    ("aten::linalg_qr", |answer| {
        let [q, r] = answer.matrices::<2>()?;
        if q.is_empty() {
            // Mode `r`: what stays is unique up to signs of rows.
            let [_, want] = answer.wanted::<2>()?;
            return Some(
                r.adjoint()
                    .times(&r)?
                    .is_near(&want.adjoint().times(&want)?),
            );
        }
        let product = q.times(&r)?.is_near(&answer.argument("A")?);
        Some(product && q.has_orthonormal_columns() && r.is_upper_triangular())
    }),
];

impl Answer<'_> {
    fn matrices<const N: usize>(&self) -> Option<[Matrices; N]> {
        all_matrices(self.got)
    }

    fn wanted<const N: usize>(&self) -> Option<[Matrices; N]> {
        all_matrices(self.want)
    }

    fn argument(&self, name: &str) -> Option<Matrices> {
        Matrices::of(self.record.arg(name)?)
    }

    fn same(&self, index: usize) -> bool {
        compare(&self.want[index], &self.got[index], &self.header.tolerances).is_ok()
    }

    /// Both results hold the same numbers, batch by batch, in whatever order.
    fn same_set(&self, index: usize) -> Option<bool> {
        let (want, got) = (
            Matrices::of(&self.want[index])?,
            Matrices::of(&self.got[index])?,
        );
        let near = |a: &(f64, f64), b: &(f64, f64)| (a.0 - b.0).hypot(a.1 - b.1) <= want.margin();
        Some(want.rows(0).zip(got.rows(0)).all(|(want, got)| {
            let mut left = got;
            want.iter().all(
                |number| match left.iter().position(|other| near(number, other)) {
                    Some(at) => {
                        left.swap_remove(at);
                        true
                    }
                    None => false,
                },
            )
        }))
    }

    /// `U`, `S` and the adjoint of `V` multiply to the argument; `adjoint` makes that adjoint of the third result.
    fn singular(&self, argument: &str, adjoint: fn(&Matrices) -> Matrices) -> Option<bool> {
        let [u, s, v] = self.matrices::<3>()?;
        let vh = adjoint(&v);
        if u.is_zero() || !self.same(1) {
            // Without vectors only the values are asked for.
            return Some(self.same(1) && vh.is_zero());
        }
        let product = u
            .first_columns(s.columns)
            .scaled_columns(&s)
            .times(&vh.first_rows(s.columns))?;
        let orthonormal = u.has_orthonormal_columns() && vh.adjoint().has_orthonormal_columns();
        Some(product.is_near(&self.argument(argument)?) && orthonormal)
    }

    /// `A V = V diag(L)`, and no column of `V` is zero.
    fn eigen(&self) -> Option<bool> {
        let [values, vectors] = self.matrices::<2>()?;
        let matrix = self.hermitian_argument()?;
        let left = matrix.times(&vectors)?;
        Some(left.is_near(&vectors.scaled_columns(&values)) && vectors.has_unit_columns())
    }

    /// The argument; of `eigh` only one triangle counts.
    fn hermitian_argument(&self) -> Option<Matrices> {
        let matrix = self.argument("self")?;
        if !self.record.operator().ends_with("eigh") {
            return Some(matrix);
        }
        let upper = matches!(self.record.arg("UPLO"), Some(Recorded::Str(text)) if text.eq_ignore_ascii_case("U"));
        Some(matrix.mirrored(upper))
    }
}

fn all_matrices<const N: usize>(values: &[Recorded]) -> Option<[Matrices; N]> {
    let all: Vec<Matrices> = values.iter().map(Matrices::of).collect::<Option<_>>()?;
    all.try_into().ok()
}

/// A batch of complex matrices; a vector is a matrix of one row.
#[derive(Clone)]
struct Matrices {
    lines: usize,
    columns: usize,
    items: Vec<(f64, f64)>,
    /// Whether the elements were of single precision or less.
    coarse: bool,
}

impl Matrices {
    fn of(value: &Recorded) -> Option<Self> {
        let Recorded::Tensor(tensor) = value else {
            return None;
        };
        let items: Vec<(f64, f64)> = match tensor.elements.as_ref()? {
            Elements::Ints(items) => items.iter().map(|item| (*item as f64, 0.0)).collect(),
            Elements::Floats(items) => items.iter().map(|item| (*item, 0.0)).collect(),
            Elements::Complex(items) => items.clone(),
        };
        let rank = tensor.shape.len();
        let columns = tensor.shape.last().copied().unwrap_or(1);
        let lines = if rank >= 2 { tensor.shape[rank - 2] } else { 1 };
        let coarse = !matches!(tensor.dtype.as_str(), "float64" | "complex128");
        Some(Self {
            lines,
            columns,
            items,
            coarse,
        })
    }

    fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    fn is_zero(&self) -> bool {
        self.items.iter().all(|item| *item == (0.0, 0.0))
    }

    fn batches(&self) -> usize {
        self.items
            .len()
            .checked_div(self.lines * self.columns)
            .unwrap_or(0)
    }

    fn at(&self, batch: usize, line: usize, column: usize) -> (f64, f64) {
        self.items[(batch * self.lines + line) * self.columns + column]
    }

    fn rows(&self, line: usize) -> impl Iterator<Item = Vec<(f64, f64)>> + '_ {
        // A batch of vectors is a matrix; each of its lines is one.
        self.items
            .chunks(self.columns.max(1))
            .skip(line)
            .map(<[_]>::to_vec)
    }

    fn build(
        &self,
        lines: usize,
        columns: usize,
        item: impl Fn(usize, usize, usize) -> (f64, f64),
    ) -> Self {
        let batches = self.batches();
        let mut items = Vec::with_capacity(batches * lines * columns);
        for batch in 0..batches {
            for line in 0..lines {
                items.extend((0..columns).map(|column| item(batch, line, column)));
            }
        }
        Self {
            lines,
            columns,
            items,
            coarse: self.coarse,
        }
    }

    fn adjoint(&self) -> Self {
        self.build(self.columns, self.lines, |batch, line, column| {
            let (re, im) = self.at(batch, column, line);
            (re, -im)
        })
    }

    fn times(&self, other: &Self) -> Option<Self> {
        if self.columns != other.lines || self.batches() != other.batches() {
            return None;
        }
        Some(
            self.build(self.lines, other.columns, |batch, line, column| {
                (0..self.columns).fold((0.0, 0.0), |sum, k| {
                    let product = multiply(self.at(batch, line, k), other.at(batch, k, column));
                    (sum.0 + product.0, sum.1 + product.1)
                })
            }),
        )
    }

    fn first_columns(&self, count: usize) -> Self {
        self.build(
            self.lines,
            count.min(self.columns),
            |batch, line, column| self.at(batch, line, column),
        )
    }

    fn first_rows(&self, count: usize) -> Self {
        self.build(
            count.min(self.lines),
            self.columns,
            |batch, line, column| self.at(batch, line, column),
        )
    }

    /// Each column times its number of `factors`, a vector per batch.
    fn scaled_columns(&self, factors: &Self) -> Self {
        self.build(self.lines, self.columns, |batch, line, column| {
            let factor = factors
                .items
                .get(batch * factors.columns + column)
                .copied()
                .unwrap_or_default();
            multiply(self.at(batch, line, column), factor)
        })
    }

    /// The Hermitian matrix of which one triangle is given.
    fn mirrored(&self, upper: bool) -> Self {
        self.build(self.lines, self.columns, |batch, line, column| {
            if line == column {
                return (self.at(batch, line, column).0, 0.0);
            }
            if (line < column) == upper {
                return self.at(batch, line, column);
            }
            let (re, im) = self.at(batch, column, line);
            (re, -im)
        })
    }

    /// How far a product may be off, by the size of what was multiplied.
    fn margin(&self) -> f64 {
        let largest = self
            .items
            .iter()
            .map(|(re, im)| re.hypot(*im))
            .fold(1.0, f64::max);
        largest * if self.coarse { 1e-4 } else { 1e-9 }
    }

    fn is_near(&self, other: &Self) -> bool {
        let near =
            |(a, b): (&(f64, f64), &(f64, f64))| (a.0 - b.0).hypot(a.1 - b.1) <= other.margin();
        self.items.len() == other.items.len() && self.items.iter().zip(&other.items).all(near)
    }

    fn has_orthonormal_columns(&self) -> bool {
        let Some(gram) = self.adjoint().times(self) else {
            return false;
        };
        let identity = self.build(self.columns, self.columns, |_, line, column| {
            (f64::from(line == column), 0.0)
        });
        gram.is_near(&identity)
    }

    fn has_unit_columns(&self) -> bool {
        let Some(gram) = self.adjoint().times(self) else {
            return false;
        };
        (0..gram.batches()).all(|batch| {
            (0..gram.columns)
                .all(|column| (gram.at(batch, column, column).0 - 1.0).abs() <= gram.margin())
        })
    }

    fn is_upper_triangular(&self) -> bool {
        let below = |batch| {
            (0..self.lines).flat_map(move |line| {
                (0..line.min(self.columns)).map(move |column| (batch, line, column))
            })
        };
        (0..self.batches())
            .flat_map(below)
            .all(|(batch, line, column)| self.at(batch, line, column) == (0.0, 0.0))
    }
}

fn multiply(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(schema: &str, args: &str) -> Record {
        Record::read(&format!(
            r#"{{"kind":"call","schema":"{schema}","args":{args},"out":[],"id":"0"}}"#
        ))
        .expect("a record")
    }

    fn tensor(dtype: &str, shape: &str, data: &str) -> Recorded {
        let text = format!(r#"{{"t":"{dtype}","shape":{shape},"data":{data}}}"#);
        crate::recorded::read(&serde_json::from_str(&text).expect("JSON")).expect("a tensor")
    }

    #[test]
    fn indices_may_differ_among_equal_keys_only() {
        let record = record(
            "aten::argsort(Tensor self, int dim=-1) -> Tensor",
            r#"{"self":{"t":"int64","shape":[3],"data":[1,1,0]}}"#,
        );
        let check = |got: &str| {
            let want = [tensor("int64", "[3]", "[2,0,1]")];
            accepts(
                &Header::default(),
                &record,
                &want,
                &[tensor("int64", "[3]", got)],
                0,
            )
        };
        assert!(check("[2,1,0]"));
        assert!(!check("[1,2,0]"));
        assert!(!check("[2,1,1]"));
        assert!(!check("[2,1,9]"));
    }

    #[test]
    fn eigenvectors_may_differ_in_sign() {
        let record = record(
            "aten::linalg_eigh(Tensor self) -> (Tensor, Tensor)",
            r#"{"self":{"t":"float64","shape":[2,2],"data":[2.0,0.0,0.0,3.0]}}"#,
        );
        let values = tensor("float64", "[2]", "[2.0,3.0]");
        let want = [
            values.clone(),
            tensor("float64", "[2,2]", "[1.0,0.0,0.0,1.0]"),
        ];
        let check = |vectors: &str| {
            accepts(
                &Header::default(),
                &record,
                &want,
                &[values.clone(), tensor("float64", "[2,2]", vectors)],
                1,
            )
        };
        assert!(check("[-1.0,0.0,0.0,1.0]"));
        assert!(!check("[0.0,1.0,1.0,0.0]"));
        assert!(!check("[2.0,0.0,0.0,1.0]"));
    }

    #[test]
    fn factors_may_differ_in_sign() {
        let record = record(
            "aten::linalg_qr(Tensor A, str mode) -> (Tensor Q, Tensor R)",
            r#"{"A":{"t":"float64","shape":[2,2],"data":[1.0,2.0,0.0,3.0]}}"#,
        );
        let want = [
            tensor("float64", "[2,2]", "[1.0,0.0,0.0,1.0]"),
            tensor("float64", "[2,2]", "[1.0,2.0,0.0,3.0]"),
        ];
        let good = [
            tensor("float64", "[2,2]", "[-1.0,0.0,0.0,1.0]"),
            tensor("float64", "[2,2]", "[-1.0,-2.0,0.0,3.0]"),
        ];
        let bad = [
            tensor("float64", "[2,2]", "[-1.0,0.0,0.0,1.0]"),
            tensor("float64", "[2,2]", "[1.0,2.0,0.0,3.0]"),
        ];
        assert!(accepts(&Header::default(), &record, &want, &good, 0));
        assert!(!accepts(&Header::default(), &record, &want, &bad, 0));
    }
}
