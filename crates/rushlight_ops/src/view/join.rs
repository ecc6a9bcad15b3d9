//! Putting tensors side by side.

use super::reshape::{atleast_1d, atleast_2d, atleast_3d};
use crate::index::slices::index_select;
use rushlight_kernels::view::join;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{
    DType, Dims, Fault, Layout, MemoryFormat, Result, Tensor, layout, promote, watch,
};
use rushlight_types::{Apart, Context, OutDtype, Quantized, op, operators};

operators! {
    /// Concatenation and stacking.
    pub static ROWS = [
        op!("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", cat_list).quantized(Quantized::Native).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::concat(Tensor[] tensors, int dim=0) -> Tensor", cat_list).quantized(Quantized::Native).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor", cat_list).quantized(Quantized::Native).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::stack(Tensor[] tensors, int dim=0) -> Tensor", stack).quantized(Quantized::Integers).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::_stack(Tensor[] tensors, int dim=0) -> Tensor", stack).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::hstack(Tensor[] tensors) -> Tensor", hstack).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::vstack(Tensor[] tensors) -> Tensor", vstack).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::row_stack(Tensor[] tensors) -> Tensor", vstack).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::dstack(Tensor[] tensors) -> Tensor", dstack).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::column_stack(Tensor[] tensors) -> Tensor", column_stack).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")).apart(Apart::WHOLLY),
        op!("aten::block_diag(Tensor[] tensors) -> Tensor", block_diag).variadic().out("out", crate::out::exact),
        op!("aten::cartesian_prod(Tensor[] tensors) -> Tensor", cartesian_prod).variadic(),
        op!("aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor", chunk_cat).out("out", crate::out::cast).out_dtype(OutDtype::CastableType("torch.cat(): input types can't be cast to the desired output type {out}")),
        op!("aten::flatten_dense_tensors(Tensor[] tensors) -> Tensor", flatten_dense_tensors),
        op!("aten::unflatten_dense_tensors(Tensor flat, Tensor[] tensors) -> Tensor[]", unflatten_dense_tensors),
        op!("aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor", combinations),
    ];
}

/// The dtype that all tensors of a joined list convert to.
fn common_dtype(tensors: &[Tensor]) -> Result<DType> {
    let first = tensors[0].dtype();
    if tensors.iter().all(|t| t.dtype() == first) {
        return Ok(first);
    }
    promote::result_type_of(tensors, DType::F32)
}

/// The memory format that all tensors agree on.
fn common_format(tensors: &[&Tensor]) -> MemoryFormat {
    let first = tensors
        .first()
        .map_or(MemoryFormat::Contiguous, |t| t.layout().suggested_format());
    match tensors
        .iter()
        .all(|t| t.layout().suggested_format() == first)
    {
        true => first,
        false => MemoryFormat::Contiguous,
    }
}

fn cat_list(cx: &Context, tensors: Vec<Tensor>, dim: i64) -> Result<Tensor> {
    if tensors.iter().any(|t| t.dtype().is_quantized()) {
        return super::join_quantized::cat::<false>(cx, tensors, dim, None, None);
    }
    cat(&tensors, dim)
}

/// Tensors one after another along a dimension. Empty vectors are left out whatever the rank of the others.
pub(crate) fn cat(tensors: &[Tensor], dim: i64) -> Result<Tensor> {
    if tensors.is_empty() {
        return Err(Fault::value(
            "torch.cat(): expected a non-empty list of Tensors",
        ));
    }
    if let Some(i) = tensors.iter().position(|t| t.rank() == 0) {
        return Err(Fault::runtime(format!(
            "zero-dimensional tensor (at position {i}) cannot be concatenated"
        )));
    }
    let dtype = common_dtype(tensors)?;
    let skipped = |t: &Tensor| t.sizes() == [0];
    let kept: Vec<(usize, &Tensor)> = tensors
        .iter()
        .enumerate()
        .filter(|(_, t)| !skipped(t))
        .collected();
    let Some((_, first)) = kept.first() else {
        return Tensor::empty(&[0], dtype);
    };
    let dim = wrap_dim(dim, first.rank())?;
    for (position, t) in &kept[1..] {
        check_alike(first, t, dim, *position)?;
    }
    let mut sizes = Dims::from_slice(first.sizes());
    sizes[dim] = kept
        .iter()
        .try_fold(0usize, |sum, (_, t)| sum.checked_add(t.size(dim)))
        .ok_or_else(|| Fault::runtime("Storage size calculation overflowed"))?;
    layout::checked_numel(&sizes)?;
    let list: Vec<&Tensor> = kept.iter().map(|(_, t)| *t).collected();
    let format = common_format(&list);
    if format == MemoryFormat::Contiguous
        && let Some(out) = join::dense(&list, dim, &sizes)?
    {
        return Ok(out);
    }
    let out = Tensor::empty_with(&Layout::with_format(&sizes, format)?, dtype)?;
    let mut start = 0;
    for t in list {
        out.narrow(dim, start, t.size(dim))?.copy_from(t)?;
        start += t.size(dim);
    }
    Ok(out)
}

