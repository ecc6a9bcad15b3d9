"""``torch.ao.quantization``: models with integers for numbers, made from trained ones or by training for it."""

from .fake_quantize import *  # noqa: F401,F403
from .fuse_modules import fuse_modules, fuse_modules_qat
from .fuser_method_mappings import *  # noqa: F401,F403
from .observer import *  # noqa: F401,F403
from .observer import _PartialWrapper  # noqa: F401
from .qconfig import *  # noqa: F401,F403
from .qconfig_mapping import *  # noqa: F401,F403
from .quant_type import *  # noqa: F401,F403
from .quantization_mappings import *  # noqa: F401,F403
from .quantize import *  # noqa: F401,F403
from .quantize_jit import *  # noqa: F401,F403  its function of the same name stands before it
from .quantize_jit import __all__ as _jit_names
from .stubs import *  # noqa: F401,F403
from .utils import MatchAllNode, get_combined_dict  # noqa: F401
from . import (
    fake_quantize,
    fuser_method_mappings,
    observer,
    qconfig,
    qconfig_mapping,
    quant_type,
    quantization_mappings,
    stubs,
    utils,
)
from .quantize import quantize  # noqa: F811  the function stands before its module
from .fuse_modules import fuse_modules  # noqa: F811

ObserverOrFakeQuantize = (observer.ObserverBase, fake_quantize.FakeQuantizeBase)

__all__ = sorted({
    *fake_quantize.__all__, *fuser_method_mappings.__all__, *observer.__all__, *qconfig.__all__, *qconfig_mapping.__all__,
    *quant_type.__all__, *quantization_mappings.__all__, *_jit_names, *stubs.__all__,
    "add_quant_dequant", "convert", "fuse_modules", "fuse_modules_qat", "get_combined_dict", "get_default_custom_config_dict",
    "default_eval_fn", "prepare", "prepare_qat", "propagate_qconfig_", "quantize", "quantize_dynamic", "quantize_qat",
    "swap_module", "MatchAllNode", "ObserverOrFakeQuantize",
} - {name for name in quantization_mappings.__all__ if name.startswith("DEFAULT_")})


def default_eval_fn(model, calib_data):
    """Runs a model over the inputs of pairs of inputs and targets."""
    for data, _ in calib_data:
        model(data)


def __getattr__(name):
    # What works on recorded models loads when it is first used.
    if name in ("backend_config", "fx", "quantize_fx"):
        import importlib

        return importlib.import_module("." + name, __package__)
    raise AttributeError(f"module 'torch.ao.quantization' has no attribute '{name}'")
