//! Rows of a table: `embedding`, sums and means and maxima of them, and the renormalisation of a table's rows.

use rushlight_kernels::compute::{Wide, compute, dense, finish, round_to};
use rushlight_ops::{op_functional, op_functional_out, vector_norm};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{
    Buffer, DType, Dims, Fault, Result, Scalar, Tensor, dispatch, threads, watch,
};
use rushlight_types::{Functional, arguments, op, operators};

operators! {
    /// Embeddings.
    pub static ROWS = [
        op!("aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor", embedding).functional(Functional::Embedding).out("out", rushlight_ops::out::exact),
        op!("aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag),
        op!("aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq, int mode, bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag_padding),
        op!("aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag_index).out("out", rushlight_ops::out::cast),
        op!("aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)", embedding_bag_index).out("out", rushlight_ops::out::cast),
        op_functional!("aten::embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor", embedding_renorm),
        op_functional_out!("aten::embedding_renorm.out(Tensor self, Tensor indices, float max_norm, float norm_type, *, Tensor(a!) out) -> Tensor(a!)", embedding_renorm),
        op!("aten::embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float norm_type) -> Tensor(a!)", embedding_renorm),
        op!("aten::_no_grad_embedding_renorm_(Tensor weight, Tensor input, float max_norm, float norm_type) -> Tensor", embedding_renorm),
    ];
}

/// Indices as i64, after a check of their dtype.
fn indices_of(indices: &Tensor, name: &str) -> Result<Tensor> {
    if !matches!(indices.dtype(), DType::I64 | DType::I32) {
        return Err(Fault::runtime(format!(
            "Expected tensor for argument #{} 'indices' to have one of the following scalar types: Long, Int; but got {} instead (while checking arguments for {name})",
            if name == "embedding_renorm_" { 2 } else { 1 },
            indices.dtype().tensor_type_name()
        )));
    }
    Ok(indices.to_dtype(DType::I64))
}

fn embedding(
    weight: &Tensor,
    indices: &Tensor,
    _padding_idx: i64,
    _scale_grad_by_freq: bool,
    _sparse: bool,
) -> Result<Tensor> {
    if weight.rank() != 2 {
        return Err(Fault::runtime("'weight' must be 2-D"));
    }
    if weight.dtype().is_eight() {
        let rows = embedding(&weight.held(), indices, -1, false, false)?;
        return Ok(rows.as_eights(weight.dtype()));
    }
    let indices = indices_of(indices, "embedding")?;
    let mut sizes = Dims::from_slice(indices.sizes());
    sizes.push(weight.size(1));
    let (rows, width) = (weight.size(0), weight.size(1));
    let ids = indices.data::<i64>();
    if ids.iter().any(|i| *i < 0 || *i as usize >= rows) {
        return Err(Fault::index("index out of range in self"));
    }
    Ok(dispatch!(weight.dtype(), All, T => {
        let table = weight.data::<T>();
        let mut out = Buffer::<T>::unspecified(memory::times([ids.len(), width]));
        let (table, ids) = (&table[..], &ids[..]);
        threads::split_rows(&mut out, width, 1, width, &|rows, out| {
            for (to, id) in out.chunks_exact_mut(width.max(1)).zip(&ids[rows]) {
                watch::poll();
                to.copy_from_slice(&table[*id as usize * width..][..width]);
            }
        });
        out.into_tensor(&sizes)
    }))
}

arguments! {
    /// Where bags begin and how the rows of each become one.
    struct Bags<'a> {
        offsets: &'a Tensor,
        _scale_grad_by_freq: bool,
        /// [`SUM`], [`MEAN`] or [`MAX`].
        mode: i64,
        _sparse: bool,
        /// What each row is multiplied by.
        factors: Option<&'a Tensor>,
        /// Whether the last offset is where the last bag ends.
        include_last: bool,
    }
}

fn embedding_bag(
    weight: &Tensor,
    indices: &Tensor,
    given: Bags<'_>,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    bags(weight, indices, &given, None)
}

fn embedding_bag_padding(
    weight: &Tensor,
    indices: &Tensor,
    given: Bags<'_>,
    padding: Option<i64>,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    let padding = match padding {
        None => None,
        Some(p) => {
            let rows = weight.sizes().first().copied().unwrap_or(0) as i64;
            if p < -rows || p >= rows {
                return Err(Fault::runtime(format!(
                    "padding_idx must be within the number of embeddings, -{rows} through {}, but got {p}",
                    rows - 1
                )));
            }
            Some(if p < 0 { p + rows } else { p })
        }
    };
    bags(weight, indices, &given, padding)
}

fn embedding_bag_index(
    weight: &Tensor,
    indices: &Tensor,
    given: Bags<'_>,
    padding: i64,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    bags(weight, indices, &given, Some(padding).filter(|p| *p >= 0))
}

const SUM: i64 = 0;
const MEAN: i64 = 1;
const MAX: i64 = 2;

/// Checks the factors of the rows of a sum.
fn check_factors(weight: &Tensor, factors: &Tensor, count: usize, mode: i64) -> Result<()> {
    if mode != SUM {
        return Err(Fault::runtime(
            "embedding_bag: per_sample_weights only supported with mode='sum'",
        ));
    }
    if factors.dtype() != weight.dtype() {
        return Err(Fault::runtime(format!(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but type {} does not equal {} (while checking arguments for embedding_bag)",
            weight.dtype().tensor_type_name(),
            factors.dtype().tensor_type_name()
        )));
    }
    if factors.rank() != 1 {
        return Err(Fault::not_true("per_sample_weights.value().dim() == 1"));
    }
    match factors.numel() == count {
        true => Ok(()),
        false => Err(Fault::not_true(
            "per_sample_weights.value().numel() == indices.numel()",
        )),
    }
}

/// One row per bag; then which bag each index belongs to, how many indices each bag has, and where maxima came from.
fn bags(
    weight: &Tensor,
    indices: &Tensor,
    given: &Bags<'_>,
    padding: Option<i64>,
) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    let Bags {
        offsets,
        mode,
        factors,
        include_last,
        ..
    } = *given;
    let fail = |message: String| Err(Fault::runtime(message));
    let index_dtype = indices.dtype();
    for (what, t, ranks, asked) in [
        ("input", indices, 1..=2, "1D or 2D"),
        ("weight", weight, 2..=2, "2D"),
        ("offsets", offsets, 1..=1, "1D"),
    ] {
        if !ranks.contains(&t.rank()) {
            return fail(format!(
                "{what} has to be a {asked} Tensor, but got Tensor of dimension {}",
                t.rank()
            ));
        }
    }
    if !weight.dtype().is_float() {
        return fail(format!(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but got {} instead (while checking arguments for embedding_bag)",
            weight.dtype().tensor_type_name()
        ));
    }
    let ids = indices_of(indices, "embedding_bag")?;
    let ids = ids.data::<i64>();
    let starts = indices_of(offsets, "embedding_bag")?;
    let starts = starts.data::<i64>();
    if !(SUM..=MAX).contains(&mode) {
        return fail("`mode` must be sum, mean, or max.".to_string());
    }
    if let Some(factors) = factors {
        check_factors(weight, factors, ids.len(), mode)?;
    }
    if include_last && starts.is_empty() {
        return fail("include_last_offset: number of offset should be at least 1".to_string());
    }
    if let Some(first) = starts.first().filter(|f| **f != 0) {
        return fail(format!(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got {first}"
        ));
    }
    let is_outside = |start: &&i64| **start < 0 || **start as usize > ids.len();
    if let Some(start) = starts.iter().rev().find(is_outside) {
        return fail(format!(
            "offsets[-1] can not be greater than input's length {} but got offsets[-1] of {start}",
            ids.len()
        ));
    }
    let (rows, width) = (weight.size(0), weight.size(1));
    if let Some(k) = ids.iter().position(|i| *i < 0 || *i as usize >= rows) {
        return fail(format!(
            "Index {k} of input takes value {} which is not in the valid range [0, {rows})",
            ids[k]
        ));
    }
    let count = if include_last {
        starts.len() - 1
    } else {
        starts.len()
    };
    // What follows a last offset belongs to the last bag; sums that skip nothing stop there.
    let members = |bag: usize, all: bool| {
        let end = starts.get(bag + 1).filter(|_| !all || bag + 1 < count);
        let end = end.map_or(ids.len(), |e| *e as usize);
        starts[bag] as usize..end
    };
    let all = mode == MAX || padding.is_some() || weight.dtype() == DType::F64;
    let wanted = |k: usize| padding != Some(ids[k]);
    let mut sizes_of_bags = memory::filled(count, 0i64);
    let mut bag_of = memory::filled(ids.len(), -1i64);
    for bag in 0..count {
        watch::poll();
        for k in members(bag, true) {
            bag_of[k] = bag as i64;
            sizes_of_bags[bag] += wanted(k) as i64;
        }
    }
    let mut best = memory::filled(if mode == MAX { count * width } else { 0 }, 0i64);
    let out = compute!(weight.dtype(), "embedding_bag", W => {
        let table = dense::<W>(weight);
        let table = table.data::<W>();
        let scale = factors.map(dense::<W>);
        let scale = scale.as_ref().map(|s| s.data::<W>());
        let mut out = Buffer::<W>::zeroed(memory::times([count, width]));
        for bag in 0..count {
            watch::poll();
            let to = &mut out[bag * width..(bag + 1) * width];
            let mut first = true;
            for k in members(bag, all).filter(|k| wanted(*k)) {
                watch::poll();
                let row = &table[ids[k] as usize * width..][..width];
                if mode == MAX {
                    for (c, (o, v)) in to.iter_mut().zip(row).enumerate() {
                        if first || *v > *o {
                            *o = *v;
                            best[bag * width + c] = ids[k];
                        }
                    }
                } else {
                    let factor = scale.as_ref().map_or(<W as Wide>::ONE, |s| s[k]);
                    for (o, v) in to.iter_mut().zip(row) {
                        *o += *v * factor;
                    }
                }
                first = false;
            }
            if mode == MEAN && sizes_of_bags[bag] > 0 {
                let n = sizes_of_bags[bag] as W;
                to.iter_mut().for_each(|o| *o /= n);
            }
        }
        finish(out, &[count, width], weight.dtype())
    });
    let list = |values: Vec<i64>| Buffer::copy_of(&values).into_vector().to_dtype(index_dtype);
    // Sums count nothing, and without padding they have a shorter way, in most dtypes and for rows in one piece, that remembers nothing.
    if mode == SUM {
        let dense = weight.strides()[1] == 1;
        let shorter = padding.is_none() && weight.dtype() != DType::F64 && dense;
        let zeros = || list(memory::filled(starts.len(), 0));
        return Ok((
            out,
            list(if shorter { Vec::new() } else { bag_of }),
            zeros(),
            zeros(),
        ));
    }
    let best = match mode {
        MAX => Buffer::copy_of(&best)
            .into_tensor(&[count, width])
            .to_dtype(index_dtype),
        _ => list(sizes_of_bags.clone()),
    };
    Ok((out, list(bag_of), list(sizes_of_bags), best))
}

/// Scales the rows that `indices` names down to `max_norm` where they are longer.
fn embedding_renorm(weight: &Tensor, indices: &Tensor, max_norm: f64, p: f64) -> Result<Tensor> {
    if weight.rank() != 2 {
        return Err(Fault::runtime(format!(
            "Expected 2-dimensional tensor, but got {}-dimensional tensor for argument #1 'self' (while checking arguments for embedding_renorm_)",
            weight.rank()
        )));
    }
    let ids = indices_of(indices, "embedding_renorm_")?;
    let mut ids: Vec<i64> = ids.data::<i64>().to_vec();
    rushlight_tensor::order::sort(&mut ids);
    ids.dedup();
    if ids.iter().any(|i| *i < 0) {
        return Err(Fault::index("index out of range in self"));
    }
    if let Some(id) = ids.iter().find(|i| **i as usize >= weight.size(0)) {
        return Err(Fault::index(format!(
            "select(): index {id} out of range for tensor of size {} at dimension 0",
            rushlight_tensor::layout::list(weight.sizes())
        )));
    }
    for id in ids {
        watch::poll();
        let row = weight.select(0, id)?;
        let values = row.to_vec::<f64>();
        let norm = vector_norm(&row, Scalar::Float(p), None, false, None)?;
        let norm = norm.to_vec::<f64>()[0];
        if norm > max_norm {
            let factor = round_to(max_norm / (norm + 1e-7), weight.dtype());
            let scaled: Vec<f64> = values.iter().map(|v| v * factor).collected();
            row.copy_from(&Tensor::from_vec(scaled, &[values.len()])?)?;
        }
    }
    Ok(weight.clone())
}
