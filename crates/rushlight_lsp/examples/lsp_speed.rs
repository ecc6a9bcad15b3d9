//! Times what an editor waits for, in a file of 1 000 lines: medians of 21 runs, in milliseconds.

use lsp_types::Position;
use rushlight_lsp::{Document, answers};
use std::hint::black_box;
use std::time::Instant;

const FUNCTION: &str = "
def step_NUMBER(x: torch.Tensor, weights: List[torch.Tensor], limit: int = 3) -> torch.Tensor:
    total = torch.zeros_like(x)
    for i in range(limit):
        if i % 2 == 0 and len(weights) > i:
            total = total + torch.relu(x) * weights[i].sum()
        else:
            total = total - x.mean(dim=-1, keepdim=True)
    names = {str(i): float(i) for i in range(limit)}
    best = 0.0
    for name, value in names.items():
        if value > best:
            best = value
    scaled = total * best
    return scaled.clamp(min=0.0)
";

fn main() {
    let mut text = String::from("import torch\nfrom typing import List\n");
    for number in 0.. {
        if text.lines().count() + FUNCTION.lines().count() > 1_000 {
            break;
        }
        text.push_str(&FUNCTION.replace("NUMBER", &number.to_string()));
    }
    println!("{} lines", text.lines().count());
    // The first check of a process also makes the tables.
    let first = Instant::now();
    let document = Document::new("net.py", None, &text);
    println!(
        "{:>10.2}  check, the first",
        first.elapsed().as_secs_f64() * 1e3
    );
    assert!(document.checked.problems.is_empty());
    let line = text.lines().count() as u32 - 1;
    let place = Position::new(line, 12);
    show("check", || {
        drop(black_box(Document::new("net.py", None, &text)))
    });
    show("hover", || {
        drop(black_box(answers::hover::at(&document, place)))
    });
    let dotted = text.replacen("return scaled.clamp(min=0.0)", "return scaled.", 1);
    let written = Document::new("net.py", None, &dotted);
    let line = dotted
        .lines()
        .position(|l| l.ends_with("scaled."))
        .unwrap_or(0) as u32;
    let end = Position::new(line, 18);
    show("completion", || {
        drop(black_box(answers::completion::at(&written, end)))
    });
}

fn show(what: &str, mut work: impl FnMut()) {
    let mut times: Vec<f64> = (0..21)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{:>10.2}  {what}", times[times.len() / 2]);
}
