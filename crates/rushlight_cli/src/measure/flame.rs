//! A profile as a picture: calls above what they call, as wide as the time they took, operators at the bottom.

use super::{Profile, Row, time};
use crate::diagram::escape;
use std::collections::HashMap;
use std::fmt::Write;
use std::time::Duration;

const WIDTH: f64 = 1200.0;
const HEIGHT: f64 = 19.0;
const HEAD: f64 = 34.0;
/// What is narrower is not drawn.
const NARROWEST: f64 = 0.4;
/// The width of a character.
const LETTER: f64 = 6.3;

/// A call or an operator, with what is below it.
struct Block {
    title: String,
    about: String,
    is_operator: bool,
    time: Duration,
    inside: Vec<usize>,
}

/// The picture.
pub fn flame(name: &str, profile: &Profile) -> String {
    let blocks = blocks(name, profile);
    let total = profile.total.as_secs_f64().max(1e-12);
    let (mut body, mut deepest) = (String::new(), 0);
    let mut pending = vec![(0usize, 0usize, 8.0f64)];
    while let Some((at, depth, x)) = pending.pop() {
        let block = &blocks[at];
        let width = block.time.as_secs_f64() / total * (WIDTH - 16.0);
        if width < NARROWEST {
            continue;
        }
        deepest = deepest.max(depth);
        draw(
            &mut body,
            block,
            profile,
            (x, HEAD + HEIGHT * depth as f64, width),
        );
        let mut left = x;
        for &inner in &block.inside {
            pending.push((inner, depth + 1, left));
            left += blocks[inner].time.as_secs_f64() / total * (WIDTH - 16.0);
        }
    }
    let height = HEAD + HEIGHT * (deepest + 1) as f64 + 8.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\">\n<title>{}</title>\n<style>\n{}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n<text class=\"head\" x=\"8\" y=\"21\">{}</text>\n{body}</svg>\n",
        escape(name),
        include_str!("flame.css"),
        escape(&format!(
            "{name}: {} a run",
            time(profile.total / profile.runs.max(1))
        )),
    )
}

fn draw(out: &mut String, block: &Block, profile: &Profile, (x, y, width): (f64, f64, f64)) {
    let room = ((width - 6.0) / LETTER).max(0.0) as usize;
    let text = match room {
        0..=2 => String::new(),
        room => crate::diagram::cut(&block.title, room),
    };
    let class = if block.is_operator { "op" } else { "call" };
    let share = 100.0 * block.time.as_secs_f64() / profile.total.as_secs_f64().max(1e-12);
    let told = format!(
        "{}: {} a run, {share:.1}%",
        block.about,
        time(block.time / profile.runs.max(1))
    );
    let _ = writeln!(
        out,
        "<g><title>{}</title><rect class=\"{class}\" x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" rx=\"2\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        escape(&told),
        HEIGHT - 1.0,
        x + 4.0,
        y + 13.0,
        escape(&text)
    );
}

/// The tree of calls; the first block is the run, which is as long as all, and children are in the order of the program.
fn blocks(name: &str, profile: &Profile) -> Vec<Block> {
    let block = |title: String, about: String, is_operator| Block {
        title,
        about,
        is_operator,
        time: Duration::ZERO,
        inside: Vec::new(),
    };
    let mut blocks = vec![block(name.into(), name.into(), false)];
    blocks[0].time = profile.total;
    let mut known: HashMap<(usize, String, bool), usize> = HashMap::new();
    for row in &profile.rows {
        let mut at = 0;
        for (title, about, is_operator) in steps(row) {
            at = *known
                .entry((at, about.clone(), is_operator))
                .or_insert_with(|| {
                    blocks.push(block(title, about, is_operator));
                    let new = blocks.len() - 1;
                    blocks[at].inside.push(new);
                    new
                });
            blocks[at].time += row.time;
        }
    }
    blocks
}

/// The blocks from the run to an operator: each call with the line that it stands at.
fn steps(row: &Row) -> impl Iterator<Item = (String, String, bool)> + '_ {
    let calls = row.levels.iter().map(|level| {
        let file = level.file.rsplit('/').next().unwrap_or("");
        let title = match level.line {
            0 => level.function.clone(),
            line => format!("{} {file}:{line}", level.function),
        };
        let about = format!("{} at {}  {}", level.function, level.place(), level.text);
        (title, about, false)
    });
    let operator = row.operator.to_string();
    calls.chain([(crate::diagram::short(&operator).to_string(), operator, true)])
}
