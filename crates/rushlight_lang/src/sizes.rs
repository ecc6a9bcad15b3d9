//! Sizes as lists of ints: broadcasting and reduction of shapes.

use rushlight_tensor::memory;
use rushlight_types::{Fault, Result, Value, op, operators};
use smallvec::SmallVec;

operators! {
    /// Operators on sizes.
    pub static ROWS = [
        op!("aten::Size(int[] sizes) -> int[]", |sizes: &Value| -> Value { sizes.clone() }),
        op!("aten::_infer_size(int[] a, int[] b) -> int[]", broadcast),
        op!("aten::broadcast_shapes(int[] a, int[] b) -> int[]", broadcast),
        op!("aten::_size_if_not_equal(int[] self_size, int[] other_size) -> int[]?", size_if_not_equal),
        op!("prim::BroadcastSizes(...) -> int[]", broadcast_all),
        op!("prim::ReductionSizes(int[] size, int[] red_axes, bool keepdim=False) -> int[]", reduction),
    ];
}

type Sizes = SmallVec<[i64; 6]>;

/// The sizes that both broadcast to.
fn broadcast(a: Sizes, b: Sizes) -> Result<Vec<i64>> {
    let rank = a.len().max(b.len());
    let size = |sizes: &Sizes, dim: usize| match (dim + sizes.len()).checked_sub(rank) {
        Some(at) => sizes[at],
        None => 1,
    };
    (0..rank)
        .map(|dim| match (size(&a, dim), size(&b, dim)) {
            (x, y) if x == y || y == 1 => Ok(x),
            (1, y) => Ok(y),
            // The reference folds from the right: its `a` is the second.
            (x, y) => Err(Fault::runtime(format!(
                "The size of tensor a ({y}) must match the size of tensor b ({x}) at non-singleton dimension {dim}"
            ))),
        })
        .collect()
}

fn broadcast_all(sizes: &[Value]) -> Result<Vec<i64>> {
    sizes.iter().try_fold(Vec::new(), |sum, more| {
        let more = more
            .list_items()?
            .iter()
            .map(Value::as_int)
            .collect::<Result<Sizes>>()?;
        broadcast(SmallVec::from_vec(sum), more)
    })
}

fn size_if_not_equal(own: &Value, other: &Value) -> Value {
    if own == other {
        Value::None
    } else {
        own.clone()
    }
}

/// What remains of sizes when some dimensions are reduced.
fn reduction(sizes: Sizes, axes: Sizes, keep: bool) -> Result<Vec<i64>> {
    let rank = sizes.len() as i64;
    let mut reduced = memory::filled(sizes.len(), false);
    for axis in axes {
        let at = if axis < 0 { axis + rank } else { axis };
        match usize::try_from(at).ok().and_then(|at| reduced.get_mut(at)) {
            Some(flag) => *flag = true,
            None => {
                return Err(Fault::index(format!(
                    "Dimension out of range (expected to be in range of [{}, {}], but got {axis})",
                    -rank,
                    rank - 1
                )));
            }
        }
    }
    let remaining = sizes.iter().zip(reduced);
    Ok(remaining
        .filter_map(|(size, reduced)| match (reduced, keep) {
            (false, _) => Some(*size),
            (true, true) => Some(1),
            (true, false) => None,
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    #[test]
    fn sizes_broadcast_from_the_right() {
        assert_eq!(broadcast(smallvec![2, 1], smallvec![3]).unwrap(), [2, 3]);
        assert_eq!(broadcast(smallvec![0], smallvec![1]).unwrap(), [0]);
        assert!(broadcast(smallvec![2], smallvec![3]).is_err());
    }

    #[test]
    fn reduced_dimensions_go_or_become_one() {
        assert_eq!(
            reduction(smallvec![1, 2, 3], smallvec![1], true).unwrap(),
            [1, 1, 3]
        );
        assert_eq!(
            reduction(smallvec![1, 2, 3], smallvec![0, -2], false).unwrap(),
            [3]
        );
        assert!(reduction(smallvec![1], smallvec![1], false).is_err());
    }
}
