"""What readable code tells besides the statements: where nodes come from, and what their tensors are."""

import re

from .._rushlight import Tensor
from .._type_names import SHORT_NAMES

# Short names of dtypes.
dtype_abbrs = SHORT_NAMES
_FRAME = re.compile(r'^\s*File "(.+)", line (\d+), in (.+)$')


def typed_text(value, include_stride=False, include_device=False):
    """A tensor's dtype and shape, ``f32[2, 3]``; None for anything else."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return None
    name = getattr(dtype, "name", None) or str(dtype).removeprefix("torch.")
    text = f"{dtype_abbrs.get(name, name)}{list(shape)}"
    if isinstance(value, Tensor):
        if include_stride:
            text += str(list(value.stride()))
        if include_device:
            text += str(value.device)
    return text


def parse_stack_trace(text):
    """(file, line, function, code) of the innermost frame of a trace; None where it has none."""
    lines = text.strip().split("\n")
    for index in range(len(lines) - 1, -1, -1):
        match = _FRAME.match(lines[index])
        if match:
            code = lines[index + 1].strip() if index + 1 < len(lines) else ""
            return (*match.groups(), code)
    return None


class Remarks:
    """The remarks of one function, in the order of its nodes."""

    def __init__(self, include_stride, include_device):
        self.include = include_stride, include_device
        self.last = None

    def type_of(self, node):
        """The dtype and shape that a node is known to have, or None."""
        held = node.meta.get("val", node.meta.get("tensor_meta"))
        return typed_text(held, *self.include)

    def before(self, node, follows):
        """What stands before a node where it comes from another place than the one before, or None."""
        if node.op in ("placeholder", "output"):
            return None
        trace = node.stack_trace or ""
        if trace == self.last:
            return None
        self.last = trace
        place = parse_stack_trace(trace) if trace else None
        if trace and place is None:
            return None
        text = "No stacktrace found for following nodes"
        if place is not None:
            file, line, function, code = place
            text = f"File: {file}:{line} in {function}, code: {code}"
        return f"{chr(10) if follows else ''}# {text}\n"
