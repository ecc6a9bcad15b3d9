//! Frames that say too little to be drawn.

use super::model::{BoxKind, Model};

/// Takes away frames of calls with one box inside or none: the box says what the frame said. Arms with nothing inside go,
/// too.
pub fn dissolve(model: &mut Model) {
    let mut count = vec![0usize; model.items.len()];
    let mut only = vec![0usize; model.items.len()];
    let mut gone = vec![false; model.items.len()];
    for at in (1..model.items.len()).rev() {
        let parent = model.items[at].parent;
        let goes = match model.items[at].kind {
            BoxKind::Group => count[at] <= 1,
            BoxKind::Arm => count[at] == 0,
            _ => false,
        };
        if goes {
            gone[at] = true;
            if count[at] == 1 {
                let (title, inner) = (model.items[at].title.clone(), only[at]);
                count[parent] += 1;
                only[parent] = inner;
                let inner = &mut model.items[inner];
                inner.parent = parent;
                let is_plain = inner.kind == BoxKind::Node;
                let module = title.split(" : ").next().unwrap_or("");
                let said = inner.lines.iter().any(|l| l.contains(module)) || title.ends_with(')');
                if is_plain && !said {
                    inner.lines.insert(0, title);
                }
            }
        } else {
            count[parent] += 1;
            only[parent] = at;
        }
    }
    let mut new = vec![0usize; model.items.len()];
    let mut kept = 0;
    for (at, is_gone) in gone.iter().enumerate() {
        new[at] = kept;
        kept += usize::from(!is_gone);
    }
    let mut at = 0;
    model.items.retain(|_| {
        at += 1;
        !gone[at - 1]
    });
    for item in &mut model.items {
        item.parent = new[item.parent];
    }
    for wire in &mut model.wires {
        wire.from.0 = new[wire.from.0];
        for end in &mut wire.to {
            end.0 = new[end.0];
        }
    }
}
