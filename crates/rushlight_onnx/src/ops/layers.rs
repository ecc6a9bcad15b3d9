//! Convolutions, activations, padding.

use super::{Call, Out, Row, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::Symbol;
use rushlight_tensor::Tensor;
use rushlight_types::{Result, Value};

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::_convolution", convolution),
    ("aten::convolution", convolution),
    ("aten::conv1d", convolution),
    ("aten::conv2d", convolution),
    ("aten::conv3d", convolution),
    ("aten::conv_transpose1d", convolution),
    ("aten::conv_transpose2d", convolution),
    ("aten::conv_transpose3d", convolution),
    ("aten::gelu", gelu),
    ("aten::elu", |e, c| with(e, c, "Elu", &[("alpha", "alpha")])),
    ("aten::celu", |e, c| {
        with(e, c, "Celu", &[("alpha", "alpha")])
    }),
    ("aten::leaky_relu", |e, c| {
        with(e, c, "LeakyRelu", &[("alpha", "negative_slope")])
    }),
    ("aten::selu", |e, c| with(e, c, "Selu", &[])),
    ("aten::hardsigmoid", |e, c| {
        let input = e.input(c, "self")?;
        one(e.node(
            "HardSigmoid",
            &[input],
            vec![("alpha", Attribute::Float(1.0 / 6.0))],
        ))
    }),
    ("aten::hardswish", hardswish),
    ("aten::hardtanh", |e, c| {
        clip(e, c, c.float("min_val")?, c.float("max_val")?)
    }),
    ("aten::relu6", |e, c| clip(e, c, 0.0, 6.0)),
    ("aten::silu", |e, c| {
        let input = e.input(c, "self")?;
        let gate = e.apply("Sigmoid", &input);
        one(e.combine("Mul", &input, &gate))
    }),
    ("aten::mish", mish),
    ("aten::softplus", softplus),
    ("aten::log_sigmoid", |e, c| {
        let input = e.input(c, "self")?;
        let gate = e.apply("Sigmoid", &input);
        one(e.apply("Log", &gate))
    }),
    ("aten::prelu", prelu),
    ("aten::rrelu", |e, c| {
        if c.bool("training")? {
            return Err(super::unsupported(c.operator.name(), e.opset()));
        }
        let slope = (c.float("lower")? + c.float("upper")?) / 2.0;
        let input = e.input(c, "self")?;
        one(e.node(
            "LeakyRelu",
            &[input],
            vec![("alpha", Attribute::Float(slope))],
        ))
    }),
    ("aten::glu", glu),
    ("aten::threshold", threshold),
    ("aten::hardshrink", |e, c| shrink(e, c, false)),
    ("aten::softshrink", |e, c| shrink(e, c, true)),
    ("aten::pad", pad),
    ("aten::constant_pad_nd", pad),
    ("aten::reflection_pad1d", |e, c| {
        padded(e, c, "padding", "reflect")
    }),
    ("aten::reflection_pad2d", |e, c| {
        padded(e, c, "padding", "reflect")
    }),
    ("aten::reflection_pad3d", |e, c| {
        padded(e, c, "padding", "reflect")
    }),
    ("aten::replication_pad1d", |e, c| {
        padded(e, c, "padding", "edge")
    }),
    ("aten::replication_pad2d", |e, c| {
        padded(e, c, "padding", "edge")
    }),
    ("aten::replication_pad3d", |e, c| {
        padded(e, c, "padding", "edge")
    }),
    ("aten::grid_sampler", grid_sampler),
    ("aten::col2im", col2im),
    ("aten::im2col", im2col),
];

/// A list of as many ints as there are spatial dimensions.
fn spatial(call: &Call, name: &str, count: usize) -> Result<Vec<i64>> {
    let mut list = call.ints(name)?;
    if list.len() == 1 {
        list = vec![list[0]; count];
    }
    Ok(list)
}

