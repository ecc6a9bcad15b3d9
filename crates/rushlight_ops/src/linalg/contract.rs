//! Contractions over named or numbered dimensions: `einsum`, `tensordot`, `bilinear`, `kron`, `trace`.

use super::product::{matmul, multiply};
use crate::compute::promoted;
use rushlight_kernels::linalg::contract::{
    Label, Term, grouped, implied_output, operand_labels, output_labels, size_of, stretch,
};
use rushlight_kernels::pointwise::arithmetic::MUL;
use rushlight_kernels::reduce::dims::Mask;
use rushlight_kernels::reduce::dims::listed;
use rushlight_kernels::reduce::sum::sum_masked;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::layout::sort_few;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{DType, Dims, Fault, Layout, Result, Tensor, watch};
use rushlight_types::{OutDtype, Value, op, operators};
use smallvec::SmallVec;

operators! {
    /// Contractions.
    pub static ROWS = [
        op!("aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor", einsum).variadic().refused_as("aten::bmm.out"),
        op!("aten::einsum.sublist(Tensor a, ...) -> Tensor", einsum_of_lists),
        op!("aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor", tensordot).out("out", crate::out::cast).out_dtype(OutDtype::Same("tensordot: Expected the output tensor to have dtype {result}, but got an output tensor with dtype {out}")),
        op!("aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor", bilinear),
        op!("aten::kron(Tensor self, Tensor other) -> Tensor", kron).out("out", crate::out::cast),
    ];
}

fn einsum(
    equation: &str,
    tensors: Vec<Tensor>,
    path: Option<SmallVec<[i64; 6]>>,
) -> Result<Tensor> {
    if tensors.is_empty() {
        return Err(Fault::runtime(
            "einsum(): must provide at least one operand",
        ));
    }
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (equation, None),
    };
    let subscripts: Vec<&str> = inputs.split(',').collected();
    if subscripts.len() > tensors.len() {
        return Err(Fault::runtime(
            "einsum(): fewer operands were provided than specified in the equation",
        ));
    }
    if subscripts.len() < tensors.len() {
        return Err(Fault::runtime(
            "einsum(): more operands were provided than specified in the equation",
        ));
    }
    let mut terms = Vec::new();
    let mut occurrences: Vec<(Label, usize)> = Vec::new();
    let mut start = 0;
    for (i, (text, tensor)) in subscripts.iter().zip(&tensors).enumerate() {
        let labels = operand_labels(text, start, tensor, i)?;
        start += text.len() + 1;
        for label in &labels {
            match occurrences.iter_mut().find(|(l, _)| l == label) {
                Some((_, count)) => *count += 1,
                None => occurrences.push((*label, 1)),
            }
        }
        terms.push(take_diagonals(tensor, &labels, i)?);
    }
    let result = match output {
        Some(text) => output_labels(text, inputs.len() + 2, &occurrences)?,
        None => implied_output(&occurrences),
    };
    let sizes = label_sizes(&terms)?;
    let terms = terms.into_iter().map(|term| in_order(term, &result));
    let terms = terms.collect::<Result<Vec<_>>>()?;
    let done = contract_all(terms, &result, &sizes, path.as_deref())?;
    Ok(done.tensor)
}

/// Where a dimension stands in the order in which all terms have theirs: those of the result, then the others by their letters.
fn place(label: Label, result: &[Label]) -> (usize, Label) {
    let at = result.iter().position(|l| *l == label);
    (at.unwrap_or(usize::MAX), label)
}

/// A term with its dimensions in the order in which all have them.
fn in_order(mut term: Term, result: &[Label]) -> Result<Term> {
    let mut order: Dims = (0..term.labels.len()).collect();
    sort_few(&mut order, |d| place(term.labels[*d], result));
    if !order.is_sorted() {
        let dims: Vec<i64> = order.iter().map(|d| *d as i64).collected();
        term.tensor = term.tensor.permute(&dims)?;
        term.labels = order.iter().map(|d| term.labels[*d]).collected();
    }
    Ok(term)
}

