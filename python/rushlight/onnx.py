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


for _name in ("export", "register_custom_op_symbolic", "unregister_custom_op_symbolic"):
    globals()[_name] = _refuse(_name)


def is_in_onnx_export():
    """Whether a model is being exported: never."""
    return False
