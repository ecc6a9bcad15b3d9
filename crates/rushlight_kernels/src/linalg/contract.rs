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

/// Where a part of an equation stands: the operand that it names, or the result.
#[derive(Clone, Copy)]
enum Part {
    Operand(usize),
    Output,
}

/// The letters of a part of an equation, which begins at an index of the whole, in order; None for the ellipsis.
fn subscripts(text: &str, start: usize, part: Part) -> Result<Vec<Option<char>>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            ' ' => {}
            'a'..='z' | 'A'..='Z' => out.push(Some(c)),
            '.' if out.contains(&None) => return Err(stray_dot(part, true)),
            '.' if rest.starts_with("...") => {
                taken = 3;
                out.push(None);
            }
            '.' => return Err(stray_dot(part, false)),
            _ => {
                let at = start + text.len() - rest.len();
                return Err(Fault::runtime(format!(
                    "einsum(): invalid subscript given at index {at} in the equation string, subscripts must be in [a-zA-Z]"
                )));
            }
        }
        rest = &rest[taken..];
    }
    Ok(out)
}

fn stray_dot(part: Part, again: bool) -> Fault {
    let why = match (part, again) {
        (Part::Operand(n), true) => {
            format!("operand {n} for which an ellipsis was already found")
        }
        (Part::Operand(n), false) => format!("operand {n} that is not part of any ellipsis"),
        (Part::Output, true) => "output but an ellipsis (...) was already found".to_string(),
        (Part::Output, false) => "output that is not part of any ellipsis (...)".to_string(),
    };
    Fault::runtime(format!("einsum(): found '.' for {why}"))
}

/// The labels of an operand's dimensions, as its part of an equation names them; the part begins at `start`.
pub fn operand_labels(
    text: &str,
    start: usize,
    tensor: &Tensor,
    operand: usize,
) -> Result<Vec<Label>> {
    let names = subscripts(text, start, Part::Operand(operand))?;
    let named = names.iter().flatten().count();
    let hidden = match names.contains(&None) {
        true => tensor.rank().checked_sub(named),
        false => (named == tensor.rank()).then_some(0),
    };
    let hidden = hidden.ok_or_else(|| too_many(named, tensor, operand))?;
    let mut labels = Vec::new();
    for name in names {
        match name {
            Some(c) => labels.push(Label::Letter(c)),
            None => labels.extend((0..hidden).rev().map(Label::Broadcast)),
        }
    }
    Ok(labels)
}

fn too_many(named: usize, tensor: &Tensor, operand: usize) -> Fault {
    Fault::runtime(format!(
        "einsum(): the number of subscripts in the equation ({named}) does not match the number of dimensions ({}) for operand {operand} and no ellipsis was given",
        tensor.rank()
    ))
}

/// The labels of the result's dimensions, as what stands behind the arrow, at `start`, names them.
pub fn output_labels(
    text: &str,
    start: usize,
    occurrences: &[(Label, usize)],
) -> Result<Vec<Label>> {
    let mut labels = Vec::new();
    for name in subscripts(text, start, Part::Output)? {
        let Some(c) = name else {
            let mut hidden: Vec<Label> = occurrences
                .iter()
                .map(|o| o.0)
                .filter(|l| matches!(l, Label::Broadcast(_)))
                .collected();
            sort_few(&mut hidden, |label| std::cmp::Reverse(*label));
            labels.extend(hidden);
            continue;
        };
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
    }
    Ok(labels)
}
