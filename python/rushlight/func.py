"""``torch.func``: functions of functions (:mod:`rushlight._functorch`), and modules called with other tensors."""

import contextlib
import sys

from . import _rushlight

# Where the other names are; they are loaded when they are first asked for.
_HOMES = {
    "vmap": "apis", "grad": "apis", "grad_and_value": "apis",
    "vjp": "eager_transforms", "jvp": "eager_transforms", "jacrev": "eager_transforms", "jacfwd": "eager_transforms",
    "hessian": "eager_transforms", "linearize": "eager_transforms", "functionalize": "eager_transforms",
    "debug_unwrap": "eager_transforms", "stack_module_state": "functional_call",
    "replace_all_batch_norm_modules_": "batch_norm_replacement", "rearrange": "_rearrange",
}

__all__ = [
    "grad", "grad_and_value", "vmap", "replace_all_batch_norm_modules_", "functionalize", "hessian", "jacfwd", "jacrev", "jvp",
    "linearize", "rearrange", "vjp", "functional_call", "stack_module_state", "debug_unwrap",
]


def _paths(module, tie_weights):
    """Where the tensors of a module are, by path: lists of (module, name)."""
    found, by_tensor = {}, {}
    for prefix, part in module.named_modules(remove_duplicate=False):
        for table in (part._parameters, part._buffers):
            for name, tensor in table.items():
                if tensor is None:
                    continue
                path = f"{prefix}.{name}" if prefix else name
                places = by_tensor.setdefault(id(tensor), []) if tie_weights else []
                places.append((table, name))
                found[path] = places
    return found


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Calls a module while the tensors named take the place of its own.

    ``tie_weights``: a tensor that the module has in several places is replaced in all of them.
    """
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with replaced(module, _given(parameter_and_buffer_dicts), tie_weights, strict):
        return module(*arguments, **(kwargs or {}))


@contextlib.contextmanager
def replaced(module, given, tie_weights=False, strict=False):
    """Within, the tensors that are given by path take the place of a module's own."""
    _refuse_scripted(module)
    if tie_weights:
        _refuse_different(module, given)
    paths = _paths(module, tie_weights)
    if strict:
        _check_names(module, paths, given)
    before = []
    try:
        for path, tensor in given.items():
            if tensor is not None and not isinstance(tensor, _rushlight.Tensor):
                raise TypeError(f"{tensor} is not an instance of torch.Tensor")
            for table, name in paths.get(path) or [_table(module, path)]:
                before.append((table, name, table.get(name, before)))
                table[name] = tensor
        yield
    finally:
        for table, name, tensor in reversed(before):
            if tensor is before:
                del table[name]
            else:
                table[name] = tensor


def _refuse_scripted(module):
    if _rushlight.is_tracing():
        raise RuntimeError("The stateless API can't be used with Jitted modules")
    script_module = sys.modules.get(__name__.removesuffix("func") + "jit._script_module")
    if script_module is not None and isinstance(module, script_module.ScriptModule):
        raise RuntimeError("The stateless API can't be used with Jitted modules")


def _given(dicts):
    """The tensors of one dictionary or of several, by path."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, (list, tuple)):
        raise ValueError(f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}")
    if not all(isinstance(part, dict) for part in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for part in dicts for name in part]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {name: tensor for part in dicts for name, tensor in part.items()}


def _refuse_different(module, given):
    """Places of one tensor cannot take several."""
    tied = {}
    for path, places in _paths(module, True).items():
        tied.setdefault(id(places), []).append(path)
    for paths in tied.values():
        named = sorted(path for path in paths if path in given)
        if len({id(given[path]) for path in named}) > 1:
            raise ValueError(f"functional_call got multiple values for keys {named}, which are tied. Consider using tie_weights=False")


def _table(module, path):
    """Where a tensor goes that the module does not have yet: a table of the part that ``path`` leads to, and the name there."""
    prefix, _, name = path.rpartition(".")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for step in prefix.split(".") if prefix else ():
        part = module._modules.get(step)
        if part is None:
            raise AttributeError(f"{type(module).__name__} has no attribute `{step}`")
        module = part
    return (module._buffers if name in module._buffers else module._parameters), name


def _check_names(module, paths, given):
    missing = sorted(repr(path) for path in paths if path not in given)
    unexpected = [repr(path) for path in given if path not in paths]
    lines = []
    if unexpected:
        lines.append("\tUnexpected key(s): " + ", ".join(unexpected) + ".")
    if missing:
        lines.append("\tMissing key(s): " + ", ".join(missing) + ".")
    if lines:
        raise RuntimeError("Error(s) in reparametrizing for {}:\n".format(type(module).__name__) + "\n".join(lines))


def __getattr__(name):
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'torch.func' has no attribute '{name}'")
    from importlib import import_module

    found = globals()[name] = getattr(import_module("._functorch." + home, __package__), name)
    found.__module__ = __name__
    return found


def __dir__():
    return sorted({*globals(), *_HOMES})
