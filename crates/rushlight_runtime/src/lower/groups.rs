//! Puts groups of instructions that are done at once before those that they stand for.

use crate::code::groups::Group;
use crate::code::{Code, Insn};

/// Which instructions are jumped to.
pub(super) fn targets(code: &Code) -> Vec<bool> {
    let mut is_target = vec![false; code.insns.len() + 1];
    for insn in &code.insns {
        if let Some(to) = Code::jump_target(*insn) {
            is_target[to as usize] = true;
        }
    }
    is_target
}

/// Puts the groups in and moves all that names instructions by their numbers.
pub(super) fn insert(code: &mut Code, groups: Vec<(usize, usize, Group)>) {
    let count = code.insns.len();
    let mut moved = Vec::with_capacity(count + 1);
    let mut before = 0;
    let mut next = groups.iter().peekable();
    for at in 0..=count {
        moved.push((at + before) as u32);
        if next.next_if(|g| g.0 == at).is_some() {
            before += 1;
        }
    }
    let mut insns = Vec::with_capacity(count + groups.len());
    let mut groups = groups.into_iter().peekable();
    for (at, mut insn) in std::mem::take(&mut code.insns).into_iter().enumerate() {
        if let Some((_, end, group)) = groups.next_if(|g| g.0 == at) {
            insns.push(Insn::Group(code.groups.len() as u32, moved[end]));
            code.groups.push(group);
        }
        if let Some(to) = Code::jump_target_mut(&mut insn) {
            *to = moved[*to as usize];
        }
        insns.push(insn);
    }
    code.insns = insns;
    for stretch in &mut code.stretches {
        stretch.0 = moved[stretch.0 as usize];
    }
}
