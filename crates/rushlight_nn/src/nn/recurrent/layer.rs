//! Stacks of recurrent layers over padded (`.input`) and packed (`.data`) sequences.
//!
//! Both are run the same way: time steps lie one after the other, each with its number of rows. For packed sequences
//! that number falls; the rows that end keep their last state.

use super::cell::{Recurrence, RecurrentNumber, advance, affine};
use rushlight_kernels::compute::{compute, copied, dense};
use rushlight_kernels::linalg::gemm::Matrix;
use rushlight_ops::dropout;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, DType, Fault, Result, Tensor, watch};
use rushlight_types::{Context, Functional, arguments, op, operators};

operators! {
    /// Recurrent layers.
    pub static ROWS = [
        op!("aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)", lstm).functional(Functional::Recurrent),
        op!("aten::lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor, Tensor)", lstm_packed).functional(Functional::Recurrent),
        op!("aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", gru).functional(Functional::Recurrent),
        op!("aten::gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)", gru_packed).functional(Functional::Recurrent),
        op!("aten::rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", rnn_tanh).functional(Functional::Recurrent),
        op!("aten::rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)", rnn_tanh_packed).functional(Functional::Recurrent),
        op!("aten::rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)", rnn_relu).functional(Functional::Recurrent),
        op!("aten::rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)", rnn_relu_packed).functional(Functional::Recurrent),
    ];
}

arguments! {
    /// What a stack of layers does, besides its tensors.
    pub(crate) struct Settings {
        pub(crate) biases: bool,
        pub(crate) layers: i64,
        /// Probability of dropping an element between layers, when training.
        pub(crate) dropout: f64,
        pub(crate) train: bool,
        pub(crate) bidirectional: bool,
    }
}

/// What a stack of layers is made of.
pub(super) struct Stack<'a> {
    pub(super) kind: Recurrence,
    params: &'a [Tensor],
    biases: bool,
    per_cell: usize,
    pub(super) layers: usize,
    pub(super) directions: usize,
    /// Probability of dropping an element between layers; 0 unless training.
    pub(super) dropout: f64,
}

impl<'a> Stack<'a> {
    fn new(
        kind: Recurrence,
        params: &'a [Tensor],
        hidden: &Tensor,
        settings: &Settings,
    ) -> Result<Stack<'a>> {
        let Settings {
            biases,
            layers,
            dropout,
            train,
            bidirectional,
        } = *settings;
        let directions = 1 + bidirectional as usize;
        let layers = usize::try_from(layers).unwrap_or(0);
        let cells = layers.saturating_mul(directions);
        let fail = |text: &str| Err(Fault::runtime(text));
        let states = hidden.sizes().first().copied().unwrap_or(0);
        let projected = kind == Recurrence::Lstm
            && cells > 0
            && params.len() == cells.saturating_mul(3 + 2 * biases as usize);
        let per_cell = 2 + 2 * biases as usize + projected as usize;
        if !params.len().is_multiple_of(per_cell) {
            return fail("got an incorrect number of RNN parameters");
        }
        let given = params.len() / per_cell;
        if bidirectional && (!given.is_multiple_of(2) || !states.is_multiple_of(2)) {
            return fail("Odd number of params or hiddens given to a bidirectional RNN");
        }
        if cells == 0 || states != cells {
            return fail("Expected more hidden states in stacked_rnn");
        }
        if given != cells {
            return fail("Expected more weights in stacked_rnn");
        }
        Ok(Stack {
            kind,
            params,
            biases,
            layers,
            per_cell,
            directions,
            dropout: if train { dropout } else { 0.0 },
        })
    }

    fn cells(&self) -> usize {
        self.layers * self.directions
    }

    pub(super) fn cell(&self, index: usize) -> CellTensors<'a> {
        let p = &self.params[index * self.per_cell..][..self.per_cell];
        let biases = 2 + 2 * self.biases as usize;
        CellTensors {
            w_ih: &p[0],
            w_hh: &p[1],
            b_ih: self.biases.then(|| &p[2]),
            b_hh: self.biases.then(|| &p[3]),
            w_hr: p.get(biases),
        }
    }
}

/// The parameters of one layer in one direction.
pub(super) struct CellTensors<'a> {
    pub(super) w_ih: &'a Tensor,
    pub(super) w_hh: &'a Tensor,
    pub(super) b_ih: Option<&'a Tensor>,
    pub(super) b_hh: Option<&'a Tensor>,
    /// Projection of the hidden state, for LSTM.
    pub(super) w_hr: Option<&'a Tensor>,
}