/// `einsum(x, [0, 1], y, [1, 2], [0, 2])`: operands, each with the numbers of its dimensions, then those of the result.
fn einsum_of_lists(arguments: &[Value]) -> Result<Tensor> {
    let letters = |list: &Value| -> Result<String> {
        let numbers = list
            .list_items()?
            .iter()
            .map(Value::as_int)
            .collect::<Result<Vec<i64>>>()?;
        let letter = |n: &i64| match u8::try_from(*n) {
            Ok(n @ 0..26) => Ok(char::from(b'A' + n)),
            Ok(n @ 26..52) => Ok(char::from(b'a' + (n - 26))),
            _ => Err(Fault::runtime(format!(
                "einsum(): expected subscripts to be within the range [0, 52), but found {n}"
            ))),
        };
        numbers.iter().map(letter).collect()
    };
    let mut pairs = arguments.chunks_exact(2);
    let (mut tensors, mut terms) = (Vec::new(), Vec::new());
    for pair in &mut pairs {
        tensors.push(pair[0].as_tensor()?.clone());
        terms.push(letters(&pair[1])?);
    }
    let mut equation = terms.join(",");
    if let [result] = pairs.remainder() {
        equation.push_str("->");
        equation.push_str(&letters(result)?);
    }
    einsum(&equation, tensors, None)
}

/// Merges dimensions of the same name into their diagonal.
fn take_diagonals(tensor: &Tensor, labels: &[Label], operand: usize) -> Result<Term> {
    let (mut names, mut sizes, mut strides): (Vec<Label>, Dims, Dims) = Default::default();
    for (d, label) in labels.iter().enumerate() {
        let (size, stride) = (tensor.size(d), tensor.strides()[d]);
        match names.iter().position(|n| n == label) {
            None => {
                names.push(*label);
                sizes.push(size);
                strides.push(stride);
            }
            Some(at) if sizes[at] == size => strides[at] += stride,
            Some(at) => {
                let name = match label {
                    Label::Letter(c) => format!("{c} "),
                    Label::Broadcast(_) => String::new(),
                };
                return Err(Fault::runtime(format!(
                    "einsum(): subscript {name}is repeated for operand {operand} but the sizes don't match, {size} != {}",
                    sizes[at]
                )));
            }
        }
    }
    let layout = Layout::strided(&sizes, &strides, tensor.layout().offset());
    Ok(Term {
        tensor: tensor.view_with(layout)?,
        labels: names,
    })
}

/// The size of every label; a size of 1 stretches to the others.
fn label_sizes(terms: &[Term]) -> Result<Vec<(Label, usize)>> {
    let mut sizes: Vec<(Label, usize)> = Vec::new();
    for (i, term) in terms.iter().enumerate() {
        for (d, label) in term.labels.iter().enumerate() {
            let size = term.tensor.size(d);
            match sizes.iter_mut().find(|(l, _)| l == label) {
                None => sizes.push((*label, size)),
                Some((_, known)) if *known == 1 => *known = size,
                Some((_, known)) if size != 1 && *known != size => {
                    return Err(does_not_broadcast(term, i, *label, size, *known));
                }
                Some(_) => {}
            }
        }
    }
    Ok(sizes)
}

fn does_not_broadcast(
    term: &Term,
    operand: usize,
    label: Label,
    size: usize,
    known: usize,
) -> Fault {
    Fault::runtime(match label {
        Label::Letter(c) => format!(
            "einsum(): subscript {c} has size {size} for operand {operand} which does not broadcast with previously seen size {known}"
        ),
        Label::Broadcast(from_right) => {
            let hidden = |l: &&Label| matches!(l, Label::Broadcast(_));
            let dim = term.labels.iter().filter(hidden).count() - 1 - from_right;
            format!(
                "einsum(): dimension {dim} covered by ellipsis in operand {operand}has size {size} which does not broadcast with previously seen ellipsis with size {known} for the respective dimension"
            )
        }
    })
}

