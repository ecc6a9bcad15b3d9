"""Handles of registered hooks."""

import itertools
import weakref
from collections import OrderedDict

__all__ = ["RemovableHandle"]

_numbers = itertools.count()


class RemovableHandle:
    """Takes a hook out of the tables it was put in; works as a context manager too."""

    id: int

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.id = next(_numbers)
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        extra = () if extra_dict is None else extra_dict if isinstance(extra_dict, list) else (extra_dict,)
        self.extra_dict_ref = tuple(weakref.ref(table) for table in extra)

    def remove(self):
        """Removes the hook; a second time does nothing."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            table = reference()
            if table is not None:
                table.pop(self.id, None)

    def __getstate__(self):
        return self.id, self.hooks_dict_ref(), [reference() for reference in self.extra_dict_ref]

    def __setstate__(self, state):
        # Tables that are gone are replaced by empty ones: references need something to point to.
        self.id, hooks, extra = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if t is None else t) for t in extra)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()
