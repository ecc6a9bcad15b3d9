//! Boxes and wires of a graph.
//!
//! A box is a node, a parameter or result, or a frame around others: the call of a module, a branch, the body of a loop.
//! Wires go from a box without others inside to such boxes; `nest` finds which frames they pass.

use super::dissolve::dissolve;
use super::family::family;
use super::fold::{Folds, cut, type_text};
use super::source::{Place, Sources};
use super::versions::{Moment, Versions};
use rushlight::Value;
use rushlight::ir::{BlockId, CallSite, Graph, Node, NodeId, Prim, ValueId};
use rushlight::types::Object;
use std::collections::HashMap;
use std::sync::Arc;

/// What a box is, which decides how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoxKind {
    /// The picture.
    Root,
    /// The call of a module or function.
    Group,
    /// An `if` or a loop.
    Control,
    /// One arm of an `if`.
    Arm,
    /// An operator or another node.
    Node,
    /// A parameter or a result.
    Pill,
}

/// A box.
pub struct Item {
    pub kind: BoxKind,
    /// The frame it is in; frames come before what is in them. The root is in itself.
    pub parent: usize,
    pub title: String,
    /// Small text below the title.
    pub lines: Vec<String>,
    /// A word for the colour.
    pub family: &'static str,
    /// How many layers it stands below the first one of its frame, at least.
    pub below: usize,
    /// How many wires come in.
    pub ins: usize,
    /// What is said beside each wire that goes out.
    pub outs: Vec<String>,
    pub places: Vec<Place>,
    /// More about it, for who asks.
    pub about: String,
}

/// One end of a wire: a box, and which of its inputs or outputs.
pub type End = (usize, usize);

/// A value on its way to who uses it.
pub struct Wire {
    pub from: End,
    pub to: Vec<End>,
    /// What the value is called.
    pub name: String,
}

/// A graph as boxes and wires.
#[derive(Default)]
pub struct Model {
    pub items: Vec<Item>,
    pub wires: Vec<Wire>,
    pub sources: Sources,
}

impl BoxKind {
    /// Whether others are inside.
    pub fn is_frame(self) -> bool {
        matches!(
            self,
            BoxKind::Root | BoxKind::Group | BoxKind::Control | BoxKind::Arm
        )
    }
}

/// A call around a node.
#[derive(Clone, PartialEq)]
enum Around {
    Site(*const CallSite),
    Scope(String),
}

/// A block that is still to be gone through: where its boxes go, and how many calls are around that frame.
struct Pending {
    block: BlockId,
    frame: usize,
    depth: usize,
}

struct Builder<'g> {
    graph: &'g Graph,
    folds: Folds,
    items: Vec<Item>,
    sources: Sources,
    made: HashMap<ValueId, End>,
    uses: Vec<(ValueId, End, Moment)>,
    versions: Versions,
    /// Where a value comes from behind who wrote it.
    wrote: HashMap<(NodeId, ValueId), End>,
}

/// The boxes and wires of a graph; `root` is what `self` stands for.
pub fn of(graph: &Graph, root: Option<&Arc<Object>>) -> Model {
    let mut builder = Builder {
        graph,
        folds: Folds::of(graph, root),
        items: Vec::new(),
        sources: Sources::default(),
        made: HashMap::new(),
        uses: Vec::new(),
        versions: Versions::of(graph),
        wrote: HashMap::new(),
    };
    builder.add(BoxKind::Root, 0, String::new());
    for &input in graph.inputs() {
        if builder.folds.get(input).is_none() {
            builder.parameter(input, 0, None);
        }
    }
    let mut pending = vec![Pending {
        block: graph.top(),
        frame: 0,
        depth: 0,
    }];
    while let Some(next) = pending.pop() {
        builder.block(next, &mut pending);
    }
    let returned = builder.add(BoxKind::Pill, 0, "return".into());
    builder.items[returned].family = "result";
    let end = builder.versions.behind(graph.top());
    for &output in graph.outputs() {
        builder.takes(returned, output, "", end);
    }
    builder.finish()
}

