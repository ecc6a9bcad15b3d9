"""What rules share."""

from .._batched import Batched, Tensor, batched_at, front, wrap
from .._dispatch import Unfit, VmapError, rule

MISSING = object()
# Names of parameters by which NumPy knows them.
_ALIASES = {"input": "self", "axis": "dim", "keepdims": "keepdim", "x": "self"}


def bind(names, args, kwargs, **defaults):
    """The arguments of a call in the order of names; those left out are their default, or ``MISSING``."""
    names = names.split()
    if len(args) > len(names):
        raise Unfit
    found = list(args)
    named = kwargs
    if kwargs:
        named = {}
        for key, value in kwargs.items():
            if key not in names:
                key = _ALIASES.get(key, key)
            if key not in names:
                raise Unfit
            named[key] = value
    for name in names[len(args):]:
        found.append(named[name] if name in named else defaults.get(name, MISSING))
    return found


def given(*arguments):
    """The arguments up to the first that was left out."""
    out = list(arguments)
    while out and out[-1] is MISSING:
        out.pop()
    if any(a is MISSING for a in out):
        raise Unfit
    return out


def numbers(args, at):
    """Sizes or dimensions that are given one by one or as a list, from position ``at`` on."""
    rest = args[at:]
    if len(rest) == 1 and isinstance(rest[0], (tuple, list)):
        rest = rest[0]
    if not all(isinstance(n, int) for n in rest):
        raise Unfit
    return list(rest)


def shifted(dim, rank):
    """A dimension of a sample as a dimension of all samples."""
    if isinstance(dim, (tuple, list)):
        return [shifted(d, rank) for d in dim]
    if not isinstance(dim, int) or isinstance(dim, bool):
        raise Unfit
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise Unfit
    return dim % rank + 1


def all_front(tensor, level):
    """All samples of a tensor, the samples first; a tensor that is the same for all is expanded."""
    if batched_at(tensor, level):
        return front(tensor)
    return tensor.unsqueeze(0).expand(level.batch_size, *tensor.shape)


def rank_of(tensor):
    """How many dimensions one sample has."""
    return tensor.dim()


def padded(value, rank):
    """All samples with dimensions of size 1 after the first until a sample has ``rank`` dimensions."""
    missing = rank + 1 - value.dim()
    if missing <= 0:
        return value
    shape = list(value.shape)
    return value.reshape(shape[0], *[1] * missing, *shape[1:])


def refuse(message):
    """An error that trying sample by sample does not change."""
    raise VmapError(message)


__all__ = [
    "Batched", "MISSING", "Tensor", "Unfit", "VmapError", "all_front", "batched_at", "bind", "front", "given", "numbers", "padded",
    "rank_of", "refuse", "rule", "shifted", "wrap",
]
