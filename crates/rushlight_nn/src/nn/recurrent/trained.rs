//! One layer of LSTM in one direction over a padded batch, with what its gradient needs, and the gradient.

use super::blocks::from_input;
use super::cell::Recurrence;
use super::layer::CellTensors;
use rushlight_kernels::compute::{copied, dense, finish};
use rushlight_kernels::linalg::gemm::Matrix;
use rushlight_kernels::linalg::product::matrix_at;
use rushlight_kernels::nn::recurrent::KEPT;
use rushlight_kernels::nn::recurrent::backward::LstmBackward;
use rushlight_kernels::nn::recurrent::gates::{Gates, to_blocks, width};
use rushlight_kernels::nn::recurrent::sequence::{RowTarget, Sequence};
use rushlight_ops::{matmul, sum};
use rushlight_tensor::{Buffer, DType, Fault, Result, Tensor, memory};
use rushlight_types::{Call, FromCall, arguments, op, operators};
use std::sync::Arc;

operators! {
    /// Layers that are trained.
    pub static ROWS = [
        op!("aten::mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2, Tensor weight3, Tensor hx_, Tensor cx_, bool reverse, int[] batch_sizes, int mode, int hidden_size, int num_layers, bool has_biases, bool bidirectional, bool batch_first, bool train) -> (Tensor, Tensor, Tensor, Tensor)", layer),
        op!("aten::mkldnn_rnn_layer_backward(Tensor input, Tensor weight1, Tensor weight2, Tensor weight3, Tensor weight4, Tensor hx_, Tensor cx_tmp, Tensor output, Tensor hy_, Tensor cy_, Tensor? grad_output, Tensor? grad_hy, Tensor? grad_cy, bool reverse, int mode, int hidden_size, int num_layers, bool has_biases, bool train, bool bidirectional, int[] batch_sizes, bool batch_first, Tensor workspace) -> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)", layer_backward),
    ];
}

/// An argument that is the same for all layers, or is not needed.
struct Unread;

impl<'a> FromCall<'a> for Unread {
    fn from_call(_: &'a Call<'_>, index: &mut usize) -> Result<Unread> {
        *index += 1;
        Ok(Unread)
    }
}

arguments! {
    /// What a layer reads.
    struct Layer<'a> {
        input: &'a Tensor,
        w_ih: &'a Tensor,
        w_hh: &'a Tensor,
        b_ih: &'a Tensor,
        b_hh: &'a Tensor,
        h: &'a Tensor,
        c: &'a Tensor,
    }
}

arguments! {
    /// What a layer does; the rest of the arguments is the same for all.
    struct Manner {
        reverse: bool,
        _batch_sizes: Unread,
        mode: i64,
        _hidden: Unread,
        _layers: Unread,
        biases: bool,
    }
}

arguments! {
    /// What a layer gave, and the gradients of that.
    struct Given<'a> {
        output: &'a Tensor,
        _h: Unread,
        _c: Unread,
        grad_output: Option<&'a Tensor>,
        grad_h: Option<&'a Tensor>,
        grad_c: Option<&'a Tensor>,
        reverse: bool,
        mode: i64,
    }
}

/// Steps, rows of each, and hidden units.
struct Extent {
    steps: usize,
    batch: usize,
    hidden: usize,
}

impl Layer<'_> {
    /// Checks what belongs together.
    fn extent(&self, mode: i64, biases: bool) -> Result<Extent> {
        if mode != 2 {
            return Err(Fault::runtime(
                "could not create a primitive descriptor for the LSTM forward propagation primitive. Run workload with environment variable ONEDNN_VERBOSE=all to get additional diagnostic information.",
            ));
        }
        let all = [self.input, self.w_ih, self.w_hh, self.h, self.c];
        let narrow = |t: &&Tensor| matches!(t.dtype(), DType::F32 | DType::F16 | DType::BF16);
        if !all.iter().all(narrow) {
            return Err(Fault::runtime("get_mkldnn_dtype: unsupported data type"));
        }
        if self.input.rank() != 3 {
            return Err(Fault::runtime(format!(
                "input must have 3 dimensions, got {}",
                self.input.rank()
            )));
        }
        let [steps, batch, features] = [0, 1, 2].map(|d| self.input.size(d));
        let cell = CellTensors {
            w_ih: self.w_ih,
            w_hh: self.w_hh,
            b_ih: biases.then_some(self.b_ih),
            b_hh: biases.then_some(self.b_hh),
            w_hr: None,
        };
        let state = self.h.sizes().last().copied().unwrap_or(0);
        let hidden = cell.check(Recurrence::Lstm, features, state, batch)?;
        let states = Some(batch * hidden);
        let fits = |t: &Tensor| Some(t.numel()) == states && t.numel() > 0;
        if steps == 0 || !fits(self.h) || !fits(self.c) {
            return Err(Fault::runtime(format!(
                "Expected hidden size ({batch}, {hidden}), got {}",
                rushlight_tensor::layout::list(self.h.sizes())
            )));
        }
        Ok(Extent {
            steps,
            batch,
            hidden,
        })
    }

    /// The input as a matrix.
    fn rows(&self) -> Result<Tensor> {
        let [steps, batch, features] = [0, 1, 2].map(|d| self.input.size(d));
        dense::<f32>(self.input).reshape_to(&[memory::times([steps, batch]), features])
    }
}

/// Numbers of a tensor in f32; zeros where there is none.
fn numbers(t: Option<&Tensor>, count: usize) -> Buffer<f32> {
    match t {
        Some(t) => copied::<f32>(t),
        None => Buffer::zeroed(count),
    }
}

