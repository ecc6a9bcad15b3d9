//! A laid out graph as SVG: frames below, then lines, then boxes.

use super::layout::{FIRST, LINE, Layout, Rect};
use super::model::{BoxKind, Item, Model};
use super::routes::Route;
use std::fmt::Write;

const STYLE: &str = include_str!("picture.css");

/// The file.
pub fn file(name: &str, model: &Model, layout: &Layout) -> String {
    let Rect { width, height, .. } = layout.boxes[0];
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
        escape(name),
        w = number(width),
        h = number(height)
    );
    content(&mut out, model, layout);
    out.push_str("</svg>\n");
    out
}

/// What is inside the picture.
pub fn content(out: &mut String, model: &Model, layout: &Layout) {
    out.push_str("<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\"><path class=\"tip\" d=\"M0,0.6 L8,4 L0,7.4 z\"/></marker></defs>\n");
    for (at, item) in model.items.iter().enumerate().skip(1) {
        if item.kind.is_frame() {
            frame(out, at, item, &layout.boxes[at]);
        }
    }
    for (at, route) in layout.routes.iter().enumerate() {
        let tip = match route.target {
            Some(_) => " marker-end=\"url(#arrow)\"",
            None => "",
        };
        let _ = writeln!(
            out,
            "<path class=\"wire\" data-r=\"{at}\" d=\"{}\"{tip}/>",
            line(route)
        );
    }
    for (at, item) in model.items.iter().enumerate().skip(1) {
        if !item.kind.is_frame() {
            leaf(out, at, item, model, layout);
        }
    }
}

fn frame(out: &mut String, at: usize, item: &Item, rect: &Rect) {
    let class = match item.kind {
        BoxKind::Group => "group",
        BoxKind::Arm => "arm",
        _ => "control",
    };
    let _ = writeln!(
        out,
        "<g class=\"frame {class}\" data-i=\"{at}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"9\"/><text x=\"{}\" y=\"{}\">{}</text></g>",
        number(rect.x),
        number(rect.y),
        number(rect.width),
        number(rect.height),
        number(rect.x + 10.0),
        number(rect.y + 17.0),
        escape(&item.title)
    );
}

fn leaf(out: &mut String, at: usize, item: &Item, model: &Model, layout: &Layout) {
    let rect = &layout.boxes[at];
    let class = match item.kind {
        BoxKind::Pill => "pill",
        _ => "node",
    };
    let round = match item.kind {
        BoxKind::Pill => 12,
        _ => 5,
    };
    let middle = number(rect.width / 2.0);
    let _ = write!(
        out,
        "<g class=\"{class} {}\" data-i=\"{at}\" transform=\"translate({},{})\">",
        item.family,
        number(rect.x),
        number(rect.y)
    );
    if let Some(place) = item.places.first() {
        let file = &model.sources.files[place.file].0;
        let _ = write!(out, "<title>{}:{}</title>", escape(file), place.line);
    }
    let _ = write!(
        out,
        "<rect width=\"{}\" height=\"{}\" rx=\"{round}\"/><text class=\"t\" x=\"{middle}\" y=\"16\">{}</text>",
        number(rect.width),
        number(rect.height),
        escape(&item.title)
    );
    for (i, text) in item.lines.iter().enumerate() {
        let y = FIRST + LINE * (i as f64 + 1.0) - 5.0;
        let _ = write!(
            out,
            "<text class=\"s\" x=\"{middle}\" y=\"{}\">{}</text>",
            number(y),
            escape(text)
        );
    }
    for (said, x) in item.outs.iter().zip(&layout.outs[at]) {
        if !said.is_empty() {
            let _ = write!(
                out,
                "<text class=\"o\" x=\"{}\" y=\"{}\">{}</text>",
                number(x + 5.0),
                number(rect.height + 11.0),
                escape(said)
            );
        }
    }
    out.push_str("</g>\n");
}

/// A line as commands of a path.
pub fn line(route: &Route) -> String {
    let mut out = String::new();
    let mut last: Option<(f64, f64)> = None;
    for &(x, y) in &route.points {
        let _ = match last {
            None => write!(out, "M{},{}", number(x), number(y)),
            Some((before, _)) if before == x => write!(out, "V{}", number(y)),
            Some((before, above)) => {
                let middle = number((above + y) / 2.0);
                let (a, b) = (number(before), number(x));
                write!(out, "C{a},{middle} {b},{middle} {b},{}", number(y))
            }
        };
        last = Some((x, y));
    }
    out
}

/// A coordinate, in tenths.
pub fn number(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    format!("{}", if tenths == 0.0 { 0.0 } else { tenths })
}

/// Text inside a document.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
