"""What sparsifiers share: the parametrization that puts zeros in, and modules by their paths."""

from itertools import chain
from typing import Any, Optional

from ...._library import publish
from ....nn import Module
from ....nn.utils.parametrize import is_parametrized, type_before_parametrizations

__all__ = [
    "module_contains_param", "swap_module", "module_to_fqn", "fqn_to_module", "get_arg_info_from_tensor_fqn", "FakeSparsity",
]


def module_contains_param(module: Module, parametrization: type[Module]) -> bool:
    """Whether a tensor of a module passes through a parametrization of a class."""
    if not is_parametrized(module):
        return False
    return any(isinstance(part, parametrization) for parts in module.parametrizations.values() for part in parts)


def swap_module(mod: Module, mapping: dict[type[Module], type[Module]]) -> Module:
    """The module that a mapping has for the class of one, made by ``from_dense``; others as they are."""
    kind = type_before_parametrizations(mod)
    if kind not in mapping:
        return mod
    made = mapping[kind].from_dense(mod)
    for hook in mod._forward_pre_hooks.values():
        made.register_forward_pre_hook(hook)
    for hook in mod._forward_hooks.values():
        made.register_forward_hook(hook)
    devices = {tensor.device for tensor in chain(mod.parameters(), mod.buffers())}
    if len(devices) > 1:
        raise AssertionError(f"swap_module only works with cpu or single-device CUDA modules, but got devices {devices}")
    return made


def module_to_fqn(model: Module, module: Module, prefix: str = "") -> Optional[str]:
    """The path of a module in a model; None where it is not there."""
    if module is model:
        return ""
    for path, each in model.named_modules():
        if each is module:
            return prefix + path
    return None


def fqn_to_module(model: Optional[Module], path: str) -> Optional[Module]:
    """The module under a path; None where there is none."""
    for name in path.split(".") if path else ():
        model = getattr(model, name, None)
    return model


def get_arg_info_from_tensor_fqn(model: Module, tensor_fqn: str) -> dict[str, Any]:
    """The module that has the tensor under a path, the module's path, and the name of the tensor in it."""
    module_fqn, _, tensor_name = tensor_fqn.rpartition(".")
    return {
        "module_fqn": module_fqn, "module": fqn_to_module(model, module_fqn), "tensor_name": tensor_name,
        "tensor_fqn": tensor_fqn,
    }


class FakeSparsity(Module):
    """A parametrization: the tensor where its mask is one, zero elsewhere.

    Args:
        mask: of the shape of the tensor; it is no part of the state.
    """

    def __init__(self, mask):
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, x):
        if self.mask.shape != x.shape:
            raise AssertionError(f"mask shape ({self.mask.shape}) must match x shape ({x.shape})")
        return self.mask * x

    def state_dict(self, *args, **kwargs):
        """Nothing: the sparsifier keeps the masks."""
        return {}


publish(globals())
