"""``torch.fx.passes.param_fetch``: the attributes of modules that matter to who translates them."""

from ... import nn
from .._targets import module_of

__all__ = ["default_matching", "extract_attrs_for_lowering", "lift_lowering_attrs_to_nodes"]


def default_matching(name, target_version):
    """The name itself: names have not changed."""
    return name


_ATTRIBUTES = {
    nn.Linear: ["weight", "bias"],
    nn.Conv2d: ["weight", "bias", "kernel_size", "stride", "padding", "dilation", "groups", "padding_mode"],
    nn.BatchNorm2d: ["weight", "bias", "running_mean", "running_var", "eps"],
    nn.AdaptiveAvgPool2d: [],
    nn.MaxPool2d: ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"],
    nn.ReLU: ["inplace"],
}


def extract_attrs_for_lowering(mod):
    """The attributes of a module, with the name of its class; raises ``RuntimeError`` for a class that is not known."""
    if type(mod) not in _ATTRIBUTES:
        raise RuntimeError(f"No attributes are known for modules of {type(mod)}")
    found = {"name": f"{module_of(type(mod))}.{type(mod).__name__}"}
    found.update((name, getattr(mod, name)) for name in _ATTRIBUTES[type(mod)])
    return found


def lift_lowering_attrs_to_nodes(fx_module):
    """Sets ``attrs_for_lowering`` of every node that calls a module."""
    modules = dict(fx_module.named_modules())
    for node in fx_module.graph.nodes:
        if node.op == "call_module":
            module = modules[node.target]
            if hasattr(module, "graph"):
                lift_lowering_attrs_to_nodes(module)
            else:
                node.attrs_for_lowering = extract_attrs_for_lowering(module)