fn convolution(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let weight_sizes = call.example("weight")?.sizes().to_vec();
    let count = weight_sizes.len() - 2;
    let transposed = match call.get("transposed") {
        Some(_) => call.bool("transposed")?,
        None => call.name.starts_with("aten::conv_transpose"),
    };
    let stride = spatial(call, "stride", count)?;
    let dilation = spatial(call, "dilation", count)?;
    let kernel: Vec<i64> = weight_sizes[2..].iter().map(|size| *size as i64).collect();
    let pads = match call.arg("padding")? {
        // `same` puts the odd one behind.
        Symbol::Known(Value::Str(text)) if text.as_str()? == "same" => {
            let totals: Vec<i64> = kernel
                .iter()
                .zip(&dilation)
                .map(|(k, d)| d * (k - 1))
                .collect();
            let before = totals.iter().map(|total| total / 2);
            let after = totals.iter().map(|total| total - total / 2);
            before.chain(after).collect()
        }
        Symbol::Known(Value::Str(_)) => vec![0; 2 * count],
        _ => spatial(call, "padding", count)?.repeat(2),
    };
    let input_name = match call.place("input") {
        Some(_) => "input",
        None => "self",
    };
    let is_single = call.rank(input_name)? == count + 1;
    let mut input = e.input(call, input_name)?;
    if is_single {
        input = e.unsqueeze(&input, &[0])?;
    }
    let mut inputs = vec![input, e.input(call, "weight")?];
    if call.get("bias").is_some() {
        inputs.push(e.input(call, "bias")?);
    }
    let mut attributes = vec![
        ("dilations", Attribute::Ints(dilation)),
        ("group", Attribute::Int(call.int("groups")?)),
        ("kernel_shape", Attribute::Ints(kernel)),
        ("pads", Attribute::Ints(pads)),
        ("strides", Attribute::Ints(stride)),
    ];
    let mut kind = "Conv";
    if transposed {
        kind = "ConvTranspose";
        let extra = spatial(call, "output_padding", count)?;
        if extra.iter().any(|size| *size != 0) {
            attributes.push(("output_padding", Attribute::Ints(extra)));
        }
    }
    let mut result = e.node(kind, &inputs, attributes);
    if is_single {
        result = e.squeeze(&result, &[0])?;
    }
    one(result)
}

/// A node with numbers of the call as attributes.
fn with(e: &mut Exporter<'_>, call: &Call, kind: &str, numbers: &[(&'static str, &str)]) -> Outs {
    for name in ["scale", "input_scale"] {
        if call.get(name).is_some() && call.float(name)? != 1.0 {
            return Err(call.refuse("a scale other than 1 cannot be exported to ONNX"));
        }
    }
    let input = e.input(call, "self")?;
    let mut attributes = Vec::new();
    for (attribute, argument) in numbers {
        attributes.push((*attribute, Attribute::Float(call.float(argument)?)));
    }
    one(e.node(kind, &[input], attributes))
}

fn gelu(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let by_tanh = match call.get("approximate") {
        Some(Symbol::Known(text)) => text.as_str()? == "tanh",
        _ => false,
    };
    let input = e.input(call, "self")?;
    let dtype = call.result_dtype();
    if e.opset() >= 20 {
        let how = if by_tanh { "tanh" } else { "none" };
        let attributes = vec![("approximate", Attribute::Str(how.into()))];
        return one(e.node("Gelu", &[input], attributes));
    }
    let (half, unit) = (e.number(0.5, dtype), e.number(1.0, dtype));
    if by_tanh {
        let three = e.number(3.0, dtype);
        let cube = e.combine("Pow", &input, &three);
        let small = e.number(0.044715, dtype);
        let cube = e.combine("Mul", &small, &cube);
        let inner = e.combine("Add", &input, &cube);
        let factor = e.number((2.0 / std::f64::consts::PI).sqrt(), dtype);
        let inner = e.combine("Mul", &factor, &inner);
        let inner = e.apply("Tanh", &inner);
        let inner = e.combine("Add", &inner, &unit);
        let whole = e.combine("Mul", &input, &inner);
        return one(e.combine("Mul", &half, &whole));
    }
    let root = e.number(std::f64::consts::SQRT_2, dtype);
    let inner = e.combine("Div", &input, &root);
    let inner = e.apply("Erf", &inner);
    let inner = e.combine("Add", &inner, &unit);
    let whole = e.combine("Mul", &input, &inner);
    one(e.combine("Mul", &whole, &half))
}

fn hardswish(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.input(call, "self")?;
    if e.opset() >= 14 {
        return one(e.apply("HardSwish", &input));
    }
    let slope = vec![("alpha", Attribute::Float(1.0 / 6.0))];
    let gate = e.node("HardSigmoid", std::slice::from_ref(&input), slope);
    one(e.combine("Mul", &input, &gate))
}

fn clip(e: &mut Exporter<'_>, call: &Call, low: f64, high: f64) -> Outs {
    let dtype = call.result_dtype();
    let input = e.input(call, "self")?;
    let (low, high) = (e.number(low, dtype), e.number(high, dtype));
    one(e.node("Clip", &[input, low, high], Vec::new()))
}

