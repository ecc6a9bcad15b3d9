//! Pooling.

use super::{Call, Out, Row};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use rushlight_types::Result;

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::max_pool1d", |e, c| largest(e, c, 1)),
    ("aten::max_pool2d", |e, c| largest(e, c, 2)),
    ("aten::max_pool3d", |e, c| largest(e, c, 3)),
    ("aten::max_pool1d_with_indices", |e, c| largest(e, c, 1)),
    ("aten::max_pool2d_with_indices", |e, c| largest(e, c, 2)),
    ("aten::max_pool3d_with_indices", |e, c| largest(e, c, 3)),
    ("aten::avg_pool1d", |e, c| average(e, c, 1)),
    ("aten::avg_pool2d", |e, c| average(e, c, 2)),
    ("aten::avg_pool3d", |e, c| average(e, c, 3)),
    ("aten::adaptive_avg_pool1d", |e, c| {
        adaptive(e, c, 1, "Average")
    }),
    ("aten::adaptive_avg_pool2d", |e, c| {
        adaptive(e, c, 2, "Average")
    }),
    ("aten::adaptive_avg_pool3d", |e, c| {
        adaptive(e, c, 3, "Average")
    }),
    ("aten::adaptive_max_pool1d", |e, c| adaptive(e, c, 1, "Max")),
    ("aten::adaptive_max_pool2d", |e, c| adaptive(e, c, 2, "Max")),
    ("aten::adaptive_max_pool3d", |e, c| adaptive(e, c, 3, "Max")),
];

/// What windows there are.
struct Windows {
    kernel: Vec<i64>,
    stride: Vec<i64>,
    padding: Vec<i64>,
}

fn spread(list: Vec<i64>, count: usize) -> Vec<i64> {
    match list.as_slice() {
        [one] => vec![*one; count],
        _ => list,
    }
}

fn windows(call: &Call, count: usize) -> Result<Windows> {
    let kernel = spread(call.ints("kernel_size")?, count);
    let stride = match call.ints("stride")? {
        none if none.is_empty() => kernel.clone(),
        stride => spread(stride, count),
    };
    let padding = spread(call.ints("padding")?, count);
    Ok(Windows {
        kernel,
        stride,
        padding,
    })
}

/// The tensor with a dimension for the batch.
fn batched(e: &mut Exporter<'_>, call: &Call, count: usize) -> Result<(Name, bool)> {
    let input = e.input(call, "self")?;
    let is_single = call.rank("self")? == count + 1;
    Ok(match is_single {
        true => (e.unsqueeze(&input, &[0])?, true),
        false => (input, false),
    })
}

fn unbatched(e: &mut Exporter<'_>, names: Vec<Name>, is_single: bool) -> Outs {
    let mut outs = Vec::new();
    for name in names {
        outs.push(Out::Name(match is_single {
            true => e.squeeze(&name, &[0])?,
            false => name,
        }));
    }
    Ok(outs)
}

fn largest(e: &mut Exporter<'_>, call: &Call, count: usize) -> Outs {
    let (input, is_single) = batched(e, call, count)?;
    let windows = windows(call, count)?;
    let dilation = spread(call.ints("dilation")?, count);
    let kernel = windows.kernel.clone();
    let attributes = |kernel: Vec<i64>, stride: Vec<i64>, pads: Vec<i64>, dilation: Vec<i64>| {
        vec![
            (
                "ceil_mode",
                Attribute::Int(i64::from(call.bool("ceil_mode").unwrap_or(false))),
            ),
            ("dilations", Attribute::Ints(dilation)),
            ("kernel_shape", Attribute::Ints(kernel)),
            ("pads", Attribute::Ints(pads)),
            ("strides", Attribute::Ints(stride)),
        ]
    };
    let pads = windows.padding.repeat(2);
    let settings = attributes(kernel, windows.stride, pads, dilation);
    if call.results.len() == 1 {
        let name = e.node("MaxPool", &[input], settings);
        return unbatched(e, vec![name], is_single);
    }
    let mut names = e.nodes("MaxPool", std::slice::from_ref(&input), settings, 2);
    // ONNX counts places through the whole tensor, the language within a channel: the difference is the place of the
    // first element of the channel.
    let ones = || vec![1; count];
    let first = attributes(ones(), ones(), vec![0; 2 * count], ones());
    let places = e.nodes("MaxPool", &[input], first, 2).remove(1);
    let axes: Vec<i64> = (2..2 + count as i64).collect();
    let (start, end, at) = (
        e.ints(&vec![0; count])?,
        e.ints(&vec![1; count])?,
        e.ints(&axes)?,
    );
    let origin = e.node("Slice", &[places, start, end, at], Vec::new());
    names[1] = e.combine("Sub", &names[1].clone(), &origin);
    unbatched(e, names, is_single)
}

