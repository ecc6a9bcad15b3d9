"""``torch._tensor_str``: how tensors print."""

import re

from . import _printing
from ._printing import get_printoptions, printoptions, set_printoptions  # noqa: F401
from ._rushlight import Tensor


class _Options:
    """What :func:`set_printoptions` has set, as attributes that can be set too."""

    def __setattr__(self, name, value):
        _printing.set_printoptions(**{**_printing.set_options, name: value})

    def __repr__(self):
        return f"__PrinterOptions({', '.join(f'{name}={value!r}' for name, value in _printing.set_options.items())})"

    def __getattr__(self, name):
        try:
            return _printing.set_options[name]
        except KeyError:
            raise AttributeError(name) from None


PRINT_OPTS = _Options()


def _str(self, *, tensor_contents=None):
    """What ``print`` shows of a tensor."""
    if tensor_contents is None:
        return Tensor.__repr__(self)
    return _with_contents(Tensor.__repr__(self), tensor_contents)


def _end_of_elements(text):
    """Where the elements end in a text from which ``tensor(`` is removed."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if depth == 0 and letter in "],)":
            return place + (letter == "]")
    return len(text)


def _with_contents(shown, contents):
    """A printed tensor with another text where its elements stood."""
    prefix, rest = shown[: shown.index("(") + 1], shown[shown.index("(") + 1 :]
    suffixes = re.split(r",\s+(?=\w+=)", rest[_end_of_elements(rest) :].removesuffix(")"))
    return _add_suffixes(prefix + contents, suffixes[1:], len(prefix), False)


_str_intern = _str


def _tensor_str(self, indent):
    """The elements as ``print`` shows them, whose further lines begin with this many blanks."""
    shown = Tensor.__repr__(self.detach()).removeprefix("tensor(")
    return shown[: _end_of_elements(shown)].replace("\n" + " " * len("tensor("), "\n" + " " * indent)


def _add_suffixes(tensor_str, suffixes, indent, force_newline):
    """The text with what else there is to say, in lines of the width that is set."""
    text, width = [tensor_str], len(tensor_str) - tensor_str.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or width + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text.append(",\n" + " " * indent + suffix)
            width, force_newline = indent + len(suffix), False
        else:
            text.append(", " + suffix)
            width += len(suffix) + 2
    return "".join(text) + ")"
