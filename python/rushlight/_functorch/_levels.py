"""Which transforms are being run: a stack for each thread, the outermost first."""

import threading


class Level:
    """One transform that is being run.

    ``kind`` is ``"vmap"``, ``"grad"``, ``"jvp"``, ``"jacfwd"`` or ``"directions"`` (all directions of a Jacobian);
    ``number`` counts from 1, the outermost. Only ``vmap`` has a
    ``batch_size`` and a ``randomness``.
    """

    __slots__ = ("kind", "number", "batch_size", "randomness", "alive", "watched")

    def __init__(self, kind, number, batch_size=None, randomness=None):
        self.kind = kind
        self.number = number
        self.batch_size = batch_size
        self.randomness = randomness
        self.alive = True
        # What a transform that differentiates watches.
        self.watched = None


class _Stack(threading.local):
    def __init__(self):
        self.levels = []


_stack = _Stack()


def current():
    """The stack of this thread."""
    return _stack.levels


def batches():
    """The levels of ``vmap`` that are being run, the outermost first."""
    return [level for level in _stack.levels if level.kind == "vmap"]


def numbered(level):
    """A transform that is being run, by its number; a level itself stays as it is."""
    if isinstance(level, Level):
        return level
    for found in _stack.levels:
        if found.number == level:
            return found
    raise RuntimeError(f"no transform of level {level} is being run")


class entered:
    """Runs a transform: ``with entered("grad") as level``."""

    def __init__(self, kind, batch_size=None, randomness=None):
        self.given = kind, batch_size, randomness

    def __enter__(self):
        kind, batch_size, randomness = self.given
        self.level = Level(kind, len(_stack.levels) + 1, batch_size, randomness)
        _stack.levels.append(self.level)
        return self.level

    def __exit__(self, *_):
        self.level.alive = False
        _stack.levels.remove(self.level)
