"""``torch._tensor_str``: how tensors print."""

from . import _printing
from ._printing import get_printoptions, printoptions, set_printoptions  # noqa: F401
from ._rushlight import Tensor


class _Options:
    """What :func:`set_printoptions` has set, as attributes."""

    def __getattr__(self, name):
        try:
            return _printing.set_options[name]
        except KeyError:
            raise AttributeError(name) from None


PRINT_OPTS = _Options()


def _str(self, *, tensor_contents=None):
    """What ``print`` shows of a tensor."""
    return Tensor.__repr__(self)


_str_intern = _str


def _tensor_str(self, indent):
    """The elements as ``print`` shows them, whose further lines begin with this many blanks."""
    shown = Tensor.__repr__(self.detach()).removeprefix("tensor(")
    depth, quoted = 0, 0
    for quoted, letter in enumerate(shown):
        depth += (letter == "[") - (letter == "]")
        if depth == 0 and (letter == "]" or letter in ",)"):
            break
    shown = shown[: quoted + (shown[quoted : quoted + 1] == "]")]
    return shown.replace("\n" + " " * len("tensor("), "\n" + " " * indent)


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
