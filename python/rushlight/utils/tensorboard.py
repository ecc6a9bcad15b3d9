"""``torch.utils.tensorboard``: files of TensorBoard, which are not written here; ``tensorboardX`` writes them.

It can be imported where ``tensorboard`` is installed, as in the reference, so that programs which only might write do run.
"""

from importlib.util import find_spec

from .._absent import refuse

_TEXT = "torch.utils.tensorboard is not part of Rushlight: it does not write the files of TensorBoard (tensorboardX writes them)"

if find_spec("tensorboard") is None:
    raise ImportError(_TEXT)


class SummaryWriter:
    """Refused when it is made."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(_TEXT)


class FileWriter(SummaryWriter):
    """Refused when it is made."""


refuse(globals(), ("RecordWriter",), NotImplementedError, _TEXT)
