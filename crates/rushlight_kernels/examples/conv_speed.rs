//! Times convolutions in f32: `cargo run --release -p rushlight_kernels --example conv_speed [pattern] [threads] [turns]`.
//! Prints the best of many calls in microseconds, and billions of products per second as the direct sum counts them. With
//! a third argument layers run in turn, as in a model: no weight is in a cache then that has not room for all.

use rushlight_kernels::nn::conv::forward;
use rushlight_kernels::nn::conv::geometry::Geometry;
use rushlight_tensor::{Tensor, threads};
use std::time::{Duration, Instant};

/// Name, input channels, output channels, groups, kernel, stride, size, how often.
type Case = (
    &'static str,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
);

const CASES: &[Case] = &[
    ("unet", 3, 16, 1, 3, 1, 96, 1),
    ("unet", 16, 16, 1, 3, 1, 96, 2),
    ("unet", 32, 16, 1, 3, 1, 96, 1),
    ("unet", 16, 32, 1, 3, 1, 48, 1),
    ("unet", 32, 32, 1, 3, 1, 48, 2),
    ("unet", 64, 32, 1, 3, 1, 48, 1),
    ("unet", 32, 64, 1, 3, 1, 24, 1),
    ("unet", 64, 64, 1, 3, 1, 24, 2),
    ("unet", 128, 64, 1, 3, 1, 24, 1),
    ("unet", 64, 128, 1, 3, 1, 12, 1),
    ("unet", 128, 128, 1, 3, 1, 12, 1),
    ("unet", 16, 2, 1, 1, 1, 96, 1),
    ("resnet", 3, 64, 1, 7, 2, 224, 1),
    ("resnet", 64, 64, 1, 3, 1, 56, 4),
    ("resnet", 64, 128, 1, 3, 2, 56, 1),
    ("resnet", 128, 128, 1, 3, 1, 28, 3),
    ("resnet", 128, 256, 1, 3, 2, 28, 1),
    ("resnet", 256, 256, 1, 3, 1, 14, 3),
    ("resnet", 512, 512, 1, 3, 1, 7, 3),
    ("resnet", 64, 256, 1, 1, 1, 56, 3),
    ("resnet", 256, 64, 1, 1, 1, 56, 3),
    ("resnet", 512, 128, 1, 1, 1, 28, 3),
    ("resnet", 1024, 256, 1, 1, 1, 14, 3),
    ("resnet", 512, 2048, 1, 1, 1, 7, 3),
    ("resnet", 256, 512, 1, 1, 2, 56, 1),
    ("densenet", 128, 32, 1, 3, 1, 56, 6),
    ("densenet", 128, 32, 1, 3, 1, 28, 12),
    ("densenet", 128, 32, 1, 3, 1, 14, 24),
    ("densenet", 128, 32, 1, 3, 1, 7, 16),
    ("mobile", 3, 32, 1, 3, 2, 224, 1),
    ("mobile", 32, 32, 32, 3, 1, 112, 1),
    ("mobile", 32, 16, 1, 1, 1, 112, 1),
    ("mobile", 16, 96, 1, 1, 1, 112, 1),
    ("mobile", 96, 96, 96, 3, 2, 112, 1),
    ("mobile", 96, 24, 1, 1, 1, 56, 1),
    ("mobile", 24, 144, 1, 1, 1, 56, 2),
    ("mobile", 144, 144, 144, 3, 1, 56, 1),
    ("mobile", 144, 144, 144, 3, 2, 56, 1),
    ("mobile", 192, 192, 192, 3, 1, 28, 2),
    ("mobile", 384, 384, 384, 3, 1, 14, 4),
    ("mobile", 960, 960, 960, 3, 1, 7, 3),
    ("mobile", 64, 384, 1, 1, 1, 14, 4),
    ("mobile", 384, 64, 1, 1, 1, 14, 4),
    ("mobile", 320, 1280, 1, 1, 1, 7, 1),
    ("small", 8, 8, 8, 3, 2, 112, 1),
    ("small", 8, 8, 8, 3, 1, 112, 1),
    ("small", 16, 16, 16, 3, 1, 56, 1),
    ("small", 16, 16, 16, 3, 2, 56, 1),
    ("small", 16, 16, 16, 5, 1, 28, 1),
    ("small", 16, 16, 16, 5, 2, 56, 1),
    ("small", 16, 96, 1, 1, 1, 28, 1),
    ("small", 24, 144, 1, 1, 1, 28, 1),
    ("small", 144, 24, 1, 1, 1, 28, 1),
    ("small", 96, 24, 1, 1, 1, 28, 1),
    ("efficient", 240, 240, 240, 5, 2, 28, 1),
    ("efficient", 480, 480, 480, 5, 1, 14, 3),
];

