//! Properties of laid out pictures: boxes do not overlap, lines meet no boxes, the same graph gives the same bytes.

use super::Picture;
use super::layout::{Layout, Rect, lay_out};
use super::model::{BoxKind, Item, Model, Wire};
use super::source::Sources;
use std::path::Path;

fn item(kind: BoxKind, parent: usize, title: &str) -> Item {
    Item {
        kind,
        parent,
        title: title.into(),
        lines: Vec::new(),
        family: "other",
        below: 0,
        ins: 0,
        outs: Vec::new(),
        places: Vec::new(),
        about: String::new(),
    }
}

/// Boxes in frames, joined by chance: every box takes from earlier ones. Frames hold what follows one another.
fn by_chance(seed: u64, boxes: usize, reach: usize) -> Model {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % below.max(1)
    };
    let mut model = Model {
        items: vec![item(BoxKind::Root, 0, "")],
        wires: Vec::new(),
        sources: Sources::default(),
    };
    let mut open = vec![0usize];
    let mut leaves: Vec<usize> = Vec::new();
    for number in 0..boxes {
        match draw(6) {
            0 if open.len() < 6 => {
                let frame = item(BoxKind::Group, open[open.len() - 1], "a frame with a title");
                open.push(model.items.len());
                model.items.push(frame);
            }
            1 if open.len() > 1 => {
                open.pop();
            }
            _ => {}
        }
        let mut leaf = item(
            BoxKind::Node,
            open[open.len() - 1],
            &"title".repeat(1 + draw(4)),
        );
        leaf.lines = (0..draw(4)).map(|i| "line ".repeat(i + 1)).collect();
        leaf.outs = (0..draw(3)).map(|i| "said".repeat(i)).collect();
        let at = model.items.len();
        for _ in 0..draw(4) {
            let Some(&from) = leaves.get(number.saturating_sub(1 + draw(reach))) else {
                continue;
            };
            let outs = model.items[from].outs.len();
            if outs == 0 {
                continue;
            }
            let from = (from, draw(outs));
            let to = (at, leaf.ins);
            leaf.ins += 1;
            match model.wires.iter_mut().find(|w| w.from == from) {
                Some(wire) => wire.to.push(to),
                None => model.wires.push(Wire {
                    from,
                    to: vec![to],
                    name: "value".into(),
                }),
            }
        }
        leaves.push(at);
        model.items.push(leaf);
    }
    model
}

fn overlaps(a: &Rect, b: &Rect) -> bool {
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/// The room that a piece of a line stays in: what is straight is a line, what is curved stays between its ends.
fn pieces(points: &[(f64, f64)]) -> impl Iterator<Item = Rect> + '_ {
    points.windows(2).map(|p| Rect {
        x: p[0].0.min(p[1].0),
        y: p[0].1.min(p[1].1),
        width: (p[0].0 - p[1].0).abs(),
        height: (p[0].1 - p[1].1).abs(),
    })
}

fn holds(model: &Model, layout: &Layout) {
    for (at, item) in model.items.iter().enumerate().skip(1) {
        let (inner, outer) = (&layout.boxes[at], &layout.boxes[item.parent]);
        assert!(
            inner.x >= outer.x
                && inner.y >= outer.y
                && inner.x + inner.width <= outer.x + outer.width
                && inner.y + inner.height <= outer.y + outer.height,
            "{at} leaves {}: {inner:?} {outer:?}",
            item.parent
        );
        for (other, next) in model.items.iter().enumerate().skip(at + 1) {
            let is_beside = next.parent == item.parent;
            assert!(
                !is_beside || !overlaps(inner, &layout.boxes[other]),
                "{at} and {other} overlap: {inner:?} {:?}",
                layout.boxes[other]
            );
        }
    }
    for route in &layout.routes {
        for pair in route.points.windows(2) {
            assert!(pair[0].1 <= pair[1].1, "a line goes up: {:?}", route.points);
        }
        // A line of a frame meets nothing in that frame; what is inside those is then out of reach.
        for (at, item) in model.items.iter().enumerate().skip(1) {
            let rect = &layout.boxes[at];
            let is_met = |piece: Rect| overlaps(&piece, rect);
            assert!(
                item.parent != route.frame || !pieces(&route.points).any(is_met),
                "a line crosses {at}: {rect:?} {:?}",
                route.points
            );
        }
    }
    // Every end is reached by an arrow, from straight above.
    let ends: usize = model.wires.iter().map(|w| w.to.len()).sum();
    let arrows: Vec<_> = layout
        .routes
        .iter()
        .filter_map(|r| Some((r, r.target?)))
        .collect();
    assert_eq!(arrows.len(), ends);
    for (route, (item, _)) in arrows {
        let rect = &layout.boxes[item];
        let (x, y) = route.points[route.points.len() - 1];
        assert!(y == rect.y && x > rect.x && x < rect.x + rect.width);
    }
}

#[test]
fn lines_meet_no_boxes_and_boxes_do_not_overlap() {
    for seed in 0..60 {
        let mut model = by_chance(seed, 10 + seed as usize * 3, 1 + seed as usize);
        let layout = lay_out(&mut model);
        holds(&model, &layout);
    }
}