impl CellTensors<'_> {
    /// Hidden units, and the size of the state that goes round.
    pub(super) fn check(
        &self,
        kind: Recurrence,
        features: usize,
        state: usize,
        rows: usize,
    ) -> Result<usize> {
        let matrix = |t: &Tensor| t.rank() == 2;
        if !matrix(self.w_ih) || !matrix(self.w_hh) || !self.w_hr.is_none_or(matrix) {
            return Err(Fault::runtime(
                "the weights of a recurrent layer must be matrices",
            ));
        }
        let width = self.w_ih.size(0);
        let hidden = width / kind.gates();
        let mismatch = |a: usize, b: usize, w: &Tensor| {
            Err(Fault::runtime(format!(
                "addmm: mat1 and mat2 shapes cannot be multiplied ({a}x{b} and {}x{})",
                w.size(1),
                w.size(0)
            )))
        };
        if self.w_ih.size(1) != features {
            return mismatch(rows, features, self.w_ih);
        }
        if self.w_hh.size(1) != state {
            return mismatch(rows, state, self.w_hh);
        }
        let biases = [self.b_ih, self.b_hh];
        let fits = hidden * kind.gates() == width
            && self.w_hh.size(0) == width
            && biases.into_iter().flatten().all(|b| b.numel() == width)
            && match self.w_hr {
                Some(w) => w.size(0) == state && w.size(1) == hidden,
                None => state == hidden,
            };
        if !fits {
            return Err(Fault::runtime(format!(
                "the parameters of a recurrent layer do not belong together: weights of {} and {}, state of {state}",
                list(self.w_ih.sizes()),
                list(self.w_hh.sizes())
            )));
        }
        Ok(hidden)
    }
}

/// The results of a stack: outputs per step, last hidden states, last cell states.
type Results = (Tensor, Tensor, Option<Tensor>);

/// Runs a stack over steps of `counts` rows; `x` is their concatenation.
fn run(
    stack: &Stack<'_>,
    x: &Tensor,
    counts: &[usize],
    h0: &Tensor,
    c0: Option<&Tensor>,
    cx: &Context,
) -> Result<Results> {
    let cells = stack.cells();
    let batch = counts.first().copied().unwrap_or(0);
    for t in [Some(h0), c0].into_iter().flatten() {
        if t.rank() == 3 && t.size(0) == cells && t.size(1) != batch {
            return Err(Fault::runtime(format!(
                "The size of tensor a ({}) must match the size of tensor b ({batch}) at non-singleton dimension 0",
                t.size(1)
            )));
        }
        if t.rank() != 3 || t.size(0) != cells {
            return Err(Fault::runtime(format!(
                "Expected hidden size ({cells}, {batch}, {}), got {}",
                t.sizes().last().copied().unwrap_or(0),
                list(t.sizes())
            )));
        }
    }
    let differ = |a: &Tensor, b: &Tensor| {
        Err(Fault::runtime(format!(
            "mat1 and mat2 must have the same dtype, but got {} and {}",
            a.dtype().class_name(),
            b.dtype().class_name()
        )))
    };
    if let Some(weight) = stack.params.iter().find(|t| t.dtype() != x.dtype()) {
        return differ(x, weight);
    }
    if let Some(state) = [Some(h0), c0]
        .into_iter()
        .flatten()
        .find(|t| t.dtype() != x.dtype())
    {
        return differ(state, x);
    }
    check_cell_states(stack, h0, c0)?;
    let is_narrow = super::narrow::of(x.dtype(), stack.kind, true).is_some();
    if matches!(x.dtype(), DType::F32 | DType::F16 | DType::BF16)
        && !is_narrow
        && let Some(results) = run_in_blocks(stack, x, counts, h0, c0, cx)?
    {
        return Ok(results);
    }
    compute!(x.dtype(), "rnn", W => run_in::<W>(stack, x, counts, h0, c0, cx))
}

