//! Poisson and binomial numbers: transformed rejection (Hörmann 1993) for large means, counting for small ones.

use super::{Stream, with_stream};
use rushlight_kernels::create::random::counts::{one_binomial, one_poisson};
use rushlight_tensor::{Buffer, Fault, Result, Tensor, layout, watch};
use rushlight_types::{Context, Effect, op, operators};

operators! {
    /// Distributions over counts.
    pub static ROWS = [
        op!("aten::poisson(Tensor self, Generator? generator=None) -> Tensor", poisson).effect(Effect::Random).out("out", crate::out::cast),
        op!("aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", binomial).effect(Effect::Random).out("out", crate::out::cast),
    ];
}

fn poisson(cx: &Context, rates: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    super::check_float("poisson_cpu", rates)?;
    let means: Vec<f64> = rates.to_vec();
    if means.iter().any(|m| *m < 0.0) {
        return Err(Fault::runtime(
            "invalid Poisson rate, expected rate to be non-negative",
        ));
    }
    let values: Buffer<f64> = with_stream(cx, stream, |g| {
        let means = means.iter().inspect(|_| watch::poll());
        means.map(|m| one_poisson(g, *m)).collect()
    });
    Ok(values.into_tensor(rates.sizes()).to_dtype(rates.dtype()))
}

fn binomial(cx: &Context, count: &Tensor, chance: &Tensor, stream: Stream<'_>) -> Result<Tensor> {
    if count.dtype() != chance.dtype() {
        return Err(Fault::runtime(format!(
            "Found dtype {} but expected {}",
            chance.dtype().class_name(),
            count.dtype().class_name()
        )));
    }
    super::check_float("binomial_cpu", count)?;
    let sizes = layout::broadcast_or_fault(count.sizes(), chance.sizes())?;
    let counts: Vec<f64> = count.expand_to(&sizes)?.to_vec();
    let chances: Vec<f64> = chance.expand_to(&sizes)?.to_vec();
    let values: Buffer<f64> = with_stream(cx, stream, |g| {
        let pairs = counts.iter().zip(&chances).inspect(|_| watch::poll());
        pairs.map(|(n, p)| one_binomial(g, *n, *p)).collect()
    });
    Ok(values.into_tensor(&sizes).to_dtype(count.dtype()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `torch.manual_seed(0); torch.poisson(torch.tensor([1., 5., 20.]))`.
    #[test]
    fn counts_follow_the_seed() -> Result<()> {
        let cx = Context::silent();
        cx.manual_seed(0);
        let rates = Tensor::from_slice(&[1.0f32, 5.0, 20.0], &[3])?;
        assert_eq!(
            poisson(&cx, &rates, None)?.to_vec::<f32>(),
            [2.0, 6.0, 19.0]
        );
        Ok(())
    }
}