#[test]
fn wires_that_are_too_long_to_follow_become_words() {
    let mut model = by_chance(7, 0, 1);
    let mut first = item(BoxKind::Node, 0, "first");
    first.outs = vec!["far".into()];
    model.items.push(first);
    for at in 2..60 {
        let mut next = item(BoxKind::Node, 0, "next");
        next.outs = vec![String::new()];
        next.ins = 1;
        model.items.push(next);
        model.wires.push(Wire {
            from: (at - 1, 0),
            to: vec![(at, 0)],
            name: "step".into(),
        });
    }
    model.items[59].ins = 2;
    model.wires[0].name = "far".into();
    model.wires[0].to.push((59, 1));
    let layout = lay_out(&mut model);
    holds(&model, &layout);
    assert_eq!(model.items[59].lines, ["\u{2191} far"]);
    assert_eq!((model.items[59].ins, model.wires[0].to.len()), (1, 1));
}

#[test]
fn deep_and_large_pictures_take_little_time() {
    let mut model = by_chance(1, 0, 1);
    for at in 0..3000 {
        model.items.push(item(BoxKind::Group, at, "deeper"));
    }
    let mut inner = item(BoxKind::Node, 3000, "inner");
    inner.outs = vec!["out".into()];
    model.items.push(inner);
    let mut outer = item(BoxKind::Node, 0, "outer");
    outer.ins = 1;
    model.items.push(outer);
    model.wires.push(Wire {
        from: (3001, 0),
        to: vec![(3002, 0)],
        name: "out".into(),
    });
    let layout = lay_out(&mut model);
    assert_eq!(layout.routes.len(), 3001);
    let mut model = by_chance(5, 5000, 60);
    let start = std::time::Instant::now();
    let layout = lay_out(&mut model);
    assert!(layout.boxes[0].width > 0.0);
    // Seconds even in a build without optimization; quadratic time would be minutes.
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

fn archive(name: &str) -> rushlight::Module {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/archive")
        .join(name);
    rushlight::load(path).unwrap()
}

fn picture(module: &rushlight::Module, method: &str, all: bool) -> Picture {
    let function = module.method(method).unwrap();
    let graph = function.graph().unwrap();
    let graph = rushlight::inlined(&graph, function.unit().as_ref());
    Picture::of(method, &graph, Some(module.object()), &[], all)
}

#[test]
fn graphs_of_archives_are_laid_out_the_same_every_time() {
    let names = [
        "control_flow.pt",
        "recurrent.pt",
        "submodules.pt",
        "traced_module.pt",
        "interfaces.pt",
    ];
    for name in names {
        let module = archive(name);
        for all in [false, true] {
            let first = picture(&module, "forward", all);
            holds(&first.model, &first.layout);
            let again = picture(&archive(name), "forward", all);
            assert_eq!(first.svg(), again.svg(), "{name}");
            assert_eq!(first.html(), again.html(), "{name}");
        }
    }
}

#[test]
fn boxes_say_what_they_use() {
    let module = archive("traced_module.pt");
    let picture = picture(&module, "forward", false);
    let svg = picture.svg();
    for part in [">conv.weight [", "arrowhead", ">return<"] {
        let part = part.replace("arrowhead", "marker-end");
        assert!(svg.contains(&part), "{part}: {svg}");
    }
    assert!(
        !svg.contains(">Constant<") && !svg.contains(">GetAttr<"),
        "{svg}"
    );
    let html = picture.html();
    for outside in ["http:", "https:", "src=", "@import", "url(h"] {
        assert!(!html.contains(outside), "{outside}");
    }
}

/// The titles of the boxes that a wire into a box comes from.
fn sources(model: &Model, title: &str) -> Vec<String> {
    let is_end = |end: &(usize, usize)| model.items[end.0].title == title;
    let wires = model.wires.iter().filter(|w| w.to.iter().any(is_end));
    wires.map(|w| model.items[w.from.0].title.clone()).collect()
}

fn drawn(source: &str) -> Model {
    let script = rushlight::compile(source).unwrap();
    let function = script.functions()[0].function().clone();
    super::model::of(&function.graph().unwrap(), None)
}

#[test]
fn who_uses_a_list_takes_it_from_who_wrote_it_last() {
    let straight =
        "def f(x: int):\n    a = [x]\n    a.append(2)\n    a.insert(0, 3)\n    return a\n";
    let model = drawn(straight);
    assert_eq!(sources(&model, "return"), ["insert"]);
    assert_eq!(sources(&model, "insert"), ["append"]);
    let branch = "def f(x: int):
    a = [x]
    if x > 2:
        a.append(2)
    else:
        a.insert(0, 3)
    return a
";
    let model = drawn(branch);
    assert_eq!(
        sources(&model, "append"),
        ["x", "list"].map(String::from)[1..]
    );
    assert_eq!(sources(&model, "insert"), ["list"]);
    let mut found = sources(&model, "return");
    found.sort();
    assert_eq!(found, ["append", "insert", "list"]);
    let repeat = "def f(x: int):\n    a: List[int] = []\n    for i in range(x):\n        a.append(i)\n    return a\n";
    let mut found = sources(&drawn(repeat), "return");
    found.sort();
    assert_eq!(found, ["append", "list"]);
}