fn mish(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let input = e.input(call, "self")?;
    let soft = e.apply("Softplus", &input);
    let soft = e.apply("Tanh", &soft);
    one(e.combine("Mul", &input, &soft))
}

fn softplus(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let beta = call.float("beta")?;
    let input = e.input(call, "self")?;
    if beta == 1.0 {
        return one(e.apply("Softplus", &input));
    }
    let beta = e.number(beta, call.result_dtype());
    let input = e.combine("Mul", &input, &beta);
    let soft = e.apply("Softplus", &input);
    one(e.combine("Div", &soft, &beta))
}

fn prelu(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rank = call.rank("self")?;
    let slopes = call.example("weight")?.numel();
    let mut weight = call.arg("weight")?.clone();
    if slopes > 1 && rank > 2 {
        let mut shape = vec![slopes as i64];
        shape.extend(vec![1; rank - 2]);
        let shape = e.lift(&shape.into())?;
        weight = e.call("aten::reshape", &[("self", weight), ("shape", shape)])?;
    }
    let (input, weight) = (e.input(call, "self")?, e.name_of(&weight)?);
    one(e.combine("PRelu", &input, &weight))
}

fn glu(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dim = call.dim("dim", "self")?;
    let input = e.input(call, "self")?;
    let size = call.fixed_size("self", dim as usize)? as i64;
    let lengths = e.ints(&[size / 2, size / 2])?;
    let attributes = vec![("axis", Attribute::Int(dim))];
    let halves = e.nodes("Split", &[input, lengths], attributes, 2);
    let gate = e.apply("Sigmoid", &halves[1]);
    one(e.combine("Mul", &halves[0], &gate))
}

fn threshold(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let dtype = call.result_dtype();
    let input = e.input(call, "self")?;
    let bound = e.number(call.float("threshold")?, dtype);
    let value = e.number(call.float("value")?, dtype);
    let above = e.combine("Greater", &input, &bound);
    one(e.node("Where", &[above, input, value], Vec::new()))
}

fn shrink(e: &mut Exporter<'_>, call: &Call, soft: bool) -> Outs {
    let bound = call.float("lambd")?;
    let input = e.input(call, "self")?;
    let bias = if soft { bound } else { 0.0 };
    let attributes = vec![
        ("bias", Attribute::Float(bias)),
        ("lambd", Attribute::Float(bound)),
    ];
    one(e.node("Shrink", &[input], attributes))
}

fn pad(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let mode = match call.get("mode") {
        Some(Symbol::Known(mode)) => match mode.as_str()? {
            "constant" => "constant",
            "reflect" => "reflect",
            "replicate" => "edge",
            "circular" => return wrapped(e, call),
            _ => return Err(call.refuse("this mode cannot be exported to ONNX")),
        },
        _ => "constant",
    };
    padded(e, call, "pad", mode)
}

/// Padding: sizes before and behind, from the last dimension to the first, as ONNX has them from the first to the last.
fn padded(e: &mut Exporter<'_>, call: &Call, name: &str, mode: &str) -> Outs {
    let rank = call.rank("self")?;
    let items = call.items(name)?;
    let mut pads = vec![Symbol::Known(Value::Int(0)); 2 * rank];
    for (at, pair) in items.chunks(2).enumerate() {
        let dim = rank - 1 - at;
        pads[dim] = pair[0].clone();
        pads[rank + dim] = pair[1].clone();
    }
    let input = e.input(call, "self")?;
    let pads = e.list(pads);
    let mut inputs = vec![input, e.int_list(&pads)?];
    if mode == "constant" {
        let value = call
            .get("value")
            .cloned()
            .unwrap_or(Symbol::Known(Value::Int(0)));
        inputs.push(e.as_dtype(&value, call.result_dtype())?);
    }
    let attributes = vec![("mode", Attribute::Str(mode.into()))];
    one(e.node("Pad", &inputs, attributes))
}

/// Padding with what lies at the other end.
fn wrapped(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let rank = call.rank("self")?;
    let pads = call.ints("pad")?;
    let mut value = e.input(call, "self")?;
    for (at, pair) in pads.chunks(2).enumerate() {
        let dim = (rank - 1 - at) as i64;
        if pair.iter().any(|size| *size < 0) {
            return Err(
                call.refuse("circular padding by less than nothing cannot be exported to ONNX")
            );
        }
        let mut parts = Vec::new();
        if pair[0] > 0 {
            parts.push(e.cut(&value, dim, -pair[0], i64::MAX)?);
        }
        parts.push(value.clone());
        if pair[1] > 0 {
            parts.push(e.cut(&value, dim, 0, pair[1])?);
        }
        if parts.len() > 1 {
            value = e.node("Concat", &parts, vec![("axis", Attribute::Int(dim))]);
        }
    }
    one(value)
}

