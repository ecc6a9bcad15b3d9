"""Notices code that defines ``__torch_function__``, so that operators ask arguments that are no tensors from then on.

Classes of tensors say themselves that they are defined. Of other classes the library would hear at a call's end at the
earliest, as an error without a way back; so the code of a module is looked at once, when it is imported.
"""

import importlib.machinery
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


def look(code):
    """Looks at the code of a module or a program."""
    if not _noticed and isinstance(code, types.CodeType) and not code.co_filename.startswith(_HOME) and _defines(code):
        notice()


def notice():
    """There are classes that are no tensors and bring operators."""
    global _noticed
    if not _noticed:
        _noticed = True
        from ._overriding import add

        add("classes")


def look_at_text(text, name):
    """Looks at the text of a program; one that Python does not understand is left to who runs it."""
    if "__torch_function__" in text:
        try:
            look(compile(text, name, "exec", dont_inherit=True))
        except (SyntaxError, ValueError):
            return


def install():
    """From here on, and for the modules that are being executed."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            look(frame.f_code)
        frame = frame.f_back
    loader = importlib.machinery.SourceFileLoader
    get_code = loader.get_code

    def get_code_and_look(self, fullname):
        code = get_code(self, fullname)
        look(code)
        return code

    loader.get_code = get_code_and_look
