//! Gradients of sampling at given places.

use super::{Interpolation, POINTS, Sampler, check, kernel_name, plan_point};
use rushlight_kernels::compute::{compute, dense, finish};
use rushlight_kernels::nn::grid::Plan;
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::{Buffer, Fault, Result, Tensor, memory, watch};
use rushlight_types::{arguments, op, operators};
use smallvec::SmallVec;

operators! {
    /// Gradients of sampling.
    pub static ROWS = [
        op!("aten::grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)", backward_2d),
        op!("aten::grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners, bool[2] output_mask) -> (Tensor, Tensor)", backward_3d),
    ];
}

arguments! {
    /// What was sampled, where, and the gradient of what that gave.
    struct Sampled<'a> {
        grad: &'a Tensor,
        input: &'a Tensor,
        grid: &'a Tensor,
    }
}

arguments! {
    /// How it was sampled, and whether the gradient of the image is wanted.
    struct Manner {
        mode: i64,
        padding: i64,
        align: bool,
        wanted: SmallVec<[bool; 6]>,
    }
}

type Gradients = (Option<Tensor>, Tensor);

fn backward_2d(sampled: Sampled<'_>, manner: Manner) -> Result<Gradients> {
    backward(&sampled, 2, &manner)
}

fn backward_3d(sampled: Sampled<'_>, manner: Manner) -> Result<Gradients> {
    backward(&sampled, 3, &manner)
}

fn backward(sampled: &Sampled<'_>, dims: usize, manner: &Manner) -> Result<Gradients> {
    let (t, grid) = (sampled.input, sampled.grid);
    let sampler = Sampler::new(manner.mode, manner.padding, manner.align)?;
    check(t, grid, dims)?;
    let (batch, channels) = (t.size(0), t.size(1));
    let mut input = [1usize; 3];
    input[3 - dims..].copy_from_slice(&t.sizes()[2..]);
    let points: usize = grid.sizes()[1..=dims].iter().product();
    let plane: usize = input.iter().product();
    if sampled.grad.numel() != memory::times([batch, channels, points]) {
        return Err(Fault::runtime(format!(
            "grid_sampler_{dims}d_backward: the gradient has {} elements, not {batch} x {channels} x {points}",
            sampled.grad.numel()
        )));
    }
    let wants_image = manner.wanted.first() != Some(&false);
    let is_flat = sampler.interpolation == Interpolation::Nearest;
    compute!(t.dtype(), kernel_name(dims), W => {
        let (grad, x, g) = (dense::<W>(sampled.grad), dense::<W>(t), dense::<W>(grid));
        let (grad, x, g) = (grad.data::<W>(), x.data::<W>(), g.data::<W>());
        let (grad, x, g) = (&grad[..], &x[..], &g[..]);
        let image_size = memory::times([channels, plane]);
        let grid_size = memory::times([points, dims]);
        let mut to_x = Buffer::<W>::zeroed(memory::times([batch, image_size]));
        let mut to_g = Buffer::<W>::zeroed(memory::times([batch, grid_size]));
        let lent = (Rows::of(&mut to_x, image_size), Rows::of(&mut to_g, grid_size));
        let cost = points.saturating_mul(64 + 16 * channels);
        threads::split_lent(batch, 1, cost, lent, &|part, (to_x, to_g)| {
            let mut plan = Plan::new(sampler.taps(dims));
            for (i, n) in part.enumerate() {
                for first in (0..points).step_by(POINTS) {
                    let end = points.min(first + POINTS);
                    plan.clear();
                    for p in first..end {
                        let at = &g[(n * points + p) * dims..][..dims];
                        plan_point::<W, true>(&mut plan, sampler, at, input);
                    }
                    let to_g = &mut to_g[i * grid_size..][first * dims..end * dims];
                    for c in 0..channels {
                        watch::poll();
                        let image = &x[(n * channels + c) * plane..][..plane];
                        let grad = &grad[(n * channels + c) * points..][first..end];
                        let to_image = &mut to_x[i * image_size + c * plane..][..plane];
                        plan.back(grad, image, to_image);
                    }
                    if !is_flat {
                        plan.finish(to_g, dims);
                    }
                }
            }
        });
        let to_x = wants_image.then(|| finish(to_x, t.sizes(), t.dtype()));
        Ok((to_x, finish(to_g, grid.sizes(), grid.dtype())))
    })
}
