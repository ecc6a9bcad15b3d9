//! A graph as a picture: one box per node, in layers by how far it is from the inputs.

use rushlight::ir::{Graph, NodeId, Prim, ValueId};
use std::collections::HashMap;
use std::fmt::Write;

const BOX_WIDTH: usize = 190;
const BOX_HEIGHT: usize = 30;
const GAP_X: usize = 24;
const GAP_Y: usize = 46;

/// A box of the picture.
struct Shape {
    label: String,
    layer: usize,
    inputs: Vec<ValueId>,
    outputs: Vec<ValueId>,
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The picture of the top level of a graph; constants are left out, nested blocks show as one box.
pub fn draw(name: &str, graph: &Graph) -> String {
    let shapes = shapes(graph);
    let layers = shapes.iter().map(|s| s.layer).max().unwrap_or(0) + 1;
    let mut columns = vec![0usize; layers];
    let mut places = Vec::new();
    for shape in &shapes {
        let x = GAP_X + columns[shape.layer] * (BOX_WIDTH + GAP_X);
        columns[shape.layer] += 1;
        places.push((x, GAP_Y + shape.layer * (BOX_HEIGHT + GAP_Y)));
    }
    let width = GAP_X + columns.iter().max().unwrap_or(&1) * (BOX_WIDTH + GAP_X);
    let height = GAP_Y + layers * (BOX_HEIGHT + GAP_Y);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        escape(name)
    );
    let made_by: HashMap<ValueId, usize> = shapes
        .iter()
        .enumerate()
        .flat_map(|(i, s)| s.outputs.iter().map(move |v| (*v, i)))
        .collect();
    for (to, shape) in shapes.iter().enumerate() {
        for input in &shape.inputs {
            if let Some(&from) = made_by.get(input) {
                let (x1, y1) = (places[from].0 + BOX_WIDTH / 2, places[from].1 + BOX_HEIGHT);
                let (x2, y2) = (places[to].0 + BOX_WIDTH / 2, places[to].1);
                let middle = (y1 + y2) / 2;
                let _ = writeln!(
                    out,
                    "<path d=\"M{x1},{y1} C{x1},{middle} {x2},{middle} {x2},{y2}\" fill=\"none\" stroke=\"#888\"/>"
                );
            }
        }
    }
    for (shape, (x, y)) in shapes.iter().zip(&places) {
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"5\" fill=\"#eef4fb\" stroke=\"#447\"/><text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x + BOX_WIDTH / 2,
            y + BOX_HEIGHT / 2 + 4,
            escape(&shape.label)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn shapes(graph: &Graph) -> Vec<Shape> {
    let mut layer_of: HashMap<ValueId, usize> = HashMap::new();
    let mut out = Vec::new();
    for &input in graph.inputs() {
        layer_of.insert(input, 0);
        let label = format!("{} : {}", graph.value_text(input), graph.ty(input));
        out.push(Shape {
            label: shorten(&label),
            layer: 0,
            inputs: Vec::new(),
            outputs: vec![input],
        });
    }
    for node in graph.nodes(graph.top()) {
        if graph.node(node).is(Prim::Constant) {
            continue;
        }
        let inputs = reached(graph, node);
        let layer = inputs
            .iter()
            .filter_map(|v| layer_of.get(v))
            .max()
            .map_or(1, |l| l + 1);
        let outputs = graph.node(node).outputs().to_vec();
        outputs.iter().for_each(|v| {
            layer_of.insert(*v, layer);
        });
        out.push(Shape {
            label: shorten(graph.node(node).kind.name()),
            layer,
            inputs,
            outputs,
        });
    }
    let results = graph.outputs().to_vec();
    let layer = results
        .iter()
        .filter_map(|v| layer_of.get(v))
        .max()
        .map_or(1, |l| l + 1);
    out.push(Shape {
        label: "return".into(),
        layer,
        inputs: results,
        outputs: Vec::new(),
    });
    out
}

/// The values that a node uses, nested blocks included.
fn reached(graph: &Graph, node: NodeId) -> Vec<ValueId> {
    let mut inputs = graph.node(node).inputs().to_vec();
    let mut pending: Vec<NodeId> = graph
        .node(node)
        .blocks()
        .iter()
        .flat_map(|&b| graph.nodes(b))
        .collect();
    while let Some(inner) = pending.pop() {
        inputs.extend(graph.node(inner).inputs());
        pending.extend(
            graph
                .node(inner)
                .blocks()
                .iter()
                .flat_map(|&b| graph.nodes(b)),
        );
    }
    inputs.sort();
    inputs.dedup();
    inputs
}

fn shorten(label: &str) -> String {
    const MOST: usize = 28;
    if label.chars().count() <= MOST {
        return label.to_string();
    }
    let mut short: String = label.chars().take(MOST - 1).collect();
    short.push('\u{2026}');
    short
}
