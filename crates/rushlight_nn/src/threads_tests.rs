//! Kernels write the same bits for any number of threads.

mod gradients;

use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Generator, Tensor, threads};
use rushlight_types::{Context, Value};

/// A tensor of numbers that look random.
fn random(sizes: &[usize], dtype: DType, seed: u64) -> Tensor {
    let mut generator = Generator::new(seed);
    let count = sizes.iter().product();
    let values = (0..count).map(|_| f64::from(generator.random()) / 2f64.powi(31) - 1.0);
    let values: Vec<f64> = values.collected();
    Tensor::from_vec(values, sizes).unwrap().to_dtype(dtype)
}

fn one(name: &str, arguments: Vec<Value>) -> Tensor {
    let operator = crate::table().find(name).expect("an operator");
    let results = operator.call_vec(&Context::silent(), arguments).unwrap();
    results[0].as_tensor().unwrap().clone()
}

/// The bits of the results for one, two, three and five threads are the same.
fn same_bits(what: &str, run: impl Fn() -> Tensor) {
    let bits = |count: usize| {
        threads::set_count(count);
        let out = run().contiguous().to_dtype(DType::F64);
        let values = out.to_vec::<f64>();
        values.iter().map(|v| v.to_bits()).collected()
    };
    let expected = bits(1);
    for count in [2, 3, 5] {
        assert!(bits(count) == expected, "{what} with {count} threads");
    }
}

#[test]
fn products() {
    for dtype in [DType::F32, DType::F64, DType::C128] {
        for (m, k, n) in [
            (97, 300, 200),
            (49, 1000, 64),
            (400, 33, 401),
            (1000, 64, 17),
            (5, 700, 900),
            (900, 700, 1),
            (191, 129, 255),
        ] {
            for right_is_transposed in [false, true] {
                let a = random(&[m, k], dtype, 1);
                let b = match right_is_transposed {
                    true => random(&[n, k], dtype, 2).transpose(0, 1).unwrap(),
                    false => random(&[k, n], dtype, 2),
                };
                same_bits(
                    &format!("mm {dtype} {m} {k} {n} {right_is_transposed}"),
                    || {
                        let out = one("aten::mm", vec![a.clone().into(), b.clone().into()]);
                        match dtype.is_complex() {
                            true => one("aten::view_as_real", vec![out.into()]),
                            false => out,
                        }
                    },
                );
            }
        }
    }
    let a = random(&[24, 60, 70], DType::F32, 3);
    let b = random(&[24, 70, 90], DType::F32, 4);
    same_bits("bmm", || {
        one("aten::bmm", vec![a.clone().into(), b.clone().into()])
    });
}

#[test]
fn convolutions() {
    for (channels, kernel, groups) in [(64, 3, 1), (64, 1, 1), (64, 3, 64), (24, 5, 2), (3, 7, 1)] {
        let x = random(&[2, channels, 40, 37], DType::F32, 5);
        let out = if groups == 1 { 48 } else { channels };
        let w = random(&[out, channels / groups, kernel, kernel], DType::F32, 6);
        let b = random(&[out], DType::F32, 7);
        let ints = |v: &[i64]| Value::IntList(v.to_vec().into());
        same_bits(&format!("conv2d {channels} {kernel} {groups}"), || {
            one(
                "aten::conv2d",
                vec![
                    x.clone().into(),
                    w.clone().into(),
                    b.clone().into(),
                    ints(&[1, 1]),
                    ints(&[1, 1]),
                    ints(&[1, 1]),
                    Value::Int(groups as i64),
                ],
            )
        });
    }
}

#[test]
fn loops_over_elements() {
    let x = random(&[333, 701], DType::F32, 8);
    let y = random(&[701, 333], DType::F64, 9).transpose(0, 1).unwrap();
    same_bits("exp", || one("aten::exp", vec![x.clone().into()]));
    same_bits("tanh of a transposed", || {
        one("aten::tanh", vec![y.clone().into()])
    });
    same_bits("atan2", || {
        one("aten::atan2", vec![x.clone().into(), y.clone().into()])
    });
    same_bits("a copy", || y.contiguous());
    for dim in [0, 1] {
        same_bits("sum", || {
            let dims = Value::IntList(vec![dim].into());
            one(
                "aten::sum.dim_IntList",
                vec![x.clone().into(), dims, Value::Bool(false), Value::None],
            )
        });
        same_bits("softmax", || {
            one(
                "aten::softmax.int",
                vec![x.clone().into(), Value::Int(dim), Value::None],
            )
        });
    }
}

