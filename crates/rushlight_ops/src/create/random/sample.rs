//! Draws from a list of weights.

use super::continuous::exponential_in_place;
use super::{Stream, with_stream};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, DType, Fault, Result, Tensor, watch};
use rushlight_types::{Context, Effect, OutDtype, op, operators};

operators! {
    /// Multinomial sampling.
    pub static ROWS = [
        op!("aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor", multinomial).effect(Effect::Random).out("out", crate::out::cast).out_dtype(OutDtype::Same("multinomial expects Long tensor out, got: {out}")),
    ];
}

fn multinomial(
    cx: &Context,
    weights: &Tensor,
    samples: i64,
    replacement: bool,
    stream: Stream<'_>,
) -> Result<Tensor> {
    let (rows, columns) = check(weights, samples, replacement)?;
    let samples = samples as usize;
    let sizes = match weights.rank() {
        1 => vec![samples],
        _ => vec![rows, samples],
    };
    if rows == 0 {
        return Tensor::empty(&sizes, DType::I64);
    }
    check_weights(weights, columns, replacement && samples > 1)?;
    let picks = match replacement && samples > 1 {
        true => with_replacement(cx, weights, columns, samples, stream),
        false => by_race(cx, weights, columns, samples, stream)?,
    };
    Ok(picks.into_tensor(&sizes))
}

fn check(weights: &Tensor, samples: i64, replacement: bool) -> Result<(usize, usize)> {
    let (rows, columns) = match weights.sizes() {
        [columns] => (1, *columns),
        [rows, columns] => (*rows, *columns),
        _ => return Err(Fault::runtime("prob_dist must be 1 or 2 dim")),
    };
    if !weights.dtype().is_float() {
        return Err(Fault::runtime(format!(
            "multinomial only supports floating-point dtypes for input, got: {}",
            weights.dtype().class_name()
        )));
    }
    if samples <= 0 || samples > 1 << 36 {
        return Err(Fault::runtime("cannot sample n_sample <= 0 samples"));
    }
    if !replacement && samples > columns as i64 {
        return Err(Fault::runtime(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement",
        ));
    }
    if columns > 1 << 24 {
        return Err(Fault::runtime("number of categories cannot exceed 2^24"));
    }
    Ok((rows, columns))
}

/// Draws `one_by_one` look at a row after another.
fn check_weights(weights: &Tensor, columns: usize, one_by_one: bool) -> Result<()> {
    let values: Vec<f64> = weights.to_vec();
    let refused = |what: &str| {
        Err(Fault::runtime(format!(
            "invalid multinomial distribution ({what})"
        )))
    };
    if columns == 0 {
        return refused("sum of probabilities <= 0");
    }
    if one_by_one {
        for row in values.chunks(columns) {
            let wrong = |w: &&f64| w.is_nan() || w.is_infinite() || **w < 0.0;
            match row.iter().find(wrong) {
                Some(w) if *w > 0.0 => {
                    return refused("encountering probability entry = infinity or NaN");
                }
                Some(_) => return refused("encountering probability entry < 0"),
                None if row.iter().sum::<f64>() <= 0.0 => {
                    return refused("sum of probabilities <= 0");
                }
                None => {}
            }
        }
        return Ok(());
    }
    if values.iter().any(|w| !w.is_finite() || *w < 0.0) {
        return Err(Fault::runtime(
            "probability tensor contains either `inf`, `nan` or element < 0",
        ));
    }
    if values
        .chunks(columns)
        .any(|row| row.iter().sum::<f64>() <= 0.0)
    {
        return refused("sum of probabilities <= 0");
    }
    Ok(())
}

/// A race: the largest of weight over exponential number wins, then the next.
fn by_race(
    cx: &Context,
    weights: &Tensor,
    columns: usize,
    samples: usize,
    stream: Stream<'_>,
) -> Result<Buffer<i64>> {
    let clocks = super::empty_like(weights)?;
    exponential_in_place(cx, &clocks, 1.0, stream)?;
    let quotients = rushlight_tensor::dispatch!(weights.dtype(), Float, T => {
        use rushlight_tensor::Float;
        let (weights, clocks) = (weights.data::<T>(), clocks.data::<T>());
        let pairs = weights.iter().zip(clocks.iter());
        pairs
            .map(|(w, c)| rushlight_tensor::Element::to_f64(T::narrow(w.widen() / c.widen())))
            .collected()
    }, else => return Err(Fault::no_kernel("multinomial", weights.dtype())));
    let mut picks = memory::with_capacity(quotients.len() / columns * samples);
    for row in quotients.chunks_exact(columns) {
        watch::poll();
        let mut order: Vec<usize> = (0..columns).collected();
        if samples < columns {
            // The first of them, in any order.
            let first = |a: &usize, b: &usize| row[*b].total_cmp(&row[*a]).then(a.cmp(b));
            order.select_nth_unstable_by(samples, first);
            order.truncate(samples);
        }
        watch::sort_indices(&mut order, |a, b| row[b].total_cmp(&row[a]));
        picks.extend(order.iter().map(|i| *i as i64));
    }
    Ok(Buffer::copy_of(&picks))
}

/// Each draw finds its place among the cumulated weights, which are summed and divided in f32, or in f64 where
/// the weights are.
fn with_replacement(
    cx: &Context,
    weights: &Tensor,
    columns: usize,
    samples: usize,
    stream: Stream<'_>,
) -> Buffer<i64> {
    let sums = rushlight_tensor::dispatch!(weights.dtype(), Float, T => {
        let values = weights.data::<T>();
        values.chunks_exact(columns).flat_map(cumulated::<T>).collected()
    }, else => weights.to_vec());
    with_stream(cx, stream, |g| {
        let rows = sums.chunks_exact(columns);
        rows.flat_map(|row| {
            let draws: Vec<i64> = (0..samples)
                .map(|_| {
                    let u = g.uniform_f64();
                    row.partition_point(|sum| *sum < u) as i64
                })
                .collected();
            draws
        })
        .collect()
    })
}

fn cumulated<T: rushlight_tensor::Float>(row: &[T]) -> Vec<f64> {
    use rushlight_tensor::element::wide::Wide;
    let mut sum = T::Wide::ZERO;
    let sums: Vec<T::Wide> = row
        .iter()
        .map(|w| {
            sum += w.widen();
            sum
        })
        .collected();
    let mut shares: Vec<f64> = sums.iter().map(|s| (*s / sum).f64()).collected();
    if let Some(last) = shares.last_mut() {
        *last = 1.0;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `torch.manual_seed(0); w = torch.tensor([.1, .2, .7])`, then `torch.multinomial(w, 6, True)` and
    /// `torch.multinomial(w, 2)`.
    #[test]
    fn samples_follow_the_seed() -> Result<()> {
        let cx = Context::silent();
        cx.manual_seed(0);
        let weights = Tensor::from_slice(&[0.1f32, 0.2, 0.7], &[3])?;
        let many = multinomial(&cx, &weights, 6, true, None)?;
        assert_eq!(many.to_vec::<i64>(), [2; 6]);
        let two = multinomial(&cx, &weights, 2, false, None)?;
        assert_eq!(two.to_vec::<i64>(), [2, 0]);
        Ok(())
    }
}
