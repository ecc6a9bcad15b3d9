//! Graphs as pictures: data flows from top to bottom, calls of modules and bodies of branches and loops are boxes in boxes.
//!
//! One file per phase: `simplify` leaves out what would hide the rest, `shapes` finds the sizes of
//! tensors, `fold` writes what is said inside a box, `model` makes
//! boxes and wires of a graph (`versions`: whose writes they show; `dissolve`: which boxes go), `nest` says which parts of a
//! wire are inside which box, `layers`, `order` and `positions` arrange what is in one box, `routes` draws its
//! wires, `layout` does this from the inside out, `svg` and `html` write what came out. Everything is in tables and nothing
//! recurses, so that depth costs no stack; the same graph gives the same bytes.

mod dissolve;
mod family;
mod fold;
mod html;
mod layers;
mod layout;
mod model;
mod nest;
mod order;
mod positions;
mod routes;
mod shapes;
mod simplify;
mod source;
mod svg;
#[cfg(test)]
mod tests;
mod versions;

pub use fold::{cut, short};
use rushlight::Value;
use rushlight::ir::Graph;
use rushlight::types::Object;
use simplify::LeftOut;
use std::borrow::Cow;
use std::sync::Arc;
pub use svg::escape;

/// A picture of a graph, laid out.
pub struct Picture {
    name: String,
    left_out: LeftOut,
    model: model::Model,
    layout: layout::Layout,
}

impl Picture {
    /// Lays out the graph of a function. `root` is the object that `self` stands for, where that is known: then attributes
    /// are shown with their sizes. Checks and arms that the module does not take are left out unless `all` is wanted.
    /// Where there are `inputs`, lines show the sizes that follow from theirs.
    pub fn of(
        name: &str,
        graph: &Graph,
        root: Option<&Arc<Object>>,
        inputs: &[Value],
        all: bool,
    ) -> Picture {
        let mut left_out = LeftOut::default();
        let mut drawn = Cow::Borrowed(graph);
        if !all {
            let (simple, left) = simplify::simplified(graph, root);
            (drawn, left_out) = (Cow::Owned(simple), left);
        }
        if !inputs.is_empty() {
            shapes::follow(drawn.to_mut(), root, inputs);
        }
        let mut model = model::of(&drawn, root);
        let layout = layout::lay_out(&mut model);
        Picture {
            name: name.to_string(),
            left_out,
            model,
            layout,
        }
    }

    /// What was left out, in words; `None` where nothing was.
    pub fn left_out(&self) -> Option<String> {
        let counted = |count: usize, what: &str| match count {
            0 => None,
            1 => Some(format!("1 {what}")),
            n => Some(format!("{n} {what}s")),
        };
        let checks = counted(self.left_out.checks, "check");
        let decided = counted(self.left_out.decided, "branch")
            .map(|text| text.replace("branchs", "branches") + " that attributes decide");
        let parts: Vec<String> = checks.into_iter().chain(decided).collect();
        (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")))
    }

    /// As an SVG file.
    pub fn svg(&self) -> String {
        svg::file(&self.name, &self.model, &self.layout)
    }

    /// As a page that needs no other file.
    pub fn html(&self) -> String {
        html::page(&self.name, &self.model, &self.layout)
    }
}
