"""How tensors print."""

import contextlib
import sys

from . import _rushlight

_PROFILES = {
    "default": dict(precision=4, threshold=1000, edgeitems=3, linewidth=80),
    "short": dict(precision=2, threshold=1000, edgeitems=2, linewidth=80),
    "full": dict(precision=4, threshold=float("inf"), edgeitems=3, linewidth=80),
}


# What is set now: programs that print tensors themselves ask for it.
set_options = {**_PROFILES["default"], "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Sets digits, shortening and line width of printed tensors."""
    # A profile that nobody knows sets nothing.
    set_options.update(_PROFILES.get(profile, {}))
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    set_options.update({name: value for name, value in given.items() if value is not None}, sci_mode=sci_mode)
    # Anything is taken; what is no number changes nothing, but for a precision, which printing tells then.
    numbers = {name: kind(value) for name, (value, kind) in _usable().items()}
    _rushlight.set_print_options(**numbers, sci_mode=None if sci_mode is None else bool(sci_mode))


def _size(number):
    return max(0, int(number))


def _edge(number):
    """How many items are shown at an edge: fewer than none are all."""
    return 1 << 30 if number < 0 else int(number)


_KINDS = {"precision": _size, "threshold": float, "edgeitems": _edge, "linewidth": _size}


def _usable():
    """What is set of the options that are numbers, and what each becomes."""
    return {name: (set_options[name], kind) for name, kind in _KINDS.items() if isinstance(set_options[name], (int, float))}


def _refuse_odd_precision(tensor):
    """Formats as the precision says, where it is no number of digits: Python tells what is wrong with it."""
    precision = set_options["precision"]
    if type(precision) is int and precision >= 0:
        return
    if tensor.is_floating_point():
        # Whole numbers have no digits behind the point.
        numbers = tensor.detach()[tensor.isfinite()]
        if not numbers.equal(numbers.ceil()):
            format(0.0, f".{precision}f")


def get_printoptions():
    """What is set, by name."""
    return dict(set_options)


@contextlib.contextmanager
def printoptions(**kwargs):
    """Sets within what :func:`set_printoptions` takes; afterwards everything is as before."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


_plain = _rushlight.Tensor.__repr__
# Not loaded before a program asks for it.
_DIRECTIONS = __name__.removesuffix("_printing") + "autograd.forward_ad"


def __repr__(self, *, tensor_contents=None):
    """What ``print`` shows of a tensor: a dual one with its direction."""
    _refuse_odd_precision(self)
    dual = sys.modules.get(_DIRECTIONS)
    found = dual.direction(self) if dual is not None and dual.is_on() else None
    if found is None:
        if tensor_contents is None:
            return _plain(self)
        from ._tensor_str import _with_contents

        return _with_contents(_plain(self), tensor_contents)
    from ._tensor_str import _add_suffixes

    primal, tangent = found
    text = _plain(primal).replace("<_JoinedBackward>", "<ViewBackward0>")
    return _add_suffixes(text.removesuffix(")"), [f"tangent={tangent}"], len("tensor("), False)


_rushlight.Tensor.__repr__ = __repr__
