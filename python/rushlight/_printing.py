"""How tensors print."""

from . import _rushlight

_PROFILES = {
    "default": dict(precision=4, threshold=1000.0, edgeitems=3, linewidth=80),
    "short": dict(precision=2, threshold=1000.0, edgeitems=2, linewidth=80),
    "full": dict(precision=4, threshold=float("inf"), edgeitems=3, linewidth=80),
}


# What is set now: programs that print tensors themselves ask for it.
set_options = {**_PROFILES["default"], "sci_mode": None}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Sets digits, shortening and line width of printed tensors."""
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"no print profile '{profile}'")
        _rushlight.set_print_options(**_PROFILES[profile])
        set_options.update(_PROFILES[profile])
    _rushlight.set_print_options(
        precision=precision,
        threshold=None if threshold is None else float(threshold),
        edgeitems=edgeitems,
        linewidth=linewidth,
        sci_mode=sci_mode,
    )
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    set_options.update({name: value for name, value in given.items() if value is not None}, sci_mode=sci_mode)