/// Checks that the cell states have the numbers that the layers' hidden units need.
fn check_cell_states(stack: &Stack<'_>, h0: &Tensor, c0: Option<&Tensor>) -> Result<()> {
    let Some(c0) = c0 else {
        return Ok(());
    };
    for index in 0..stack.cells() {
        let weight = stack.cell(index).w_ih;
        let units = weight.sizes().first().map(|n| n / stack.kind.gates());
        if units.is_some_and(|units| units != c0.size(2)) && h0.numel() > 0 {
            return Err(Fault::runtime("got an incorrect number of RNN parameters"));
        }
    }
    Ok(())
}

/// [`run`] by the kernels for packed weights; `None` where there are none.
fn run_in_blocks(
    stack: &Stack<'_>,
    x: &Tensor,
    counts: &[usize],
    h0: &Tensor,
    c0: Option<&Tensor>,
    cx: &Context,
) -> Result<Option<Results>> {
    let dtype = x.dtype();
    let (total, features) = (counts.iter().sum(), x.size(x.rank() - 1));
    let mut h = copied::<f32>(h0);
    let mut c = match c0 {
        Some(c0) => copied::<f32>(c0),
        None => Buffer::unspecified(0),
    };
    let rows = dense::<f32>(x).reshape_to(&[total, features])?;
    let state = (h0.size(1), h0.size(2));
    let Some(out) = super::blocks::run(stack, rows, counts, &mut h, &mut c, state, cx)? else {
        return Ok(None);
    };
    let mut sizes = rushlight_tensor::Dims::from_slice(x.sizes());
    let last = sizes.len() - 1;
    sizes[last] = out.size(1);
    Ok(Some((
        out.reshape_to(&sizes)?.to_dtype(dtype),
        h.into_tensor(h0.sizes()).to_dtype(dtype),
        c0.map(|c0| c.into_tensor(c0.sizes()).to_dtype(dtype)),
    )))
}

fn run_in<W: RecurrentNumber>(
    stack: &Stack<'_>,
    x: &Tensor,
    counts: &[usize],
    h0: &Tensor,
    c0: Option<&Tensor>,
    cx: &Context,
) -> Result<Results> {
    let dtype = x.dtype();
    let total: usize = counts.iter().sum();
    let state = h0.size(2);
    let mut features = x.size(x.rank() - 1);
    let mut layer_in: Vec<W> = dense::<W>(x).data::<W>().to_vec();
    let mut h = copied::<W>(h0);
    let mut c = match c0 {
        Some(c0) => copied::<W>(c0),
        None => Buffer::<W>::unspecified(0),
    };
    let batch = h0.size(1);
    for layer in 0..stack.layers {
        watch::poll();
        let mut out = memory::filled(
            memory::times([total, state, stack.directions]),
            W::default(),
        );
        for direction in 0..stack.directions {
            let index = layer * stack.directions + direction;
            let cell = stack.cell(index);
            let hidden = cell.check(stack.kind, features, state, total)?;
            let hs = &mut h[index * batch * state..(index + 1) * batch * state];
            let cs = match c0 {
                Some(_) => &mut c[index * batch * hidden..(index + 1) * batch * hidden],
                None => &mut [],
            };
            let mut pass = Pass {
                kind: stack.kind,
                cell,
                hidden,
                state,
                counts,
                stride: state * stack.directions,
                offset: direction * state,
                narrow: super::narrow::of(dtype, stack.kind, true),
            };
            pass.run::<W>(&layer_in, hs, cs, &mut out, direction == 1);
        }
        features = state * stack.directions;
        layer_in = out;
        if stack.dropout > 0.0 && layer + 1 < stack.layers {
            let whole = Tensor::from_vec(layer_in, &[total, features])?;
            let dropped = dropout(cx, &whole, stack.dropout, true)?;
            layer_in = dense::<W>(&dropped).data::<W>().to_vec();
        }
    }
    let mut sizes = rushlight_tensor::Dims::from_slice(x.sizes());
    let last = sizes.len() - 1;
    sizes[last] = features;
    let out = Tensor::from_vec(layer_in, &sizes)?.to_dtype(dtype);
    let h = h.into_tensor(h0.sizes()).to_dtype(dtype);
    Ok((
        out,
        h,
        c0.map(|c0| c.into_tensor(c0.sizes()).to_dtype(dtype)),
    ))
}

/// One layer in one direction.
struct Pass<'a> {
    kind: Recurrence,
    cell: CellTensors<'a>,
    hidden: usize,
    state: usize,
    counts: &'a [usize],
    /// Elements from row to row of the output, and where this direction's part starts.
    stride: usize,
    offset: usize,
    /// What the steps round to.
    narrow: Option<DType>,
}

