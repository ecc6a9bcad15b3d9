//! The way back through normalisation.

use crate::isa::{BASELINE_FUSED, fma};
use rushlight_tensor::watch;

/// Sums that are made side by side.
const LANES: usize = 32;

/// Gradients of what was normalised, and that, in planes of elements that share a mean and a scale.
#[derive(Clone, Copy)]
pub struct Planes<'a> {
    pub grad: &'a [f32],
    pub x: &'a [f32],
    /// Elements of a plane.
    pub size: usize,
    /// The mean of every plane, and the inverse of its deviation.
    pub mean: &'a [f32],
    pub scale: &'a [f32],
}

impl Planes<'_> {
    #[inline(always)]
    fn plane(&self, plane: usize) -> (&[f32], &[f32]) {
        let range = plane * self.size..(plane + 1) * self.size;
        (&self.grad[range.clone()], &self.x[range])
    }
}

/// The sum of some numbers, and that of their products with the distances of others from a mean.
fn two_sums(numbers: &[f32], x: &[f32], mean: f32) -> [f32; 2] {
    let (mut sums, mut products) = ([0f32; LANES], [0f32; LANES]);
    let (wholes, xs) = (numbers.chunks_exact(LANES), x.chunks_exact(LANES));
    let rest = wholes.remainder().iter().zip(xs.remainder());
    for (n, x) in wholes.zip(xs) {
        for l in 0..LANES {
            sums[l] += n[l];
            products[l] = fma::<f32, BASELINE_FUSED>(n[l], x[l] - mean, products[l]);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            sums[l] += sums[l + width];
            products[l] += products[l + width];
        }
        width /= 2;
    }
    let (mut sum, mut product) = (sums[0], products[0]);
    for (n, x) in rest {
        sum += *n;
        product = fma::<f32, BASELINE_FUSED>(*n, *x - mean, product);
    }
    [sum, product]
}

/// For each plane from `first` on: the sum of the gradients, and that of their products with the normal elements.
pub fn plane_sums(planes: Planes<'_>, first: usize, out: &mut [[f32; 2]]) {
    for (i, out) in out.iter_mut().enumerate() {
        watch::poll();
        let (grad, x) = planes.plane(first + i);
        let [sum, product] = two_sums(grad, x, planes.mean[first + i]);
        *out = [sum, product * planes.scale[first + i]];
    }
}

/// For each plane from `first` on: `a` times the gradients, less `b` times the normal elements, less `c`.
pub fn plane_gradients(planes: Planes<'_>, factors: &[[f32; 3]], first: usize, out: &mut [f32]) {
    for (i, out) in out.chunks_exact_mut(planes.size).enumerate() {
        watch::poll();
        let (grad, x) = planes.plane(first + i);
        let [a, b, c] = factors[first + i];
        let (mean, b) = (planes.mean[first + i], b * planes.scale[first + i]);
        for ((out, grad), x) in out.iter_mut().zip(grad).zip(x) {
            *out = *grad * a - (*x - mean) * b - c;
        }
    }
}

/// The gradients of rows whose elements have a weight each, from row `first` on.
pub fn row_gradients(rows: Planes<'_>, weight: &[f32], first: usize, out: &mut [f32]) {
    let count = rows.size as f32;
    for (i, out) in out.chunks_exact_mut(rows.size).enumerate() {
        watch::poll();
        let (grad, x) = rows.plane(first + i);
        let (mean, scale) = (rows.mean[first + i], rows.scale[first + i]);
        for ((out, grad), weight) in out.iter_mut().zip(grad).zip(weight) {
            *out = *grad * *weight;
        }
        let [sum, product] = two_sums(out, x, mean);
        let (c, b) = (sum / count, product * scale * scale / count);
        for (out, x) in out.iter_mut().zip(x) {
            *out = (*out - (*x - mean) * b - c) * scale;
        }
    }
}

/// Columns whose sums are made together.
pub const COLUMNS: usize = 64;

