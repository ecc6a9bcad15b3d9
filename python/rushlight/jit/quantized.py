"""``torch.jit.quantized``: names of classes and functions that the reference has withdrawn."""

_CLASSES = (
    "QuantizedGRU", "QuantizedGRUCell", "QuantizedLSTM", "QuantizedLSTMCell", "QuantizedLinear", "QuantizedLinearFP16",
    "QuantizedRNNBase", "QuantizedRNNCell", "QuantizedRNNCellBase",
)  # fmt: skip
_FUNCTIONS = ("quantize_linear_modules", "quantize_rnn_cell_modules", "quantize_rnn_modules")


def _withdrawn(name):
    raise RuntimeError(f"{name} function is no longer supported. Please use torch.ao.quantization.quantize_dynamic API instead.")


def _function(name):
    def refuse(*args, **kwargs):
        _withdrawn(name)

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _class(name):
    def refuse(self, *args, **kwargs):
        raise RuntimeError(f"torch.jit.{name} is no longer supported. Please use the torch.ao.nn.quantized.dynamic instead.")

    return type(name, (), {"__init__": refuse, "__module__": __name__})


globals().update({name: _function(name) for name in _FUNCTIONS})
globals().update({name: _class(name) for name in _CLASSES})