#[test]
fn rows_together() {
    let x = random(&[1205, 128], DType::F32, 40);
    for n in [128, 100, 127, 14] {
        same_bits(&format!("rfft of {n}"), || {
            let arguments = vec![x.clone().into(), Value::Int(n), Value::Int(-1), Value::None];
            let out = one("aten::fft_rfft", arguments);
            one("aten::view_as_real", vec![out.into()])
        });
        let rows = x.narrow(1, 0, n as usize).unwrap().contiguous();
        same_bits(&format!("log_softmax of {n}"), || {
            let arguments = vec![rows.clone().into(), Value::Int(-1), Value::None];
            one("aten::log_softmax.int", arguments)
        });
        same_bits(&format!("argsort of {n}"), || {
            let arguments = vec![rows.clone().into(), Value::Int(-1), Value::Bool(true)];
            one("aten::argsort", arguments)
        });
    }
}

#[test]
fn layers() {
    let ints = |v: &[i64]| Value::IntList(v.to_vec().into());
    let x = random(&[4, 16, 60, 61], DType::F32, 10);
    let rows = random(&[300, 513], DType::F32, 11);
    let (weight, bias) = (
        random(&[513], DType::F32, 12),
        random(&[513], DType::F32, 13),
    );
    same_bits("layer_norm", || {
        one(
            "aten::layer_norm",
            vec![
                rows.clone().into(),
                ints(&[513]),
                weight.clone().into(),
                bias.clone().into(),
                Value::Float(1e-5),
                Value::Bool(true),
            ],
        )
    });
    let channels = random(&[16], DType::F32, 14);
    let positive = one("aten::abs", vec![channels.clone().into()]);
    same_bits("batch_norm", || {
        one(
            "aten::batch_norm",
            vec![
                x.clone().into(),
                channels.clone().into(),
                channels.clone().into(),
                channels.clone().into(),
                positive.clone().into(),
                Value::Bool(false),
                Value::Float(0.1),
                Value::Float(1e-5),
                Value::Bool(true),
            ],
        )
    });
    same_bits("max_pool2d", || {
        let (two, one_, zero) = (ints(&[3, 3]), ints(&[1, 1]), ints(&[0, 0]));
        let arguments = vec![
            x.clone().into(),
            two.clone(),
            one_.clone(),
            zero,
            one_,
            Value::Bool(false),
        ];
        one("aten::max_pool2d", arguments)
    });
    same_bits("avg_pool2d", || {
        let arguments = vec![
            x.clone().into(),
            ints(&[3, 3]),
            ints(&[2, 2]),
            ints(&[1, 1]),
            Value::Bool(true),
            Value::Bool(false),
            Value::None,
        ];
        one("aten::avg_pool2d", arguments)
    });
    same_bits("upsample_bilinear2d", || {
        let arguments = vec![
            x.clone().into(),
            ints(&[97, 83]),
            Value::Bool(false),
            Value::None,
            Value::None,
        ];
        one("aten::upsample_bilinear2d", arguments)
    });
    let q = random(&[2, 8, 70, 32], DType::F32, 15);
    for causal in [false, true] {
        same_bits("attention", || {
            let arguments = vec![
                q.clone().into(),
                q.clone().into(),
                q.clone().into(),
                Value::None,
                Value::Float(0.0),
                Value::Bool(causal),
                Value::None,
                Value::Bool(false),
            ];
            one("aten::scaled_dot_product_attention", arguments)
        });
    }
    let ids = Tensor::from_vec((0..400).map(|i| i * 7 % 300).collected(), &[400]);
    let ids = ids.unwrap();
    same_bits("embedding", || {
        let arguments = vec![
            rows.clone().into(),
            ids.clone().into(),
            Value::Int(-1),
            Value::Bool(false),
            Value::Bool(false),
        ];
        one("aten::embedding", arguments)
    });
}

#[test]
fn recurrent_layers() {
    let (steps, batch, features, hidden) = (5, 9, 70, 130);
    for (name, gates, states) in [
        ("aten::lstm.input", 4, 2),
        ("aten::gru.input", 3, 1),
        ("aten::rnn_tanh.input", 1, 1),
    ] {
        for dtype in [DType::F32, DType::F64] {
            let x = random(&[steps, batch, features], dtype, 20);
            let state = random(&[4, batch, hidden], dtype, 21);
            let mut parameters = Vec::new();
            for cell in 0..4 {
                let from = if cell < 2 { features } else { 2 * hidden };
                for sizes in [&[gates * hidden, from][..], &[gates * hidden, hidden]] {
                    parameters.push(random(sizes, dtype, 22 + cell));
                }
            }
            let state = match states {
                2 => Value::TensorList(vec![state.clone(), state].into()),
                _ => state.into(),
            };
            same_bits(&format!("{name} {dtype}"), || {
                let arguments = vec![
                    x.clone().into(),
                    state.clone(),
                    Value::TensorList(parameters.clone().into()),
                    Value::Bool(false),
                    Value::Int(2),
                    Value::Float(0.0),
                    Value::Bool(false),
                    Value::Bool(true),
                    Value::Bool(false),
                ];
                one(name, arguments)
            });
        }
    }
}