/// Contracts the terms pair by pair, in the order of `path` or from left to right.
fn contract_all(
    terms: Vec<Term>,
    result: &[Label],
    sizes: &[(Label, usize)],
    path: Option<&[i64]>,
) -> Result<Term> {
    let mut terms: Vec<Term> = terms;
    let mut steps = path.unwrap_or(&[]).chunks_exact(2);
    while terms.len() > 1 {
        watch::poll();
        let (i, j) = match steps.next() {
            Some(pair) => {
                let (i, j) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                if i < 0 || i == j || j as usize >= terms.len() {
                    return Err(Fault::runtime(format!(
                        "einsum(): invalid contraction path: ({i}, {j})"
                    )));
                }
                (i as usize, j as usize)
            }
            None => (0, 1),
        };
        let right = terms.remove(j);
        let left = terms.remove(i);
        let needed = |label: &Label| {
            result.contains(label) || terms.iter().any(|t| t.labels.contains(label))
        };
        let joined = contract_pair(left, right, sizes, result, needed)?;
        if path.is_some() {
            terms.push(joined);
        } else {
            terms.insert(0, joined);
        }
    }
    let only = terms.remove(0);
    let only = stretch(only, result, sizes)?;
    sum_out(only, |label| result.contains(label))
}

/// Sums the dimensions that `keep` does not want.
fn sum_out(term: Term, keep: impl Fn(&Label) -> bool) -> Result<Term> {
    let mask: Mask = term.labels.iter().map(|l| !keep(l)).collect();
    if !mask.contains(&true) {
        return Ok(term);
    }
    let dtype = match term.tensor.dtype() {
        d if d.is_integral(true) => DType::I64,
        d => d,
    };
    let tensor = sum_masked(&term.tensor, &mask, false, dtype)?;
    let kept = term.labels.iter().zip(&mask).filter(|(_, gone)| !**gone);
    let labels = kept.map(|(label, _)| *label).collect();
    Ok(Term { tensor, labels })
}

/// Contracts two terms: labels that nobody needs any more are summed over, by one batched matrix product.
fn contract_pair(
    a: Term,
    b: Term,
    sizes: &[(Label, usize)],
    result: &[Label],
    needed: impl Fn(&Label) -> bool,
) -> Result<Term> {
    let a = sum_out(a, |l| needed(l) || b.labels.contains(l))?;
    let b = sum_out(b, |l| needed(l) || a.labels.contains(l))?;
    // A label that is shared and has size 1 in one operand only stretches there.
    let shared = |l: &Label| a.labels.contains(l) && b.labels.contains(l);
    let full = |t: &Term| -> Result<Term> {
        let size = |(d, l): (usize, &Label)| match shared(l) {
            true => size_of(sizes, *l),
            false => t.tensor.size(d),
        };
        let target: Dims = t.labels.iter().enumerate().map(size).collect();
        Ok(Term {
            tensor: t.tensor.expand_to(&target)?,
            labels: t.labels.clone(),
        })
    };
    let (a, b) = (full(&a)?, full(&b)?);
    let (batch, inner): (Vec<Label>, Vec<Label>) = a
        .labels
        .iter()
        .filter(|l| b.labels.contains(l))
        .partition(|l| needed(l));
    if inner.is_empty() {
        return multiply_elements(a, b, result);
    }
    super::product::same_scalar_types(&a.tensor, &b.tensor)?;
    let own = |t: &Term| -> Vec<Label> {
        let own = t.labels.iter().copied();
        own.filter(|l| !batch.contains(l) && !inner.contains(l))
            .collect()
    };
    // The first of the result's dimensions that only one of them has makes that the left one.
    let first = |t: &Term| {
        let places = own(t).into_iter().map(|label| place(label, result).0);
        places.min().unwrap_or(usize::MAX)
    };
    let (a, b) = match first(&b) < first(&a) {
        true => (b, a),
        false => (a, b),
    };
    let (rows, cols) = (own(&a), own(&b));
    let left = grouped(&a, [&batch, &rows, &inner])?;
    let right = grouped(&b, [&batch, &inner, &cols])?;
    let out = multiply("bmm", &left, &right)?;
    let labels: Vec<Label> = batch.iter().chain(&rows).chain(&cols).copied().collected();
    let target: Dims = labels.iter().map(|l| size_in(&[&a, &b], l)).collect();
    let tensor = out.reshape_to(&target)?;
    in_order(Term { tensor, labels }, result)
}

/// The size of a dimension of one of the terms.
fn size_in(terms: &[&Term], label: &Label) -> usize {
    let of = |t: &&Term| {
        let at = t.labels.iter().position(|l| l == label)?;
        Some(t.tensor.size(at))
    };
    terms.iter().find_map(of).unwrap_or(1)
}

