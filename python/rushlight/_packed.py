"""Packed parameters of quantized layers in Python: their state, copies of them, and their way through pickles."""

_QUANTIZED = "__torch__.torch.classes.quantized."
_CELLS = "__torch__.torch.classes.rnn.CellParamsBase"


def state_of(packed):
    """The state of packed parameters, as archives carry it."""
    return packed.getattr("state")


def is_packed(object):
    """Whether a script object is packed parameters of a quantized layer."""
    name = object._class_name()
    return name == _CELLS or name.startswith(_QUANTIZED)


def _linear(state):
    import rushlight as torch

    weight, bias = state
    if weight.is_quantized:
        return torch.ops.quantized.linear_prepack(weight, bias)
    return torch.ops.quantized.linear_prepack_fp16(weight, bias)


def _convolution(state):
    import rushlight as torch

    _, (config, weight, *_), (bias, *_) = state
    config = config.tolist()
    dims = config[0]
    stride, padding, dilation, output_padding = (config[1 + i * dims : 1 + (i + 1) * dims] for i in range(4))
    groups, transposed = config[1 + 4 * dims], config[2 + 4 * dims]
    if transposed:
        prepack = getattr(torch.ops.quantized, f"conv_transpose{dims}d_prepack")
        return prepack(weight, bias, stride, padding, output_padding, dilation, groups)
    return getattr(torch.ops.quantized, f"conv{dims}d_prepack")(weight, bias, stride, padding, dilation, groups)


def _embedding(state):
    import rushlight as torch

    return torch.ops.quantized.embedding_bag_prepack(state[1][0])


def _cell(state):
    import rushlight as torch

    kind, biases, _, flags, layers = state
    if kind != "quantized_dynamic":
        raise RuntimeError(f"packed parameters of recurrent layers of the kind '{kind}' are not supported by Rushlight")
    return torch.ops.quantized.make_quantized_cell_params_dynamic(*layers, *biases, bool(flags[0]))


_MAKERS = {
    _QUANTIZED + "LinearPackedParamsBase": _linear,
    _QUANTIZED + "Conv2dPackedParamsBase": _convolution,
    _QUANTIZED + "Conv3dPackedParamsBase": _convolution,
    _QUANTIZED + "EmbeddingPackedParamsBase": _embedding,
    _CELLS: _cell,
}


def restore(state):
    """Packed parameters of a state and the name of their class: what pickles say.

    Raises:
        RuntimeError: there is no such class, or the state is not one of its own.
    """
    held, name = state
    if name not in _MAKERS:
        raise RuntimeError(f"{name} cannot be made from a pickle")
    try:
        return _MAKERS[name](held)
    except (TypeError, ValueError, IndexError, AttributeError):
        raise RuntimeError("the packed parameters of a quantized layer are malformed") from None


def pair(object):
    """State and class of packed parameters, as pickles say them.

    Raises:
        TypeError: the object is of another class.
    """
    if not is_packed(object):
        raise TypeError("cannot pickle 'torch.ScriptObject' object")
    return state_of(object), object._class_name()


_STATE = ("__getstate__", "__setstate__")
# The methods of the built-in classes, in the order in which they are listed: the operator of each, with the part of its
# result that it is. {n} is the number of dimensions.
_OF_CONVOLUTIONS = {
    "weight": ("conv{n}d_unpack", 0),
    "bias": ("conv{n}d_unpack", 1),
    "unpack": ("conv{n}d_unpack", None),
    "stride": ("conv{n}d_stride", None),
    "padding": ("conv{n}d_padding", None),
    "output_padding": ("conv{n}d_output_padding", None),
    "dilation": ("conv{n}d_dilation", None),
    "groups": ("conv{n}d_groups", None),
    "transpose": ("conv{n}d_transpose", None),
}
_METHODS = {
    _QUANTIZED + "LinearPackedParamsBase": {"bias": ("linear_unpack", 1), "unpack": ("linear_unpack", None)},
    _QUANTIZED + "Conv2dPackedParamsBase": {name: (op.format(n=2), part) for name, (op, part) in _OF_CONVOLUTIONS.items()},
    _QUANTIZED + "Conv3dPackedParamsBase": {name: (op.format(n=3), part) for name, (op, part) in _OF_CONVOLUTIONS.items()},
    _QUANTIZED + "EmbeddingPackedParamsBase": {"unpack": ("embedding_bag_unpack", None)},
}


def method_names(class_name):
    """The names of the methods of a built-in class."""
    return [*_STATE, *_METHODS[class_name]] if class_name in _METHODS else []


def method(packed, name):
    """A method of packed parameters: a function without arguments; None where there is none of that name."""
    found = _METHODS.get(packed._class_name(), {}).get(name)
    if found is None:
        return None
    operator, part = found

    def call():
        import rushlight as torch

        unpack = operator
        if unpack == "linear_unpack" and not state_of(packed)[0].is_quantized:
            unpack += "_fp16"
        result = getattr(torch.ops.quantized, unpack)(packed)
        if name == "transpose":
            return bool(result)
        return result if part is None else result[part]

    call.__name__ = call.__qualname__ = name
    return call
