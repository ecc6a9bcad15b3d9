"""How tensors print inside of transforms: inside of what each transform makes of them, that of the innermost first."""

from .. import _rushlight
from . import _levels
from ._batched import Batched, plainest

Tensor = _rushlight.Tensor
_alone = Tensor.__repr__


def _leads_to(tensor, watched):
    """Whether a tensor is one that a transform watches, or was computed from one."""
    if any(tensor is own or tensor._same(own) for own in watched.plain):
        return True
    if not tensor.requires_grad or tensor.is_leaf:
        return False
    before = _rushlight.set_grad_enabled(True)
    try:
        ends = {own.view_as(own).grad_fn.next_functions[0][0] for own in watched.plain}
    finally:
        _rushlight.set_grad_enabled(before)
    seen, stack = set(), [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if node in ends:
            return True
        if node is not None and node not in seen:
            seen.add(node)
            stack.extend(following for following, _ in node.next_functions)
    return False


def _wrappers(tensor):
    """What stands around the elements: the numbers of levels with how each shows."""
    found = []
    while type(tensor) is Batched:
        found.append((tensor.level, f"BatchedTensor(lvl={{}}, bdim={tensor.bdim}, value="))
        tensor = tensor.value
    for level in _levels.current():
        if level.watched is not None and _leads_to(tensor, level.watched):
            found.append((level, "GradTrackingTensor(lvl={}, value="))
    return sorted(found, key=lambda pair: pair[0].number)


def _number(level):
    """The number of a level in the reference, which goes through the directions of a Jacobian with a ``vmap``."""
    outer = _levels.current()[: level.number]
    return level.number + sum(one.kind == "jacfwd" for one in outer)


def shown(tensor):
    """What ``print`` shows."""
    around = _wrappers(tensor)
    bottom = plainest(tensor)
    text = _alone(bottom.detach() if any(level.watched is not None for level, _ in around) else bottom)
    for level, head in around:
        lines = "\n".join("    " + line for line in text.split("\n"))
        text = f"{head.format(_number(level))}\n{lines}\n)"
    return text


def _shown_or_alone(self):
    return shown(self) if _levels.current() else _alone(self)


Tensor.__repr__ = _shown_or_alone
