"""Configurations for the parts of a model, by name and by kind."""

from collections import OrderedDict

import rushlight as torch

from ..._library import publish
from ...nn import functional as F
from . import fake_quantize as fq
from . import observer as ob
from .qconfig import (
    QConfig,
    default_quint8_weight_qconfig,
    default_reuse_input_qconfig,
    get_default_qat_qconfig,
    get_default_qconfig,
)

__all__ = ["get_default_qconfig_mapping", "get_default_qat_qconfig_mapping", "QConfigMapping"]

# The names of the parts of a mapping as dictionaries know them.
_GLOBAL, _TYPES, _REGEXES, _NAMES, _ORDERED = (
    "", "object_type", "module_name_regex", "module_name", "module_name_object_type_order",
)


class QConfigMapping:
    """Which configuration belongs to which part of a model: later rules of this list stand before earlier ones.

    Attributes:
        global_qconfig: for everything.
        object_type_qconfigs: by class or function.
        module_name_regex_qconfigs: by a pattern of paths.
        module_name_qconfigs: by path.
        module_name_object_type_order_qconfigs: by path, kind and position.
    """

    def __init__(self) -> None:
        self.global_qconfig = None
        self.object_type_qconfigs = OrderedDict()
        self.module_name_regex_qconfigs = OrderedDict()
        self.module_name_qconfigs = OrderedDict()
        self.module_name_object_type_order_qconfigs = OrderedDict()

    def set_global(self, global_qconfig):
        """For everything that no other rule is about."""
        self.global_qconfig = global_qconfig
        return self

    def set_object_type(self, object_type, qconfig):
        """For modules of a class, calls of a function, or methods of a name."""
        self.object_type_qconfigs[object_type] = qconfig
        return self

    def set_module_name_regex(self, module_name_regex, qconfig):
        """For modules whose paths match."""
        self.module_name_regex_qconfigs[module_name_regex] = qconfig
        return self

    def set_module_name(self, module_name, qconfig):
        """For the module under a path."""
        self.module_name_qconfigs[module_name] = qconfig
        return self

    def set_module_name_object_type_order(self, module_name, object_type, index, qconfig):
        """For the `index`-th call of a kind in the module under a path."""
        self.module_name_object_type_order_qconfigs[module_name, object_type, index] = qconfig
        return self

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for name in (
            "global_qconfig", "object_type_qconfigs", "module_name_regex_qconfigs", "module_name_qconfigs",
            "module_name_object_type_order_qconfigs",
        ):
            held = getattr(self, name)
            lines.append(f" {name}")
            if isinstance(held, OrderedDict) and held:
                lines.extend(f"  {key}: {value}" for key, value in held.items())
            else:
                lines.append(f"  {held}")
        return "\n".join([*lines, ")"])

    def to_dict(self):
        """The rules as a dictionary with the keys of the older form."""
        return {
            _GLOBAL: self.global_qconfig,
            _TYPES: list(self.object_type_qconfigs.items()),
            _REGEXES: list(self.module_name_regex_qconfigs.items()),
            _NAMES: list(self.module_name_qconfigs.items()),
            _ORDERED: [(*key, value) for key, value in self.module_name_object_type_order_qconfigs.items()],
        }

    @classmethod
    def from_dict(cls, qconfig_dict):
        """The mapping that a dictionary of the older form says."""
        made = cls()
        if _GLOBAL in qconfig_dict:
            made.set_global(qconfig_dict[_GLOBAL])
        for kind, qconfig in qconfig_dict.get(_TYPES, []):
            made.set_object_type(kind, qconfig)
        for pattern, qconfig in qconfig_dict.get(_REGEXES, []):
            made.set_module_name_regex(pattern, qconfig)
        for name, qconfig in qconfig_dict.get(_NAMES, []):
            made.set_module_name(name, qconfig)
        for name, kind, index, qconfig in qconfig_dict.get(_ORDERED, []):
            made.set_module_name_object_type_order(name, kind, index, qconfig)
        return made


def _fixed_observers():
    """The kinds whose results lie in a known range, with the observer of it."""
    unit, signed = ob.default_fixed_qparams_range_0to1_observer, ob.default_fixed_qparams_range_neg1to1_observer
    return {
        torch.nn.Hardsigmoid: unit, F.hardsigmoid: unit, "hardsigmoid": unit, "hardsigmoid_": unit,
        torch.nn.Sigmoid: unit, torch.sigmoid: unit, "sigmoid": unit, "sigmoid_": unit,
        torch.nn.Softmax: unit,
        torch.nn.Tanh: signed, torch.tanh: signed, "tanh": signed, "tanh_": signed,
    }


def _mapping(is_qat, qconfig):
    """A configuration for everything, with the exceptions that kinds of modules need."""
    weight = fq.default_weight_fake_quant if is_qat else ob.default_weight_observer
    transposed = QConfig(activation=qconfig.activation, weight=weight)
    layer_norm = QConfig(activation=qconfig.activation, weight=ob.default_placeholder_observer)
    made = QConfigMapping().set_global(qconfig).set_object_type("reshape", default_reuse_input_qconfig)
    for kind in (
        torch.nn.ConvTranspose1d, torch.nn.ConvTranspose2d, torch.nn.ConvTranspose3d,
        F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d,
    ):
        made.set_object_type(kind, transposed)
    made.set_object_type(F.layer_norm, layer_norm).set_object_type(torch.nn.LayerNorm, layer_norm)
    made.set_object_type(torch.nn.PReLU, default_quint8_weight_qconfig)
    for kind, observer in _fixed_observers().items():
        activation = fq.FixedQParamsFakeQuantize.with_args(observer=observer) if is_qat else observer
        made.set_object_type(kind, QConfig(activation=activation, weight=weight))
    return made


def get_default_qconfig_mapping(backend="x86", version=0):
    """Configurations for quantizing a trained model that runs on a backend."""
    return _mapping(False, get_default_qconfig(backend, version))


def get_default_qat_qconfig_mapping(backend="x86", version=1):
    """Configurations for training with quantization for a backend."""
    return _mapping(True, get_default_qat_qconfig(backend, version))


publish(globals())
