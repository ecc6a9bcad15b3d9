"""Modules called with other tensors, and the tensors of several modules in one."""

import rushlight as torch

from ..func import functional_call  # noqa: F401


def construct_stacked_leaf(tensors, name):
    """Tensors of several modules as one, which requires gradients if they do."""
    all_require = all(t.requires_grad for t in tensors)
    if not all_require and any(t.requires_grad for t in tensors):
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    result = torch.stack([t.detach() for t in tensors])
    return result.requires_grad_() if all_require else result


def stack_module_state(models):
    """The parameters and the buffers of modules of one class, stacked by name: what ``vmap`` over an ensemble takes.

    Returns two dictionaries. Gradients of the stacked parameters do not reach those of the modules.
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if not all(type(m) is type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")

    def stacked(tables):
        return {name: construct_stacked_leaf([t[name] for t in tables], name) for name in tables[0]}

    return stacked([dict(m.named_parameters()) for m in models]), stacked([dict(m.named_buffers()) for m in models])
