//! Labels of contracted dimensions and what follows from them.

use rushlight_tensor::layout::sort_few;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Dims, Result, Tensor};

/// A dimension of an einsum: a letter, or a position counted from the end inside the ellipsis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Label {
    Broadcast(usize),
    Letter(char),
}

/// An operand whose dimensions are all named, each name once.
pub struct Term {
    pub tensor: Tensor,
    pub labels: Vec<Label>,
}

/// Letters that occur once, in alphabetical order, after the ellipsis.
pub fn implied_output(occurrences: &[(Label, usize)]) -> Vec<Label> {
    let mut ellipsis: Vec<Label> = Vec::new();
    let mut once: Vec<Label> = Vec::new();
    for (label, count) in occurrences {
        match label {
            Label::Broadcast(_) => ellipsis.push(*label),
            Label::Letter(_) if *count == 1 => once.push(*label),
            Label::Letter(_) => {}
        }
    }
    sort_few(&mut ellipsis, |label| std::cmp::Reverse(*label));
    sort_few(&mut once, |label| *label);
    ellipsis.extend(once);
    ellipsis
}

/// Expands sizes of 1 that other operands stretch, where the dimension stays in the result.
pub fn stretch(term: Term, keep: &[Label], sizes: &[(Label, usize)]) -> Result<Term> {
    let target: Dims = term
        .labels
        .iter()
        .enumerate()
        .map(|(d, l)| {
            if keep.contains(l) {
                size_of(sizes, *l)
            } else {
                term.tensor.size(d)
            }
        })
        .collect();
    Ok(Term {
        tensor: term.tensor.expand_to(&target)?,
        labels: term.labels,
    })
}

/// The size that goes with a label, 1 where there is none.
pub fn size_of(sizes: &[(Label, usize)], label: Label) -> usize {
    sizes.iter().find(|(l, _)| *l == label).map_or(1, |s| s.1)
}

/// A term as a tensor of three dimensions, one per group of labels.
pub fn grouped(term: &Term, groups: [&Vec<Label>; 3]) -> Result<Tensor> {
    let place = |l: &Label| term.labels.iter().position(|x| x == l).unwrap_or(0);
    let order: Vec<i64> = groups
        .iter()
        .flat_map(|g| g.iter().map(place))
        .map(|d| d as i64)
        .collected();
    let sizes: Vec<usize> = groups
        .iter()
        .map(|g| g.iter().map(|l| term.tensor.size(place(l))).product())
        .collected();
    term.tensor.permute(&order)?.reshape_to(&sizes)
}
