"""Notices code that defines ``__torch_function__``, so that operators ask arguments that are no tensors from then on.

Classes of tensors say themselves that they are defined. Of other classes the library would hear at a call's end at the
earliest, as an error without a way back; so code is looked at once, when Python begins to execute a module.
"""

import os
import sys
import types

_HOME = os.path.dirname(__file__) + os.sep
_noticed = False


def _defines(code):
    """Whether code has a function of this name, also inside of its classes and functions."""
    return code.co_name == "__torch_function__" or any(
        isinstance(constant, types.CodeType) and _defines(constant) for constant in code.co_consts
    )


def _look(code):
    global _noticed
    if _noticed or not isinstance(code, types.CodeType) or code.co_filename.startswith(_HOME) or not _defines(code):
        return
    _noticed = True
    from ._overriding import add

    add("classes")


def _hear(event, args):
    if event == "exec":
        _look(args[0])


def install():
    """From here on, and for the modules that are being executed."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            _look(frame.f_code)
        frame = frame.f_back
    sys.addaudithook(_hear)
