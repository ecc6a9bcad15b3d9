//! The differences between two files.

use super::side::{Attribute, Side};
use super::unified;
use crate::compare::{self, Difference, Tolerance, json_number};
use crate::show;
use rushlight::{Tensor, Value};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, HashMap};

/// Values of attributes are shown up to so many characters.
const SHOWN: usize = 60;

/// Code that differs in the same way wherever it stands.
pub struct Code {
    /// The functions and methods.
    pub names: Vec<String>,
    /// `added`, `removed` or `changed`.
    pub what: &'static str,
    /// A unified diff.
    pub text: String,
}

/// An attribute that only one file has, or that is of another kind.
pub struct Changed {
    pub path: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

/// A tensor with other elements.
pub struct Weight {
    pub path: String,
    pub kind: String,
    pub difference: Difference,
    /// The largest difference divided by the largest element of the first file's.
    pub relative: f64,
}

/// All differences.
#[derive(Default)]
pub struct Changes {
    pub code: Vec<Code>,
    /// Operators by name, and how often they stand in each file.
    pub operators: Vec<(String, usize, usize)>,
    pub attributes: Vec<Changed>,
    /// Largest difference first.
    pub weights: Vec<Weight>,
}

impl Changes {
    /// Compares two files. Elements of tensors differ where they are further apart than the tolerance.
    pub fn between(old: &Side, new: &Side, tolerance: Tolerance) -> Changes {
        let mut changes = Changes {
            code: code(old, new),
            ..Changes::default()
        };
        let names = old.operators.keys().chain(new.operators.keys());
        let counts: BTreeMap<&String, (usize, usize)> = names
            .map(|name| {
                let count = |side: &Side| side.operators.get(name).copied().unwrap_or(0);
                (name, (count(old), count(new)))
            })
            .collect();
        let differ = counts.into_iter().filter(|(_, (a, b))| a != b);
        changes.operators = differ.map(|(n, (a, b))| (n.clone(), a, b)).collect();
        for (path, a, b) in pairs(&old.attributes, &new.attributes) {
            changes.compare(path, a, b, tolerance);
        }
        rushlight::tensor::order::sort_by(&mut changes.weights, |a, b| {
            b.difference.max_abs.total_cmp(&a.difference.max_abs)
        });
        changes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
            && self.operators.is_empty()
            && self.attributes.is_empty()
            && self.weights.is_empty()
    }

    fn compare(
        &mut self,
        path: &str,
        old: Option<&Attribute>,
        new: Option<&Attribute>,
        tolerance: Tolerance,
    ) {
        let (Some(a), Some(b)) = (old, new) else {
            self.attributes.push(Changed {
                path: path.to_string(),
                old: old.map(described),
                new: new.map(described),
            });
            return;
        };
        let (kind_a, kind_b) = (compare::kind(&a.value), compare::kind(&b.value));
        let is_kept = a.kind == b.kind && kind_a == kind_b;
        if let (Value::Tensor(x), Value::Tensor(y), true) = (&a.value, &b.value, is_kept) {
            let difference = compare::difference(x, y, tolerance);
            if difference.outside > 0 {
                self.weights.push(Weight {
                    path: path.to_string(),
                    kind: kind_a,
                    relative: difference.max_abs / largest(x),
                    difference,
                });
            }
        } else if !is_kept || text(&a.value) != text(&b.value) {
            self.attributes.push(Changed {
                path: path.to_string(),
                old: Some(described(a)),
                new: Some(described(b)),
            });
        }
    }

    /// The differences for programs.
    pub fn json(&self) -> Json {
        let code: Vec<Json> = self
            .code
            .iter()
            .map(|c| json!({"names": c.names, "change": c.what, "diff": c.text}))
            .collect();
        let operators: Vec<Json> = self
            .operators
            .iter()
            .map(|(name, old, new)| json!({"name": name, "old": old, "new": new}))
            .collect();
        let attributes: Vec<Json> = self
            .attributes
            .iter()
            .map(|a| json!({"path": a.path, "old": a.old, "new": a.new}))
            .collect();
        let weights: Vec<Json> = self
            .weights
            .iter()
            .map(|w| {
                json!({
                    "path": w.path,
                    "kind": w.kind,
                    "max_abs": json_number(w.difference.max_abs),
                    "relative": json_number(w.relative),
                    "outside": w.difference.outside,
                    "count": w.difference.count,
                })
            })
            .collect();
        json!({
            "same": self.is_empty(),
            "code": code,
            "operators": operators,
            "attributes": attributes,
            "weights": weights,
        })
    }
}

/// What stands under each name in both, in the order of the first and then of the second.
fn pairs<'s, T>(
    old: &'s [(String, T)],
    new: &'s [(String, T)],
) -> Vec<(&'s str, Option<&'s T>, Option<&'s T>)> {
    let there: HashMap<&str, &T> = new.iter().map(|(n, v)| (n.as_str(), v)).collect();
    let here: HashMap<&str, &T> = old.iter().map(|(n, v)| (n.as_str(), v)).collect();
    let first = old
        .iter()
        .map(|(n, v)| (n.as_str(), Some(v), there.get(n.as_str()).copied()));
    let second = new.iter().filter(|(n, _)| !here.contains_key(n.as_str()));
    first
        .chain(second.map(|(n, v)| (n.as_str(), None, Some(v))))
        .collect()
}

fn code(old: &Side, new: &Side) -> Vec<Code> {
    let mut found: Vec<Code> = Vec::new();
    for (name, a, b) in pairs(&old.code, &new.code) {
        let what = match (a, b) {
            (Some(a), Some(b)) if a == b => continue,
            (Some(_), Some(_)) => "changed",
            (None, _) => "added",
            (_, None) => "removed",
        };
        let text = |code: Option<&String>| code.map_or("", |text| text.as_str()).to_string();
        let (a, b) = (text(a), text(b));
        let text = unified::diff(&a, &b);
        match found.iter_mut().find(|c| c.what == what && c.text == text) {
            Some(same) => same.names.push(name.to_string()),
            None => found.push(Code {
                names: vec![name.to_string()],
                what,
                text,
            }),
        }
    }
    found
}

/// What two equal values have in common: of objects, whose parts are compared, the class.
fn text(value: &Value) -> String {
    match value {
        Value::Object(object) => object.class().basename().to_string(),
        value => show::repr(value),
    }
}

/// `parameter float32 [2, 3]`, `attribute int = 3`.
fn described(attribute: &Attribute) -> String {
    let kind = compare::kind(&attribute.value);
    match &attribute.value {
        Value::Tensor(_) => format!("{} {kind}", attribute.kind),
        value => {
            let text = text(value);
            let cut: String = text.chars().take(SHOWN).collect();
            let dots = if cut.len() < text.len() { "..." } else { "" };
            format!("{} {kind} = {cut}{dots}", attribute.kind)
        }
    }
}

/// The largest magnitude of an element.
fn largest(tensor: &Tensor) -> f64 {
    let zero = Tensor::zeros(tensor.sizes(), tensor.dtype());
    zero.map_or(0.0, |zero| {
        compare::difference(&zero, tensor, Tolerance::default()).max_abs
    })
}
