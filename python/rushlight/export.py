"""``torch.export``: graphs without control flow for other programs, which are not part of this version."""

from ._absent import refuse

refuse(globals(), (
    "export", "save", "load", "export_for_training", "draft_export", "register_dataclass", "unflatten", "ShapesCollection", "AdditionalInputs",
), NotImplementedError, lambda name: f"torch.export.{name} is not part of Rushlight; torch.jit.script and torch.jit.trace make programs that are saved")


class ExportedProgram:
    """An exported program. Nothing makes one here."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("torch.export is not part of Rushlight")


def is_exporting():
    """Whether a program is being exported: never."""
    return False


class _DimHint:
    """How the length of a dimension is found out."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"DimHint({self._name})"


class Dim:
    """A dimension whose length changes between calls of an exported program, with bounds: a setting, which no export reads here."""

    AUTO, STATIC, DYNAMIC = map(_DimHint, ("AUTO", "STATIC", "DYNAMIC"))

    def __init__(self, name, *, min=None, max=None):
        low = 0 if min is None else min
        if max is not None and max < low:
            raise AssertionError(f"Cannot create Dim with inconsistent min={low}, max={max}")
        if not name.isidentifier():
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        self.__name__, self.min, self.max = name, low, max

    def __repr__(self):
        # As the reference shows them: a least length of 2 is what it takes for granted.
        low = "" if self.min == 2 else f", min={self.min}"
        return f"Dim({self.__name__!r}{low}{'' if self.max is None else f', max={self.max}'})"


def dims(*names, min=None, max=None):
    """A :class:`Dim` for each name."""
    return tuple(Dim(name, min=min, max=max) for name in names)


# Where programs also look for them.
export.__module__ = __name__
