"""``torch.torch_version``: a version that is a string and compares as a version."""

import re

__all__ = ["TorchVersion"]


def _key(version):
    """What orders versions: numbers, then whether it is a release, its stage, and what was built locally."""
    if isinstance(version, (tuple, list)):
        version = ".".join(str(part) for part in version)
    text, _, local = str(version).strip().lower().removeprefix("v").partition("+")
    found = re.fullmatch(r"(\d+(?:\.\d+)*)(.*)", text)
    if found is None:
        raise ValueError(f"Invalid version: '{version}'")
    numbers = [int(part) for part in found.group(1).split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    stage = found.group(2).strip("._-")
    if not stage:
        rank = (4, 0)
    else:
        letters, digits = re.match(r"([a-z]*)[._-]?(\d*)", stage).groups()
        order = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "rc": 3, "pre": 3, "preview": 3, "post": 5, "": 5}
        rank = (order.get(letters, 1), int(digits or 0))
    return numbers, rank, local


class TorchVersion(str):
    """A version, compared with texts and tuples of numbers by the order of versions."""

    def _order(self, other):
        own = _key(self)
        try:
            others = _key(other)
        except ValueError:
            # What is no version compares as text does.
            own, others = str(self), str(other)
        return (own > others) - (own < others)

    def __lt__(self, other):
        return self._order(other) < 0

    def __le__(self, other):
        return self._order(other) <= 0

    def __gt__(self, other):
        return self._order(other) > 0

    def __ge__(self, other):
        return self._order(other) >= 0

    def __eq__(self, other):
        return self._order(other) == 0

    def __ne__(self, other):
        return self._order(other) != 0

    __hash__ = str.__hash__
