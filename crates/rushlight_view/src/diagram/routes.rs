//! The lines of a frame: down through the layers where a place is kept for them, and across between layers, where no box is.

use super::model::End;
use super::nest::Frame;
use super::order::{Cell, Lattice, Ports};

/// Room above and below what crosses from place to place.
const LEAVE: f64 = 6.0;
const ARRIVE: f64 = 12.0;
/// Room for what is said beside a wire.
const SAID: f64 = 16.0;
/// The least and the most room for crossing, and how much of the longest way across it is.
const ACROSS: (f64, f64, f64) = (14.0, 120.0, 0.12);

/// A line: straight down between points that are above one another, curved between others.
#[derive(Clone, Debug)]
pub struct Route {
    pub frame: usize,
    pub wire: usize,
    pub points: Vec<(f64, f64)>,
    /// The box where it ends, unless it goes on elsewhere.
    pub target: Option<End>,
}

/// Heights of the layers of a frame, and its lines.
pub struct Drawn {
    /// Where each layer begins.
    pub top: Vec<f64>,
    pub height: f64,
    pub routes: Vec<Route>,
}

/// What a frame consists of when its cells have places.
pub struct Placed<'a> {
    pub number: usize,
    pub frame: &'a Frame,
    pub layer: &'a [usize],
    pub lattice: &'a Lattice,
    pub ports: &'a [Ports],
    pub x: &'a [f64],
    /// Heights of the parts.
    pub height: &'a [f64],
    /// Which parts say something beside their wires.
    pub says: &'a [bool],
    /// Room for the title.
    pub title: f64,
}

impl Placed<'_> {
    /// Gives layers their heights and draws the lines.
    pub fn draw(&self) -> Drawn {
        let count = self.lattice.layers.len();
        let mut across = vec![0.0f64; count + 1];
        for link in &self.lattice.links {
            let way = self.x[link.from] + link.from_x - self.x[link.to] - link.to_x;
            let below = self.lattice.level[link.from];
            across[below] = across[below].max(way.abs());
        }
        let (mut top, mut bottom, mut leave) = (Vec::new(), Vec::new(), Vec::new());
        let has_ins = !self.frame.ins.is_empty();
        let mut y = if has_ins { 0.0 } else { self.title };
        for (number, layer) in self.lattice.layers.iter().enumerate() {
            let parts = layer.iter().filter_map(|c| match self.lattice.cells[*c] {
                Cell::Part(part) => Some(part),
                Cell::Bend(_) => None,
            });
            let (mut height, mut says) = (0.0f64, false);
            for part in parts {
                height = height.max(self.height[part]);
                says |= self.says[part];
            }
            top.push(y);
            bottom.push(y + height);
            let mut stub = if says { SAID } else { LEAVE };
            if number == 0 && has_ins {
                stub = self.title;
            }
            leave.push(y + height + stub);
            let (least, most, share) = ACROSS;
            let room = match across[number] < 0.5 {
                true => 4.0,
                false => (least + share * across[number]).min(most),
            };
            y += (height + stub + room + ARRIVE).ceil();
        }
        let last = bottom.last().copied().unwrap_or(self.title);
        let height = match self.frame.outs.is_empty() {
            true => last + ARRIVE,
            false => last,
        };
        let routes = self.routes(&top, &bottom, &leave);
        Drawn {
            top,
            height,
            routes,
        }
    }

    fn routes(&self, top: &[f64], bottom: &[f64], leave: &[f64]) -> Vec<Route> {
        let mut routes = Vec::new();
        for (number, net) in self.frame.nets.iter().enumerate() {
            let (source, port) = net.from;
            let first = self.layer[source];
            let out = self.ports[source].outs.get(port).copied().unwrap_or(0.0);
            let start = self.x[source] + out;
            let mut targets: Vec<_> = net.to.iter().collect();
            // The farthest first: others branch off its line.
            rushlight::tensor::order::sort_by_key(&mut targets, |((to, port), _)| {
                (std::cmp::Reverse(self.layer[*to]), *to, *port)
            });
            for (i, ((to, port), target)) in targets.into_iter().enumerate() {
                let last = self.layer[*to];
                let bend = |layer: usize| {
                    let found = self.lattice.bends.get(&(number, layer));
                    found.map(|bend| self.x[*bend])
                };
                let mut points = Vec::new();
                let mut from = first;
                match bend(last.saturating_sub(1)).filter(|_| i > 0) {
                    Some(x) => {
                        from = last - 1;
                        points.push((x, bottom[from]));
                        points.push((x, leave[from]));
                    }
                    None => {
                        points.push((start, top[first] + self.height[source]));
                        points.push((start, leave[first]));
                    }
                }
                for layer in from + 1..last {
                    let x = bend(layer).unwrap_or(start);
                    points.push((x, top[layer] - ARRIVE));
                    points.push((x, leave[layer]));
                }
                let end = self.x[*to] + self.ports[*to].ins.get(*port).copied().unwrap_or(0.0);
                points.push((end, top[last] - ARRIVE));
                points.push((end, top[last]));
                routes.push(Route {
                    frame: self.number,
                    wire: net.wire,
                    points,
                    target: *target,
                });
            }
        }
        routes
    }
}
