//! Hostile tensors: empty ones, huge ones that are small in memory, views of every kind, all dtypes, extreme elements.

use rushlight::tensor::{DType, Scalar};

use super::arg::{Arg, Quantization, TensorArg, View};
use super::hostile::{edge, element, float};
use crate::random::Random;

const DTYPES: &[DType] = &[
    DType::F32,
    DType::F64,
    DType::I64,
    DType::Bool,
    DType::U8,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::F16,
    DType::BF16,
    DType::C64,
    DType::C128,
    DType::QU8,
    DType::QI8,
    DType::QI32,
];

/// Sizes without elements.
const EMPTY: &[&[usize]] = &[
    &[0],
    &[0, 3],
    &[3, 0],
    &[0, 0],
    &[2, 0, 3],
    &[1, 3, 0, 0],
    &[0, 3, 4, 4],
    &[3, 0, 1 << 40],
    &[0, 1 << 62],
    &[1 << 62, 0, 4],
];

/// Sizes of tensors that repeat one element.
const HUGE: &[&[usize]] = &[
    &[1 << 31],
    &[1 << 32],
    &[(1 << 32) + 1],
    &[1 << 20, 1 << 20],
    &[1 << 58],
    &[1 << 61],
    &[1 << 62],
    &[(1 << 63) - 1],
    &[1 << 31, 1 << 31],
    &[3, 1 << 40],
    &[1 << 40, 3],
    &[2, 3, 1 << 31, 1 << 28],
    &[1 << 31, 1, 1],
    &[1, 1, 1 << 33, 2],
];

const PLAIN: &[&[usize]] = &[
    &[],
    &[1],
    &[2],
    &[3],
    &[5],
    &[1, 1],
    &[2, 2],
    &[2, 3],
    &[3, 3],
    &[4, 6],
    &[1, 2, 3],
    &[2, 3, 4],
    &[3, 3, 3],
    &[1, 3, 4, 4],
    &[2, 4, 5, 6],
    &[1, 2, 3, 4, 5],
    &[2, 1, 2, 1, 2, 1],
    &[17],
    &[100],
    &[33, 65],
    &[1025],
    &[70000],
];

/// A tensor from nothing.
pub fn any(random: &mut Random) -> TensorArg {
    let dtype = if random.once_in(2) {
        *random.pick(&DTYPES[..3]).unwrap_or(&DType::F32)
    } else {
        *random.pick(DTYPES).unwrap_or(&DType::F32)
    };
    let shape = shape(random);
    let mut tensor = TensorArg::plain(dtype, shape, ramp(random, dtype));
    if dtype.is_quantized() {
        tensor.quantizer = Some(quantization(random, &tensor.view.shape));
    }
    if random.once_in(4) {
        tensor = changed(random, &tensor);
    }
    tensor
}

fn shape(random: &mut Random) -> Vec<usize> {
    random.pick(PLAIN).copied().unwrap_or(&[]).to_vec()
}

/// A few quiet elements.
fn ramp(random: &mut Random, dtype: DType) -> Vec<Scalar> {
    let step = if random.once_in(2) { 0.5 } else { 1.0 };
    (0..6)
        .map(|number| {
            if dtype.is_float() || dtype.is_complex() {
                Scalar::Float(f64::from(number) * step)
            } else {
                Scalar::Int(i64::from(number) % 3)
            }
        })
        .collect()
}

/// A tensor, changed in one way.
pub fn changed(random: &mut Random, tensor: &TensorArg) -> TensorArg {
    let mut new = tensor.clone();
    let way = match random.below(16) {
        // Few operators have an answer for a huge tensor, and those that try take long.
        9 | 10 if !random.once_in(4) => 13,
        way => way,
    };
    match way {
        0 | 1 => retype(random, &mut new),
        2 | 3 => {
            let value = element(random, new.dtype);
            let at = random.below(new.data.len());
            match new.data.get_mut(at) {
                Some(place) => *place = value,
                None => new.data = vec![value],
            }
        }
        4 => new.data = vec![element(random, new.dtype)],
        5 => reshape(&mut new, random.pick(EMPTY).copied().unwrap_or(&[0])),
        6 | 7 => {
            let with = *random.pick(&[0, 0, 0, 1, 2, 7, 64, 1 << 16]).unwrap_or(&0);
            let at = random.below(new.view.shape.len());
            let mut shape = new.view.shape.clone();
            if let Some(size) = shape.get_mut(at) {
                *size = with;
            }
            reshape(&mut new, &shape);
        }
        8 => {
            let mut shape = new.view.shape.clone();
            match random.below(6) {
                0 => shape.clear(),
                1 => shape.insert(0, 1),
                2 => shape.push(1),
                3 => _ = shape.pop(),
                4 => shape = vec![1; *random.pick(&[5, 6, 8, 25, 63, 64, 65, 130]).unwrap_or(&65)],
                _ => shape.reverse(),
            }
            reshape(&mut new, &shape);
        }
        9 => {
            let shape = random.pick(HUGE).copied().unwrap_or(&[]);
            repeat(&mut new, shape.to_vec());
        }
        10 => {
            // One dimension becomes huge, without more memory.
            let mut strides = new.view.strides();
            let at = random.below(strides.len());
            if let Some(stride) = strides.get_mut(at) {
                *stride = 0;
                new.view.shape[at] = *random
                    .pick(&[1usize << 20, 1 << 31, 1 << 32, 1 << 40, 1 << 58, 1 << 62])
                    .unwrap_or(&1);
                new.view.stride = Some(strides);
            }
        }
        11 => {
            let strides = new.view.shape.iter().map(|_| random.below(4)).collect();
            new.view.stride = Some(strides);
            new.length = None;
        }
        12 => {
            // The same sizes, laid out the other way round or with gaps.
            let mut view = View::plain(new.view.shape.iter().rev().copied().collect());
            let mut strides = view.strides();
            strides.reverse();
            if random.once_in(2) {
                strides
                    .iter_mut()
                    .for_each(|stride| *stride = stride.saturating_mul(2));
            }
            view.shape.reverse();
            new.view.stride = Some(strides);
        }
        13 => new.view.offset = *random.pick(&[1, 2, 3, 7, 64]).unwrap_or(&1),
        14 => {
            let shape = shape(random);
            reshape(&mut new, &shape);
        }
        _ => {
            if !new.dtype.is_quantized() {
                retype(random, &mut new);
            }
            if new.dtype.is_quantized() {
                new.quantizer = Some(quantization(random, &new.view.shape));
            }
        }
    }
    new
}

