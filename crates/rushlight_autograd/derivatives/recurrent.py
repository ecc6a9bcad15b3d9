# Recurrent layers as the steps that they are made of.


def lstm_cell_parts(x: Tensor, h: Tensor, c: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Optional[Tensor], b_hh: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
    check_state(x, h, "hidden0", w_hh)
    check_state(x, c, "hidden1", w_hh)
    return lstm_step(torch.linear(x, w_ih, b_ih), h, c, w_hh, b_hh)


def check_state(x: Tensor, state: Tensor, name: str, w_hh: Tensor) -> None:
    """Refuses the state of another batch or width."""
    if x.dim() != 2:
        raise RuntimeError("Expected 2D input (batch x feature), but got {}D input".format(x.dim()))
    if state.dim() != 2:
        raise RuntimeError("Expected 2D {} (batch x hidden_size), but got {}D tensor".format(name, state.dim()))
    if x.size(0) != state.size(0):
        raise RuntimeError("Input batch size {} doesn't match {} batch size {}".format(x.size(0), name, state.size(0)))
    if state.size(1) != w_hh.size(1):
        raise RuntimeError("{} has inconsistent hidden_size: got {}, expected {}".format(name, state.size(1), w_hh.size(1)))


def lstm_step(gates: Tensor, h: Tensor, c: Tensor, w_hh: Tensor, b_hh: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
    i, f, g, o = torch.chunk(gates + torch.linear(h, w_hh, b_hh), 4, -1)
    new = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(new), new


def rnn_cell_parts(kind: str, x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Optional[Tensor], b_hh: Optional[Tensor]) -> Tensor:
    check_state(x, h, "hidden0", w_hh)
    return rnn_step(kind, torch.linear(x, w_ih, b_ih), h, w_hh, b_hh)


def rnn_step(kind: str, gates: Tensor, h: Tensor, w_hh: Tensor, b_hh: Optional[Tensor]) -> Tensor:
    own = torch.linear(h, w_hh, b_hh)
    if kind == "gru":
        r, z, n = torch.chunk(gates, 3, -1)
        hr, hz, hn = torch.chunk(own, 3, -1)
        fresh = torch.tanh(n + torch.sigmoid(r + hr) * hn)
        return (h - fresh) * torch.sigmoid(z + hz) + fresh
    return torch.tanh(gates + own) if kind == "tanh" else torch.relu(gates + own)


def is_trained_whole(kind: str, data: Tensor, h0: Tensor, c0: Tensor, params: List[Tensor], each: int) -> bool:
    """Whether layers over a padded batch are trained by the kernel for LSTM without projections."""
    if kind != "lstm" or each % 2 == 1 or not (data.dtype == torch.float32 or data.dtype == torch.bfloat16):
        return False
    for t in [h0, c0] + params:
        if t.dtype != data.dtype or t.numel() == 0:
            return False
    return data.numel() > 0


def lstm_layer(data: Tensor, h0: Tensor, c0: Tensor, params: List[Tensor], biases: bool, reverse: bool) -> Tuple[Tensor, Tensor, Tensor]:
    w_ih, w_hh = params[0], params[1]
    own = params[2] if biases else torch.zeros([w_ih.size(0)], dtype=data.dtype)
    other = params[3] if biases else own
    out, h, c, kept = torch.mkldnn_rnn_layer(data, w_ih, w_hh, own, other, h0, c0, reverse, [], 2, w_hh.size(1), 1, biases, False, False, True)
    return out, h, c


def lstm_layer_parts(x: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor, b_hh: Tensor, h0: Tensor, c0: Tensor, reverse: bool, biases: bool) -> Tuple[Tensor, Tensor, Tensor]:
    steps, batch = x.size(0), x.size(1)
    params = [w_ih, w_hh, b_ih, b_hh] if biases else [w_ih, w_hh]
    state = [batch, w_hh.size(1)]
    out, h, c = layer("lstm", x.flatten(0, 1), [batch] * steps, h0.reshape(state), c0.reshape(state), params, biases, reverse, True)
    return out, h.reshape(h0.size()), c.reshape(c0.size())


def layer(kind: str, data: Tensor, sizes: List[int], h0: Tensor, c0: Tensor, params: List[Tensor], biases: bool, reverse: bool, is_dense: bool) -> Tuple[Tensor, Tensor, Tensor]:
    """One direction of one layer; `data` has the rows of all steps, `sizes` how many each step has."""
    b_ih: Optional[Tensor] = None
    b_hh: Optional[Tensor] = None
    if biases:
        b_ih, b_hh = params[2], params[3]
    projects = len(params) == (5 if biases else 3)
    steps = torch.split(torch.linear(data, params[0], b_ih), sizes)
    count = len(sizes)
    h = h0 if not reverse else h0.narrow(0, 0, sizes[count - 1])
    c = c0 if not reverse else c0.narrow(0, 0, sizes[count - 1])
    out: List[Tensor] = []
    ended_h: List[Tensor] = []
    ended_c: List[Tensor] = []
    for i in range(count):
        t = count - 1 - i if reverse else i
        size = sizes[t]
        if size < h.size(0):
            ended_h.append(h.narrow(0, size, h.size(0) - size))
            ended_c.append(c.narrow(0, size, c.size(0) - size))
            h, c = h.narrow(0, 0, size), c.narrow(0, 0, size)
        elif size > h.size(0):
            known = h.size(0)
            h = torch.cat([h, h0.narrow(0, known, size - known)])
            c = torch.cat([c, c0.narrow(0, known, size - known)])
        if kind == "lstm":
            h, c = lstm_step(steps[t], h, c, params[1], b_hh)
            if projects:
                h = torch.linear(h, params[len(params) - 1])
        else:
            h = rnn_step(kind, steps[t], h, params[1], b_hh)
            c = h
        out.append(h)
    if reverse:
        out.reverse()
    if len(ended_h) > 0:
        ended_h.append(h)
        ended_c.append(c)
        ended_h.reverse()
        ended_c.reverse()
        h, c = torch.cat(ended_h), torch.cat(ended_c)
    return torch.stack(out) if is_dense else torch.cat(out), h, c


def layers(kind: str, data: Tensor, sizes: List[int], h0: Tensor, c0: Tensor, params: List[Tensor], biases: bool, count: int, dropout: float, train: bool, both: bool, is_dense: bool) -> Tuple[Tensor, Tensor, Tensor]:
    directions = 2 if both else 1
    each = len(params) // (count * directions)
    assert len(params) == each * count * directions and (each == (4 if biases else 2) or kind == "lstm" and each == (5 if biases else 3))
    hs: List[Tensor] = []
    cs: List[Tensor] = []
    whole = is_dense and is_trained_whole(kind, data, h0, c0, params, each)
    for i in range(count):
        rows = data
        if is_dense and not whole:
            rows = data.reshape([data.size(0) * data.size(1), data.size(2)])
        outs: List[Tensor] = []
        for d in range(directions):
            k = i * directions + d
            own = params[k * each : (k + 1) * each]
            if whole:
                out, h, c = lstm_layer(data, h0[k], c0[k], own, biases, d == 1)
            else:
                out, h, c = layer(kind, rows, sizes, h0[k], c0[k], own, biases, d == 1, is_dense)
            outs.append(out)
            hs.append(h)
            cs.append(c)
        result = torch.cat(outs, -1) if both else outs[0]
        if dropout > 0.0 and train and i < count - 1:
            result = torch.dropout(result, dropout, True)
        data = result
    return data, torch.stack(hs), torch.stack(cs)


def dense(kind: str, x: Tensor, h0: Tensor, c0: Tensor, params: List[Tensor], biases: bool, count: int, dropout: float, train: bool, both: bool, batch_first: bool) -> Tuple[Tensor, Tensor, Tensor]:
    if batch_first:
        x = x.transpose(0, 1)
    out, h, c = layers(kind, x, [x.size(1)] * x.size(0), h0, c0, params, biases, count, dropout, train, both, True)
    if not batch_first:
        return out, h, c
    return out.transpose(0, 1) if kind == "lstm" else out.transpose_(0, 1), h, c


def lstm_parts(x: Tensor, hx: List[Tensor], params: List[Tensor], biases: bool, count: int, dropout: float, train: bool, both: bool, batch_first: bool) -> Tuple[Tensor, Tensor, Tensor]:
    assert len(hx) == 2
    return dense("lstm", x, hx[0], hx[1], params, biases, count, dropout, train, both, batch_first)


def lstm_packed_parts(data: Tensor, sizes: Tensor, hx: List[Tensor], params: List[Tensor], biases: bool, count: int, dropout: float, train: bool, both: bool) -> Tuple[Tensor, Tensor, Tensor]:
    assert len(hx) == 2
    return layers("lstm", data, lengths(sizes), hx[0], hx[1], params, biases, count, dropout, train, both, False)


def rnn_parts(kind: str, x: Tensor, h0: Tensor, params: List[Tensor], biases: bool, count: int, dropout: float, train: bool, both: bool, batch_first: bool) -> Tuple[Tensor, Tensor]:
    out, h, c = dense(kind, x, h0, h0, params, biases, count, dropout, train, both, batch_first)
    return out, h


def rnn_packed_parts(kind: str, data: Tensor, sizes: Tensor, h0: Tensor, params: List[Tensor], biases: bool, count: int, dropout: float, train: bool, both: bool) -> Tuple[Tensor, Tensor]:
    out, h, c = layers(kind, data, lengths(sizes), h0, h0, params, biases, count, dropout, train, both, False)
    return out, h


def lengths(sizes: Tensor) -> List[int]:
    out: List[int] = []
    for i in range(sizes.size(0)):
        out.append(int(sizes[i].item()))
    return out


def unpack(grad: Tensor, batch_sizes: Tensor, sizes: List[int], batch_first: bool) -> Tensor:
    """Packed rows as a batch of sequences, zeros after the ends."""
    dense_sizes = [sizes[1], sizes[0]] + sizes[2:] if batch_first else sizes
    out = torch.zeros(dense_sizes, dtype=grad.dtype)
    rows = torch.split(grad, lengths(batch_sizes))
    steps: List[Tensor] = []
    for t in range(dense_sizes[0]):
        if t < len(rows):
            missing = dense_sizes[1] - rows[t].size(0)
            steps.append(torch.cat([rows[t], torch.zeros([missing] + dense_sizes[2:], dtype=grad.dtype)]))
        else:
            steps.append(out[t])
    whole = torch.stack(steps)
    return whole.transpose(0, 1) if batch_first else whole


def pack_again(grad: Tensor, batch_sizes: Tensor, batch_first: bool, sizes: List[int]) -> Tensor:
    if batch_first:
        grad = grad.transpose(0, 1)
    rows: List[Tensor] = []
    counts = lengths(batch_sizes)
    for t in range(len(counts)):
        rows.append(grad[t].narrow(0, 0, counts[t]))
    return torch.cat(rows)