impl Pass<'_> {
    fn run<W: RecurrentNumber>(
        &mut self,
        x: &[W],
        h: &mut [W],
        c: &mut [W],
        out: &mut [W],
        backward: bool,
    ) {
        let total: usize = self.counts.iter().sum();
        let width = self.kind.gates() * self.hidden;
        let (w_ih, w_hh) = (dense::<W>(self.cell.w_ih), dense::<W>(self.cell.w_hh));
        let (w_ih, w_hh) = (w_ih.data::<W>(), w_hh.data::<W>());
        let bias = |b: Option<&Tensor>| b.map(|b| dense::<W>(b).data::<W>().to_vec());
        let (b_ih, b_hh) = (bias(self.cell.b_ih), bias(self.cell.b_hh));
        let projection = self.cell.w_hr.map(dense::<W>);
        let mut gates = memory::filled(memory::times([total, width]), W::default());
        let w_ih = Matrix::dense(&w_ih, width, self.cell.w_ih.size(1));
        affine(x, total, w_ih, b_ih.as_deref(), &mut gates);
        super::narrow::round(&mut gates, self.narrow);
        let w_hh = Matrix::dense(&w_hh, width, self.state);
        let batch = self.counts.first().copied().unwrap_or(0);
        let mut from_hidden = memory::filled(memory::times([batch, width]), W::default());
        let mut unprojected = memory::filled(
            if projection.is_some() {
                batch * self.hidden
            } else {
                0
            },
            W::default(),
        );
        let steps = self.counts.len();
        let mut starts = memory::with_capacity(steps);
        let mut first = 0;
        for count in self.counts {
            starts.push(first);
            first += count;
        }
        for i in 0..steps {
            watch::poll();
            let step = if backward { steps - 1 - i } else { i };
            let (first, rows) = (starts[step], self.counts[step]);
            let own = &gates[first * width..(first + rows) * width];
            let carried = &mut from_hidden[..rows * width];
            affine(
                &h[..rows * self.state],
                rows,
                w_hh,
                b_hh.as_deref(),
                carried,
            );
            super::narrow::round(carried, self.narrow);
            let mut ahead = |h: &mut [W]| match self.narrow {
                Some(dtype) => {
                    super::narrow::advance(self.kind, [own, &*carried], h, c, self.hidden, dtype);
                }
                None => advance(self.kind, own, carried, h, c, self.hidden),
            };
            let state = &mut h[..rows * self.state];
            match &projection {
                None => ahead(state),
                Some(w) => {
                    let new = &mut unprojected[..rows * self.hidden];
                    ahead(new);
                    let w = w.data::<W>();
                    let w = Matrix::dense(&w, self.state, self.hidden);
                    affine(new, rows, w, None, state);
                    super::narrow::round(state, self.narrow);
                }
            }
            for r in 0..rows {
                watch::poll();
                let to = (first + r) * self.stride + self.offset;
                out[to..to + self.state].copy_from_slice(&h[r * self.state..(r + 1) * self.state]);
            }
        }
    }
}

/// Runs a stack over a padded batch.
fn padded(
    stack: &Stack<'_>,
    input: &Tensor,
    h0: &Tensor,
    c0: Option<&Tensor>,
    batch_first: bool,
    cx: &Context,
) -> Result<Results> {
    if input.rank() != 3 && input.rank() != 2 {
        return Err(Fault::runtime(format!(
            "input must have 3 dimensions, got {}",
            input.rank()
        )));
    }
    // A sequence without a batch has batch size 1.
    let single = input.rank() == 2;
    let x = if single {
        input.unsqueeze(1)?
    } else {
        input.clone()
    };
    let lift = |t: &Tensor| {
        if t.rank() == 2 {
            t.unsqueeze(1)
        } else {
            Ok(t.clone())
        }
    };
    let (h0, c0) = (lift(h0)?, c0.map(lift).transpose()?);
    let x = if batch_first && !single {
        x.transpose(0, 1)?.contiguous()
    } else {
        x
    };
    let counts = memory::filled(x.size(0), x.size(1));
    if counts.is_empty() {
        return Err(Fault::runtime(
            "Expected sequence length to be larger than 0 in RNN",
        ));
    }
    let (out, h, c) = run(stack, &x, &counts, &h0, c0.as_ref(), cx)?;
    if single {
        let drop = |t: Tensor| t.select(1, 0);
        return Ok((drop(out)?, drop(h)?, c.map(drop).transpose()?));
    }
    let out = if batch_first {
        out.transpose(0, 1)?
    } else {
        out
    };
    Ok((out, h, c))
}

