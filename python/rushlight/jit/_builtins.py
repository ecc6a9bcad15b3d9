"""``torch.jit._builtins``: which operators functions of ``torch`` are to scripts."""

from .. import _rushlight


def _find_builtin(fn):
    """The name of the operator that a function is; None where it is none."""
    return fn.operator if isinstance(fn, _rushlight.Builtin) else None
