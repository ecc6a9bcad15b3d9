//! Times quantized convolutions: `cargo run --release -p rushlight_quantized --example speed [threads]`.

use rushlight_quantized::finish::Scales;
use rushlight_quantized::layers::convolution_to_integers;
use rushlight_quantized::packed::{Convolution, Weights};
use rushlight_quantized::uniform;
use rushlight_tensor::{MemoryFormat, Tensor, threads};
use std::time::Instant;

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

const RESNET18: &[Case] = &[
    ("conv1", 3, 64, 1, 7, 2, 224, 1),
    ("layer1", 64, 64, 1, 3, 1, 56, 4),
    ("layer2 first", 64, 128, 1, 3, 2, 56, 1),
    ("layer2 shortcut", 64, 128, 1, 1, 2, 56, 1),
    ("layer2", 128, 128, 1, 3, 1, 28, 3),
    ("layer3 first", 128, 256, 1, 3, 2, 28, 1),
    ("layer3 shortcut", 128, 256, 1, 1, 2, 28, 1),
    ("layer3", 256, 256, 1, 3, 1, 14, 3),
    ("layer4 first", 256, 512, 1, 3, 2, 14, 1),
    ("layer4 shortcut", 256, 512, 1, 1, 2, 14, 1),
    ("layer4", 512, 512, 1, 3, 1, 7, 3),
];

const MOBILE: &[Case] = &[
    ("first", 3, 32, 1, 3, 2, 224, 1),
    ("depthwise", 32, 32, 32, 3, 1, 112, 1),
    ("narrow", 32, 16, 1, 1, 1, 112, 1),
    ("wide", 16, 96, 1, 1, 1, 112, 1),
    ("depthwise", 96, 96, 96, 3, 2, 112, 1),
    ("narrow", 96, 24, 1, 1, 1, 56, 1),
    ("wide", 24, 144, 1, 1, 1, 56, 2),
    ("depthwise", 144, 144, 144, 3, 1, 56, 1),
    ("depthwise", 384, 384, 384, 3, 1, 14, 4),
    ("wide", 64, 384, 1, 1, 1, 14, 4),
    ("narrow", 384, 64, 1, 1, 1, 14, 4),
    ("last", 320, 1280, 1, 1, 1, 7, 1),
    ("grouped", 128, 128, 32, 3, 1, 28, 1),
];

fn time(case: &Case) -> (f64, f64) {
    let &(_, inputs, outputs, groups, kernel, stride, size, _) = case;
    let x: Vec<u8> = (0..inputs * size * size)
        .map(|i| (i * 37 % 127) as u8)
        .collect();
    let x = Tensor::from_vec(x, &[1, inputs, size, size]).unwrap();
    let x = match inputs {
        3 => x,
        _ => x.contiguous_in(MemoryFormat::ChannelsLast).unwrap(),
    };
    let x = x.as_quantized(&uniform(0.02, 120)).unwrap();
    let count = outputs * inputs / groups * kernel * kernel;
    let w: Vec<i8> = (0..count).map(|i| (i * 29 % 255) as i8).collect();
    let w = Tensor::from_vec(w, &[outputs, inputs / groups, kernel, kernel]).unwrap();
    let w = w.as_quantized(&uniform(0.01, 0)).unwrap();
    let layer = Convolution {
        weights: Weights::new(w, None),
        stride: vec![stride as i64; 2],
        padding: vec![(kernel / 2) as i64; 2],
        dilation: vec![1; 2],
        output_padding: vec![0; 2],
        groups: groups as i64,
        transposed: false,
    };
    let scales = Scales {
        input: 0.02,
        output: 0.5,
        zero_point: 100,
    };
    let mut best = f64::INFINITY;
    let mut pixels = 0;
    for _ in 0..40 {
        let start = Instant::now();
        let (_, sizes) = convolution_to_integers(&x, &layer, &scales, true)
            .unwrap()
            .unwrap();
        best = best.min(start.elapsed().as_secs_f64());
        pixels = sizes[1] * sizes[2];
    }
    (best, (pixels * count) as f64)
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok());
    threads::set_count(count.unwrap_or(1));
    for (network, cases) in [("resnet18", RESNET18), ("mobile", MOBILE)] {
        let (mut total, mut products) = (0.0, 0.0);
        for case in cases {
            let (seconds, own) = time(case);
            println!(
                "{:16} {:4} -> {:4} at {:3}: {:8.1} us, {:6.1} G products/s",
                case.0,
                case.1,
                case.2,
                case.6,
                seconds * 1e6,
                own / seconds / 1e9
            );
            total += seconds * case.7 as f64;
            products += own * case.7 as f64;
        }
        println!(
            "{network}: {:.3} ms, {:.1} G products/s",
            total * 1e3,
            products / total / 1e9
        );
    }
}
