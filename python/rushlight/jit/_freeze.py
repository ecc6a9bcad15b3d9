"""Modules made for inference: ``freeze``, ``optimize_for_inference``, ``run_frozen_optimizations``."""

from .. import _rushlight
from ._notices import announce
from ._script_module import ScriptModule, wrap_frozen

__all__ = ["freeze", "optimize_for_inference", "run_frozen_optimizations"]


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """A copy of a scripted module in evaluation mode with its attributes as constants, its methods inlined."""
    announce("freeze")
    if not isinstance(mod, ScriptModule):
        raise RuntimeError(
            "Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your "
            "'nn.Module'."
        )
    # A frozen module has no mode any more: it is not frozen again.
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before "
            "freezing."
        )
    return wrap_frozen(_rushlight.freeze_module(mod._c, list(preserved_attrs or ()), optimize_numerics))


def run_frozen_optimizations(mod, optimize_numerics=True, preserved_methods=None):
    """Folds what ``freeze`` left: batch norms into the layers before them."""
    if optimize_numerics:
        methods = [name for name in ("forward", *(preserved_methods or ())) if mod._c._has_method(name)]
        _rushlight.fold_frozen_norms(mod._c, methods)


def optimize_for_inference(mod, other_methods=None):
    """A frozen module whose convolutions are one operator with the rectifiers after them."""
    announce("optimize_for_inference")
    if not isinstance(mod, ScriptModule):
        raise RuntimeError(
            "optimize_for_inference expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to "
            "script your 'nn.Module'."
        )
    if mod._c._has_value("training"):
        mod = freeze(mod.eval(), preserved_attrs=other_methods)
    methods = [name for name in ("forward",) if mod._c._has_method(name)]
    for name in other_methods or ():
        if not mod._c._has_method(name):
            raise RuntimeError(f"Method '{name}' is not defined.")
        methods.append(name)
    _rushlight.fuse_frozen_activations(mod._c, methods)
    return mod
