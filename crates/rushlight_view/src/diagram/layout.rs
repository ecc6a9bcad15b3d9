//! Places for all boxes and lines: frames from the inside out, then everything from the outside in.

use super::model::{BoxKind, End, Item, Model};
use super::nest::{self, Frame, Part};
use super::order::{Lattice, Ports};
use super::positions;
use super::routes::{Placed, Route};
use super::{fold, layers};
use std::collections::{BTreeSet, HashSet};

/// Widths of characters: of titles, of small text, of what stands beside wires.
pub const TITLE: f64 = 7.4;
pub const SMALL: f64 = 6.1;
pub const BESIDE: f64 = 5.5;
/// Heights of lines of text in boxes.
pub const LINE: f64 = 13.0;
pub const FIRST: f64 = 24.0;
/// Room around what is in a frame, and for its title.
const PAD: f64 = 16.0;
const HEAD: f64 = 28.0;
/// Wires that pass more layers than this are cut: their end says where they come from.
const LONGEST: usize = 24;

/// Where a box is.
#[derive(Clone, Copy, Default, Debug)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// Where everything is.
#[derive(Default)]
pub struct Layout {
    pub boxes: Vec<Rect>,
    /// Where the outputs of each box are, from its left edge.
    pub outs: Vec<Vec<f64>>,
    pub routes: Vec<Route>,
}

/// Finds places; wires that would be too long to follow become words in the model.
pub fn lay_out(model: &mut Model) -> Layout {
    let mut frames = nest::frames(model);
    let mut levels: Vec<Vec<usize>> = frames.iter().map(|f| layers::assign(model, f)).collect();
    let far = far_ends(model, &frames, &levels);
    if !far.is_empty() {
        cut(model, &far);
        frames = nest::frames(model);
        levels = frames.iter().map(|f| layers::assign(model, f)).collect();
    }
    let count = model.items.len();
    let mut layout = Layout {
        boxes: vec![Rect::default(); count],
        outs: vec![Vec::new(); count],
        routes: Vec::new(),
    };
    let mut ports: Vec<Ports> = vec![Ports::default(); count];
    let mut inner: Vec<Vec<Route>> = (0..count).map(|_| Vec::new()).collect();
    for at in (0..count).rev() {
        let item = &model.items[at];
        if item.kind.is_frame() {
            inner[at] = frame(at, item, &frames[at], &levels[at], &mut ports, &mut layout);
        } else {
            leaf(at, item, &mut ports[at], &mut layout);
        }
    }
    // From here on places count from the corner of the picture.
    for at in 1..count {
        let around = layout.boxes[model.items[at].parent];
        layout.boxes[at].x += around.x;
        layout.boxes[at].y += around.y;
    }
    for (at, routes) in inner.into_iter().enumerate() {
        let Rect { x, y, .. } = layout.boxes[at];
        layout.routes.extend(routes.into_iter().map(|mut route| {
            for point in &mut route.points {
                *point = (point.0 + x, point.1 + y);
            }
            route
        }));
    }
    layout
}

fn leaf(at: usize, item: &Item, ports: &mut Ports, layout: &mut Layout) {
    let wide = |text: &str, each: f64| text.chars().count() as f64 * each;
    let mut width = (wide(&item.title, TITLE) + 24.0).max(56.0);
    for line in &item.lines {
        width = width.max(wide(line, SMALL) + 20.0);
    }
    width = width.max(12.0 * item.ins as f64 + 8.0);
    let mut outs = Vec::with_capacity(item.outs.len());
    let mut reach = 0.0f64;
    if let [said] = item.outs.as_slice() {
        outs.push((width / 2.0).round());
        reach = width / 2.0 + 8.0 + wide(said, BESIDE);
    } else {
        let total: f64 = item.outs.iter().map(|said| wide(said, BESIDE) + 16.0).sum();
        width = width.max(total);
        let spare = (width - total) / (item.outs.len() as f64 + 1.0);
        let mut x = spare + 6.0;
        for said in &item.outs {
            outs.push(x.round());
            reach = x + 8.0 + wide(said, BESIDE);
            x += wide(said, BESIDE) + 16.0 + spare;
        }
    }
    width = width.round();
    let each = width / (item.ins as f64 + 1.0);
    *ports = Ports {
        width: width.max(reach),
        ins: (1..=item.ins).map(|i| (each * i as f64).round()).collect(),
        outs: outs.clone(),
    };
    layout.boxes[at] = Rect {
        width,
        height: FIRST
            + LINE * item.lines.len() as f64
            + if item.lines.is_empty() { 0.0 } else { 4.0 },
        ..Rect::default()
    };
    layout.outs[at] = outs;
}

