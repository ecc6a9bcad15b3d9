//! Orders.

use super::{Call, Out, Row};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use rushlight_types::Result;

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::sort", |e, c| sort(e, c, false)),
    ("aten::argsort", |e, c| sort(e, c, true)),
    ("aten::topk", top),
    ("aten::_unique2", unique),
    ("aten::unique_dim", unique),
    ("aten::bucketize", places_between),
];

/// Elements or parts without repetition, with where each went and how often it was there.
fn unique(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let mut attributes = vec![("sorted", Attribute::Int(i64::from(call.bool("sorted")?)))];
    let along = call.get("dim").is_some();
    if along {
        attributes.push(("axis", Attribute::Int(call.dim("dim", "self")?)));
    }
    let input = e.input(call, "self")?;
    let mut found = e.nodes("Unique", std::slice::from_ref(&input), attributes, 4);
    // Where each was first is not asked for.
    found.remove(1);
    if !along {
        let shape = e.apply("Shape", &input);
        found[1] = e.reshape_to(&found[1], shape);
    }
    Ok(found.into_iter().map(Out::Name).collect())
}

/// How many of the boundaries are below each element (`right`: at most it).
fn places_between(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = match call.dtype("boundaries")? {
        boundaries if boundaries.is_float() => boundaries,
        _ => super::dtype_of(call.arg("self")?),
    };
    let input = e.input_as(call, "self", dtype)?;
    let boundaries = e.input_as(call, "boundaries", dtype)?;
    let input = e.unsqueeze(&input, &[-1])?;
    let kind = if call.bool("right")? {
        "LessOrEqual"
    } else {
        "Less"
    };
    let below = e.combine(kind, &boundaries, &input);
    let below = e.cast(&below, call.result_dtype())?;
    let count = super::reduce::reduce(e, "ReduceSum", &below, Some(&[-1]), false)?;
    Ok(vec![Out::Name(count)])
}

fn rank_top(
    e: &mut Exporter<'_>,
    input: Name,
    count: Name,
    dim: i64,
    largest: bool,
    sorted: bool,
) -> Vec<Name> {
    let attributes = vec![
        ("axis", Attribute::Int(dim)),
        ("largest", Attribute::Int(i64::from(largest))),
        ("sorted", Attribute::Int(i64::from(sorted))),
    ];
    e.nodes("TopK", &[input, count], attributes, 2)
}

fn top(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.input(call, "self")?;
    let count = e.as_list(&call.arg("k")?.clone())?;
    let (dim, largest) = (call.int("dim")?, call.bool("largest")?);
    let sorted = call.bool("sorted")?;
    let names = rank_top(e, input, count, dim, largest, sorted);
    Ok(names.into_iter().map(Out::Name).collect())
}

fn sort(e: &mut Exporter<'_>, call: &Call, places_only: bool) -> Outs {
    let dim = match call.get("dim") {
        Some(_) => call.dim("dim", "self")?,
        None => call.rank("self")? as i64 - 1,
    };
    let descending = call.is_set("descending")?;
    let input = e.input(call, "self")?;
    let cell = call.tensor("self")?.clone();
    let count = match cell.borrow().fixed_size(dim as usize) {
        Some(size) => e.ints(&[size as i64])?,
        None => {
            let shape = e.apply("Shape", &input);
            let at = e.ints(&[dim])?;
            e.node("Gather", &[shape, at], vec![("axis", Attribute::Int(0))])
        }
    };
    let names = rank_top(e, input, count, dim, descending, true);
    let outs = names.into_iter().map(Out::Name);
    Ok(outs.skip(usize::from(places_only)).collect())
}
