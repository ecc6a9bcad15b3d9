"""Quantization of traced models: not supported here. The names are, and say so when they are called."""

from ..._library import publish

_WHY = "is not supported by Rushlight: models are quantized module by module, with prepare and convert of torch.ao.quantization"


def _refuse(name):
    raise NotImplementedError(f"torch.ao.quantization.quantize_fx.{name} {_WHY}")


def fuse_fx(model, fuse_custom_config=None, backend_config=None):
    """Raises."""
    _refuse("fuse_fx")


def prepare_fx(model, qconfig_mapping, example_inputs, prepare_custom_config=None, _equalization_config=None, backend_config=None):
    """Raises."""
    _refuse("prepare_fx")


def prepare_qat_fx(model, qconfig_mapping, example_inputs, prepare_custom_config=None, backend_config=None):
    """Raises."""
    _refuse("prepare_qat_fx")


def convert_fx(
    graph_module,
    convert_custom_config=None,
    _remove_qconfig=True,
    qconfig_mapping=None,
    backend_config=None,
    keep_original_weights=False,
):
    """Raises."""
    _refuse("convert_fx")


def convert_to_reference_fx(
    graph_module, convert_custom_config=None, _remove_qconfig=True, qconfig_mapping=None, backend_config=None
):
    """Raises."""
    _refuse("convert_to_reference_fx")


publish(globals())