/// A layer with its operands.
struct Layer {
    case: &'static Case,
    geometry: Geometry,
    x: Tensor,
    w: Tensor,
    bias: Tensor,
    sizes: Vec<usize>,
    best: f64,
}

impl Layer {
    fn new(case: &'static Case) -> Layer {
        let &(_, inputs, outputs, groups, kernel, stride, size, _) = case;
        let around = (kernel - 1) / 2;
        let geometry = Geometry {
            dims: 2,
            batch: 1,
            groups,
            in_channels: inputs,
            out_channels: outputs,
            input: [1, size, size],
            kernel: [1, kernel, kernel],
            stride: [1, stride, stride],
            before: [0, around, around],
            after: [0, around, around],
            dilation: [1; 3],
            output_padding: [0; 3],
            transposed: false,
        };
        let tensor = |sizes: &[usize]| {
            let count: usize = sizes.iter().product();
            let numbers = (0..count).map(|i| (i * 37 % 127) as f32 / 64.0 - 1.0);
            Tensor::from_vec(numbers.collect::<Vec<f32>>(), sizes).unwrap()
        };
        Layer {
            case,
            sizes: geometry.output_sizes().unwrap().to_vec(),
            x: tensor(&[1, inputs, size, size]),
            w: tensor(&[outputs, inputs / groups, kernel, kernel]),
            bias: tensor(&[outputs]),
            geometry,
            best: f64::MAX,
        }
    }

    fn run(&mut self) {
        let start = Instant::now();
        forward::compute::<f32>(
            &self.geometry,
            &self.x,
            &self.w,
            Some(&self.bias),
            &self.sizes,
        )
        .unwrap();
        self.best = self.best.min(start.elapsed().as_secs_f64());
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let pattern = args.next().unwrap_or_default();
    threads::set_count(args.next().map_or(1, |a| a.parse().unwrap()));
    let in_turn = args.next().is_some();
    let cases = CASES.iter().filter(|c| c.0.contains(&pattern));
    let times = |case: &Case| if in_turn { case.7 } else { 1 };
    let mut layers: Vec<Layer> = cases
        .flat_map(|case| std::iter::repeat_n(case, times(case)))
        .map(Layer::new)
        .collect();
    if in_turn {
        for _ in 0..40 {
            layers.iter_mut().for_each(Layer::run);
        }
    } else {
        for layer in &mut layers {
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_millis(300) {
                layer.run();
            }
        }
    }
    let mut all = 0.0;
    for layer in &layers {
        let &(name, inputs, outputs, groups, kernel, stride, size, often) = layer.case;
        all += layer.best * if in_turn { 1 } else { often } as f64;
        let products = (layer.w.numel() * layer.sizes[2..].iter().product::<usize>()) as f64;
        println!(
            "{name:10} {inputs:4} to {outputs:4} in {groups:3}, {kernel} x {kernel} / {stride} of {size:3}: {:8.1} us {:6.1} G/s",
            layer.best * 1e6,
            products / layer.best / 1e9
        );
    }
    println!("all, each as often as in its model: {:.1} us", all * 1e6);
}