/// For columns from `first` on, [`COLUMNS`] at a time: the sums over all rows of the gradients, and of their products with
/// the normal elements.
pub fn column_sums(rows: Planes<'_>, first: usize, sums: &mut [f32], products: &mut [f32]) {
    /// Rows whose sum is made before it is added to the others.
    const ROWS: usize = 128;
    let parts = sums.chunks_mut(COLUMNS).zip(products.chunks_mut(COLUMNS));
    for (i, (sums, products)) in parts.enumerate() {
        watch::poll();
        let (start, width) = (first + i * COLUMNS, sums.len());
        sums.fill(0.0);
        products.fill(0.0);
        for top in (0..rows.mean.len()).step_by(ROWS) {
            let (mut sum, mut product) = ([0f32; COLUMNS], [0f32; COLUMNS]);
            for row in top..rows.mean.len().min(top + ROWS) {
                let range = row * rows.size + start..row * rows.size + start + width;
                let (grad, x) = (&rows.grad[range.clone()], &rows.x[range]);
                let (mean, scale) = (rows.mean[row], rows.scale[row]);
                let lanes = sum.iter_mut().zip(&mut product);
                for ((sum, product), (grad, x)) in lanes.zip(grad.iter().zip(x)) {
                    *sum += *grad;
                    *product += *grad * ((*x - mean) * scale);
                }
            }
            for (to, sum) in sums.iter_mut().zip(sum) {
                *to += sum;
            }
            for (to, product) in products.iter_mut().zip(product) {
                *to += product;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Planes, column_sums, plane_gradients, plane_sums, row_gradients};
    use crate::testing::small_numbers as numbers;

    fn close(found: &[f32], wanted: impl Iterator<Item = f64>) {
        for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
            assert!(
                (f64::from(*found) - wanted).abs() < 1e-3,
                "{i}: {found} for {wanted}"
            );
        }
    }

    #[test]
    fn planes_rows_and_columns_are_sums() {
        let (count, size) = (150, 70);
        let (grad, x) = (numbers(count * size, 3), numbers(count * size, 5));
        let (mean, scale) = (numbers(count, 7), numbers(count, 11));
        let planes = Planes {
            grad: &grad,
            x: &x,
            size,
            mean: &mean,
            scale: &scale,
        };
        let at = |plane: usize, i: usize| {
            let (g, v) = (grad[plane * size + i], x[plane * size + i]);
            let normal = f64::from(v - mean[plane]) * f64::from(scale[plane]);
            (f64::from(g), normal)
        };
        let mut sums = vec![[0f32; 2]; count - 1];
        plane_sums(planes, 1, &mut sums);
        let of_plane = |p: usize| (0..size).map(move |i| at(p, i));
        close(
            &sums.concat(),
            (1..count).flat_map(|p| {
                let sum = of_plane(p).map(|(g, _)| g).sum();
                [sum, of_plane(p).map(|(g, n)| g * n).sum()]
            }),
        );

        let mut out = vec![0f32; count * size];
        let factors = vec![[2.0, 0.5, 0.25]; count];
        plane_gradients(planes, &factors, 0, &mut out);
        let all = || (0..count).flat_map(of_plane);
        close(&out, all().map(|(g, n)| 2.0 * g - 0.5 * n - 0.25));

        let weight = numbers(size, 13);
        row_gradients(planes, &weight, 0, &mut out);
        close(
            &out,
            (0..count).flat_map(|p| {
                let weighed =
                    move |i: usize| (at(p, i).0 * f64::from(numbers(size, 13)[i]), at(p, i).1);
                let mean = (0..size).map(|i| weighed(i).0).sum::<f64>() / size as f64;
                let product = (0..size).map(|i| weighed(i).0 * weighed(i).1).sum::<f64>();
                let (product, scale) = (product / size as f64, f64::from(scale[p]));
                (0..size).map(move |i| (weighed(i).0 - mean - weighed(i).1 * product) * scale)
            }),
        );

        let (mut sums, mut products) = (vec![0f32; size - 64], vec![0f32; size - 64]);
        column_sums(planes, 64, &mut sums, &mut products);
        close(
            &sums,
            (64..size).map(|i| (0..count).map(|p| at(p, i).0).sum()),
        );
        let product = |(g, n): (f64, f64)| g * n;
        close(
            &products,
            (64..size).map(|i| (0..count).map(|p| product(at(p, i))).sum()),
        );
    }
}
