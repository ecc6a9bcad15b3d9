"""Modules as functions of their tensors, as ``functorch`` made them before ``torch.func.functional_call``."""

import copy

from .functional_call import functional_call, stack_module_state


class FunctionalModule:
    """Calls a module with parameters (and buffers) in the order of their names."""

    def __init__(self, module, names, buffer_names):
        self.stateless_model = module
        self.param_names = names
        self.buffer_names = buffer_names

    def __call__(self, params, *args, **kwargs):
        tensors = dict(zip(self.param_names, params))
        if self.buffer_names is not None:
            buffers, *args = args
            tensors.update(zip(self.buffer_names, buffers))
        return functional_call(self.stateless_model, tensors, tuple(args), kwargs)


FunctionalModuleWithBuffers = FunctionalModule


def _given(module, disable_autograd_tracking):
    params = dict(module.named_parameters())
    values = tuple(p.detach().clone().requires_grad_(p.requires_grad and not disable_autograd_tracking) for p in params.values())
    return list(params), values


def make_functional(model, disable_autograd_tracking=False):
    """A function ``f(params, *args)`` of a module without buffers, and its parameters."""
    if any(True for _ in model.buffers()):
        raise ValueError("make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead.")
    names, values = _given(model, disable_autograd_tracking)
    return FunctionalModule(copy.deepcopy(model), names, None), values


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """A function ``f(params, buffers, *args)`` of a module, its parameters and its buffers."""
    names, values = _given(model, disable_autograd_tracking)
    buffers = dict(model.named_buffers())
    function = FunctionalModule(copy.deepcopy(model), names, list(buffers))
    return function, values, tuple(b.detach().clone() for b in buffers.values())


def combine_state_for_ensemble(models):
    """A function of one of the modules, and the parameters and buffers of all of them, stacked."""
    models = list(models)
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    params, buffers = stack_module_state(models)
    function = FunctionalModule(copy.deepcopy(models[0]), list(params), list(buffers))
    return function, tuple(params.values()), tuple(buffers.values())
