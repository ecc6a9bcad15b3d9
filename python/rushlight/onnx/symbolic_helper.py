"""``torch.onnx.symbolic_helper``: marks of functions that would export operators; they change nothing."""

from ._opset import functions


def parse_args(*arg_descriptors):
    """Says of which kinds the arguments are."""
    return lambda function: function


def quantized_args(*arg_q_descriptors, scale=None, zero_point=None, quantize_output=True):
    """Says which arguments may be quantized."""
    return lambda function: function


__getattr__ = functions(__name__)