fn check_alike(first: &Tensor, t: &Tensor, dim: usize, position: usize) -> Result<()> {
    if t.rank() != first.rank() {
        return Err(Fault::runtime(format!(
            "Tensors must have same number of dimensions: got {} and {}",
            first.rank(),
            t.rank()
        )));
    }
    let differs = (0..t.rank()).find(|d| *d != dim && t.size(*d) != first.size(*d));
    match differs {
        None => Ok(()),
        Some(d) => Err(Fault::runtime(format!(
            "Sizes of tensors must match except in dimension {dim}. Expected size {} but got size {} for tensor number {position} in the list.",
            first.size(d),
            t.size(d)
        ))),
    }
}

fn stack(tensors: Vec<Tensor>, dim: i64) -> Result<Tensor> {
    let Some(first) = tensors.first() else {
        return Err(Fault::runtime("stack expects a non-empty TensorList"));
    };
    let dim = wrap_dim(dim, first.rank() + 1)?;
    if let Some((i, t)) = tensors
        .iter()
        .enumerate()
        .find(|(_, t)| t.sizes() != first.sizes())
    {
        return Err(Fault::runtime(format!(
            "stack expects each tensor to be equal size, but got {} at entry 0 and {} at entry {i}",
            layout::list(first.sizes()),
            layout::list(t.sizes())
        )));
    }
    let mut sizes = Dims::from_slice(first.sizes());
    sizes.insert(dim, tensors.len());
    layout::checked_numel(&sizes)?;
    let dtype = common_dtype(&tensors)?;
    let list: Vec<&Tensor> = tensors.iter().collected();
    if let Some(out) = join::dense(&list, dim, &sizes)? {
        return Ok(out);
    }
    let out = Tensor::empty(&sizes, dtype)?;
    for (i, t) in tensors.iter().enumerate() {
        out.select(dim as i64, i as i64)?.copy_from(t)?;
    }
    Ok(out)
}

/// Refuses empty lists in the words of `name`.
fn check_some(name: &str, tensors: &[Tensor]) -> Result<()> {
    match tensors.is_empty() {
        false => Ok(()),
        true => Err(Fault::runtime(format!(
            "{name} expects a non-empty TensorList"
        ))),
    }
}