fn average(e: &mut Exporter<'_>, call: &Call, count: usize) -> Outs {
    if call.get("divisor_override").is_some() {
        return Err(call.refuse("divisor_override cannot be exported to ONNX"));
    }
    let (mut input, is_single) = batched(e, call, count)?;
    let windows = windows(call, count)?;
    let (with_padding, ceil) = (call.bool("count_include_pad")?, call.bool("ceil_mode")?);
    let mut pads = windows.padding.repeat(2);
    if with_padding && ceil && windows.padding.iter().any(|size| *size != 0) {
        // What lies beyond the padding does not count, the padding does.
        let mut all = vec![0; 2];
        all.extend(&windows.padding);
        let all = e.ints(&all.repeat(2))?;
        let zero = e.number(0.0, call.result_dtype());
        let mode = vec![("mode", Attribute::Str("constant".into()))];
        input = e.node("Pad", &[input, all, zero], mode);
        pads = vec![0; 2 * count];
    }
    let includes = i64::from(with_padding && pads.iter().any(|size| *size != 0));
    let attributes = vec![
        ("ceil_mode", Attribute::Int(i64::from(ceil))),
        ("count_include_pad", Attribute::Int(includes)),
        ("kernel_shape", Attribute::Ints(windows.kernel)),
        ("pads", Attribute::Ints(pads)),
        ("strides", Attribute::Ints(windows.stride)),
    ];
    let name = e.node("AveragePool", &[input], attributes);
    unbatched(e, vec![name], is_single)
}

/// Pooling to a size: of everything, or with windows of one size where the sizes divide.
fn adaptive(e: &mut Exporter<'_>, call: &Call, count: usize, kind: &str) -> Outs {
    let sizes = spread(call.ints("output_size")?, count);
    let (input, is_single) = batched(e, call, count)?;
    let needs_places = call.results.len() > 1;
    if sizes.iter().all(|size| *size == 1) && !needs_places {
        let name = e.apply(&format!("Global{kind}Pool"), &input);
        return unbatched(e, vec![name], is_single);
    }
    let first = call.rank("self")? - count;
    let mut kernel = Vec::new();
    for (dim, size) in sizes.iter().enumerate() {
        let whole = call.fixed_size("self", first + dim)? as i64;
        if *size == 0 || whole % size != 0 {
            return Err(call
                .refuse("only output sizes that divide the input sizes can be exported to ONNX"));
        }
        kernel.push(whole / size);
    }
    let attributes = vec![
        ("kernel_shape", Attribute::Ints(kernel.clone())),
        ("strides", Attribute::Ints(kernel)),
    ];
    if !needs_places {
        let name = e.node(&format!("{kind}Pool"), &[input], attributes);
        return unbatched(e, vec![name], is_single);
    }
    // Places within a channel: those through the tensor less those of the channels before.
    let mut channel = 1;
    for dim in 0..count {
        channel *= call.fixed_size("self", first + dim)? as i64;
    }
    let mut names = e.nodes(&format!("{kind}Pool"), &[input], attributes, 2);
    let channel = e.int(channel);
    let within = vec![("fmod", Attribute::Int(0))];
    names[1] = e.node("Mod", &[names[1].clone(), channel], within);
    unbatched(e, names, is_single)
}
