//! Gamma and Dirichlet numbers, by squeezed rejection (Marsaglia and Tsang, 2000).

use super::{Stream, with_stream};
use rushlight_kernels::create::random::gamma::{at_least_tiny, one_gamma};
use rushlight_tensor::{Buffer, Result, Tensor, watch};
use rushlight_types::{Context, Effect, op, operators};

operators! {
    /// Distributions that are made of gamma numbers.
    pub static ROWS = [
        op!("aten::_standard_gamma(Tensor self, Generator? generator=None) -> Tensor", standard_gamma).effect(Effect::Random).out("out", crate::out::cast),
        op!("aten::_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor", dirichlet).effect(Effect::Random).out("out", crate::out::cast),
    ];
}

fn standard_gamma(cx: &Context, shapes: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    super::check_float("_standard_gamma_cpu", shapes)?;
    let values = draw(cx, shapes, stream);
    Ok(at_least_tiny(values, shapes))
}

fn draw(cx: &Context, shapes: &Tensor, stream: Stream<'_>) -> Buffer<f64> {
    let shapes: Vec<f64> = shapes.to_vec();
    with_stream(cx, stream, |g| {
        shapes
            .iter()
            .map(|shape| {
                watch::poll();
                one_gamma(g, *shape)
            })
            .collect()
    })
}

/// Parts of one, for each run of concentrations in the last dimension.
fn dirichlet(cx: &Context, shapes: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    super::check_float("dirichlet", shapes)?;
    let mut values = draw(cx, shapes, stream);
    let width = shapes.sizes().last().copied().unwrap_or(1).max(1);
    for row in values.chunks_mut(width) {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|v| *v /= sum);
    }
    Ok(at_least_tiny(values, shapes))
}