/// A product of matrices as a tensor.
#[inline(never)]
fn times(a: &Tensor, b: &Tensor, sizes: &[usize], dtype: DType) -> Result<Tensor> {
    Ok(matmul(a, b)?.reshape_to(sizes)?.to_dtype(dtype))
}

fn layer(layer: Layer<'_>, manner: Manner) -> Result<(Tensor, Tensor, Tensor, Tensor)> {
    let extent = layer.extent(manner.mode, manner.biases)?;
    let Extent {
        steps,
        batch,
        hidden,
    } = extent;
    let kind = Recurrence::Lstm;
    let w_hh = dense::<f32>(layer.w_hh);
    let pack = || {
        Gates::new(
            matrix_at(&w_hh.span::<f32>(), w_hh.layout(), 0),
            kind.gates(),
        )
    };
    let weight = Gates::of(&w_hh, kind.gates()).unwrap_or_else(|| Arc::new(pack()));
    let [b_ih, b_hh] = [layer.b_ih, layer.b_hh].map(|b| manner.biases.then_some(b));
    let (own, bias) = from_input(kind, hidden, &layer.rows()?, layer.w_ih, b_ih, b_hh);
    let [mut h, mut c] = [layer.h, layer.c].map(|t| numbers(Some(t), 0));
    let mut out = Buffer::<f32>::unspecified(memory::times([steps, batch, hidden]));
    let blocks = memory::times([hidden.div_ceil(width()), batch, width()]);
    let mut kept = Buffer::<f32>::unspecified(memory::times([steps, KEPT, blocks]));
    Sequence {
        kind,
        weight: &weight,
        bias: bias.as_deref(),
        projection: None,
        counts: &memory::filled(steps, batch),
        state: hidden,
        backward: manner.reverse,
    }
    .run(
        &own.data::<f32>(),
        &mut h,
        &mut c,
        &mut out,
        RowTarget {
            stride: hidden,
            offset: 0,
        },
        &mut kept,
    );
    let dtype = layer.input.dtype();
    let sizes = [kept.len()];
    Ok((
        finish(out, &[steps, batch, hidden], dtype),
        finish(h, layer.h.sizes(), dtype),
        finish(c, layer.c.sizes(), dtype),
        finish(kept, &sizes, DType::F32),
    ))
}

type Gradients = (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor);

fn layer_backward(layer: Layer<'_>, given: Given<'_>, rest: Rest<'_>) -> Result<Gradients> {
    let Extent {
        steps,
        batch,
        hidden,
    } = layer.extent(given.mode, rest.biases)?;
    let rows = memory::times([steps, batch]);
    let state = memory::times([batch, hidden]);
    let size = memory::times([rows, hidden]);
    let blocks = memory::times([hidden.div_ceil(width()), batch, width()]);
    let gradients = [given.grad_output, given.grad_h, given.grad_c];
    let counts = [size, state, state];
    let fits = gradients.into_iter().zip(counts);
    let kept = rest.workspace;
    if kept.dtype() != DType::F32
        || kept.numel() != memory::times([steps, KEPT, blocks])
        || given.output.numel() != size
        || !fits
            .into_iter()
            .all(|(t, n)| t.is_none_or(|t| t.numel() == n))
    {
        return Err(Fault::runtime(
            "mkldnn_rnn_layer_backward: the workspace and the gradients are not those of this layer",
        ));
    }
    let [output, mut h, mut c] = [0, 1, 2].map(|i| numbers(gradients[i], counts[i]));
    let mut gates = Buffer::<f32>::unspecified(memory::times([size, 4]));
    let turned = dense::<f32>(&layer.w_hh.transpose(0, 1)?.contiguous());
    LstmBackward {
        kept: &dense::<f32>(kept).data::<f32>(),
        start: &to_blocks(&dense::<f32>(layer.c).data::<f32>(), hidden),
        turned: Matrix::dense(&turned.data::<f32>(), hidden, 4 * hidden),
        batch,
        hidden,
        backward: given.reverse,
    }
    .run(&output, &mut h, &mut c, &mut gates);
    // The state before each step is the output of the one before.
    let mut before = Buffer::<f32>::unspecified(size);
    let (outputs, first) = (dense::<f32>(given.output), dense::<f32>(layer.h));
    let (outputs, first) = (outputs.data::<f32>(), first.data::<f32>());
    if given.reverse {
        before[..size - state].copy_from_slice(&outputs[state..]);
        before[size - state..].copy_from_slice(&first);
    } else {
        before[..state].copy_from_slice(&first);
        before[state..].copy_from_slice(&outputs[..size - state]);
    }
    let gates = finish(gates, &[rows, 4 * hidden], DType::F32);
    let before = finish(before, &[rows, hidden], DType::F32);
    let turned = gates.transpose(0, 1)?;
    let dtype = layer.input.dtype();
    let bias = sum(&gates, Some([0].into_iter().collect()), false, None)?.to_dtype(dtype);
    let (w_ih, w_hh) = (layer.w_ih.sizes(), layer.w_hh.sizes());
    Ok((
        times(
            &gates,
            &dense::<f32>(layer.w_ih),
            layer.input.sizes(),
            dtype,
        )?,
        times(&turned, &layer.rows()?, w_ih, dtype)?,
        times(&turned, &before, w_hh, dtype)?,
        bias.contiguous_copy(),
        bias,
        finish(h, layer.h.sizes(), dtype),
        finish(c, layer.c.sizes(), dtype),
    ))
}

arguments! {
    /// What else a gradient is given.
    struct Rest<'a> {
        _hidden: Unread,
        _layers: Unread,
        biases: bool,
        _train: Unread,
        _bidirectional: Unread,
        _batch_sizes: Unread,
        _batch_first: Unread,
        workspace: &'a Tensor,
    }
}