#[test]
fn rows_planes_and_places() {
    let ints = |v: &[i64]| Value::IntList(v.to_vec().into());
    let rows = random(&[150, 700], DType::F32, 30);
    let x = random(&[2, 24, 50, 51], DType::F32, 31);
    let grid = random(&[2, 60, 61, 2], DType::F32, 32);
    let channels = random(&[24], DType::F32, 33);
    let weight = random(&[24, 20, 2, 2], DType::F32, 34);
    let wide = random(&[24, 20, 3, 3], DType::F32, 35);
    let width = random(&[700], DType::F32, 36);
    let ids = Tensor::from_vec((0..90_000).map(|i| i * 7 % 700).collected(), &[90_000]).unwrap();
    let (no, yes) = (Value::Bool(false), Value::Bool(true));
    let (one_, two) = (ints(&[1, 1]), ints(&[2, 2]));
    let transposed = |w: &Tensor, step: &Value| {
        let (none, zero) = (Value::None, ints(&[0, 0]));
        let rest = [zero.clone(), zero, Value::Int(1), one_.clone()];
        [x.clone().into(), w.clone().into(), none, step.clone()]
            .into_iter()
            .chain(rest)
            .collected()
    };
    let cases: Vec<(&str, Vec<Value>)> = vec![
        (
            "aten::sort",
            vec![rows.clone().into(), Value::Int(1), no.clone()],
        ),
        (
            "aten::sort",
            vec![x.clone().into(), Value::Int(1), yes.clone()],
        ),
        (
            "aten::topk",
            vec![
                rows.clone().into(),
                Value::Int(9),
                Value::Int(1),
                yes.clone(),
                yes.clone(),
            ],
        ),
        (
            "aten::argmax",
            vec![rows.clone().into(), Value::Int(1), no.clone()],
        ),
        (
            "aten::max.dim",
            vec![x.clone().into(), Value::Int(1), no.clone()],
        ),
        (
            "aten::cumsum",
            vec![rows.clone().into(), Value::Int(1), Value::None],
        ),
        (
            "aten::cumsum",
            vec![x.clone().into(), Value::Int(2), Value::None],
        ),
        ("aten::cummax", vec![rows.clone().into(), Value::Int(1)]),
        (
            "aten::index_select",
            vec![width.clone().into(), Value::Int(0), ids.clone().into()],
        ),
        (
            "aten::index_select",
            vec![
                rows.clone().into(),
                Value::Int(1),
                ids.narrow(0, 0, 900).unwrap().into(),
            ],
        ),
        (
            "aten::upsample_nearest2d",
            vec![x.clone().into(), ints(&[97, 83]), Value::None, Value::None],
        ),
        (
            "aten::adaptive_avg_pool2d",
            vec![x.clone().into(), ints(&[7, 6])],
        ),
        (
            "aten::adaptive_avg_pool2d",
            vec![x.clone().into(), ints(&[1, 1])],
        ),
        (
            "aten::adaptive_max_pool2d",
            vec![x.clone().into(), ints(&[7, 6])],
        ),
        (
            "aten::grid_sampler",
            vec![
                x.clone().into(),
                grid.into(),
                Value::Int(0),
                Value::Int(0),
                no.clone(),
            ],
        ),
        ("aten::conv_transpose2d.input", transposed(&weight, &two)),
        ("aten::conv_transpose2d.input", transposed(&wide, &one_)),
        (
            "aten::group_norm",
            vec![
                x.clone().into(),
                Value::Int(6),
                channels.clone().into(),
                channels.into(),
                Value::Float(1e-5),
                yes,
            ],
        ),
        (
            "aten::rms_norm",
            vec![rows.clone().into(), ints(&[700]), width.into(), Value::None],
        ),
        (
            "aten::amax",
            vec![rows.clone().into(), ints(&[1]), no.clone()],
        ),
    ];
    for (name, arguments) in cases {
        same_bits(name, || one(name, arguments.clone()));
    }
}
