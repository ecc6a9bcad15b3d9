"""``torch.nn.functional``: the operators of the same names."""

from .. import _rushlight

_rushlight_path = "torch.nn.functional"


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    operator = "aten::" + name
    if not _rushlight.has_operator(operator):
        raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}' (this version of Rushlight does not have it)")
    found = _rushlight.Builtin(operator, f"{_rushlight_path}.{name}")
    globals()[name] = found
    return found
