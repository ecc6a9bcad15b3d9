//! What was found: one finding per operator, kind and place, each with the shortest call that shows it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::arg::Call;

/// Calls longer than this are cut in the summary; the file of findings has them whole.
const SHOWN: usize = 400;

/// What tells one finding from another.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// `panic`, `internal`, `abort`, `signal 11`, `slow`, ...
    pub kind: String,
    /// Where in the source, or what else is known.
    pub place: String,
    /// The full name of the operator.
    pub operator: String,
}

/// The shortest call that shows it.
pub struct Shown {
    pub number: u64,
    pub call: Call,
    pub message: String,
}

/// All findings of a run.
#[derive(Default)]
pub struct Findings(BTreeMap<Key, Shown>);

impl Findings {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds one; whether nothing like it was known.
    pub fn add(&mut self, key: Key, shown: Shown) -> bool {
        let length = |shown: &Shown| shown.call.write().to_string().len();
        match self.0.get(&key) {
            Some(known) if length(known) <= length(&shown) => false,
            known => {
                let new = known.is_none();
                self.0.insert(key, shown);
                new
            }
        }
    }

    /// The calls, a line of JSON each, with what they show.
    pub fn lines(&self) -> String {
        let mut text = String::new();
        for (key, shown) in &self.0 {
            let mut line = shown.call.write();
            line["finding"] = json!(format!("{} {}", key.kind, key.place).trim_end());
            line["message"] = json!(shown.message);
            line["number"] = json!(shown.number);
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// The summary: places with the operators that reach them, then a line per kind.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        let mut at: Option<(&str, &str)> = None;
        let groups = self
            .0
            .iter()
            .fold(BTreeMap::new(), |mut groups, (key, shown)| {
                let group: &mut Vec<_> = groups.entry((&key.kind, &key.place)).or_default();
                group.push((&key.operator, shown));
                groups
            });
        for ((kind, place), group) in &groups {
            if at.is_none_or(|(known, _)| known != kind.as_str()) {
                let _ = writeln!(text, "\n== {kind}");
            }
            at = Some((kind, place));
            let shortest = group
                .iter()
                .min_by_key(|(_, shown)| shown.call.write().to_string().len());
            let _ = writeln!(text, "\n{place} ({} operators)", group.len());
            if let Some((_, shown)) = shortest {
                let _ = writeln!(text, "    {}", cut(&shown.message));
                let _ = writeln!(text, "    {}", cut(&shown.call.write().to_string()));
            }
            if group.len() > 1 {
                let names: Vec<&str> = group.iter().map(|(name, _)| name.as_str()).collect();
                let _ = writeln!(text, "    {}", names.join(" "));
            }
        }
        let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for ((kind, _), group) in &groups {
            let counts = kinds.entry(kind).or_default();
            counts.0 += 1;
            counts.1 += group.len();
        }
        let _ = writeln!(text, "\n{:<52} {:>8} {:>10}", "kind", "places", "operators");
        for (kind, (places, operators)) in kinds {
            let _ = writeln!(text, "{kind:<52} {places:>8} {operators:>10}");
        }
        text
    }

    /// Writes the calls and the summary into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        for (name, text) in [
            ("findings.jsonl", self.lines()),
            ("summary.txt", self.summary()),
        ] {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{} ...", &text[..at]),
        None => text.to_owned(),
    }
}
