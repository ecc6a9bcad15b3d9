"""``torch.export``: graphs without control flow for other programs, which are not part of this version."""

from ._absent import refuse

refuse(globals(), (
    "export", "save", "load", "export_for_training", "draft_export", "register_dataclass", "unflatten", "Dim", "dims", "ShapesCollection", "AdditionalInputs",
), NotImplementedError, lambda name: f"torch.export.{name} is not part of Rushlight; torch.jit.script and torch.jit.trace make programs that are saved")


class ExportedProgram:
    """An exported program. Nothing makes one here."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("torch.export is not part of Rushlight")


def is_exporting():
    """Whether a program is being exported: never."""
    return False


# Where programs also look for them.
export.__module__ = __name__
