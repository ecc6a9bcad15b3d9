"""Whether scripting and tracing do anything: ``PYTORCH_JIT=0`` and :func:`disable` leave all code to Python."""

import os


class EnabledProxy:
    """The switch, which every entry point asks."""

    def __init__(self):
        self.enabled = os.environ.get("PYTORCH_JIT", "1") not in ("0", "false", "off")

    def __bool__(self):
        return self.enabled


_enabled = EnabledProxy()


def disable():
    """Scripts and traces from here on are the Python code itself."""
    _enabled.enabled = False


def enable():
    """Undoes :func:`disable`."""
    _enabled.enabled = True
