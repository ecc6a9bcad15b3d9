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
    _rushlight.set_print_options(**{**set_options, "threshold": float(set_options["threshold"])})


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
