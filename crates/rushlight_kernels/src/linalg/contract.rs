//! Labels of contracted dimensions and what follows from them.

use rushlight_tensor::layout::sort_few;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Dims, Fault, Result, Tensor};

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

/// The labels of an operand's dimensions, as its part of an equation names them.
pub fn operand_labels(text: &str, tensor: &Tensor, operand: usize) -> Result<Vec<Label>> {
    let text: String = text.chars().filter(|c| *c != ' ').collect();
    let (before, after) = match text.split_once("...") {
        Some((before, after)) => (before.to_string(), Some(after.to_string())),
        None => (text, None),
    };
    let letters = |part: &str| -> Result<Vec<Label>> {
        part.chars()
            .enumerate()
            .map(|(at, c)| match c {
                'a'..='z' | 'A'..='Z' => Ok(Label::Letter(c)),
                '.' => Err(Fault::runtime(format!(
                    "einsum(): found '.' for operand {operand} that is not part of any ellipsis"
                ))),
                _ => Err(Fault::runtime(format!(
                    "einsum(): invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"
                ))),
            })
            .collect()
    };
    let mut labels = letters(&before)?;
    if let Some(after) = &after {
        let tail = letters(after)?;
        let named = labels.len() + tail.len();
        let hidden = tensor
            .rank()
            .checked_sub(named)
            .ok_or_else(|| too_many(named, tensor, operand))?;
        labels.extend((0..hidden).rev().map(Label::Broadcast));
        labels.extend(tail);
    }
    if labels.len() != tensor.rank() {
        return Err(too_many(labels.len(), tensor, operand));
    }
    Ok(labels)
}

fn too_many(named: usize, tensor: &Tensor, operand: usize) -> Fault {
    Fault::runtime(format!(
        "einsum(): the number of subscripts in the equation ({named}) does not match the number of dimensions ({}) for operand {operand} and no ellipsis was given",
        tensor.rank()
    ))
}

/// The labels of the result's dimensions, as what stands behind the arrow names them.
pub fn output_labels(text: &str, occurrences: &[(Label, usize)]) -> Result<Vec<Label>> {
    let text: String = text.chars().filter(|c| *c != ' ').collect();
    let mut labels = Vec::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        if let Some(tail) = rest.strip_prefix("...") {
            let mut hidden: Vec<Label> = occurrences
                .iter()
                .map(|o| o.0)
                .filter(|l| matches!(l, Label::Broadcast(_)))
                .collected();
            sort_few(&mut hidden, |label| std::cmp::Reverse(*label));
            labels.extend(hidden);
            rest = tail;
            continue;
        }
        if !c.is_ascii_alphabetic() {
            return Err(Fault::runtime(
                "einsum(): invalid subscript given in the output of the equation string, subscripts must be in [a-zA-Z]",
            ));
        }
        let label = Label::Letter(c);
        if labels.contains(&label) {
            return Err(Fault::runtime(format!(
                "einsum(): output subscript {c} appears more than once in the output"
            )));
        }
        if !occurrences.iter().any(|o| o.0 == label) {
            return Err(Fault::runtime(format!(
                "einsum(): output subscript {c} does not appear in the equation for any input operand"
            )));
        }
        labels.push(label);
        rest = &rest[1..];
    }
    Ok(labels)
}
