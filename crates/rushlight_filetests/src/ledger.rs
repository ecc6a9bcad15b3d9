//! The ledger: what does not match yet, with reasons. It only shrinks.
//!
//! A line reads `GROUP  IDS  REASON`: an area, operator or file; `*` for all its cases or the names of some,
//! separated by commas; why. Every case that an entry covers must fail, and every case that fails must be
//! covered. So an entry that has begun to match fails the run until it is taken out, and so does a new
//! failure. Entries about cases that were not run (a corpus that is not at hand) are left alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::{Case, Grade};

/// What the ledger says about one group.
#[derive(Clone, Debug, Default)]
struct Group {
    /// The reason why all cases fail.
    all: Option<String>,
    /// The reasons of single cases.
    some: BTreeMap<String, String>,
}

/// A ledger, read from its text.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    groups: BTreeMap<String, Group>,
}

/// How the kinds of ledgers differ.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// First words of the file.
    pub head: &'static str,
    /// Several cases of one group and reason share a line.
    pub together: bool,
}

/// What is wrong with a ledger after a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Cases that match and are still listed.
    pub stale: Vec<String>,
    /// Cases that fail and are not listed.
    pub unlisted: Vec<String>,
}

impl Ledger {
    /// Reads a ledger.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut ledger = Self::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            ledger.read_line(line).ok_or_else(|| {
                format!(
                    "line {}: `{line}` does not read `GROUP  IDS  REASON`",
                    index + 1
                )
            })?;
        }
        Ok(ledger)
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let (group, rest) = line.split_once(char::is_whitespace)?;
        let (ids, reason) = rest.trim_start().split_once(char::is_whitespace)?;
        let reason = reason.trim().to_owned();
        let group = self.groups.entry(group.to_owned()).or_default();
        if ids == "*" {
            group.all = Some(reason);
        } else {
            group
                .some
                .extend(ids.split(',').map(|id| (id.to_owned(), reason.clone())));
        }
        Some(())
    }

    /// The reason the ledger gives for `case`, if it covers it.
    fn reason(&self, case: &Case) -> Option<&str> {
        let group = self.groups.get(&case.group)?;
        group
            .some
            .get(&case.id)
            .or(group.all.as_ref())
            .map(String::as_str)
    }

    /// Compares the ledger with what a run found.
    pub fn check(&self, cases: &[Case]) -> Findings {
        let mut findings = Findings::default();
        for (case, failed) in judged(cases) {
            let name = || format!("{} {}", case.group, case.id);
            match (failed, self.reason(case)) {
                (true, None) => {
                    findings
                        .unlisted
                        .push(format!("{}: {}: {}", name(), case.reason, case.detail))
                }
                (false, Some(reason)) => findings.stale.push(format!("{} ({reason})", name())),
                _ => {}
            }
        }
        findings
    }

    /// The ledger as it should read after a run: what fails, with the reason it had where `is_automatic` says
    /// that somebody wrote it, and all entries about cases that were not run.
    ///
    /// Growing must be asked for: without `allow_growth` a failing case that the ledger does not cover yet is
    /// an error.
    pub fn updated(
        &self,
        cases: &[Case],
        is_automatic: impl Fn(&str) -> bool,
        allow_growth: bool,
    ) -> Result<Self, Findings> {
        let findings = self.check(cases);
        if !allow_growth && !findings.unlisted.is_empty() {
            return Err(Findings {
                stale: Vec::new(),
                ..findings
            });
        }
        let judged = judged(cases);
        let mut updated = Self {
            groups: self.not_run(&judged),
        };
        for (case, _) in judged.iter().filter(|(_, failed)| *failed) {
            let kept = self.reason(case).filter(|reason| !is_automatic(reason));
            let reason = kept.unwrap_or(&case.reason).to_owned();
            updated
                .groups
                .entry(case.group.clone())
                .or_default()
                .some
                .insert(case.id.clone(), reason);
        }
        updated.fold_whole_groups(&judged);
        Ok(updated)
    }

    /// The entries about cases that were not run.
    fn not_run(&self, judged: &[(&Case, bool)]) -> BTreeMap<String, Group> {
        let run: BTreeSet<(&str, &str)> = judged
            .iter()
            .map(|(case, _)| (case.group.as_str(), case.id.as_str()))
            .collect();
        let groups_run: BTreeSet<&str> = run.iter().map(|(group, _)| *group).collect();
        let mut kept = BTreeMap::new();
        for (name, group) in &self.groups {
            let some: BTreeMap<_, _> = group
                .some
                .iter()
                .filter(|(id, _)| !run.contains(&(name.as_str(), id.as_str())))
                .map(|(id, reason)| (id.clone(), reason.clone()))
                .collect();
            let all = group
                .all
                .clone()
                .filter(|_| !groups_run.contains(name.as_str()));
            if all.is_some() || !some.is_empty() {
                kept.insert(name.clone(), Group { all, some });
            }
        }
        kept
    }

    /// A group of which all cases fail for one reason gets one entry.
    fn fold_whole_groups(&mut self, judged: &[(&Case, bool)]) {
        let matching: BTreeSet<&str> = judged
            .iter()
            .filter(|(_, failed)| !failed)
            .map(|(case, _)| case.group.as_str())
            .collect();
        for (name, group) in &mut self.groups {
            let reasons: BTreeSet<&String> = group.some.values().collect();
            if group.all.is_none() && reasons.len() == 1 && !matching.contains(name.as_str()) {
                group.all = reasons.into_iter().next().cloned();
                group.some.clear();
            }
        }
    }

    /// The text of the ledger; the same for the same entries.
    pub fn print(&self, style: Style) -> String {
        let mut text = format!("{}\n", style.head.trim_end());
        for (name, group) in &self.groups {
            let mut lines: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
            for (id, reason) in &group.some {
                let line = if style.together { "" } else { id.as_str() };
                lines.entry((line, reason)).or_default().push(id);
            }
            if let Some(reason) = &group.all {
                lines.entry(("", reason)).or_default().push("*");
            }
            for ((_, reason), ids) in lines {
                text.push_str(&format!("{name}  {}  {reason}\n", ids.join(",")));
            }
        }
        text
    }
}

