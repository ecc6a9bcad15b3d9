"""``torch.onnx``: models as ONNX files."""

from . import errors
from ._enums import OperatorExportTypes, TensorProtoDataType, TrainingMode
from ._export import export, is_in_onnx_export, select_model_mode_for_export
from ._registry import register_custom_op_symbolic, unregister_custom_op_symbolic
from .errors import OnnxExporterError

producer_name = "pytorch"
producer_version = "2.15.0"


def _refuse(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.onnx.{name}: Rushlight does not have this; torch.onnx.export writes models")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


for _name in ("dynamo_export", "export_to_pretty_string"):
    globals()[_name] = _refuse(_name)


class ONNXProgram:
    """An exported model. Nothing makes one here."""

    def __init__(self, *args, **kwargs):
        _refuse("ONNXProgram")()


_LAZY = frozenset(("operators", "symbolic_helper", "utils", *(f"symbolic_opset{number}" for number in range(7, 21))))


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module

        return import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.onnx' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LAZY})
