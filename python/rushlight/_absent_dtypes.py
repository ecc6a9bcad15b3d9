"""Dtypes that tensors do not have here, such as floats of four bits: programs name them in tables."""

from . import _names


class AbsentDtype:
    """A dtype by name alone: an operator that is given one raises."""

    def __init__(self, name, itemsize, floating, complex=False):
        self.name, self.is_complex = name, complex
        self.itemsize, self.is_floating_point, self.is_signed = itemsize, floating, complex or not name.startswith(("u", "q", "b"))

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return self.name

    def to_complex(self):
        """The dtype of complex numbers of this: of complex numbers itself."""
        if self.is_complex:
            return self
        raise RuntimeError(f"to_complex: there are no complex numbers of {self}")

    def to_real(self):
        """The dtype of the parts of complex numbers."""
        return _names.NAMES["bfloat16"] if self.is_complex else self


_FLOATS = ("float4_e2m1fn_x2",)
_OTHERS = (
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)), "quint4x2", "quint2x4", "bits1x8", "bits2x4", "bits4x2", "bits8",
    "bits16",
)
for _name in (*_FLOATS, *_OTHERS):
    if _name not in _names.NAMES:
        globals()[_name] = AbsentDtype(_name, 2 if _name == "bits16" else 1, _name in _FLOATS)

# Complex numbers of two bfloat16.
bcomplex32 = AbsentDtype("bcomplex32", 4, False, complex=True)
AbsentDtype.__module__ = "torch"