fn retype(random: &mut Random, tensor: &mut TensorArg) {
    let dtype = *random_dtype(random);
    set_dtype(random, tensor, dtype);
}

fn random_dtype(random: &mut Random) -> &'static DType {
    random.pick(DTYPES).unwrap_or(&DType::F32)
}

fn set_dtype(random: &mut Random, tensor: &mut TensorArg, dtype: DType) {
    tensor.dtype = dtype;
    tensor.quantizer = dtype
        .is_quantized()
        .then(|| quantization(random, &tensor.view.shape));
}

fn reshape(tensor: &mut TensorArg, shape: &[usize]) {
    tensor.view = View::plain(shape.to_vec());
    tensor.length = None;
    if tensor.view.end().is_none_or(|end| end > 1 << 17) {
        repeat(tensor, shape.to_vec());
    }
}

/// One element, again and again.
fn repeat(tensor: &mut TensorArg, shape: Vec<usize>) {
    tensor.view.stride = Some(vec![0; shape.len()]);
    tensor.view.shape = shape;
    tensor.view.offset = 0;
    tensor.length = None;
}

fn quantization(random: &mut Random, shape: &[usize]) -> Quantization {
    let scale = |random: &mut Random| match random.below(3) {
        0 => float(random),
        _ => 0.25,
    };
    let zero_point = |random: &mut Random| match random.below(3) {
        0 => edge(random),
        1 => 0,
        _ => random.below(256) as i64,
    };
    if random.once_in(3) && !shape.is_empty() {
        let axis = random.below(shape.len());
        // More channels than this are refused by the check of lengths.
        let channels = shape[axis].min(1 << 10);
        return Quantization::Channel {
            axis,
            scales: (0..channels).map(|_| scale(random)).collect(),
            zero_points: (0..channels).map(|_| zero_point(random) as f64).collect(),
        };
    }
    Quantization::Tensor(scale(random), zero_point(random))
}

/// All tensors change alike: one dtype for all, or one size wherever it stands.
pub fn change_all(random: &mut Random, args: &mut [Arg]) {
    let mut all = Vec::new();
    args.iter_mut().for_each(|arg| collect(arg, &mut all));
    if all.is_empty() {
        return;
    }
    match random.below(5) {
        0 | 1 => {
            let dtype = *random_dtype(random);
            all.iter_mut()
                .for_each(|tensor| set_dtype(random, tensor, dtype));
        }
        2 => {
            // The same sizes, one element each.
            all.iter_mut().for_each(|tensor| {
                let shape = tensor.view.shape.clone();
                repeat(tensor, shape);
            });
        }
        _ => {
            let sizes: Vec<usize> = all.iter().flat_map(|t| t.view.shape.clone()).collect();
            let Some(old) = random.pick(&sizes).copied() else {
                return;
            };
            let with = *random
                .pick(&[0, 0, 0, 0, 0, 1, 1, 2, 2, 8, 8, 65, 1 << 31, 1 << 40])
                .unwrap_or(&0);
            for tensor in all {
                let shape: Vec<usize> = tensor
                    .view
                    .shape
                    .iter()
                    .map(|size| if *size == old { with } else { *size })
                    .collect();
                reshape(tensor, &shape);
            }
        }
    }
}

fn collect<'a>(arg: &'a mut Arg, all: &mut Vec<&'a mut TensorArg>) {
    match arg {
        Arg::Tensor(tensor) => all.push(tensor),
        Arg::List(items) | Arg::Tuple(items) => {
            items.iter_mut().for_each(|item| collect(item, all))
        }
        _ => {}
    }
}

/// A view of the storage of a tensor.
pub fn view_within(random: &mut Random, tensor: &TensorArg) -> View {
    let mut view = tensor.view.clone();
    let rank = view.shape.len();
    match random.below(5) {
        0 => {
            if let Some(size) = view.shape.first_mut() {
                *size = size.saturating_sub(1);
                view.stride = Some(tensor.view.strides());
                view.offset += tensor.view.strides().first().copied().unwrap_or(0);
            }
        }
        1 if rank >= 2 => {
            let mut strides = view.strides();
            strides.reverse();
            view.shape.reverse();
            view.stride = Some(strides);
        }
        2 => view.stride = Some(vec![0; rank]),
        3 => view.stride = Some(vec![1; rank]),
        _ => {}
    }
    view
}
