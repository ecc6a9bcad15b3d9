"""Layers with weights become reference layers: plain numbers that know how they are quantized."""

import rushlight as torch

from ....fx import GraphModule
from ....nn import Module
from ...nn.intrinsic import _FusedModule
from ..backend_config import BackendConfig
from ..backend_config.utils import get_root_module_to_quantized_reference_module
from ..qconfig import QConfigAny
from ..quantize import _observed_qparams, _weight_qparams
from ._annotations import is_supported
from .utils import _set_module


def _is_recurrent(module: Module) -> bool:
    return isinstance(module, (torch.nn.RNNBase, torch.nn.RNNCellBase))


def _plain(module: Module, qconfig: QConfigAny) -> tuple[Module, Module]:
    """A module without rounding, and what observes its weight."""
    observer = getattr(module, "weight_fake_quant", None)
    if observer is None:
        return module, qconfig.weight()
    return module.to_float(), observer


def convert(
    model: GraphModule, modules: dict[str, Module], path: str, qconfig: QConfigAny, backend_config: BackendConfig
) -> None:
    """Puts a reference layer in the place of the module under a path, or of the first part of a sequence, where there is one.

    Args:
        model: the model.
        modules: its modules by path.
        path: of the module.
        qconfig: its configuration.
        backend_config: which layers there are, and for what dtypes.
    """
    module = modules[path]
    config = backend_config._pattern_complex_format_to_config.get(type(module))
    references = get_root_module_to_quantized_reference_module(backend_config)
    if config is None or not is_supported(qconfig, config):
        return
    if _is_recurrent(module):
        modules[path] = references[type(module)].from_float(module, _weight_qparams(module))
        _set_module(model, path, modules[path])
        return
    plain, observer = _plain(module, qconfig)
    layer = plain[0] if isinstance(plain, _FusedModule) else plain
    reference = references.get(type(layer))
    if reference is None:
        return
    if observer.dtype == torch.quint4x2:
        raise NotImplementedError(
            f"convert_fx: {path}: weights of torch.quint4x2 are not supported by Rushlight; torch.quint8 is"
        )
    observer(layer.weight)
    made = reference.from_float(layer, {**_observed_qparams(observer), "is_decomposed": False})
    if isinstance(plain, _FusedModule):
        plain[0] = made
    else:
        plain = made
    modules[path] = plain
    _set_module(model, path, plain)
