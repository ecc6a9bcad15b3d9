"""What `functionalize` shows to modes that see operators: nothing that is written in place, and at will no views.

Tensors are written in place all the same, so that the program finds in them what it expects; modes see in their place values that
operators without effects give. A view of what has been written is made again from its base when it is used next.
"""

import rushlight as torch

from .. import _rushlight
from ..utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from ..utils._pytree import tree_map

Tensor = _rushlight.Tensor


def _overload(name, overload):
    """An overload of an operator by its names; None where there is none."""
    if not _rushlight.has_operator("aten::" + name):
        return None
    return getattr(getattr(torch.ops.aten, name), overload or "default", None)


class _View:
    """How a tensor shows another one: the operator that made it, its other arguments, and which of its results it is."""

    def __init__(self, parent, func, rest, kwargs, place):
        self.parent, self.func, self.rest, self.kwargs, self.place = parent, func, rest, kwargs, place
        # How often the base had been written when the value was made; a new view counts as one from before all writing.
        self.generation = 0


class Functional(TorchDispatchMode):
    """Hands on operators that write as those that do not."""

    def __init__(self, removes_views):
        super().__init__()
        self.removes_views = removes_views
        # By the object of a tensor: what stands for its elements now, how it shows another one, how often it was written.
        self._values, self._views, self._writes, self._kept = {}, {}, {}, []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        arguments = func._schema.arguments
        written = [i for i, a in enumerate(arguments) if a.alias_info is not None and a.alias_info.is_write]
        if written == [0] and args:
            found = self._without_effect(func)
            if found is not None:
                return self._write(func, found, args, kwargs)
        elif not written and func.is_view and args and isinstance(args[0], Tensor):
            return self._show(func, args, kwargs)
        return func(*self.value_of(args), **self.value_of(kwargs))

    def _without_effect(self, func):
        name, overload = func._opname, func._overloadname
        return _overload(name[:-1], overload) if name.endswith("_") and not name.endswith("__") else None

    def _set(self, tensor, value):
        self._values[id(tensor)] = value
        self._kept.append(tensor)

    def value_of(self, value):
        """What stands for a tensor, or for all tensors of a structure."""
        return tree_map(lambda each: self._current(each) if isinstance(each, Tensor) else each, value)

    def _base(self, tensor):
        while id(tensor) in self._views:
            tensor = self._views[id(tensor)].parent
        return tensor

    def _current(self, tensor):
        view = self._views.get(id(tensor))
        if view is not None:
            writes = self._writes.get(id(self._base(tensor)), 0)
            if view.generation != writes:
                self._set(tensor, self._made_again(view))
                view.generation = writes
        return self._values.get(id(tensor), tensor)

    def _made_again(self, view):
        made = self._viewing(view.func)(self._current(view.parent), *view.rest, **view.kwargs)
        return made if view.place is None else made[view.place]

    def _from_base(self, tensor):
        """What stands for a tensor, made again from its base."""
        view = self._views.get(id(tensor))
        if view is None:
            return self._current(tensor)
        made = self._viewing(view.func)(self._from_base(view.parent), *view.rest, **view.kwargs)
        return made if view.place is None else made[view.place]

    def _viewing(self, func):
        if not self.removes_views:
            return func
        return _overload(func._opname + "_copy", func._overloadname) or func

    def _show(self, func, args, kwargs):
        values = self._viewing(func)(self._current(args[0]), *self.value_of(args[1:]), **self.value_of(kwargs))
        with _disable_current_modes():
            shown = func(*args, **kwargs)
        listed = isinstance(shown, (tuple, list))
        for place, (part, value) in enumerate(zip(shown if listed else [shown], values if listed else [values])):
            self._views[id(part)] = _View(args[0], func, args[1:], kwargs, place if listed else None)
            self._set(part, value)
        return shown

    def _write(self, func, without, args, kwargs):
        tensor = args[0]
        value = without(*self.value_of(args), **self.value_of(kwargs))
        with _disable_current_modes():
            func(*args, **kwargs)
        self._hand_up(tensor, value)
        if id(tensor) in self._views:
            self._current(tensor)
        return tensor

    def _hand_up(self, tensor, value):
        """Makes a value that of a tensor, and of all that it shows."""
        view = self._views.get(id(tensor))
        if view is not None:
            return self._hand_up(view.parent, self._turned_back(view, value))
        self._set(tensor, value)
        self._writes[id(tensor)] = self._writes.get(id(tensor), 0) + 1
        return None

    def _turned_back(self, view, value):
        """The tensor that a view shows, once the view has another value."""
        parent, name, rest = view.parent, view.func._opname, view.rest
        scatter = None if view.place is not None else _overload(name + "_scatter", "default")
        if scatter is not None:
            return scatter(self._from_base(parent), value, *rest, **view.kwargs)
        dims = parent.dim()
        if name in ("view", "_unsafe_view"):
            return self._again("view", "default", value, list(parent.shape))
        if name == "unsqueeze":
            return self._again("squeeze", "dim", value, rest[0] % (dims + 1))
        if name == "squeeze" and rest and isinstance(rest[0], int):
            return self._again("unsqueeze", "default", value, rest[0]) if parent.shape[rest[0]] == 1 else value
        if name == "t":
            return self._again("t", "default", value)
        if name == "transpose":
            return self._again("transpose", "int", value, *rest)
        if name == "permute":
            order = [dim % dims for dim in rest[0]]
            return self._again("permute", "default", value, [order.index(dim) for dim in range(dims)])
        if name == "unbind":
            return torch.ops.aten.select_scatter.default(self._from_base(parent), value, rest[0] if rest else 0, view.place)
        if name in ("split", "split_with_sizes"):
            dim = rest[1] if len(rest) > 1 else 0
            sizes = [rest[0]] * view.place if isinstance(rest[0], int) else rest[0][: view.place]
            begin = sum(sizes)
            return torch.ops.aten.slice_scatter.default(self._from_base(parent), value, dim, begin, begin + value.shape[dim])
        if name in ("alias", "detach"):
            return value
        raise NotImplementedError(f"functionalize: what is written through aten::{name} is not part of Rushlight")

    def _again(self, name, overload, *args):
        return self._viewing(_overload(name, overload))(*args)

    def finish(self, inputs):
        """Writes arguments that the function has written, seen by other modes."""
        for tensor in inputs:
            if isinstance(tensor, Tensor) and self._writes.get(id(self._base(tensor))):
                torch.ops.aten.copy_.default(tensor, self._current(tensor))
