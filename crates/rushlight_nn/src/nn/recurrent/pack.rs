//! Packed sequences: a padded batch without its padding, time step after time step.

use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{
    Buffer, DType, Dims, Fault, Number, Result, Scalar, Tensor, dispatch, watch,
};
use rushlight_types::{op, operators};

operators! {
    /// Packing.
    pub static ROWS = [
        op!("aten::_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> (Tensor, Tensor)", pack).out("out", rushlight_ops::out::exact),
        op!("aten::_pad_packed_sequence(Tensor data, Tensor batch_sizes, bool batch_first, Scalar padding_value, int total_length) -> (Tensor, Tensor)", pad),
        op!("aten::pad_sequence(Tensor[] sequences, bool batch_first=False, float padding_value=0., str padding_side=\"right\") -> Tensor", pad_sequence),
    ];
}

/// Sequences of different lengths in one tensor, the rest of the shorter ones filled up.
fn pad_sequence(
    sequences: Vec<Tensor>,
    batch_first: bool,
    value: f64,
    side: &str,
) -> Result<Tensor> {
    let Some(first) = sequences.first() else {
        return Err(Fault::runtime("received an empty list of sequences"));
    };
    if side != "left" && side != "right" {
        return Err(Fault::runtime(format!(
            "Expected padding_side to be one of left or right, but got {side}."
        )));
    }
    if sequences.iter().any(|s| s.rank() == 0) {
        return Err(Fault::runtime("ArrayRef: invalid slice, N = 1; size = 0"));
    }
    let longest = sequences.iter().map(|s| s.size(0)).max().unwrap_or(0);
    let mut sizes = Dims::from_slice(&[sequences.len(), longest]);
    sizes.extend_from_slice(&first.sizes()[1..]);
    if !batch_first {
        sizes.swap(0, 1);
    }
    let out = Tensor::empty(&sizes, first.dtype())?;
    out.fill(Scalar::Float(value))?;
    for (i, sequence) in sequences.iter().enumerate() {
        let own = out.select(!batch_first as i64, i as i64)?;
        let start = match side {
            "left" => longest - sequence.size(0),
            _ => 0,
        };
        own.narrow(0, start, sequence.size(0))?
            .copy_from(sequence)?;
    }
    Ok(out)
}

fn ints(t: &Tensor) -> Vec<i64> {
    t.to_dtype(DType::I64).data::<i64>().to_vec()
}

/// Refuses what is no list of lengths.
fn need_lengths(lengths: &Tensor) -> Result<()> {
    if lengths.rank() == 1 && lengths.dtype() == DType::I64 {
        return Ok(());
    }
    Err(Fault::runtime(format!(
        "'lengths' argument should be a 1D CPU int64 tensor, but got {}D cpu {} tensor",
        lengths.rank(),
        lengths.dtype().class_name()
    )))
}

/// The rows of each step that are not padding, and how many each step has.
fn pack(input: &Tensor, lengths: &Tensor, batch_first: bool) -> Result<(Tensor, Tensor)> {
    if input.dtype().is_eight() {
        let (data, sizes) = pack(&input.held(), lengths, batch_first)?;
        return Ok((data.as_eights(input.dtype()), sizes));
    }
    need_lengths(lengths)?;
    let x = if batch_first {
        input.transpose(0, 1)?
    } else {
        input.clone()
    };
    let lengths = ints(lengths);
    if x.rank() < 2 || x.numel() == 0 {
        return Err(Fault::runtime("Cannot pack empty tensors."));
    }
    let (steps, batch) = (x.size(0), x.size(1));
    if lengths.len() != batch {
        return Err(Fault::runtime(format!(
            "Expected `len(lengths)` to be equal to batch_size, but got {} (batch_size={batch})",
            lengths.len()
        )));
    }
    if lengths.windows(2).any(|w| w[0] < w[1]) {
        return Err(Fault::runtime(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not need ONNX exportability.",
        ));
    }
    if lengths.iter().any(|l| *l <= 0) {
        return Err(Fault::runtime(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0",
        ));
    }
    let counts: Vec<i64> = (0..lengths[0])
        .map(|step| {
            watch::poll();
            lengths.iter().filter(|l| **l > step).count() as i64
        })
        .collected();
    let row: usize = x.sizes()[2..].iter().product();
    // Steps that a length counts and the input does not have are in the sizes alone.
    let total: usize = counts.iter().take(steps).map(|c| *c as usize).sum();
    let mut sizes = Dims::from_slice(&[total]);
    sizes.extend_from_slice(&x.sizes()[2..]);
    let data = dispatch!(x.dtype(), All, T => {
        let x = x.data::<T>();
        let mut out = Buffer::<T>::unspecified(memory::times([total, row]));
        let mut at = 0;
        for (step, count) in counts.iter().take(steps).enumerate() {
            watch::poll();
            let n = *count as usize * row;
            out[at..at + n].copy_from_slice(&x[step * batch * row..][..n]);
            at += n;
        }
        out.into_tensor(&sizes)
    });
    let steps = counts.len();
    Ok((data, Tensor::from_vec(counts, &[steps])?))
}

/// The padded batch and the lengths of its sequences.
fn pad(
    data: &Tensor,
    batch_sizes: &Tensor,
    batch_first: bool,
    padding: Scalar,
    total_length: i64,
) -> Result<(Tensor, Tensor)> {
    need_lengths(batch_sizes)?;
    let counts = ints(batch_sizes);
    if counts.is_empty() {
        return Err(Fault::runtime("batch_sizes can not be empty"));
    }
    let falls = counts.windows(2).all(|w| w[0] >= w[1]);
    let total = counts
        .iter()
        .fold(0i64, |sum, count| sum.saturating_add(*count));
    if !falls
        || counts.iter().any(|c| *c < 0)
        || counts[0] == 0
        || data.rank() == 0
        || (data.size(0) as i64) < total
    {
        return Err(Fault::runtime("batch_sizes do not fit the packed data"));
    }
    let batch = counts[0] as usize;
    let mut steps = counts.len();
    if total_length > 0 {
        if (total_length as usize) < steps {
            return Err(Fault::runtime(format!(
                "Expected total_length to be at least the length of the longest sequence in input, but got total_length={total_length} and max sequence length being {steps}"
            )));
        }
        steps = total_length as usize;
    }
    let row: usize = data.sizes()[1..].iter().product();
    let mut sizes = Dims::from_slice(&[steps, batch]);
    sizes.extend_from_slice(&data.sizes()[1..]);
    rushlight_tensor::layout::checked_numel(&sizes)?;
    let padded = dispatch!(data.dtype(), NotBool, T => {
        use rushlight_tensor::Element;
        let x = data.data::<T>();
        let fill = if padding == Scalar::Int(0) { T::ZERO } else { T::from_scalar(padding) };
        let mut out = Buffer::<T>::filled(memory::times([steps, batch, row]), fill);
        let mut at = 0;
        for (step, count) in counts.iter().enumerate() {
            watch::poll();
            let n = *count as usize * row;
            out[step * batch * row..][..n].copy_from_slice(&x[at..at + n]);
            at += n;
        }
        out.into_tensor(&sizes)
    }, else => return Err(Fault::no_kernel("_pad_packed_sequence", data.dtype())));
    let lengths: Vec<i64> = (0..batch as i64)
        .map(|b| counts.iter().filter(|c| **c > b).count() as i64)
        .collected();
    let padded = if batch_first {
        padded.transpose(0, 1)?
    } else {
        padded
    };
    Ok((padded, Tensor::from_vec(lengths, &[batch])?))
}
