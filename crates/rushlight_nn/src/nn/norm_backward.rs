//! Gradients of normalisation: layer, group and batch norm.

use rushlight_kernels::compute::{copied, dense, finish};
use rushlight_kernels::nn::norm_backward::{
    COLUMNS, Planes, column_sums, plane_gradients, plane_sums, row_gradients,
};
use rushlight_tensor::memory;
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::{Buffer, DType, Dims, Fault, Result, Tensor};
use rushlight_types::{arguments, op, operators};
use smallvec::SmallVec;

type Ints = SmallVec<[i64; 6]>;
type Mask = SmallVec<[bool; 6]>;

operators! {
    /// Gradients of normalisation.
    pub static ROWS = [
        op!("aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", layer_norm),
        op!("aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", group_norm),
        op!("aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)", batch_norm),
    ];
}

arguments! {
    /// What was normalised, and the gradient of the result.
    #[derive(Clone, Copy)]
    struct Normal<'a> {
        grad: &'a Tensor,
        input: &'a Tensor,
    }
}

/// Gradients of the input, the weight and the bias, as far as they are wanted.
type Gradients = (Option<Tensor>, Option<Tensor>, Option<Tensor>);

/// How elements were normalised.
struct Kept<'a> {
    mean: &'a Tensor,
    scale: &'a Tensor,
    weight: Option<&'a Tensor>,
    mask: Mask,
}

impl Normal<'_> {
    /// Checks that the numbers of elements belong together.
    fn check(&self, name: &str, kept: &Kept<'_>, stats: usize, weights: usize) -> Result<()> {
        if !matches!(self.input.dtype(), DType::F32 | DType::F16 | DType::BF16) {
            return Err(Fault::no_kernel(name, self.input.dtype()));
        }
        let fits = self.grad.numel() == self.input.numel()
            && kept.mean.numel() == stats
            && kept.scale.numel() == stats
            && kept.weight.is_none_or(|w| w.numel() == weights);
        match fits {
            true => Ok(()),
            false => Err(Fault::runtime(format!(
                "{name}: the gradient, the statistics and the weight are not those of this input"
            ))),
        }
    }
}

impl Kept<'_> {
    fn wants(&self, i: usize) -> bool {
        self.mask.get(i) != Some(&false)
    }

    /// The weights; ones where there are none.
    fn weights(&self, count: usize) -> Buffer<f32> {
        match self.weight {
            Some(weight) => copied(weight),
            None => (0..count).map(|_| 1.0).collect(),
        }
    }

    /// The results that are wanted. The parameters have the dtype of the weight.
    fn results(&self, of: Normal<'_>, gradients: [Buffer<f32>; 3], sizes: &[usize]) -> Gradients {
        let input = of.input;
        let dtype = self.weight.map_or(input.dtype(), Tensor::dtype);
        let [x, weight, bias] = gradients;
        let of_weight = |gradient: Buffer<f32>| finish(gradient, sizes, dtype);
        (
            (self.wants(0)).then(|| finish(x, input.sizes(), input.dtype())),
            (self.wants(1)).then(|| of_weight(weight)),
            (self.wants(2)).then(|| of_weight(bias)),
        )
    }
}

fn layer_norm(
    normal: Normal<'_>,
    shape: Ints,
    mean: &Tensor,
    scale: &Tensor,
    weight: Option<&Tensor>,
    _bias: Option<&Tensor>,
    mask: Mask,
) -> Result<Gradients> {
    let kept = Kept {
        mean,
        scale,
        weight,
        mask,
    };
    let size = (shape.iter()).try_fold(1usize, |all, n| usize::try_from(*n).ok()?.checked_mul(all));
    let size = size.unwrap_or(0);
    let rows = normal.input.numel() / size.max(1);
    let sizes: Dims = match size == 0 && !shape.contains(&0) {
        true => smallvec::smallvec![0],
        false => shape.iter().map(|n| *n as usize).collect(),
    };
    normal.check("native_layer_norm_backward", &kept, rows, size)?;
    if memory::times([rows, size]) != normal.input.numel() {
        return Err(Fault::runtime(format!(
            "native_layer_norm_backward: {} elements are no rows of {size}",
            normal.input.numel()
        )));
    }
    let (grad, x) = (dense::<f32>(normal.grad), dense::<f32>(normal.input));
    let (mean, scale) = (dense::<f32>(mean), dense::<f32>(scale));
    let planes = Planes {
        grad: &grad.data::<f32>(),
        x: &x.data::<f32>(),
        size,
        mean: &mean.data::<f32>(),
        scale: &scale.data::<f32>(),
    };
    let weights = kept.weights(size);
    let mut out = Buffer::<f32>::unspecified(planes.x.len());
    if kept.wants(0) && size > 0 {
        threads::split_rows(&mut out, size, 1, 4 * size, &|part, out| {
            row_gradients(planes, &weights, part.start, out);
        });
    }
    let [mut sums, mut products] = [(); 2].map(|()| Buffer::<f32>::zeroed(size));
    if kept.wants(1) || kept.wants(2) {
        let lent = (
            Rows::of(&mut sums, COLUMNS),
            Rows::of(&mut products, COLUMNS),
        );
        let cost = rows.saturating_mul(2 * COLUMNS);
        threads::split_lent(size.div_ceil(COLUMNS), 1, cost, lent, &|part,
                                                                     (
            sums,
            products,
        )| {
            column_sums(planes, part.start * COLUMNS, sums, products);
        });
    }
    Ok(kept.results(normal, [out, products, sums], &sizes))
}

