//! Probabilities as a small bar chart.

use rushlight::{Module, Value};
use std::fmt::Write;

/// The names of classes that a module carries: an attribute `classes` or `labels` of type List[str].
pub fn labels(module: &Module) -> Option<Vec<String>> {
    ["classes", "labels"].iter().find_map(|name| {
        let items = module.object().get(name)?.list_items().ok()?;
        items
            .iter()
            .map(|v| v.as_str().ok().map(str::to_string))
            .collect()
    })
}

/// A chart of a vector of probabilities; `None` for everything else.
pub fn of(value: &Value, labels: Option<&[String]>) -> Option<String> {
    const MOST: usize = 20;
    const WIDTH: usize = 40;
    let Value::Tensor(tensor) = value else {
        return None;
    };
    if tensor.rank() != 1 || !tensor.dtype().is_float() || !(2..=MOST).contains(&tensor.numel()) {
        return None;
    }
    let numbers = tensor.to_vec::<f64>();
    let is_probability = numbers.iter().all(|p| (0.0..=1.0).contains(p));
    if !is_probability || (numbers.iter().sum::<f64>() - 1.0).abs() > 1e-3 {
        return None;
    }
    let best = (0..numbers.len()).max_by(|a, b| numbers[*a].total_cmp(&numbers[*b]))?;
    let name = |i: usize| match labels {
        Some(labels) if labels.len() == numbers.len() => labels[i].clone(),
        _ => i.to_string(),
    };
    let margin = (0..numbers.len())
        .map(|i| name(i).chars().count())
        .max()
        .unwrap_or(1);
    let mut out = String::new();
    for (i, p) in numbers.iter().enumerate() {
        let bar = "\u{2588}".repeat((p * WIDTH as f64).round() as usize);
        let mark = if i == best { " <" } else { "" };
        let label = name(i);
        let _ = writeln!(out, "{label:>margin$} {:5.1} % {bar}{mark}", p * 100.0);
    }
    let _ = writeln!(out, "\nMost likely: {}", name(best));
    Some(out)
}
