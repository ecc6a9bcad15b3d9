"""Types of parameters from calls: what ``torch.jit.script`` learns of its ``example_inputs``.

The examples are called in Python, and the types of the arguments of every function of the program on the way are noted.
While the script is compiled, parameters without annotation have these types.
"""

import sys
import sysconfig
import types

from .. import _rushlight

# What each code object was called with: a set of types, as texts, by the name of the parameter.
_noted = {}

_PACKAGE = __name__.partition(".")[0]
_LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
_SIMPLE = {bool: "bool", int: "int", float: "float", complex: "complex", str: "str", type(None): "NoneType"}
# Values nested deeper than this are of any type.
_MAX_DEPTH = 20


def _together(parts):
    """The type of elements that have these types."""
    wanted = sorted(set(parts))
    if not wanted:
        return "Any"
    if len(wanted) == 1:
        return wanted[0]
    rest = [part for part in wanted if part != "NoneType"]
    inner = rest[0] if len(rest) == 1 else f"Union[{', '.join(rest)}]"
    return inner if len(rest) == len(wanted) else f"Optional[{inner}]"


def _type_text(value, depth=0):
    """The type of a value as an annotation would say it."""
    cls = type(value)
    if cls in _SIMPLE:
        return _SIMPLE[cls]
    if depth > _MAX_DEPTH:
        return "Any"
    if isinstance(value, _rushlight.Tensor):
        return "Tensor"
    if isinstance(value, _rushlight.dtype):
        return "int"
    if isinstance(value, _rushlight.device):
        return "Device"
    if cls is list:
        return f"List[{_together(_type_text(item, depth + 1) for item in value)}]"
    if cls is set:
        return f"Set[{_together(_type_text(item, depth + 1) for item in value)}]"
    if cls is dict:
        keys = _together(_type_text(key, depth + 1) for key in value)
        return f"Dict[{keys}, {_together(_type_text(item, depth + 1) for item in value.values())}]"
    if cls is tuple:
        return f"Tuple[{', '.join(_type_text(item, depth + 1) for item in value) or '()'}]"
    return cls.__name__


def _parameter_type(seen):
    """The type of a parameter whose arguments had these types."""
    rest = seen - {"NoneType"}
    if len(seen) == 1:
        return next(iter(seen))
    return f"Optional[{next(iter(rest))}]" if len(rest) == 1 else "Any"


def _note(frame, event, _):
    code = frame.f_code
    if event != "call" or code.co_filename.startswith(_LIBRARIES):
        return
    if frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        return
    noted = _noted.setdefault(code, {})
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        if name in frame.f_locals:
            noted.setdefault(name, set()).add(_type_text(frame.f_locals[name]))


def _calls(obj, examples):
    """(callable, arguments) for each example."""
    if isinstance(examples, dict):
        return [(called, arguments) for called, cases in examples.items() for arguments in cases]
    if isinstance(examples, list):
        return [(obj, arguments) for arguments in examples]
    raise ValueError(
        "Error: Unable to infer types. Please format the inputs to type `List[Tuple]` or `Dict[Callable, List[Tuple]]` "
        "to be run with MonkeyType."
    )


class Observed:
    """Within, functions are described with the types that calls with examples showed; nothing without examples."""

    def __init__(self, obj, examples):
        self.obj = obj
        self.examples = examples

    def __enter__(self):
        if not self.examples:
            return
        calls = _calls(self.obj, self.examples)
        before = sys.getprofile()
        sys.setprofile(_note)
        try:
            for called, arguments in calls:
                called(*arguments)
        except BaseException:
            _noted.clear()
            raise
        finally:
            sys.setprofile(before)

    def __exit__(self, *_):
        _noted.clear()


def types_of(function):
    """The types of the parameters of a function that were noted, as (name, text)."""
    noted = _noted.get(getattr(function, "__code__", None), {}) if isinstance(function, types.FunctionType) else {}
    return [(name, _parameter_type(seen)) for name, seen in noted.items() if name != "self"]
