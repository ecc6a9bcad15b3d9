"""``torch.onnx.utils``: the export under its older name."""

from . import errors  # noqa: F401
from ._export import export as _export
from ._export import is_in_onnx_export, select_model_mode_for_export  # noqa: F401
from ._opset import functions
from ._registry import register_custom_op_symbolic, unregister_custom_op_symbolic  # noqa: F401


def export(model, args, f, *, kwargs=None, **settings):
    """Writes a model as ONNX to a path or a file object."""
    return _export(model, args, f, kwargs=kwargs, **{"dynamo": False, **settings})


__getattr__ = functions(__name__)