/// Each case once: one that occurs several times fails if it fails anywhere. What was skipped is left out.
fn judged(cases: &[Case]) -> Vec<(&Case, bool)> {
    let mut by_name: BTreeMap<(&str, &str), (&Case, bool)> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.grade != Grade::Skipped) {
        let failed = !case.grade.matches();
        let entry = by_name
            .entry((&case.group, &case.id))
            .or_insert((case, failed));
        if failed && !entry.1 {
            *entry = (case, true);
        }
    }
    by_name.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style {
        head: "# head",
        together: true,
    };

    fn case(group: &str, id: &str, good: bool) -> Case {
        Case {
            row: group.to_owned(),
            group: group.to_owned(),
            id: id.to_owned(),
            grade: if good { Grade::Exact } else { Grade::Failed },
            reason: "values".to_owned(),
            detail: String::new(),
        }
    }

    fn update(text: &str, cases: &[Case], growth: bool) -> Result<String, Findings> {
        let ledger = Ledger::parse(text).expect("a ledger");
        ledger
            .updated(cases, |reason| reason == "values", growth)
            .map(|ledger| ledger.print(STYLE))
    }

    #[test]
    fn a_listed_case_that_matches_and_an_unlisted_that_fails_are_findings() {
        let ledger = Ledger::parse("a  x,y  values\nb  *  missing\n").expect("a ledger");
        let cases = [
            case("a", "x", false),
            case("a", "y", true),
            case("b", "z", true),
            case("c", "w", false),
        ];
        let findings = ledger.check(&cases);
        assert_eq!(findings.stale, ["a y (values)", "b z (missing)"]);
        assert_eq!(findings.unlisted.len(), 1);
    }

    #[test]
    fn cases_that_were_not_run_keep_their_entries() {
        let text = "# head\na  x,y  values\nb  *  missing\n";
        assert_eq!(
            update(text, &[case("a", "x", true), case("a", "z", true)], false).expect("no growth"),
            "# head\na  y  values\nb  *  missing\n"
        );
    }

    #[test]
    fn growth_must_be_asked_for() {
        let cases = [case("a", "x", false), case("a", "y", true)];
        assert!(update("", &cases, false).is_err());
        assert_eq!(
            update("", &cases, true).expect("growth is allowed"),
            "# head\na  x  values\n"
        );
    }

    #[test]
    fn written_reasons_are_kept_and_automatic_ones_renewed() {
        let cases = [
            case("a", "x", false),
            case("a", "y", false),
            case("a", "z", true),
        ];
        let text = "a  x  the reference is wrong here\na  y  values\n";
        assert_eq!(
            update(text, &cases, false).expect("no growth"),
            "# head\na  x  the reference is wrong here\na  y  values\n"
        );
    }

    #[test]
    fn a_whole_group_is_one_entry_and_opens_when_a_case_matches() {
        let all = [case("a", "x", false), case("a", "y", false)];
        assert_eq!(
            update("", &all, true).expect("growth is allowed"),
            "# head\na  *  values\n"
        );
        let one = [case("a", "x", false), case("a", "y", true)];
        assert_eq!(
            update("a  *  values\n", &one, false).expect("no growth"),
            "# head\na  x  values\n"
        );
    }

    #[test]
    fn a_case_that_occurs_twice_fails_if_it_fails_once() {
        let ledger = Ledger::parse("a  x  values\n").expect("a ledger");
        assert_eq!(
            ledger.check(&[case("a", "x", true), case("a", "x", false)]),
            Findings::default()
        );
    }
}