/// The product of two terms without a dimension to sum over: element by element.
fn multiply_elements(a: Term, b: Term, result: &[Label]) -> Result<Term> {
    let mut labels = a.labels.clone();
    labels.extend(b.labels.iter().filter(|l| !a.labels.contains(l)));
    sort_few(&mut labels, |label| place(*label, result));
    let whole = |t: &Term| -> Result<Tensor> {
        let mut tensor = t.tensor.clone();
        for (d, label) in labels.iter().enumerate() {
            if !t.labels.contains(label) {
                tensor = tensor.unsqueeze(d as i64)?;
            }
        }
        Ok(tensor)
    };
    let (a, b) = (whole(&a)?, whole(&b)?);
    let operands = [(&a).into(), (&b).into()];
    let tensor = MUL.call_any(DType::F32, ResultForm::Fresh, &operands, &[])?;
    Ok(Term { tensor, labels })
}

fn tensordot(
    a: &Tensor,
    b: &Tensor,
    dims_a: SmallVec<[i64; 6]>,
    dims_b: SmallVec<[i64; 6]>,
) -> Result<Tensor> {
    if dims_a.len() != dims_b.len() {
        return Err(Fault::runtime(
            "both dimension lists should have same length",
        ));
    }
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime("both inputs should have same dtype"));
    }
    let wrap = |t: &Tensor, dims: &[i64]| -> Result<Vec<usize>> {
        if let Some(dim) = dims.first().filter(|_| t.rank() == 0) {
            return Err(rushlight_tensor::view::no_dimensions(*dim));
        }
        dims.iter().map(|d| wrap_dim(*d, t.rank())).collect()
    };
    let (inner_a, inner_b) = (wrap(a, &dims_a)?, wrap(b, &dims_b)?);
    let (mut a, mut b) = (a.clone(), b.clone());
    for (i, (x, y)) in inner_a.iter().zip(&inner_b).enumerate() {
        let (m, n) = (a.size(*x), b.size(*y));
        // A size of 1 stands for the sum over the other operand's dimension.
        if m == 1 && n != 1 {
            b = keep_sum(&b, *y)?;
        } else if n == 1 && m != 1 {
            a = keep_sum(&a, *x)?;
        } else if m != n {
            return Err(Fault::runtime(format!(
                "contracted dimensions need to match, but first has size {m} in dim {} and second has size {n} in dim {}",
                dims_a[i], dims_b[i]
            )));
        }
    }
    listed(&dims_a, a.rank())?;
    listed(&dims_b, b.rank())?;
    let free = |t: &Tensor, inner: &[usize]| -> Vec<usize> {
        (0..t.rank()).filter(|d| !inner.contains(d)).collect()
    };
    let (rows, cols) = (free(&a, &inner_a), free(&b, &inner_b));
    let arrange = |t: &Tensor, first: &[usize], second: &[usize]| -> Result<Tensor> {
        let order: Vec<i64> = first.iter().chain(second).map(|d| *d as i64).collected();
        let count = |dims: &[usize]| dims.iter().map(|d| t.size(*d)).product::<usize>();
        t.permute(&order)?
            .reshape_to(&[count(first), count(second)])
    };
    let out = multiply(
        "addmm_impl_cpu_",
        &arrange(&a, &rows, &inner_a)?,
        &arrange(&b, &inner_b, &cols)?,
    )?;
    let sizes: Dims = rows
        .iter()
        .map(|d| a.size(*d))
        .chain(cols.iter().map(|d| b.size(*d)))
        .collect();
    out.reshape_to(&sizes)
}

/// The sum along a dimension, which stays with size 1.
fn keep_sum(t: &Tensor, dim: usize) -> Result<Tensor> {
    let labels: Vec<Label> = (0..t.rank()).map(Label::Broadcast).collected();
    let term = Term {
        tensor: t.clone(),
        labels,
    };
    let summed = sum_out(term, |l| *l != Label::Broadcast(dim))?;
    summed.tensor.unsqueeze(dim as i64)
}