impl Builder<'_> {
    fn add(&mut self, kind: BoxKind, parent: usize, title: String) -> usize {
        self.items.push(Item {
            kind,
            parent,
            title: cut(&title, 48),
            lines: Vec::new(),
            family: "",
            below: 0,
            ins: 0,
            outs: Vec::new(),
            places: Vec::new(),
            about: String::new(),
        });
        self.items.len() - 1
    }

    fn name(&self, value: ValueId) -> String {
        let data = self.graph.value(value);
        match (&data.name, data.number()) {
            (Some(name), _) => name.to_string(),
            (None, Some(number)) => number.to_string(),
            (None, None) => String::new(),
        }
    }

    /// What stands beside a wire: what the program calls the value, and its type unless it is any tensor.
    fn beside(&self, value: ValueId) -> String {
        let ty = type_text(self.graph.ty(value));
        match (self.graph.value(value).base_name(), ty.as_str()) {
            (Some(name), "Tensor") => cut(name, 24),
            (Some(name), ty) => cut(&format!("{name}: {ty}"), 36),
            (None, "Tensor") => String::new(),
            (None, ty) => ty.to_string(),
        }
    }

    /// A box for a value that comes from outside.
    fn parameter(&mut self, value: ValueId, frame: usize, title: Option<&str>) -> usize {
        let name = self.graph.value(value).base_name();
        let name = name.map_or_else(|| self.name(value), str::to_string);
        let pill = self.add(BoxKind::Pill, frame, title.map_or(name, str::to_string));
        self.items[pill].family = "input";
        let ty = type_text(self.graph.ty(value));
        if ty != "Tensor" || title.is_none() {
            self.items[pill].lines.push(ty);
        }
        self.items[pill].outs.push(String::new());
        self.made.insert(value, (pill, 0));
        pill
    }

    /// An input of a box: a wire, or for what has no box a line of small text.
    fn takes(&mut self, item: usize, value: ValueId, what: &str, when: Moment) {
        match self.folds.get(value) {
            Some(folded) => {
                let text = format!("{what}{}", folded.text);
                self.items[item].lines.push(text);
            }
            None => self.wire(item, value, when),
        }
    }

    fn wire(&mut self, item: usize, value: ValueId, when: Moment) {
        let at = self.items[item].ins;
        self.items[item].ins += 1;
        self.uses.push((value, (item, at), when));
    }

    /// The calls around a node, outermost first.
    fn around(node: &Node) -> Vec<(Around, Option<Arc<CallSite>>)> {
        let mut out = Vec::new();
        let mut site = node.call_site.as_ref();
        while let Some(call) = site {
            out.push((Around::Site(Arc::as_ptr(call)), Some(call.clone())));
            site = call.caller.as_ref();
        }
        out.reverse();
        let scope = node
            .scope
            .as_deref()
            .filter(|s| out.is_empty() && !s.is_empty());
        let parts = scope.iter().flat_map(|scope| scope.split('/'));
        out.extend(parts.map(|part| (Around::Scope(part.to_string()), None)));
        out
    }

    fn block(&mut self, at: Pending, pending: &mut Vec<Pending>) {
        let mut open: Vec<(Around, usize)> = Vec::new();
        for id in self.graph.nodes(at.block) {
            let node = self.graph.node(id);
            let is_folded = !node.outputs().is_empty()
                && node.outputs().iter().all(|v| self.folds.get(*v).is_some());
            if is_folded {
                continue;
            }
            let around = Self::around(node);
            let inner = around.get(at.depth..).unwrap_or(&[]);
            let same = open
                .iter()
                .zip(inner)
                .take_while(|(a, b)| a.0 == b.0)
                .count();
            open.truncate(same);
            for (key, site) in &inner[same..] {
                let parent = open.last().map_or(at.frame, |(_, item)| *item);
                let group = self.group(parent, key, site.as_deref());
                open.push((key.clone(), group));
            }
            let frame = open.last().map_or(at.frame, |(_, item)| *item);
            let depth = around.len().max(at.depth);
            self.node(id, frame, depth, pending);
        }
    }

    fn group(&mut self, parent: usize, key: &Around, site: Option<&CallSite>) -> usize {
        let title = match (site, key) {
            (Some(site), _) => call_title(site),
            (None, Around::Scope(scope)) => scope.clone(),
            (None, Around::Site(_)) => String::new(),
        };
        let group = self.add(BoxKind::Group, parent, title);
        if let Some(place) = site
            .and_then(|s| s.span.as_ref())
            .and_then(|s| self.sources.place(s))
        {
            self.items[group].places.push(place);
        }
        group
    }

    fn node(&mut self, id: NodeId, frame: usize, depth: usize, pending: &mut Vec<Pending>) {
        let node = self.graph.node(id);
        if node.is(Prim::If) {
            return self.branch(id, frame, depth, pending);
        }
        if node.is(Prim::Loop) {
            return self.repeat(id, frame, depth, pending);
        }
        let (title, lines) = self.folds.label(self.graph, node);
        let inside = !node.blocks().is_empty();
        let kind = if inside {
            BoxKind::Control
        } else {
            BoxKind::Node
        };
        let mut item = self.add(kind, frame, title.clone());
        let places = self.sources.places(node);
        for &block in node.blocks() {
            pending.push(Pending {
                block,
                frame: item,
                depth,
            });
            for &param in self.graph.params(block) {
                self.parameter(param, item, None);
            }
        }
        if inside {
            item = self.add(BoxKind::Node, frame, title);
        }
        let names: Vec<String> = node.outputs().iter().map(|v| self.name(*v)).collect();
        let about = match node.operator() {
            Some(op) => op.schema().to_string(),
            None => node.kind.name().to_string(),
        };
        let outs: Vec<String> = node.outputs().iter().map(|v| self.beside(*v)).collect();
        let box_ = &mut self.items[item];
        box_.lines = lines.iter().map(|l| cut(l, 44)).collect();
        let more = box_.lines.len().saturating_sub(5);
        if more > 0 {
            box_.lines.truncate(4);
            box_.lines.push(format!("and {} more", more + 1));
        }
        box_.family = family(node);
        box_.places = places;
        box_.about = match names.is_empty() {
            true => about,
            false => format!("%{}\n{about}", names.join(", %")),
        };
        box_.outs = outs;
        let now = self.versions.at(self.graph, id);
        for &input in node.inputs() {
            if self.folds.get(input).is_some() {
                continue;
            }
            self.wire(item, input, now);
            if self.versions.writes(id, input) {
                let outs = &mut self.items[item].outs;
                if outs.is_empty() {
                    outs.push(String::new());
                }
                self.wrote.insert((id, input), (item, 0));
            }
        }
        for (i, &output) in node.outputs().iter().enumerate() {
            self.made.insert(output, (item, i));
        }
    }

    fn branch(&mut self, id: NodeId, frame: usize, depth: usize, pending: &mut Vec<Pending>) {
        let node = self.graph.node(id);
        let control = self.add(BoxKind::Control, frame, "if".into());
        let places = self.sources.places(node);
        self.items[control].places = places.clone();
        let now = self.versions.at(self.graph, id);
        let condition = self.add(BoxKind::Pill, control, "condition".into());
        self.items[condition].family = "control";
        self.items[condition].places = places;
        if let Some(&input) = node.inputs().first() {
            self.takes(condition, input, "", now);
        }
        for (&block, title) in node.blocks().iter().zip(["then", "else"]) {
            let arm = self.add(BoxKind::Arm, control, title.into());
            self.items[arm].below = 1;
            pending.push(Pending {
                block,
                frame: arm,
                depth,
            });
        }
        for (i, &output) in node.outputs().iter().enumerate() {
            let title = self.graph.value(output).base_name().unwrap_or("either");
            let join = self.add(BoxKind::Pill, control, title.to_string());
            self.items[join].family = "control";
            self.items[join].below = 2;
            self.items[join].outs = vec![self.beside(output)];
            self.made.insert(output, (join, 0));
            for (&block, what) in node.blocks().iter().zip(["then ", "else "]) {
                if let Some(&result) = self.graph.returns(block).get(i) {
                    let end = self.versions.behind(block);
                    self.takes(join, result, what, end);
                }
            }
        }
    }

    fn repeat(&mut self, id: NodeId, frame: usize, depth: usize, pending: &mut Vec<Pending>) {
        let node = self.graph.node(id);
        let control = self.add(BoxKind::Control, frame, "loop".into());
        let places = self.sources.places(node);
        self.items[control].places = places;
        let Some(&block) = node.blocks().first() else {
            return;
        };
        let now = self.versions.at(self.graph, id);
        let end = self.versions.behind(block);
        let (params, results) = (self.graph.params(block), self.graph.returns(block));
        if let Some(&number) = params.first() {
            let pill = self.parameter(number, control, Some("iteration"));
            for (&input, what) in node.inputs().iter().zip(["at most ", "if "]) {
                let usual = match self.graph.constant(input) {
                    Some(Value::Int(most)) => most == i64::MAX,
                    Some(Value::Bool(start)) => start,
                    _ => false,
                };
                if !usual {
                    self.takes(pill, input, what, now);
                }
            }
        }
        for (&param, &start) in params.iter().skip(1).zip(node.inputs().iter().skip(2)) {
            let pill = self.parameter(param, control, None);
            self.takes(pill, start, "from ", now);
        }
        pending.push(Pending {
            block,
            frame: control,
            depth,
        });
        for (i, &result) in results.iter().enumerate() {
            let is_condition = i == 0;
            if is_condition && matches!(self.graph.constant(result), Some(Value::Bool(true))) {
                continue;
            }
            let output = i
                .checked_sub(1)
                .and_then(|i| node.outputs().get(i))
                .copied();
            let title = match output {
                None => "again while".to_string(),
                Some(_) => {
                    let name = params.get(i).and_then(|v| self.graph.value(*v).base_name());
                    format!("next {}", name.unwrap_or("value"))
                }
            };
            let pill = self.add(BoxKind::Pill, control, title);
            self.items[pill].family = "control";
            self.takes(pill, result, "", end);
            if let Some(output) = output {
                self.items[pill].outs = vec![self.beside(output)];
                self.made.insert(output, (pill, 0));
            }
        }
    }

    fn finish(self) -> Model {
        let mut items = self.items;
        let mut wires: Vec<Wire> = Vec::new();
        let mut by_end: HashMap<End, usize> = HashMap::new();
        for (value, to, when) in &self.uses {
            let (writers, is_as_made) = self.versions.before(self.graph, *value, *when);
            let written = writers.iter().map(|w| self.wrote.get(&(*w, *value)));
            let made = is_as_made.then(|| self.made.get(value));
            for &from in written.chain(made).flatten() {
                let at = *by_end.entry(from).or_insert_with(|| {
                    let name = self.graph.value(*value).name.as_deref();
                    wires.push(Wire {
                        from,
                        to: Vec::new(),
                        name: name.map_or_else(|| items[from.0].title.clone(), str::to_string),
                    });
                    wires.len() - 1
                });
                if !wires[at].to.contains(to) {
                    wires[at].to.push(*to);
                }
            }
        }
        // What nobody uses needs no word.
        for (i, item) in items.iter_mut().enumerate() {
            for (k, out) in item.outs.iter_mut().enumerate() {
                if !by_end.contains_key(&(i, k)) {
                    out.clear();
                }
            }
        }
        let mut model = Model {
            items,
            wires,
            sources: self.sources,
        };
        dissolve(&mut model);
        model
    }
}

/// What a call is called: `layer1.0 : BasicBlock`, `helper()`.
fn call_title(site: &CallSite) -> String {
    let function = site.function.rsplit('.').next().unwrap_or("");
    let mut parts = site.module.split("::").skip(1).peekable();
    if parts.peek().is_none() {
        return format!("{function}()");
    }
    let mut path = Vec::new();
    let mut class = "";
    for part in parts {
        let (name, rest) = part.split_once('(').unwrap_or((part, ""));
        path.push(name);
        class = rest.trim_end_matches(')');
    }
    if function != "forward" {
        path.push(function);
    }
    match class {
        "" => path.join("."),
        class => format!("{} : {class}", path.join(".")),
    }
}
