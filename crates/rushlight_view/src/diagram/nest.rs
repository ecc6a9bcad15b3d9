//! Which parts of a wire are in which frame: a wire comes into a frame by a port at its top and leaves it by one at its
//! bottom, so that every part runs between things of one frame.

use super::model::{End, Model};

/// Something that has a place in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// A box.
    Item(usize),
    /// Where a wire comes in.
    In(usize),
    /// Where a wire leaves.
    Out(usize),
}

/// A wire inside a frame: places among the parts of the frame, and which input or output of them.
pub struct Net {
    pub wire: usize,
    pub from: End,
    pub to: Vec<(End, Option<End>)>,
}

/// What is in a frame.
#[derive(Default)]
pub struct Frame {
    pub parts: Vec<Part>,
    pub nets: Vec<Net>,
    /// The parts where wires come in and leave, in the order of the ports that the frame shows to what is around it.
    pub ins: Vec<usize>,
    pub outs: Vec<usize>,
}

/// The frames of a model, by item; those of boxes without others inside are empty.
pub fn frames(model: &Model) -> Vec<Frame> {
    let mut frames: Vec<Frame> = model.items.iter().map(|_| Frame::default()).collect();
    let mut depth = vec![0usize; model.items.len()];
    let mut place = vec![0usize; model.items.len()];
    for (at, item) in model.items.iter().enumerate().skip(1) {
        depth[at] = depth[item.parent] + 1;
        let parts = &mut frames[item.parent].parts;
        place[at] = parts.len();
        parts.push(Part::Item(at));
    }
    let mut nesting = Nesting {
        model,
        frames,
        depth,
        place,
        open: Vec::new(),
        above: Vec::new(),
        wire: 0,
    };
    for wire in 0..model.wires.len() {
        nesting.add(wire);
    }
    nesting.frames
}

struct Nesting<'m> {
    model: &'m Model,
    frames: Vec<Frame>,
    depth: Vec<usize>,
    /// The place of every item among the parts of its frame.
    place: Vec<usize>,
    /// The nets of the wire so far: frame and number of the net.
    open: Vec<(usize, usize)>,
    /// What is around the source of the wire, by depth, and the source itself.
    above: Vec<usize>,
    wire: usize,
}

impl Nesting<'_> {
    fn add(&mut self, wire: usize) {
        self.wire = wire;
        self.open.clear();
        let source = &self.model.wires[wire];
        self.above = vec![0; self.depth[source.from.0] + 1];
        let mut at = source.from.0;
        for slot in self.above.iter_mut().rev() {
            *slot = at;
            at = self.model.items[at].parent;
        }
        for &end in &source.to {
            let mut frame = self.model.items[end.0].parent;
            let mut target = (self.place[end.0], end.1);
            let mut last = Some(end);
            loop {
                let (net, is_new) = self.net(frame);
                self.frames[frame].nets[net].to.push((target, last));
                if !is_new || self.holds(frame) {
                    break;
                }
                target = (self.place[frame], self.frames[frame].ins.len() - 1);
                last = None;
                frame = self.model.items[frame].parent;
            }
        }
    }

    /// Whether the source of the wire is in a frame.
    fn holds(&self, frame: usize) -> bool {
        self.above.get(self.depth[frame]) == Some(&frame)
    }

    /// The net of the wire in a frame, and whether it is new.
    fn net(&mut self, frame: usize) -> (usize, bool) {
        if let Some((_, net)) = self.open.iter().find(|(f, _)| *f == frame) {
            return (*net, false);
        }
        let from = if self.holds(frame) {
            self.leave(frame)
        } else {
            let inside = &mut self.frames[frame];
            inside.parts.push(Part::In(self.wire));
            inside.ins.push(inside.parts.len() - 1);
            (inside.parts.len() - 1, 0)
        };
        (self.start(frame, from), true)
    }

    fn start(&mut self, frame: usize, from: End) -> usize {
        let nets = &mut self.frames[frame].nets;
        nets.push(Net {
            wire: self.wire,
            from,
            to: Vec::new(),
        });
        self.open.push((frame, nets.len() - 1));
        nets.len() - 1
    }

    /// Leads the wire out of the frames around its source that are inside `frame`: the part of `frame` that it comes from.
    fn leave(&mut self, frame: usize) -> End {
        let (source, port) = self.model.wires[self.wire].from;
        let mut from = (self.place[source], port);
        for depth in (self.depth[frame] + 1..self.depth[source]).rev() {
            let inner = self.above[depth];
            let known = self.open.iter().find(|(f, _)| *f == inner).map(|(_, n)| *n);
            let net = match known {
                Some(net) => net,
                None => self.start(inner, from),
            };
            let wire = self.wire;
            let inside = &mut self.frames[inner];
            let found = inside
                .outs
                .iter()
                .position(|p| inside.parts[*p] == Part::Out(wire));
            let out = match found {
                Some(out) => out,
                None => {
                    inside.parts.push(Part::Out(wire));
                    let part = inside.parts.len() - 1;
                    inside.outs.push(part);
                    inside.nets[net].to.push(((part, 0), None));
                    inside.outs.len() - 1
                }
            };
            from = (self.place[inner], out);
        }
        from
    }
}