fn bilinear(x: &Tensor, y: &Tensor, weight: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
    if x.rank() == 0 || x.rank() != y.rank() {
        return Err(Fault::runtime(format!(
            "bilinear(): input dimensions do not match: got {} and {}",
            x.rank(),
            y.rank()
        )));
    }
    let last = x.rank() - 1;
    if let Some(d) = (0..last).find(|&d| x.size(d) != y.size(d)) {
        return Err(Fault::runtime(format!(
            "bilinear(): input batch dimensions do not match at dim {d}: got {} and {}",
            x.size(d),
            y.size(d)
        )));
    }
    let named = [
        ("input1", Some(x)),
        ("input2", Some(y)),
        ("weight", Some(weight)),
        ("bias", bias),
    ];
    let given = || named.iter().filter_map(|(name, t)| Some((name, (*t)?)));
    if given().any(|(_, t)| t.dtype() != x.dtype()) {
        let dtypes = given().map(|(name, t)| format!("{name}: {}", t.dtype().scalar_name()));
        return Err(Fault::runtime(format!(
            "All tensors must have the same dtype, got {}",
            dtypes.collected().join(", ")
        )));
    }
    for (which, t) in [(1, x), (2, y)] {
        let want = weight.size(wrap_dim(which, weight.rank())?);
        if t.size(last) != want {
            return Err(Fault::runtime(format!(
                "bilinear(): input{which} size does not match weight size: got {} but expected {want}",
                t.size(last)
            )));
        }
    }
    let (out_size, m, n) = (weight.size(0), weight.size(1), weight.size(2));
    if let Some(bias) = bias.filter(|bias| bias.numel() != out_size) {
        return Err(Fault::runtime(format!(
            "bilinear(): bias size does not match weight size: got {} but expected {out_size}",
            bias.numel()
        )));
    }
    let rows: usize = x.sizes()[..last].iter().product();
    if x.dtype() == rushlight_tensor::DType::Bool {
        let mut sizes = Dims::from_slice(&x.sizes()[..last]);
        sizes.push(out_size);
        return match sizes.contains(&0) {
            true => Tensor::zeros(&sizes, rushlight_tensor::DType::Bool),
            false => Err(Fault::no_kernel("bmm", rushlight_tensor::DType::Bool)),
        };
    }
    // left[b, (o, j)] = sum over i of x[b, i] * weight[o, i, j]; then the rows for each b meet y[b].
    let folded = weight.permute(&[1, 0, 2])?.reshape_to(&[m, out_size * n])?;
    let left = matmul(&x.reshape_to(&[rows, m])?, &folded)?.reshape_to(&[rows, out_size, n])?;
    let out = multiply("bmm", &left, &y.reshape_to(&[rows, n, 1])?)?;
    let mut sizes = Dims::from_slice(&x.sizes()[..last]);
    sizes.push(out_size);
    let out = out.reshape_to(&sizes)?;
    match bias {
        Some(bias) => super::addmm::plus(&out, bias),
        None => Ok(out),
    }
}

fn kron(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let dtype = promoted(a, b);
    let rank = a.rank().max(b.rank());
    let padded = |t: &Tensor| -> Dims {
        let lead = rank - t.rank();
        (0..rank)
            .map(|d| if d < lead { 1 } else { t.size(d - lead) })
            .collect()
    };
    let (x, y) = (padded(a), padded(b));
    let interleave = |f: &dyn Fn(usize) -> [usize; 2]| -> Dims { (0..rank).flat_map(f).collect() };
    let full = interleave(&|d| [x[d], y[d]]);
    let left = a
        .to_dtype(dtype)
        .reshape_to(&interleave(&|d| [x[d], 1]))?
        .expand_to(&full)?;
    let right = b
        .to_dtype(dtype)
        .reshape_to(&interleave(&|d| [1, y[d]]))?
        .expand_to(&full)?;
    let sizes: Dims = (0..rank).map(|d| x[d] * y[d]).collect();
    // The product lies as its factors do, which may leave no place for one dimension of two.
    let sizes: Vec<i64> = sizes.iter().map(|size| *size as i64).collected();
    let operands = [(&left).into(), (&right).into()];
    MUL.call_any(DType::F32, ResultForm::Fresh, &operands, &[])?
        .view(&sizes)
}
