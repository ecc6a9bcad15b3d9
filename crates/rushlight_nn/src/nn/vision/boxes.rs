//! `nms`: of boxes that overlap too much, the one with the best score stays.

use rushlight_ops::order;
use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, DType, Element, Fault, Result, Tensor, watch};
use rushlight_types::{op, operators};

operators! {
    /// Boxes.
    pub static ROWS = [
        op!("torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", nms),
    ];
}

fn check(boxes: &Tensor, scores: &Tensor) -> Result<()> {
    let problem = if boxes.rank() != 2 {
        format!("boxes should be a 2d tensor, got {}D", boxes.rank())
    } else if boxes.size(1) != 4 {
        format!(
            "boxes should have 4 elements in dimension 1, got {}",
            boxes.size(1)
        )
    } else if scores.rank() != 1 {
        format!("scores should be a 1d tensor, got {}D", scores.rank())
    } else if boxes.size(0) != scores.size(0) {
        format!(
            "boxes and scores should have same number of elements in dimension 0, got {} and {}",
            boxes.size(0),
            scores.size(0)
        )
    } else if boxes.dtype() != scores.dtype() {
        "dets should have the same type as scores".to_string()
    } else if !matches!(boxes.dtype(), DType::F32 | DType::F64) {
        format!(
            "\"nms_kernel\" not implemented for '{}'",
            boxes.dtype().class_name()
        )
    } else {
        return Ok(());
    };
    Err(Fault::runtime(problem))
}

/// `torchvision::nms`: the indices of the boxes that stay, best score first.
fn nms(boxes: &Tensor, scores: &Tensor, threshold: f64) -> Result<Tensor> {
    check(boxes, scores)?;
    let order = order(scores, 0, true)?;
    let order = order.data::<i64>();
    let kept = match boxes.dtype() {
        DType::F32 => keep::<f32>(&boxes.data::<f32>(), &order, threshold),
        _ => keep::<f64>(&boxes.data::<f64>(), &order, threshold),
    };
    Ok(Buffer::copy_of(&kept).into_vector())
}

fn larger<T: Wide>(a: T, b: T) -> T {
    if a < b { b } else { a }
}

fn smaller<T: Wide>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

fn area<T: Wide>(corners: &[T]) -> T {
    (corners[2] - corners[0]) * (corners[3] - corners[1])
}

/// The common area of two boxes.
fn overlap<T: Wide>(a: &[T], b: &[T]) -> T {
    let side = |low: usize| {
        let (start, end) = (larger(a[low], b[low]), smaller(a[low + 2], b[low + 2]));
        larger(T::ZERO, end - start)
    };
    side(0) * side(1)
}

fn keep<T: Element + Wide>(boxes: &[T], order: &[i64], threshold: f64) -> Vec<i64> {
    let corners = |i: i64| &boxes[i as usize * 4..i as usize * 4 + 4];
    let areas: Vec<T> = boxes.chunks_exact(4).map(area).collected();
    let mut dropped = memory::filled(order.len(), false);
    let mut kept = Vec::new();
    for (rank, &i) in order.iter().enumerate() {
        if dropped[i as usize] {
            continue;
        }
        kept.push(i);
        watch::poll();
        for &j in &order[rank + 1..] {
            if dropped[j as usize] {
                continue;
            }
            let common = overlap(corners(i), corners(j));
            let union = areas[i as usize] + areas[j as usize] - common;
            dropped[j as usize] = (common / union).f64() > threshold;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_under_a_better_one_go() {
        let corners = [
            0.0f32, 0.0, 10.0, 10.0, 1.0, 1.0, 10.0, 10.0, 20.0, 20.0, 30.0, 30.0,
        ];
        let boxes = Tensor::from_slice(&corners, &[3, 4]).unwrap();
        let scores = Tensor::from_slice(&[0.5f32, 0.9, 0.9], &[3]).unwrap();
        assert_eq!(nms(&boxes, &scores, 0.5).unwrap().to_vec::<i64>(), [1, 2]);
        assert_eq!(
            nms(&boxes, &scores, 0.9).unwrap().to_vec::<i64>(),
            [1, 2, 0]
        );
    }
}
