//! Where cells stand from left to right: as near as they can be to what they are joined to, in the order that is given.
//!
//! The best places of one layer, the others being where they are, are a least-squares problem with distances to keep: it is
//! solved exactly by pooling neighbours that are in one another's way. Sweeps down and up repeat this.

use super::order::{Cell, Lattice};

const SWEEPS: usize = 14;
/// Distances between boxes, between a wire and a box, between wires.
const BOXES: f64 = 26.0;
const BESIDE: f64 = 16.0;
const WIRES: f64 = 12.0;
/// How much a wire wants to be straight between boxes, between a box and a bend, between two bends.
const STRAIGHT: [f64; 3] = [1.0, 3.0, 8.0];

/// The left edge of every cell, and the width of all.
pub fn place(lattice: &Lattice) -> (Vec<f64>, f64) {
    let mut x = vec![0.0; lattice.cells.len()];
    for layer in &lattice.layers {
        let mut at = 0.0;
        for (i, &cell) in layer.iter().enumerate() {
            x[cell] = at;
            if let Some(&next) = layer.get(i + 1) {
                at += distance(lattice, cell, next);
            }
        }
        let last = layer.last().map_or(0.0, |c| at + lattice.width[*c]);
        for &cell in layer {
            x[cell] -= last / 2.0;
        }
    }
    for sweep in 0..SWEEPS {
        let count = lattice.layers.len();
        for step in 0..count {
            let down = sweep % 2 == 0;
            let layer = if down { step } else { count - 1 - step };
            // In the end, both sides count.
            let sides = if sweep + 4 >= SWEEPS {
                (true, true)
            } else {
                (down, !down)
            };
            settle(lattice, layer, sides, &mut x);
        }
    }
    let left = lattice
        .layers
        .iter()
        .flatten()
        .map(|c| x[*c])
        .fold(f64::INFINITY, f64::min);
    let mut width = 0.0f64;
    if left.is_finite() {
        for (cell, x) in x.iter_mut().enumerate() {
            *x = (*x - left).round();
            width = width.max(*x + lattice.width[cell]);
        }
    }
    (x, width)
}

/// How far apart the left edges of neighbours are at least.
fn distance(lattice: &Lattice, a: usize, b: usize) -> f64 {
    let is_bend = |cell: usize| matches!(lattice.cells[cell], Cell::Bend(_));
    let gap = match (is_bend(a), is_bend(b)) {
        (true, true) => WIRES,
        (false, false) => BOXES,
        _ => BESIDE,
    };
    (lattice.width[a] + gap).ceil() + 1.0
}

fn settle(lattice: &Lattice, layer: usize, (above, below): (bool, bool), x: &mut [f64]) {
    let cells = &lattice.layers[layer];
    let bend = |cell: usize| usize::from(matches!(lattice.cells[cell], Cell::Bend(_)));
    // Runs of cells that touch: weight, weighted place, number of cells.
    let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(cells.len());
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(cells.len());
    for (i, &cell) in cells.iter().enumerate() {
        if i > 0 {
            offset += distance(lattice, cells[i - 1], cell);
        }
        offsets.push(offset);
        let (mut weight, mut sum) = (0.05, 0.05 * x[cell]);
        let mut join = |other: usize, wanted: f64| {
            let straight = STRAIGHT[bend(cell) + bend(other)];
            weight += straight;
            sum += straight * wanted;
        };
        if above {
            for link in lattice.above[cell].iter().map(|l| &lattice.links[*l]) {
                join(link.from, x[link.from] + link.from_x - link.to_x);
            }
        }
        if below {
            for link in lattice.below[cell].iter().map(|l| &lattice.links[*l]) {
                join(link.to, x[link.to] + link.to_x - link.from_x);
            }
        }
        pools.push((weight, sum - weight * offset, 1));
        while let [.., a, b] = pools[..]
            && a.1 / a.0 > b.1 / b.0
        {
            pools.truncate(pools.len() - 2);
            pools.push((a.0 + b.0, a.1 + b.1, a.2 + b.2));
        }
    }
    let mut at = 0;
    for (weight, sum, count) in pools {
        for _ in 0..count {
            x[cells[at]] = sum / weight + offsets[at];
            at += 1;
        }
    }
}
