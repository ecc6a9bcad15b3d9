//! Which layer everything in a frame is in: below all that it takes, and no higher than it needs to be.

use super::model::Model;
use super::nest::{Frame, Part};
use std::collections::BTreeSet;

/// The layer of every part. Wires that come in are in layer 0, those that leave in the last; every net goes down.
/// Arms of a branch stand below its condition, results below the arms.
pub fn assign(model: &Model, frame: &Frame) -> Vec<usize> {
    let count = frame.parts.len();
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut missing = vec![0usize; count];
    for net in &frame.nets {
        for ((to, _), _) in &net.to {
            next[net.from.0].push(*to);
            missing[*to] += 1;
        }
    }
    let lowest = usize::from(!frame.ins.is_empty());
    let mut layer = vec![lowest; count];
    for &port in &frame.ins {
        layer[port] = 0;
    }
    for (part, slot) in frame.parts.iter().zip(&mut layer) {
        if let Part::Item(item) = part {
            *slot += model.items[*item].below;
        }
    }
    let mut ready: Vec<usize> = (0..count).filter(|p| missing[*p] == 0).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(part) = ready.pop() {
        order.push(part);
        for &to in &next[part] {
            layer[to] = layer[to].max(layer[part] + 1);
            missing[to] -= 1;
            if missing[to] == 0 {
                ready.push(to);
            }
        }
    }
    // Whatever takes nothing stands right above its first user.
    let mut takes = vec![false; count];
    for net in &frame.nets {
        net.to.iter().for_each(|((to, _), _)| takes[*to] = true);
    }
    for &part in order.iter().rev() {
        let is_free = match frame.parts[part] {
            Part::Item(item) => model.items[item].below == 0,
            _ => false,
        };
        if is_free && !takes[part] {
            let first = next[part].iter().map(|to| layer[*to]).min();
            layer[part] = first.map_or(layer[part], |l| l.saturating_sub(1).max(lowest));
        }
    }
    let items = (0..count).filter(|p| !matches!(frame.parts[*p], Part::Out(_)));
    let bottom = items.map(|p| layer[p] + 1).max().unwrap_or(1);
    for &port in &frame.outs {
        layer[port] = bottom;
    }
    // No layer is empty.
    let used: BTreeSet<usize> = layer.iter().copied().collect();
    let used: Vec<usize> = used.into_iter().collect();
    for slot in &mut layer {
        *slot = used.partition_point(|l| *l < *slot);
    }
    layer
}
