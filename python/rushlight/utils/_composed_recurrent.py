"""Recurrent layers and cells by the products and functions of their steps."""

from ._compositions import _op, _rule

_linear, _add, _mul, _sub = _op("linear"), _op("add", "Tensor"), _op("mul", "Tensor"), _op("sub", "Tensor")
_sigmoid, _tanh, _relu = _op("sigmoid"), _op("tanh"), _op("relu")


def _parts(x, count):
    return _op("unsafe_split", "Tensor")(x, x.shape[-1] // count, x.dim() - 1)


def _simple(function):
    return lambda given, hidden, h: function(_add(hidden, given))


def _gru(given, hidden, h):
    reset, update, new = _parts(given, 3)
    from_reset, from_update, from_new = _parts(hidden, 3)
    reset, update = _sigmoid(_add(from_reset, reset)), _sigmoid(_add(from_update, update))
    new = _tanh(_add(new, _mul(from_new, reset)))
    return _add(_mul(_sub(h, new), update), new)


def _lstm(given, hidden, state):
    entering, kept, new, leaving = _parts(_add(hidden, given), 4)
    cell = _add(_mul(_sigmoid(kept), state[1]), _mul(_sigmoid(entering), _tanh(new)))
    return _mul(_sigmoid(leaving), _tanh(cell)), cell


_STEPS = {"rnn_tanh": _simple(_tanh), "rnn_relu": _simple(_relu), "gru": _gru}


def _cell(step):
    def rule(x, h, w_ih, w_hh, b_ih, b_hh):
        if x.dim() != 2:
            return NotImplemented
        before = h[0] if isinstance(h, (list, tuple)) else h
        return step(_linear(x, w_ih, b_ih), _linear(before, w_hh, b_hh), h)

    return rule


for _name, _step in _STEPS.items():
    _rule(_name + "_cell")(_cell(_step))
_rule("lstm_cell")(_cell(_lstm))


def _direction(step, x, h, weights, backwards):
    """What a layer gives in one direction: the states after all steps, and the last."""
    w_ih, w_hh, *biases = weights
    b_ih, b_hh = biases or (None, None)
    given = list(_op("unbind", "int")(_linear(x, w_ih, b_ih), 0))
    states = []
    for part in reversed(given) if backwards else given:
        h = step(part, _linear(h, w_hh, b_hh), h)
        states.append(h)
    return _op("stack")(states[::-1] if backwards else states, 0), h


def _layers(step):
    def rule(x, hx, params, has_biases, count, p, train, bidirectional, batch_first):
        each, ways = 4 if has_biases else 2, 2 if bidirectional else 1
        if x.dim() != 3 or len(params) != each * ways * count or not x.numel() or hx.dim() != 3 or hx.shape[0] != ways * count:
            return NotImplemented
        if batch_first:
            x = _op("transpose", "int")(x, 0, 1)
        before, last = _op("unbind", "int")(hx, 0), []
        for layer in range(count):
            found = []
            for way in range(ways):
                at = layer * ways + way
                output, h = _direction(step, x, before[at], params[at * each : (at + 1) * each], way == 1)
                found.append(output)
                last.append(h)
            x = found[0] if ways == 1 else _op("cat")(found, 2)
            if p and train and layer < count - 1:
                x = _op("dropout")(x, p, True)
        return _op("transpose", "int")(x, 0, 1) if batch_first else x, _op("stack")(last, 0)

    return rule


for _name, _step in _STEPS.items():
    _rule(_name + ".input")(_layers(_step))
