"""Whether scripting and tracing do anything: ``PYTORCH_JIT=0`` and :func:`disable` leave all code to Python."""

import os
import weakref

from .. import _rushlight


class EnabledProxy:
    """The switch, which every entry point asks."""

    def __init__(self):
        # Read when somebody asks first: a program may set the variable before it imports ``torch``, which is here already.
        self._set = None

    @property
    def enabled(self):
        if self._set is None:
            self._set = os.environ.get("PYTORCH_JIT", "1") not in ("0", "false", "off")
        return self._set

    @enabled.setter
    def enabled(self, on):
        self._set = on

    def __bool__(self):
        return self.enabled


_enabled = EnabledProxy()

# What functions were scripted to. Scripting one again gives the same script, whether or not it is here.
_jit_caching_layer = weakref.WeakKeyDictionary()

# Whether traces that begin from here on warn of what they lose.
tracer_warns = True


class _Functions:
    """What the functions of a program are scripted into, as programs ask it."""

    def get_functions(self):
        """The functions."""
        return _rushlight.scripted_functions()

    def find_function(self, name):
        """The function of a name, as ``__torch__.f``, or None."""
        found = [function for function in self.get_functions() if function.qualified_name == name]
        return found[0] if found else None


_python_cu = _Functions()


def _try_get_jit_cached_function(key):
    """What a function was scripted to; None where it was not."""
    return _jit_caching_layer.get(key)


def disable():
    """Scripts and traces from here on are the Python code itself."""
    _enabled.enabled = False


def enable():
    """Undoes :func:`disable`."""
    _enabled.enabled = True