fn each(tensors: &[Tensor], f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Vec<Tensor>> {
    tensors.iter().map(f).collect()
}

fn hstack(tensors: Vec<Tensor>) -> Result<Tensor> {
    check_some("hstack", &tensors)?;
    let tensors = each(&tensors, atleast_1d)?;
    cat(&tensors, i64::from(tensors[0].rank() != 1))
}

fn vstack(tensors: Vec<Tensor>) -> Result<Tensor> {
    check_some("vstack", &tensors)?;
    cat(&each(&tensors, atleast_2d)?, 0)
}

fn dstack(tensors: Vec<Tensor>) -> Result<Tensor> {
    check_some("dstack", &tensors)?;
    cat(&each(&tensors, atleast_3d)?, 2)
}

fn column_stack(tensors: Vec<Tensor>) -> Result<Tensor> {
    check_some("column_stack", &tensors)?;
    let columns = each(&tensors, |t| match t.rank() {
        0 | 1 => t.reshape_to(&[t.numel(), 1]),
        _ => Ok(t.clone()),
    })?;
    hstack(columns)
}

fn block_diag(tensors: Vec<Tensor>) -> Result<Tensor> {
    if tensors.is_empty() {
        return Tensor::zeros(&[1, 0], DType::F32);
    }
    if let Some((i, t)) = tensors.iter().enumerate().find(|(_, t)| t.rank() > 2) {
        return Err(Fault::runtime(format!(
            "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {} dimensions",
            t.rank()
        )));
    }
    let blocks = each(&tensors, atleast_2d)?;
    let total = |d: usize| {
        let mut sizes = blocks.iter().map(|b| b.size(d));
        sizes
            .try_fold(0usize, usize::checked_add)
            .ok_or_else(|| Fault::runtime("Storage size calculation overflowed"))
    };
    let out = Tensor::zeros(&[total(0)?, total(1)?], common_dtype(&tensors)?)?;
    let (mut row, mut column) = (0, 0);
    for block in &blocks {
        let (height, width) = (block.size(0), block.size(1));
        out.narrow(0, row, height)?
            .narrow(1, column, width)?
            .copy_from(block)?;
        row += height;
        column += width;
    }
    Ok(out)
}

fn cartesian_prod(tensors: Vec<Tensor>) -> Result<Tensor> {
    check_some("meshgrid", &tensors)?;
    if let Some(t) = tensors.iter().find(|t| t.rank() != 1) {
        return Err(Fault::runtime(format!(
            "Expect a 1D vector, but got shape {}",
            layout::list(t.sizes())
        )));
    }
    if tensors.iter().any(|t| t.dtype() != tensors[0].dtype()) {
        return Err(Fault::runtime(
            "meshgrid expects all tensors to have the same dtype",
        ));
    }
    if tensors.len() == 1 {
        return Ok(tensors[0].clone());
    }
    let sizes: Dims = tensors.iter().map(Tensor::numel).collect();
    let mut shape = sizes.clone();
    shape.push(tensors.len());
    layout::checked_numel(&shape)?;
    let out = Tensor::empty(&shape, tensors[0].dtype())?;
    for (d, t) in tensors.iter().enumerate() {
        let mut along: Dims = smallvec::smallvec![1; sizes.len()];
        along[d] = sizes[d];
        out.select(-1, d as i64)?
            .copy_from(&t.reshape_to(&along)?)?;
    }
    let rows = sizes.iter().product();
    out.reshape_to(&[rows, tensors.len()])
}

fn combinations(t: &Tensor, length: i64, with_replacement: bool) -> Result<Tensor> {
    if t.rank() != 1 {
        return Err(Fault::runtime(format!(
            "Expect a 1D vector, but got shape {}",
            layout::list(t.sizes())
        )));
    }
    if length < 0 {
        return Err(Fault::runtime(format!(
            "Expect a non-negative number, but got {length}"
        )));
    }
    if length == 0 {
        return Tensor::empty(&[0], t.dtype());
    }
    let picks = chosen(t.numel(), length as usize, with_replacement)?;
    let rows = picks.len() / length as usize;
    let count = picks.len();
    let picks = picks.into_iter().map(|pick| pick as i64).collected();
    let out = index_select(t, 0, &Tensor::from_vec::<i64>(picks, &[count])?)?;
    out.reshape_to(&[rows, length as usize])
}

/// All ascending choices of `length` out of `count` indices, one after another.
fn chosen(count: usize, length: usize, with_replacement: bool) -> Result<Vec<usize>> {
    const MOST: usize = 1 << 28;
    let step = usize::from(!with_replacement);
    let mut out = Vec::new();
    if count == 0 || (!with_replacement && length > count) {
        return Ok(out);
    }
    if length > MOST {
        return Err(Fault::runtime("combinations: the result is too large"));
    }
    let mut pick: Vec<usize> = (0..length).map(|i| i * step).collected();
    loop {
        watch::poll();
        if out.len() + pick.len() > MOST {
            return Err(Fault::runtime("combinations: the result is too large"));
        }
        memory::make_room(&mut out, pick.len());
        out.extend_from_slice(&pick);
        let highest = |i: usize| count - 1 - (length - 1 - i) * step;
        let Some(i) = (0..length).rev().find(|i| pick[*i] < highest(*i)) else {
            return Ok(out);
        };
        let next = pick[i] + 1;
        for (k, place) in pick[i..].iter_mut().enumerate() {
            *place = next + k * step;
        }
    }
}

/// Each tensor cut into equally many chunks along a dimension (filled up with zeros), and the chunks of equal number
/// laid side by side.
fn chunk_cat(tensors: Vec<Tensor>, dim: i64, chunks: i64) -> Result<Tensor> {
    if tensors.is_empty() {
        return Err(Fault::runtime(
            "_chunk_cat expects a non-empty input tensor list",
        ));
    }
    if chunks < 1 {
        return Err(Fault::runtime("_chunk_cat expects positive num_chunks"));
    }
    let dim = wrap_dim(dim, tensors[0].rank())?;
    let chunks = chunks as usize;
    for t in &tensors {
        if t.rank() <= dim {
            return Err(Fault::runtime(
                "_chunk_cat expects dim < ndim for all input tensors",
            ));
        }
        if t.numel() == 0 {
            return Err(Fault::runtime("_chunk_cat expects non-empty tensor"));
        }
        if t.dtype() != tensors[0].dtype() {
            return Err(Fault::runtime(
                "_chunk_cat expects all input tensors with the same dtype",
            ));
        }
        if t.sizes()[..dim] != tensors[0].sizes()[..dim] {
            return Err(Fault::runtime(
                "_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors",
            ));
        }
    }
    let parts = each(&tensors, |t| {
        let mut filled = Dims::from_slice(t.sizes());
        filled[dim] = t.size(dim).div_ceil(chunks).saturating_mul(chunks);
        let whole = Tensor::zeros(&filled, t.dtype())?;
        whole.narrow(dim, 0, t.size(dim))?.copy_from(t)?;
        let mut sizes = Dims::from_slice(&filled[..dim]);
        sizes.push(chunks);
        sizes.push(filled[dim..].iter().product::<usize>() / chunks);
        whole.reshape_to(&sizes)
    })?;
    cat(&parts, dim as i64 + 1)
}

fn flatten_dense_tensors(tensors: Vec<Tensor>) -> Result<Tensor> {
    cat(&each(&tensors, |t| t.reshape_to(&[t.numel()]))?, 0)
}

fn unflatten_dense_tensors(flat: &Tensor, tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
    let mut start = 0;
    tensors
        .iter()
        .map(|t| {
            let part = flat.narrow(0, start, t.numel())?;
            start += t.numel();
            part.reshape_to(t.sizes())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[f32], sizes: &[usize]) -> Tensor {
        Tensor::from_slice(values, sizes).expect("the values fill the sizes")
    }

    #[test]
    fn empty_vectors_join_tensors_of_any_rank() -> Result<()> {
        let nothing = numbers(&[], &[0]);
        let matrix = numbers(&[1.0, 2.0], &[1, 2]);
        let joined = cat(&[nothing, matrix.clone(), matrix], 0)?;
        assert_eq!(joined.sizes(), [2, 2]);
        assert_eq!(joined.to_vec::<f32>(), [1.0, 2.0, 1.0, 2.0]);
        Ok(())
    }

    #[test]
    fn joined_dtypes_are_promoted() -> Result<()> {
        let floats = numbers(&[0.5], &[1]);
        let integers = Tensor::from_slice(&[2i64], &[1])?;
        let joined = cat(&[integers, floats], 0)?;
        assert_eq!(joined.dtype(), DType::F32);
        assert_eq!(joined.to_vec::<f32>(), [2.0, 0.5]);
        Ok(())
    }

    #[test]
    fn channels_last_stays_channels_last() -> Result<()> {
        let image = Tensor::zeros(&[1, 2, 2, 2], DType::F32)?;
        let image = image.contiguous_in(MemoryFormat::ChannelsLast)?;
        let joined = cat(&[image.clone(), image], 1)?;
        assert!(joined.layout().is_contiguous_in(MemoryFormat::ChannelsLast));
        Ok(())
    }

    #[test]
    fn combinations_are_in_rising_order() -> Result<()> {
        let t = numbers(&[1.0, 2.0, 3.0], &[3]);
        let pairs = combinations(&t, 2, false)?;
        assert_eq!(pairs.to_vec::<f32>(), [1.0, 2.0, 1.0, 3.0, 2.0, 3.0]);
        let repeated = combinations(&t, 2, true)?;
        assert_eq!(repeated.sizes(), [6, 2]);
        Ok(())
    }
}
