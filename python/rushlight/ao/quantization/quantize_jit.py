"""Quantization of scripted models: not supported here. The names are, and say so when they are called."""

from ..._library import publish

__all__ = [
    "script_qconfig", "script_qconfig_dict", "fuse_conv_bn_jit", "prepare_jit", "prepare_dynamic_jit", "convert_jit",
    "convert_dynamic_jit", "quantize_jit", "quantize_dynamic_jit",
]

_WHY = "is not supported by Rushlight: quantize the model with prepare and convert of torch.ao.quantization, and script the result"


def _refuse(name):
    raise NotImplementedError(f"torch.ao.quantization.{name} {_WHY}")


def script_qconfig(qconfig):
    """Raises."""
    _refuse("script_qconfig")


def script_qconfig_dict(qconfig_dict):
    """Raises."""
    _refuse("script_qconfig_dict")


def fuse_conv_bn_jit(model, inplace=False):
    """Raises."""
    _refuse("fuse_conv_bn_jit")


def prepare_jit(model, qconfig_dict, inplace=False):
    """Raises."""
    _refuse("prepare_jit")


def prepare_dynamic_jit(model, qconfig_dict, inplace=False):
    """Raises."""
    _refuse("prepare_dynamic_jit")


def convert_jit(model, inplace=False, debug=False, preserved_attrs=None):
    """Raises."""
    _refuse("convert_jit")


def convert_dynamic_jit(model, inplace=False, debug=False, preserved_attrs=None):
    """Raises."""
    _refuse("convert_dynamic_jit")


def quantize_jit(model, qconfig_dict, run_fn, run_args, inplace=False, debug=False):
    """Raises."""
    _refuse("quantize_jit")


def quantize_dynamic_jit(model, qconfig_dict, inplace=False, debug=False):
    """Raises."""
    _refuse("quantize_dynamic_jit")


publish(globals())
