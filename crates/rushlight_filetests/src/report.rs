//! What a run found: cases with their grades, as a table per group, a list of failures, a JSON file, and the
//! last line that others read.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// How well a case matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// In every respect.
    Exact,
    /// In all that counts, but not to the letter.
    Relaxed,
    /// It does not.
    Failed,
    /// It says nothing that could be run; not counted.
    Skipped,
}

impl Grade {
    /// Whether the case counts as a match.
    pub fn matches(self) -> bool {
        matches!(self, Grade::Exact | Grade::Relaxed)
    }
}

/// One thing that was compared.
#[derive(Clone, Debug)]
pub struct Case {
    /// The row of the table it is counted in.
    pub row: String,
    /// Area, operator or file: what the ledger groups by.
    pub group: String,
    /// Names the case within its group.
    pub id: String,
    /// How well it matches.
    pub grade: Grade,
    /// Why not, in few words of a small vocabulary.
    pub reason: String,
    /// Why not, with the values at hand.
    pub detail: String,
}

impl Case {
    fn line(&self) -> String {
        format!(
            "{} {}: {}: {}",
            self.group, self.id, self.reason, self.detail
        )
    }
}

/// The words that differ between the kinds of corpora.
pub struct Wording {
    /// Head of the first column.
    pub group: &'static str,
    /// Head of the column that counts the cases.
    pub cases: &'static str,
    /// Head of the column for [`Grade::Exact`].
    pub exact: &'static str,
    /// Head of the column of all that match.
    pub matching: &'static str,
    /// Whether the last line counts whole groups, which match when all their cases do.
    pub whole_groups: bool,
}

/// Counts of one row.
#[derive(Clone, Copy, Default)]
struct Counts {
    cases: usize,
    exact: usize,
    matching: usize,
    skipped: usize,
}

impl Counts {
    fn add(&mut self, grade: Grade) {
        if grade == Grade::Skipped {
            self.skipped += 1;
            return;
        }
        self.cases += 1;
        self.exact += usize::from(grade == Grade::Exact);
        self.matching += usize::from(grade.matches());
    }
}

/// All cases of a run.
pub struct Report {
    wording: &'static Wording,
    cases: Vec<Case>,
}

impl Report {
    /// A report over `cases`.
    pub fn new(wording: &'static Wording, cases: Vec<Case>) -> Self {
        Self { wording, cases }
    }

    /// The cases, in the order of the corpus.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    fn rows(&self) -> BTreeMap<String, Counts> {
        let mut rows: BTreeMap<String, Counts> = BTreeMap::new();
        for case in &self.cases {
            rows.entry(case.row.clone()).or_default().add(case.grade);
        }
        rows
    }

    fn total(&self) -> Counts {
        let mut total = Counts::default();
        self.cases.iter().for_each(|case| total.add(case.grade));
        total
    }

    /// The counts of the last line.
    fn final_counts(&self) -> Counts {
        if !self.wording.whole_groups {
            return self.total();
        }
        let rows = self.rows();
        let matching = rows
            .values()
            .filter(|row| row.matching == row.cases)
            .count();
        Counts {
            cases: rows.len(),
            matching,
            ..Counts::default()
        }
    }

    /// The share that matches, in percent.
    pub fn percent(&self) -> f64 {
        let total = self.final_counts();
        if total.cases == 0 {
            0.0
        } else {
            100.0 * total.matching as f64 / total.cases as f64
        }
    }

    /// The table, a row per group.
    pub fn table(&self) -> String {
        let words = self.wording;
        let mut text = format!(
            "{:<28} {:>9} {:>9} {:>9}\n",
            words.group, words.cases, words.exact, words.matching
        );
        let total = self.total();
        for (name, row) in self
            .rows()
            .iter()
            .map(|(name, row)| (name.as_str(), row))
            .chain([("total", &total)])
        {
            text.push_str(&format!(
                "{name:<28} {:>9} {:>9} {:>9}\n",
                row.cases, row.exact, row.matching
            ));
        }
        if total.skipped > 0 {
            text.push_str(&format!(
                "{} more say nothing that could be run\n",
                total.skipped
            ));
        }
        text
    }

    /// The first `limit` failures, a line each. Those of the commonest reason come last: it is the one whose
    /// cases say the least.
    pub fn failures(&self, limit: usize) -> String {
        let commonest = self
            .reasons()
            .into_iter()
            .next()
            .map(|(reason, _)| reason)
            .unwrap_or_default();
        let mut failed: Vec<&Case> = self
            .cases
            .iter()
            .filter(|case| case.grade == Grade::Failed)
            .collect();
        failed.sort_by_key(|case| case.reason == commonest);
        let shown = failed.iter().take(limit);
        let mut text: String = shown
            .map(|case| format!("FAIL {}\n", clip(&case.line())))
            .collect();
        if limit > 0 && failed.len() > limit {
            text.push_str(&format!(
                "and {} more (--show N shows more)\n",
                failed.len() - limit
            ));
        }
        text
    }

    /// How often each reason occurs, most frequent first.
    pub fn reasons(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for case in self.cases.iter().filter(|case| case.grade == Grade::Failed) {
            *counts.entry(&case.reason).or_default() += 1;
        }
        let mut list: Vec<_> = counts
            .into_iter()
            .map(|(reason, count)| (reason.to_owned(), count))
            .collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        list
    }

    /// The groups with the most failures, most first; a group whose name is a row of the table is there already.
    pub fn worst_groups(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let failed = self
            .cases
            .iter()
            .filter(|case| case.grade == Grade::Failed && case.group != case.row);
        failed.for_each(|case| *counts.entry(&case.group).or_default() += 1);
        let mut list: Vec<_> = counts
            .into_iter()
            .map(|(group, count)| (group.to_owned(), count))
            .collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        list
    }

    /// The line that ends every run.
    pub fn last_line(&self) -> String {
        let total = self.final_counts();
        // Cut, not rounded: 100 % means all.
        let percent = (self.percent() * 10.0).floor() / 10.0;
        format!(
            "{} of {} match ({percent:.1} %)",
            total.matching, total.cases
        )
    }

    /// Everything, for other programs.
    pub fn json(&self) -> Value {
        let total = self.total();
        let rows: serde_json::Map<String, Value> = self
            .rows()
            .into_iter()
            .map(|(name, row)| (name, counts_json(row)))
            .collect();
        let reasons: serde_json::Map<String, Value> = self
            .reasons()
            .into_iter()
            .map(|(reason, count)| (reason, json!(count)))
            .collect();
        let failures: Vec<Value> = self
            .cases
            .iter()
            .filter(|case| matches!(case.grade, Grade::Failed | Grade::Relaxed))
            .map(|case| {
                json!({
                    "group": case.group,
                    "id": case.id,
                    "matches": case.grade.matches(),
                    "reason": case.reason,
                    "detail": case.detail,
                })
            })
            .collect();
        json!({
            "total": counts_json(total),
            "percent": self.percent(),
            "groups": rows,
            "reasons": reasons,
            "failures": failures,
        })
    }
}

fn counts_json(counts: Counts) -> Value {
    json!({
        "cases": counts.cases,
        "exact": counts.exact,
        "matching": counts.matching,
        "skipped": counts.skipped,
    })
}

/// Keeps a failure's line to a screen's width or two.
fn clip(line: &str) -> String {
    const WIDTH: usize = 300;
    let line = line.replace('\n', " | ");
    match line.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}