arguments! {
    /// Samples, channels, elements of a channel of a sample, and groups of channels.
    struct Groups {
        n: i64,
        c: i64,
        hw: i64,
        groups: i64,
    }
}

fn group_norm(
    normal: Normal<'_>,
    mean: &Tensor,
    scale: &Tensor,
    weight: Option<&Tensor>,
    given: Groups,
    mask: Mask,
) -> Result<Gradients> {
    let kept = Kept {
        mean,
        scale,
        weight,
        mask,
    };
    let Groups { n, c, hw, groups } = given;
    let [n, c, hw, groups] = [n, c, hw, groups].map(|v| v.max(0) as usize);
    let fits = groups > 0 && c.is_multiple_of(groups);
    if !fits || memory::times([n, c, hw]) != normal.input.numel() {
        return Err(Fault::runtime(format!(
            "native_group_norm_backward: {} elements are not {n} x {c} x {hw} in {groups} groups",
            normal.input.numel()
        )));
    }
    normal.check("native_group_norm_backward", &kept, n * groups, c)?;
    let stat = |plane: usize| plane / (c / groups);
    by_planes(normal, &kept, [n, c, hw], &stat, true)
}

arguments! {
    /// What batch norm was given, and what it kept.
    struct Batch<'a> {
        weight: Option<&'a Tensor>,
        running_mean: Option<&'a Tensor>,
        running_var: Option<&'a Tensor>,
        mean: Option<&'a Tensor>,
        scale: Option<&'a Tensor>,
        train: bool,
        eps: f64,
        mask: Mask,
    }
}

fn batch_norm(normal: Normal<'_>, given: Batch<'_>) -> Result<Gradients> {
    let input = normal.input;
    let missing = || Fault::runtime("native_batch_norm_backward: the statistics are missing");
    let fixed;
    let (mean, scale) = match given.train {
        true => (given.mean, given.scale),
        false => {
            let variances = given.running_var.ok_or_else(missing)?.to_vec::<f64>();
            let scales = variances.iter().map(|v| 1.0 / (v + given.eps).sqrt());
            fixed = Buffer::<f64>::from_iter(scales).into_tensor(&[variances.len()]);
            (given.running_mean, Some(&fixed))
        }
    };
    let kept = Kept {
        mean: mean.ok_or_else(missing)?,
        scale: scale.ok_or_else(missing)?,
        weight: given.weight,
        mask: given.mask,
    };
    let (n, c) = match input.sizes() {
        [n, c, ..] => (*n, *c),
        _ => return Err(missing()),
    };
    normal.check("native_batch_norm_backward", &kept, c, c)?;
    let sizes = [n, c, input.sizes()[2..].iter().product()];
    by_planes(normal, &kept, sizes, &|plane| plane % c, given.train)
}

/// Gradients where each channel of a sample has one weight: `stat` is which mean a plane has. Means that are not `own` to
/// the input are numbers that do not depend on it.
fn by_planes(
    normal: Normal<'_>,
    kept: &Kept<'_>,
    [n, c, hw]: [usize; 3],
    stat: &dyn Fn(usize) -> usize,
    own: bool,
) -> Result<Gradients> {
    let count = memory::times([n, c]);
    let (grad, x) = (dense::<f32>(normal.grad), dense::<f32>(normal.input));
    let [means, scales] = [kept.mean, kept.scale].map(copied::<f32>);
    let (mut mean, mut scale) = (memory::filled(count, 0f32), memory::filled(count, 0f32));
    for p in 0..count {
        (mean[p], scale[p]) = (means[stat(p)], scales[stat(p)]);
    }
    let planes = Planes {
        grad: &grad.data::<f32>(),
        x: &x.data::<f32>(),
        size: hw,
        mean: &mean,
        scale: &scale,
    };
    let mut sums = memory::filled(count, [0f32; 2]);
    threads::split_rows(&mut sums, 1, 1, 2 * hw, &|part, sums| {
        plane_sums(planes, part.start, sums);
    });
    let weights = kept.weights(c);
    let (mut of_weight, mut of_bias) = (Buffer::<f32>::zeroed(c), Buffer::<f32>::zeroed(c));
    // By mean: elements, and the weighed sums.
    let mut all = memory::filled(means.len(), [0.0; 3]);
    for (p, [sum, product]) in sums.iter().enumerate() {
        let channel = p % c;
        of_bias[channel] += sum;
        of_weight[channel] += product;
        let (all, weight) = (&mut all[stat(p)], f64::from(weights[channel]));
        all[0] += hw as f64;
        all[1] += weight * f64::from(*sum);
        all[2] += weight * f64::from(*product);
    }
    let mut out = Buffer::<f32>::unspecified(planes.x.len());
    if kept.wants(0) && hw > 0 {
        let mut factors = memory::filled(count, [0f32; 3]);
        for (p, factors) in factors.iter_mut().enumerate() {
            factors[0] = weights[p % c] * scale[p];
            if own {
                let [elements, sum, product] = all[stat(p)];
                factors[1] = (product / elements) as f32 * scale[p];
                factors[2] = (sum / elements) as f32 * scale[p];
            }
        }
        threads::split_rows(&mut out, hw, 1, 2 * hw, &|part, out| {
            plane_gradients(planes, &factors, part.start, out);
        });
    }
    Ok(kept.results(normal, [out, of_weight, of_bias], &[c]))
}