fn grid_sampler(e: &mut Exporter<'_>, call: &Call) -> Outs {
    if e.opset() < 16 {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    let late = e.opset() >= 20;
    let mode = match (call.int("interpolation_mode")?, late) {
        (0, true) => "linear",
        (0, false) => "bilinear",
        (1, _) => "nearest",
        (_, true) => "cubic",
        (_, false) => "bicubic",
    };
    let padding = match call.int("padding_mode")? {
        0 => "zeros",
        1 => "border",
        _ => "reflection",
    };
    let (input, grid) = (e.input(call, "input")?, e.input(call, "grid")?);
    let corners = i64::from(call.bool("align_corners")?);
    let attributes = vec![
        ("align_corners", Attribute::Int(corners)),
        ("mode", Attribute::Str(mode.into())),
        ("padding_mode", Attribute::Str(padding.into())),
    ];
    one(e.node("GridSample", &[input, grid], attributes))
}

fn col2im(e: &mut Exporter<'_>, call: &Call) -> Outs {
    if e.opset() < 18 {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    let input = e.input(call, "self")?;
    let size = e.int_list(&call.arg("output_size")?.clone())?;
    let block = e.int_list(&call.arg("kernel_size")?.clone())?;
    let pads = spatial(call, "padding", 2)?.repeat(2);
    let attributes = vec![
        ("dilations", Attribute::Ints(spatial(call, "dilation", 2)?)),
        ("pads", Attribute::Ints(pads)),
        ("strides", Attribute::Ints(spatial(call, "stride", 2)?)),
    ];
    one(e.node("Col2Im", &[input, size, block], attributes))
}

/// Patches as columns: the elements of each axis by a table of places.
fn im2col(e: &mut Exporter<'_>, call: &Call) -> Outs {
    let (kernel, dilation) = (
        spatial(call, "kernel_size", 2)?,
        spatial(call, "dilation", 2)?,
    );
    let (padding, stride) = (spatial(call, "padding", 2)?, spatial(call, "stride", 2)?);
    if call.rank("self")? != 4 {
        return Err(call.refuse("only tensors of four dimensions can be exported to ONNX"));
    }
    let sizes = [
        call.fixed_size("self", 2)? as i64,
        call.fixed_size("self", 3)? as i64,
    ];
    let channels = call.fixed_size("self", 1)? as i64;
    let mut value = e.input(call, "self")?;
    if padding.iter().any(|size| *size != 0) {
        let pads = e.ints(&[0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]])?;
        let zero = e.number(0.0, call.result_dtype());
        let attributes = vec![("mode", Attribute::Str("constant".into()))];
        value = e.node("Pad", &[value, pads, zero], attributes);
    }
    let places = |axis: usize| -> (Vec<i64>, i64) {
        let span = dilation[axis] * (kernel[axis] - 1) + 1;
        let steps = (sizes[axis] + 2 * padding[axis] - span) / stride[axis] + 1;
        let rows = (0..kernel[axis]).flat_map(|k| {
            let from = k * dilation[axis];
            (0..steps).map(move |step| (from, step))
        });
        let places = rows
            .map(|(from, step)| from + step * stride[axis])
            .collect();
        (places, steps)
    };
    let (rows, height) = places(0);
    let (columns, width) = places(1);
    let table = |e: &mut Exporter<'_>, places: &[i64], count: i64| -> Result<Name> {
        let flat = Tensor::from_slice(
            places,
            &[count as usize, places.len() / count.max(1) as usize],
        )?;
        Ok(e.constant(flat))
    };
    let rows = table(e, &rows, kernel[0])?;
    let columns = table(e, &columns, kernel[1])?;
    value = e.node("Gather", &[value, rows], vec![("axis", Attribute::Int(2))]);
    value = e.node(
        "Gather",
        &[value, columns],
        vec![("axis", Attribute::Int(4))],
    );
    value = e.transpose(&value, vec![0, 1, 2, 4, 3, 5]);
    let count = channels * kernel[0] * kernel[1];
    one(e.reshape(&value, &[-1, count, height * width])?)
}
