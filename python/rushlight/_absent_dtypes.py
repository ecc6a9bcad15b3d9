"""Dtypes that tensors do not have here, such as floats of four bits: programs name them in tables."""

from . import _names


class AbsentDtype:
    """A dtype by name alone: an operator that is given one raises."""

    is_complex = False

    def __init__(self, name, itemsize, floating):
        self.name = name
        self.itemsize, self.is_floating_point, self.is_signed = itemsize, floating, not name.startswith(("u", "q", "b"))

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return self.name


_FLOATS = ("float4_e2m1fn_x2",)
_OTHERS = (
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)), "quint4x2", "quint2x4", "bits1x8", "bits2x4", "bits4x2", "bits8",
    "bits16",
)
for _name in (*_FLOATS, *_OTHERS):
    if _name not in _names.NAMES:
        globals()[_name] = AbsentDtype(_name, 2 if _name == "bits16" else 1, _name in _FLOATS)

AbsentDtype.__module__ = "torch"
