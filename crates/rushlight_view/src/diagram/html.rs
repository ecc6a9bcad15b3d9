//! A laid out graph as a page of its own: it needs no network and no other file.
//!
//! The picture is that of `svg`. The script moves it, finds boxes by their text, shows where a box comes from, and folds
//! frames: a folded frame gives back the height that nobody beside it needs. Such a change keeps the order of all places,
//! so lines still meet no boxes.

use super::layout::Layout;
use super::model::{BoxKind, Model};
use super::svg::{content, escape, number};
use serde_json::{Value as Json, json};

const PICTURE: &str = include_str!("picture.css");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page.
pub fn page(name: &str, model: &Model, layout: &Layout) -> String {
    let mut picture = String::new();
    content(&mut picture, model, layout);
    let data = data(model, layout).to_string().replace('<', "\\u003c");
    let size = layout.boxes[0];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{name}</title>\n<style>\n{PICTURE}{STYLE}</style></head>\n<body>\n<header><b>{name}</b><input id=\"find\" type=\"search\" placeholder=\"Find: operator, attribute, value\" aria-label=\"Find\"><span id=\"count\"></span><button id=\"fold\">Fold all</button><button id=\"open\">Unfold all</button><button id=\"fit\">Fit</button></header>\n<main><svg id=\"picture\" tabindex=\"0\" data-width=\"{w}\" data-height=\"{h}\"><g id=\"view\">\n{picture}</g></svg><aside id=\"side\" hidden></aside></main>\n<script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body></html>\n",
        name = escape(name),
        w = number(size.width),
        h = number(size.height),
    )
}

/// What the script has to know.
fn data(model: &Model, layout: &Layout) -> Json {
    let items = model.items.iter().zip(&layout.boxes).map(|(item, rect)| {
        let places: Vec<Json> = item
            .places
            .iter()
            .map(|p| json!([p.file, p.line]))
            .collect();
        json!({
            "at": [rect.x, rect.y, rect.width, rect.height],
            "in": item.parent,
            "frame": item.kind.is_frame(),
            "folds": matches!(item.kind, BoxKind::Group | BoxKind::Control),
            "title": item.title,
            "lines": item.lines,
            "outs": item.outs,
            "about": item.about,
            "places": places,
        })
    });
    let routes = layout.routes.iter().map(|route| {
        let points: Vec<f64> = route.points.iter().flat_map(|p| [p.0, p.1]).collect();
        json!([route.frame, route.wire, route.target.map(|t| t.0), points])
    });
    let wires = model
        .wires
        .iter()
        .map(|wire| json!([wire.from.0, wire.name]));
    let files = model.sources.files.iter().map(|(name, lines)| {
        let lines: Vec<Json> = lines
            .iter()
            .map(|(line, text)| json!([line, text]))
            .collect();
        json!({"name": name, "lines": lines})
    });
    json!({
        "items": items.collect::<Vec<_>>(),
        "routes": routes.collect::<Vec<_>>(),
        "wires": wires.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
    })
}
