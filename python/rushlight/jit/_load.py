"""Loaded modules."""

import os

from .. import _rushlight


class ScriptModule:
    """A module that runs as a script."""

    def __init__(self, inner):
        object.__setattr__(self, "_c", inner)

    def __call__(self, *args, **kwargs):
        return self._c.forward(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(object.__getattribute__(self, "_c"), name)

    def __setattr__(self, name, value):
        self._c._set(name, value)

    @property
    def original_name(self):
        """The name of the class."""
        return self._c._type().rsplit(".", 1)[-1]

    @property
    def graph(self):
        return self._c.forward.graph

    @property
    def inlined_graph(self):
        return self._c.forward.inlined_graph

    @property
    def code(self):
        return self._c.forward.code

    def eval(self):
        """Switches to evaluation."""
        return self.train(False)

    def train(self, mode=True):
        """Switches to training or evaluation, submodules included."""
        for module in self.modules():
            if module._c._has("training"):
                module._c._set("training", mode)
        return self

    def named_modules(self, prefix=""):
        """The module and its submodules, with their paths."""
        yield prefix, self
        for name, child in self.named_children():
            yield from child.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self):
        """The module and its submodules."""
        for _, module in self.named_modules():
            yield module

    def named_children(self):
        """The direct submodules, with their names."""
        for name, kind in self._c._attributes():
            if kind == "module":
                yield name, getattr(self, name)

    def children(self):
        """The direct submodules."""
        for _, child in self.named_children():
            yield child

    def _named(self, wanted, recurse):
        for prefix, module in self.named_modules() if recurse else [("", self)]:
            for name, kind in module._c._attributes():
                if kind == wanted:
                    value = getattr(module, name)
                    if value is not None:
                        yield (f"{prefix}.{name}" if prefix else name), value

    def named_parameters(self, recurse=True):
        """The parameters, with their paths."""
        return self._named("parameter", recurse)

    def parameters(self, recurse=True):
        """The parameters."""
        for _, value in self.named_parameters(recurse):
            yield value

    def named_buffers(self, recurse=True):
        """The buffers, with their paths."""
        return self._named("buffer", recurse)

    def buffers(self, recurse=True):
        """The buffers."""
        for _, value in self.named_buffers(recurse):
            yield value

    def state_dict(self):
        """Parameters and buffers by path."""
        import collections

        return collections.OrderedDict([*self.named_parameters(), *self.named_buffers()])

    def __dir__(self):
        return [*super().__dir__(), *(n for n, _ in self._c._attributes()), *self._c._methods()]

    def __repr__(self):
        lines = [f"({name}): " + repr(child).replace("\n", "\n  ") for name, child in self.named_children()]
        head = f"{type(self).__name__}(original_name={self.original_name}"
        if not lines:
            return head + ")"
        return "\n  ".join([f"{type(self).__name__}(", f"original_name={self.original_name}", *lines]) + "\n)"


class RecursiveScriptModule(ScriptModule):
    """What loading and scripting return."""


ScriptModule.__module__ = RecursiveScriptModule.__module__ = "torch.jit"


def _wrap(inner, is_module):
    return RecursiveScriptModule(inner) if is_module else inner


_rushlight.register("wrap_object", _wrap)


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """Loads an archive from a path or a file object."""
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        if not os.path.exists(path):
            raise ValueError(f"The provided filename {path} does not exist")
        if os.path.isdir(path):
            raise ValueError(f"The provided filename {path} is a directory")
        module = _rushlight.load_file(path)
    else:
        module = _rushlight.load_buffer(f.read())
    if _extra_files is not None:
        stored = dict(module._c._extra_files())
        for name in _extra_files:
            if name in stored:
                _extra_files[name] = stored[name]
    return module


def save(m, f, _extra_files=None):
    """Saves a scripted module."""
    raise NotImplementedError("saving is not supported by this version")
