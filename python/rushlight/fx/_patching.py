"""Names that stand for something else while a program is recorded, and everything back afterwards."""

import builtins
import contextlib

_MISSING = object()
# The patchers at work, the innermost last.
_active = []


class _Patcher:
    """Replaces entries of dictionaries and methods of classes until it is left."""

    def __init__(self):
        self._changes = []
        self._seen = set()

    def patch(self, names, name, new, deduplicate=True):
        """Puts something under a name of a dictionary, such as a module's globals."""
        before = names.get(name, _MISSING)
        if deduplicate and getattr(before, "__fx_already_patched", False):
            return
        setattr(new, "__fx_already_patched", deduplicate)

        def put():
            names[name] = new

        def back():
            if before is _MISSING:
                names.pop(name, None)
            else:
                names[name] = before

        self._apply(put, back)

    def patch_method(self, cls, name, new, deduplicate=True):
        """Gives a class another method."""
        before = getattr(cls, name)
        own = cls.__dict__.get(name, _MISSING)
        if deduplicate and getattr(before, "__fx_already_patched", False):
            return
        setattr(new, "__fx_already_patched", deduplicate)

        def back():
            if own is _MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, own)

        self._apply(lambda: setattr(cls, name, new), back)

    def visit_once(self, thing):
        """Whether this is the first visit of an object."""
        if id(thing) in self._seen:
            return False
        self._seen.add(id(thing))
        return True

    def _apply(self, put, back):
        self._changes.append((put, back))
        put()

    def revert_all_patches(self):
        """Everything as it was."""
        for _, back in reversed(self._changes):
            back()

    def reapply_all_patches(self):
        """Everything replaced again."""
        for put, _ in self._changes:
            put()

    def __enter__(self):
        _active.append(self)
        return self

    def __exit__(self, *_):
        _active.remove(self)
        self.revert_all_patches()
        self._changes.clear()
        self._seen.clear()


@contextlib.contextmanager
def _maybe_revert_all_patches():
    """Until it is left, names mean what they do when nothing is recorded."""
    patchers = list(_active)
    for patcher in reversed(patchers):
        patcher.revert_all_patches()
    try:
        yield
    finally:
        for patcher in patchers:
            patcher.reapply_all_patches()


def original_of(names, name):
    """What a name of a module's globals stands for, or Python's own function of that name; None where there is none."""
    if name in names:
        return names[name]
    return getattr(builtins, name, None)