/// Lays out what is in a frame, and so the frame itself: its lines, places counting from its corner.
fn frame(
    at: usize,
    item: &Item,
    frame: &Frame,
    layer: &[usize],
    ports: &mut [Ports],
    layout: &mut Layout,
) -> Vec<Route> {
    let is_root = item.kind == BoxKind::Root;
    let own: Vec<Ports> = frame
        .parts
        .iter()
        .map(|part| match part {
            Part::Item(item) => ports[*item].clone(),
            Part::In(_) | Part::Out(_) => Ports {
                width: 0.0,
                ins: vec![0.0],
                outs: vec![0.0],
            },
        })
        .collect();
    let height = frame.parts.iter().map(|part| match part {
        Part::Item(item) => layout.boxes[*item].height,
        Part::In(_) | Part::Out(_) => 0.0,
    });
    let mut lattice = Lattice::new(frame, layer, &own);
    lattice.sort();
    let (mut x, wide) = positions::place(&lattice);
    let head = if is_root {
        PAD
    } else {
        item.title.chars().count() as f64 * TITLE + 28.0
    };
    let width = (wide + 2.0 * PAD)
        .max(head)
        .max(if is_root { 0.0 } else { 80.0 })
        .ceil();
    let shift = ((width - wide) / 2.0).round();
    x.iter_mut().for_each(|x| *x += shift);
    let says: Vec<bool> = frame
        .parts
        .iter()
        .map(|part| matches!(part, Part::Item(item) if layout.says(*item)))
        .collect();
    let drawn = Placed {
        number: at,
        frame,
        layer,
        lattice: &lattice,
        ports: &own,
        x: &x,
        height: &height.collect::<Vec<_>>(),
        says: &says,
        title: if is_root { PAD } else { HEAD },
    }
    .draw();
    for (part, level) in frame.parts.iter().zip(layer).enumerate() {
        if let (Part::Item(item), level) = level {
            layout.boxes[*item].x = x[part];
            layout.boxes[*item].y = drawn.top[*level];
        }
    }
    layout.boxes[at] = Rect {
        x: 0.0,
        y: 0.0,
        width,
        height: drawn.height.ceil(),
    };
    ports[at] = Ports {
        width,
        ins: frame.ins.iter().map(|part| x[*part]).collect(),
        outs: frame.outs.iter().map(|part| x[*part]).collect(),
    };
    drawn.routes
}

impl Layout {
    /// Whether a box has words beside its wires: known for all that are not frames. Frames say nothing.
    fn says(&self, item: usize) -> bool {
        !self.outs[item].is_empty()
    }
}

/// The ends of wires that are too far from where the wire comes from, in any frame that it passes.
fn far_ends(model: &Model, frames: &[Frame], levels: &[Vec<usize>]) -> HashSet<(usize, End)> {
    let mut far = HashSet::new();
    let mut far_frames = HashSet::new();
    for (frame, level) in frames.iter().zip(levels) {
        for net in &frame.nets {
            for ((to, _), end) in &net.to {
                if level[*to] <= level[net.from.0] + LONGEST {
                    continue;
                }
                match (end, frame.parts[*to]) {
                    (Some(end), _) => far.insert((net.wire, *end)),
                    (None, Part::Item(inner)) => far_frames.insert((net.wire, inner)),
                    (None, _) => continue,
                };
            }
        }
    }
    let wires: BTreeSet<usize> = far_frames.iter().map(|(wire, _)| *wire).collect();
    for wire in wires {
        for &end in &model.wires[wire].to {
            let mut at = end.0;
            while at != 0 && !far_frames.contains(&(wire, at)) {
                at = model.items[at].parent;
            }
            if at != 0 {
                far.insert((wire, end));
            }
        }
    }
    far
}

/// Takes ends off wires, and says in the boxes what came in there.
fn cut(model: &mut Model, far: &HashSet<(usize, End)>) {
    let mut kept: Vec<Vec<(usize, usize, usize)>> = vec![Vec::new(); model.items.len()];
    for (number, wire) in model.wires.iter_mut().enumerate() {
        let line = format!("\u{2191} {}", fold::cut(&wire.name, 24));
        wire.to.retain(|end| {
            let stays = !far.contains(&(number, *end));
            let lines = &mut model.items[end.0].lines;
            if !stays && !lines.contains(&line) {
                lines.push(line.clone());
            }
            stays
        });
        for (place, end) in wire.to.iter().enumerate() {
            kept[end.0].push((end.1, number, place));
        }
    }
    for (item, mut ends) in kept.into_iter().enumerate() {
        rushlight::tensor::order::sort(&mut ends);
        model.items[item].ins = ends.len();
        for (new, (_, wire, place)) in ends.into_iter().enumerate() {
            model.wires[wire].to[place].1 = new;
        }
    }
}
