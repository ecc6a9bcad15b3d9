"""``torch.onnx``: names that programs mention. Models are not exported to ONNX here."""

import enum


producer_name = "pytorch"
producer_version = "2.15.0"


class OperatorExportTypes(enum.IntEnum):
    """How an export would treat operators that ONNX lacks."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class TrainingMode(enum.IntEnum):
    """In which mode a model would be exported."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


def _refuse(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError(f"torch.onnx.{name}: Rushlight does not export models to ONNX; save archives with torch.jit.save")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


for _name in ("export", "dynamo_export", "export_to_pretty_string", "select_model_mode_for_export"):
    globals()[_name] = _refuse(_name)


class TensorProtoDataType(enum.IntEnum):
    """ONNX's numbers of dtypes."""

    UNDEFINED, FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64, COMPLEX64, COMPLEX128, BFLOAT16 = range(17)


class ONNXProgram:
    """An exported model. Nothing makes one here."""

    def __init__(self, *args, **kwargs):
        _refuse("ONNXProgram")()


class OnnxExporterError(RuntimeError):
    """A model cannot be exported."""


# Libraries tell at import how their operators are exported; that is kept, and nothing asks for it.
_symbolics = {}


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """Remembers how an operator would be exported."""
    _symbolics[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name, opset_version):
    """Forgets it."""
    _symbolics.pop((symbolic_name, opset_version), None)


_LAZY = frozenset(("operators", "symbolic_helper", "utils", *(f"symbolic_opset{number}" for number in range(7, 21))))


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module

        return import_module("." + name, __name__)
    raise AttributeError(f"module 'torch.onnx' has no attribute '{name}'")


def is_in_onnx_export():
    """Whether a model is being exported: never."""
    return False