/// Runs a stack over packed sequences.
fn packed(
    stack: &Stack<'_>,
    data: &Tensor,
    batch_sizes: &Tensor,
    h0: &Tensor,
    c0: Option<&Tensor>,
    cx: &Context,
) -> Result<Results> {
    if batch_sizes.rank() != 1 {
        return Err(Fault::runtime("batch_sizes tensor should be 1D"));
    }
    if batch_sizes.dtype() != DType::I64 {
        return Err(Fault::other_scalar_type(DType::I64, batch_sizes.dtype()));
    }
    let sizes = batch_sizes.contiguous();
    let mut counts = Vec::new();
    for size in sizes.data::<i64>().iter() {
        let falls = counts.last().is_none_or(|last| *size as usize <= *last);
        if *size <= 0 || !falls {
            return Err(Fault::runtime(
                "batch_sizes of a packed sequence must be positive and must not rise",
            ));
        }
        counts.push(*size as usize);
    }
    let rows = counts
        .iter()
        .fold(0usize, |rows, count| rows.saturating_add(*count));
    if data.rank() != 2 || rows > data.size(0) {
        return Err(Fault::runtime(format!(
            "packed data of sizes {} does not fit its batch_sizes",
            list(data.sizes())
        )));
    }
    // Rows behind the last step are not looked at.
    let data = match rows == data.size(0) {
        true => data.clone(),
        false => data.narrow(0, 0, rows)?,
    };
    run(stack, &data, &counts, h0, c0, cx)
}

fn two_states(hx: &[Tensor]) -> Result<(&Tensor, &Tensor)> {
    match hx {
        [h, c] => Ok((h, c)),
        _ => Err(Fault::runtime("lstm expects two hidden states")),
    }
}

fn with_cell((out, h, c): Results) -> Result<(Tensor, Tensor, Tensor)> {
    Ok((
        out,
        h,
        c.ok_or_else(|| Fault::internal("an LSTM has a cell state"))?,
    ))
}

fn lstm(
    cx: &Context,
    input: &Tensor,
    hx: Vec<Tensor>,
    params: Vec<Tensor>,
    settings: Settings,
    batch_first: bool,
) -> Result<(Tensor, Tensor, Tensor)> {
    let (h, c) = two_states(&hx)?;
    let stack = Stack::new(Recurrence::Lstm, &params, h, &settings)?;
    with_cell(padded(&stack, input, h, Some(c), batch_first, cx)?)
}

fn lstm_packed(
    cx: &Context,
    data: &Tensor,
    batch_sizes: &Tensor,
    hx: Vec<Tensor>,
    params: Vec<Tensor>,
    settings: Settings,
) -> Result<(Tensor, Tensor, Tensor)> {
    let (h, c) = two_states(&hx)?;
    let stack = Stack::new(Recurrence::Lstm, &params, h, &settings)?;
    with_cell(packed(&stack, data, batch_sizes, h, Some(c), cx)?)
}

macro_rules! one_state {
    ($($padded:ident $packed:ident $kind:ident;)*) => {$(
        fn $padded(
            cx: &Context,
            input: &Tensor,
            h: &Tensor,
            params: Vec<Tensor>,
            settings: Settings,
            batch_first: bool,
        ) -> Result<(Tensor, Tensor)> {
            let stack = Stack::new(Recurrence::$kind, &params, h, &settings)?;
            let (out, h, _) = padded(&stack, input, h, None, batch_first, cx)?;
            Ok((out, h))
        }

        fn $packed(
            cx: &Context,
            data: &Tensor,
            batch_sizes: &Tensor,
            h: &Tensor,
            params: Vec<Tensor>,
            settings: Settings,
        ) -> Result<(Tensor, Tensor)> {
            let stack = Stack::new(Recurrence::$kind, &params, h, &settings)?;
            let (out, h, _) = packed(&stack, data, batch_sizes, h, None, cx)?;
            Ok((out, h))
        }
    )*};
}
one_state! {
    gru gru_packed Gru;
    rnn_tanh rnn_tanh_packed Tanh;
    rnn_relu rnn_relu_packed Relu;
}
