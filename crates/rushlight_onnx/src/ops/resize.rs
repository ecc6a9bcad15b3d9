//! Pictures in other sizes.

use super::{Call, Out, Row, one};
use crate::exporter::Exporter;
use crate::proto::{Attribute, Name};
use crate::symbol::Symbol;
use rushlight_tensor::Tensor;
use rushlight_types::Result;

type Outs = Result<Vec<Out>>;

pub(super) const ROWS: &[Row] = &[
    ("aten::upsample_nearest1d", |e, c| resize(e, c, "nearest")),
    ("aten::upsample_nearest2d", |e, c| resize(e, c, "nearest")),
    ("aten::upsample_nearest3d", |e, c| resize(e, c, "nearest")),
    ("aten::_upsample_nearest_exact1d", |e, c| {
        resize(e, c, "exact")
    }),
    ("aten::_upsample_nearest_exact2d", |e, c| {
        resize(e, c, "exact")
    }),
    ("aten::_upsample_nearest_exact3d", |e, c| {
        resize(e, c, "exact")
    }),
    ("aten::upsample_linear1d", |e, c| resize(e, c, "linear")),
    ("aten::upsample_bilinear2d", |e, c| resize(e, c, "linear")),
    ("aten::upsample_trilinear3d", |e, c| resize(e, c, "linear")),
    ("aten::upsample_bicubic2d", |e, c| resize(e, c, "cubic")),
    ("aten::_upsample_bilinear2d_aa", |e, c| {
        smooth(e, c, "linear")
    }),
    ("aten::_upsample_bicubic2d_aa", |e, c| smooth(e, c, "cubic")),
];

fn smooth(e: &mut Exporter<'_>, call: &Call, mode: &str) -> Outs {
    if e.opset() < 18 {
        return Err(super::unsupported(call.operator.name(), e.opset()));
    }
    with_settings(e, call, mode, true)
}

fn resize(e: &mut Exporter<'_>, call: &Call, mode: &str) -> Outs {
    with_settings(e, call, mode, false)
}

/// The factors of a call, where it has any.
fn factors(call: &Call) -> Result<Option<Vec<f64>>> {
    if let Some(Symbol::List(list)) = call.get("scale_factors") {
        let number = |symbol: &Symbol| match symbol {
            Symbol::Known(value) => Ok(value.as_scalar()?.to_f64()),
            _ => Err(call.refuse("factors must be known when the model is exported")),
        };
        let factors = list
            .items
            .borrow()
            .iter()
            .map(number)
            .collect::<Result<_>>()?;
        return Ok(Some(factors));
    }
    let mut out = Vec::new();
    for name in ["scales_d", "scales_h", "scales_w", "scales"] {
        match call.get(name) {
            Some(Symbol::Known(value)) => out.push(value.as_scalar()?.to_f64()),
            Some(_) => return Ok(None),
            None => {}
        }
    }
    let count = call.rank(&call.operator.schema().arguments[0].name)? - 2;
    Ok(Some(out).filter(|factors| factors.len() == count))
}

fn with_settings(e: &mut Exporter<'_>, call: &Call, mode: &str, antialias: bool) -> Outs {
    let first = call.operator.schema().arguments[0].name.clone();
    let input = e.input(call, &first)?;
    let corners = call.is_set("align_corners")?;
    let how = match (mode, corners) {
        ("nearest", _) => "asymmetric",
        ("exact", _) => "half_pixel",
        (_, true) => "align_corners",
        (_, false) => "pytorch_half_pixel",
    };
    // The language takes the factor that it is given for where elements come from, and so does ONNX.
    let known = factors(call)?;
    let mut inputs: Vec<Name> = vec![input.clone(), "".into()];
    match &known {
        Some(factors) => {
            let mut scales = vec![1.0_f32; 2];
            scales.extend(factors.iter().map(|factor| *factor as f32));
            let count = scales.len();
            inputs.push(e.constant(Tensor::from_vec(scales, &[count])?));
        }
        None => {
            inputs.push("".into());
            let wanted = call.arg("output_size")?.clone();
            let wanted = e.int_list(&wanted)?;
            let fixed: Option<Vec<i64>> = {
                let state = call.tensor(&first)?.borrow();
                (0..2)
                    .map(|dim| state.fixed_size(dim).map(|s| s as i64))
                    .collect()
            };
            let kept = match fixed {
                Some(sizes) => e.ints(&sizes)?,
                None => {
                    let shape = e.apply("Shape", &input);
                    e.cut(&shape, 0, 0, 2)?
                }
            };
            inputs.push(e.node("Concat", &[kept, wanted], vec![("axis", Attribute::Int(0))]));
        }
    }
    let kind = match mode {
        "exact" => "nearest",
        mode => mode,
    };
    let mut attributes = vec![
        ("coordinate_transformation_mode", Attribute::Str(how.into())),
        (
            "cubic_coeff_a",
            Attribute::Float(if antialias { -0.5 } else { -0.75 }),
        ),
        ("mode", Attribute::Str(kind.into())),
        (
            "nearest_mode",
            Attribute::Str(match mode {
                "exact" => "round_prefer_ceil".into(),
                _ => "floor".into(),
            }),
        ),
    ];
    if antialias {
        attributes.push(("antialias", Attribute::Int(1)));
    }
    one(e.node("Resize", &inputs, attributes))
}
