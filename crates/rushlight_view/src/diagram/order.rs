//! The lattice of a frame: its parts in layers, with bends where wires pass a layer, ordered so that few wires cross.

use super::nest::Frame;
use std::collections::HashMap;

/// How often layers are put in order, down and up again.
const SWEEPS: usize = 10;

/// What stands in a layer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// A part of the frame.
    Part(usize),
    /// A net on its way further down.
    Bend(usize),
}

/// A piece of a net between neighbouring layers: cells, and where at them, from their left edge.
#[derive(Clone, Copy)]
pub struct Link {
    pub from: usize,
    pub from_x: f64,
    pub to: usize,
    pub to_x: f64,
}

/// Cells in layers.
pub struct Lattice {
    pub cells: Vec<Cell>,
    /// The cells of every layer from left to right.
    pub layers: Vec<Vec<usize>>,
    pub links: Vec<Link>,
    /// The links from above and to below of every cell.
    pub above: Vec<Vec<usize>>,
    pub below: Vec<Vec<usize>>,
    /// The bend of a net in a layer.
    pub bends: HashMap<(usize, usize), usize>,
    /// The layer of every cell.
    pub level: Vec<usize>,
    /// How wide each cell is.
    pub width: Vec<f64>,
}

/// How wide a part is and where its inputs and outputs are, from its left edge.
#[derive(Clone, Default)]
pub struct Ports {
    pub width: f64,
    pub ins: Vec<f64>,
    pub outs: Vec<f64>,
}

impl Lattice {
    /// The lattice of a frame in its first order, that of the program.
    pub fn new(frame: &Frame, layer: &[usize], ports: &[Ports]) -> Lattice {
        let depth = layer.iter().max().map_or(0, |l| l + 1);
        let mut lattice = Lattice {
            cells: Vec::new(),
            layers: vec![Vec::new(); depth],
            links: Vec::new(),
            above: Vec::new(),
            below: Vec::new(),
            bends: HashMap::new(),
            level: Vec::new(),
            width: Vec::new(),
        };
        for (part, &layer) in layer.iter().enumerate() {
            lattice.cell(Cell::Part(part), layer, ports[part].width);
        }
        for (number, net) in frame.nets.iter().enumerate() {
            let first = layer[net.from.0];
            let last = net.to.iter().map(|((to, _), _)| layer[*to]).max();
            let out = ports[net.from.0].outs.get(net.from.1).copied();
            let mut at = (net.from.0, out.unwrap_or(0.0));
            for between in first + 1..last.unwrap_or(0) {
                let bend = lattice.cell(Cell::Bend(number), between, 0.0);
                lattice.bends.insert((number, between), bend);
                lattice.link(at, (bend, 0.0));
                at = (bend, 0.0);
            }
            for ((to, port), _) in &net.to {
                let above = (layer[*to]).saturating_sub(1);
                let from = match lattice.bends.get(&(number, above)) {
                    Some(&bend) => (bend, 0.0),
                    None => (net.from.0, out.unwrap_or(0.0)),
                };
                let x = ports[*to].ins.get(*port).copied().unwrap_or(0.0);
                lattice.link(from, (*to, x));
            }
        }
        lattice
    }

    fn cell(&mut self, cell: Cell, layer: usize, width: f64) -> usize {
        self.cells.push(cell);
        self.width.push(width);
        self.level.push(layer);
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        self.layers[layer].push(self.cells.len() - 1);
        self.cells.len() - 1
    }

    fn link(&mut self, from: (usize, f64), to: (usize, f64)) {
        self.below[from.0].push(self.links.len());
        self.above[to.0].push(self.links.len());
        self.links.push(Link {
            from: from.0,
            from_x: from.1,
            to: to.0,
            to_x: to.1,
        });
    }

    /// Orders the cells of all layers by where what they are joined to stands, and keeps the order with fewest crossings.
    pub fn sort(&mut self) {
        let mut at = vec![0.0; self.cells.len()];
        let mut best = (self.crossings(&mut at), self.layers.clone());
        for sweep in 0..SWEEPS {
            if best.0 == 0 {
                break;
            }
            let down = sweep % 2 == 0;
            for step in 0..self.layers.len() {
                let layer = match down {
                    true => step,
                    false => self.layers.len() - 1 - step,
                };
                self.sort_layer(layer, down, &mut at);
            }
            let crossings = self.crossings(&mut at);
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    fn sort_layer(&mut self, layer: usize, down: bool, at: &mut [f64]) {
        let mut cells = std::mem::take(&mut self.layers[layer]);
        let mut keys: Vec<(f64, usize)> = Vec::with_capacity(cells.len());
        for (i, &cell) in cells.iter().enumerate() {
            let links = if down {
                &self.above[cell]
            } else {
                &self.below[cell]
            };
            let sum: f64 = links
                .iter()
                .map(|l| {
                    let link = &self.links[*l];
                    let (other, x) = match down {
                        true => (link.from, link.from_x),
                        false => (link.to, link.to_x),
                    };
                    at[other] + x / (self.width[other] + 1.0)
                })
                .sum();
            let key = match links.is_empty() {
                true => i as f64,
                false => sum / links.len() as f64,
            };
            keys.push((key, i));
        }
        rushlight::tensor::order::sort_by(&mut keys, |a, b| {
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        cells = keys.iter().map(|(_, i)| cells[*i]).collect();
        for (i, &cell) in cells.iter().enumerate() {
            at[cell] = i as f64;
        }
        self.layers[layer] = cells;
    }

    /// How many links cross; `at` learns the place of every cell in its layer.
    pub fn crossings(&self, at: &mut [f64]) -> u64 {
        for layer in &self.layers {
            for (i, &cell) in layer.iter().enumerate() {
                at[cell] = i as f64;
            }
        }
        let mut total = 0u64;
        for layer in &self.layers {
            let mut ends: Vec<(f64, f64)> = Vec::new();
            for &cell in layer {
                for link in self.below[cell].iter().map(|l| &self.links[*l]) {
                    let place = |cell: usize, x: f64| at[cell] + x / (self.width[cell] + 1.0);
                    ends.push((place(link.from, link.from_x), place(link.to, link.to_x)));
                }
            }
            rushlight::tensor::order::sort_by(&mut ends, |a, b| {
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
            total += inversions(&ends);
        }
        total
    }
}

/// How many pairs are in the wrong order of their second members, where they differ in the first.
fn inversions(ends: &[(f64, f64)]) -> u64 {
    let mut sorted: Vec<f64> = ends.iter().map(|e| e.1).collect();
    rushlight::tensor::order::sort_by(&mut sorted, f64::total_cmp);
    sorted.dedup();
    let mut tree = vec![0u64; sorted.len() + 1];
    let (mut total, mut seen) = (0u64, 0u64);
    for end in ends {
        let rank = sorted.partition_point(|x| x.total_cmp(&end.1).is_lt()) + 1;
        let mut not_right = 0;
        let mut at = rank;
        while at > 0 {
            not_right += tree[at];
            at &= at - 1;
        }
        total += seen - not_right;
        seen += 1;
        at = rank;
        while at < tree.len() {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    total
}
