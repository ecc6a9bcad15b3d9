//! Profiles as tables and as JSON.

use super::Profile;
use crate::abbreviate;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Rows of a table; the rest is one row.
const MOST: usize = 20;
/// Characters of a line of source in a table.
const WIDEST: usize = 56;

/// Times by some key, the longest first.
pub struct Shares {
    pub rows: Vec<Share>,
}

/// What has one key.
pub struct Share {
    pub key: String,
    /// More words for it.
    pub note: String,
    pub calls: u64,
    pub time: Duration,
}

impl Shares {
    /// By operator.
    pub fn by_operator(profile: &Profile) -> Shares {
        let rows = profile.rows.iter();
        Shares::of(rows.map(|row| (row.operator.to_string(), "", row.calls, row.time)))
    }

    /// By line of the source.
    pub fn by_line(profile: &Profile) -> Shares {
        let rows = profile.rows.iter();
        Shares::of(rows.map(|row| match row.levels.last() {
            Some(level) => (level.place(), level.text.as_str(), row.calls, row.time),
            None => ("(no source)".into(), "", row.calls, row.time),
        }))
    }

    fn of<'a>(rows: impl Iterator<Item = (String, &'a str, u64, Duration)>) -> Shares {
        let mut by_key: BTreeMap<String, Share> = BTreeMap::new();
        for (key, note, calls, time) in rows {
            let share = by_key.entry(key.clone()).or_insert_with(|| Share {
                key,
                note: note.to_string(),
                calls: 0,
                time: Duration::ZERO,
            });
            share.calls += calls;
            share.time += time;
        }
        let mut rows: Vec<Share> = by_key.into_values().collect();
        // Those of one time stay in the order of their names.
        rushlight::tensor::order::sort_by_key(&mut rows, |share| std::cmp::Reverse(share.time));
        Shares { rows }
    }

    fn table(&self, title: &str, profile: &Profile) -> String {
        let runs = profile.runs.max(1);
        let share = |time: Duration| {
            let total = profile.total.as_secs_f64();
            100.0 * time.as_secs_f64() / if total > 0.0 { total } else { 1.0 }
        };
        let mut out = format!(
            "{:>10} {:>7} {:>9}  {title}\n",
            "self time", "share", "calls"
        );
        let mut line = |time_: Duration, calls: String, key: &str, note: &str| {
            let note = abbreviate::line(&short(note));
            let gap = if note.is_empty() { "" } else { "  " };
            let _ = writeln!(
                out,
                "{:>10} {:>6.1}% {calls:>9}  {key}{gap}{note}",
                time(time_ / runs),
                share(time_)
            );
        };
        let each = |calls: u64| match calls % u64::from(runs) {
            0 => (calls / u64::from(runs)).to_string(),
            _ => format!("{:.1}", calls as f64 / f64::from(runs)),
        };
        for row in self.rows.iter().take(MOST) {
            line(row.time, each(row.calls), &row.key, &row.note);
        }
        let rest = self.rows.get(MOST..).unwrap_or(&[]);
        if !rest.is_empty() {
            let (calls, time) = rest.iter().fold((0, Duration::ZERO), |(calls, time), row| {
                (calls + row.calls, time + row.time)
            });
            line(time, each(calls), &format!("({} more)", rest.len()), "");
        }
        line(between(profile), String::new(), "(between operators)", "");
        out
    }
}

fn short(note: &str) -> String {
    let mut text: String = note.chars().take(WIDEST).collect();
    if note.chars().nth(WIDEST).is_some() {
        text.push('\u{2026}');
    }
    text
}

/// What is left of the runs: calls of functions, numbers, loops, and measuring itself.
fn between(profile: &Profile) -> Duration {
    let seen: Duration = profile.rows.iter().map(|row| row.time).sum();
    profile.total.saturating_sub(seen)
}

/// The tables of a profile; times and calls are those of one run.
pub fn tables(profile: &Profile) -> String {
    let operators = Shares::by_operator(profile).table("operator", profile);
    let lines = Shares::by_line(profile).table("line", profile);
    format!("{operators}\n{lines}")
}

/// A profile for programs: seconds, of all runs together.
pub fn json(profile: &Profile) -> Json {
    let shares = |shares: Shares, name: &str| -> Json {
        let rows = shares.rows.into_iter().map(|row| {
            let mut fields = json!({"calls": row.calls, "seconds": row.time.as_secs_f64()});
            fields[name] = row.key.into();
            if !row.note.is_empty() {
                fields["text"] = row.note.into();
            }
            fields
        });
        rows.collect()
    };
    json!({
        "runs": profile.runs,
        "seconds": profile.total.as_secs_f64(),
        "between_operators": between(profile).as_secs_f64(),
        "operators": shares(Shares::by_operator(profile), "operator"),
        "lines": shares(Shares::by_line(profile), "line"),
    })
}

/// A time in three or four digits.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.1} us", s * 1e6),
    }
}
