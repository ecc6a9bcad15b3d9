"""``torch.utils.deterministic``: what becomes of memory where a program wants the same results in every run."""

import sys
import types

from .. import _rushlight


class _Deterministic(types.ModuleType):
    @property
    def fill_uninitialized_memory(self):
        """Whether new memory of no content in particular is filled with values that stand out."""
        return _rushlight.fills_memory()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode):
        if not isinstance(mode, bool):
            raise RuntimeError(f"expected a bool, but got {type(mode).__name__}")
        _rushlight.set_fills_memory(mode)


sys.modules[__name__].__class__ = _Deterministic
