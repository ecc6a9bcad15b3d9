//! Operators as Python programs name them: a name, and those of its overloads that a program can call.

use rushlight::types::Operator;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

/// The overloads of an operator, found once: a name that is called again and again.
#[derive(Clone, Copy)]
pub struct Overloads {
    /// `aten::add`.
    pub name: &'static str,
    rows: &'static [&'static Operator],
}

impl Overloads {
    /// The overloads of a name; `None` where no operator has it.
    pub fn find(name: &str) -> Option<Overloads> {
        let rows = rushlight::table().overloads(name);
        rows.first().map(|first| Overloads {
            name: first.name(),
            rows: callable(rows),
        })
    }

    /// One overload alone, in its place in the table.
    pub fn only(row: &'static &'static Operator) -> Overloads {
        Overloads {
            name: row.name(),
            rows: std::slice::from_ref(row),
        }
    }

    /// The overloads in order.
    pub fn rows(&self) -> &'static [&'static Operator] {
        self.rows
    }

    /// Whether a number may stand where a tensor is taken: a row of this name counts it as one.
    pub fn take_numbers(&self) -> bool {
        let wraps = |rows: &[&'static Operator]| rows.iter().any(|row| row.wraps_numbers);
        wraps(self.rows) || self.rows.len() == 1 && wraps(rushlight::table().overloads(self.name))
    }

    /// Whether one of them fulfils a condition.
    pub fn any(&self, condition: impl Fn(&Operator) -> bool) -> bool {
        self.rows.iter().any(|row| condition(row))
    }
}

/// An operator that the source names, found at its first call.
pub struct Known {
    name: &'static str,
    found: OnceLock<Overloads>,
}

impl Known {
    /// The operator of a name.
    pub const fn new(name: &'static str) -> Known {
        Known {
            name,
            found: OnceLock::new(),
        }
    }

    /// Its overloads: none where the table lacks it.
    #[inline]
    pub fn get(&self) -> Overloads {
        let missing = Overloads {
            name: self.name,
            rows: &[],
        };
        *self
            .found
            .get_or_init(|| Overloads::find(self.name).unwrap_or(missing))
    }
}

/// `add` of `aten::add`.
pub fn base_name(name: &'static str) -> &'static str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The overloads that Python programs can call: where some work on tensors, not those that only scripts have.
fn callable(rows: &'static [&'static Operator]) -> &'static [&'static Operator] {
    type Known = Mutex<HashMap<usize, &'static [&'static Operator]>>;
    static KNOWN: OnceLock<Known> = OnceLock::new();
    if rows.len() == 1 {
        return rows;
    }
    let known = KNOWN.get_or_init(Known::default);
    let Ok(mut known) = known.lock() else {
        return rows;
    };
    known.entry(rows.as_ptr() as usize).or_insert_with(|| {
        let on_tensors = rows.iter().any(|r| gives_tensors(r));
        let kept = rows
            .iter()
            .filter(|r| !(is_of_scripts(r) || on_tensors && !gives_tensors(r)));
        let mut kept: Vec<&'static Operator> = kept.copied().collect();
        // Python's own order: the form that takes sizes or factors comes before those of sizes alone.
        rushlight::tensor::order::sort_by_key(&mut kept, |row| row.overload_name() != "vec");
        match kept.is_empty() {
            true => rows,
            false => Vec::leak(kept),
        }
    })
}

/// Whether a schema, by its text, gives a tensor.
fn gives_tensors(row: &Operator) -> bool {
    row.text
        .rsplit_once("->")
        .is_some_and(|(_, returns)| returns.contains("Tensor"))
}

/// Whether an overload, by its text, is one that the reference has for scripts only.
fn is_of_scripts(row: &Operator) -> bool {
    const SIGNS: &[&str] = &[
        " a,",
        " a)",
        " b)",
        " b,",
        " l,",
        " el)",
        "int other)",
        "float other)",
        "hacked_twin",
    ];
    // Python takes what follows in `...`, too.
    !row.text.contains("...") && SIGNS.iter().any(|sign| row.text.contains(sign))
}
