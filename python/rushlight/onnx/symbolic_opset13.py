"""``torch.onnx.symbolic_opset13``: nothing is exported to ONNX here."""

from ._opset import functions

__getattr__ = functions(__name__)
