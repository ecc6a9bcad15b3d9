"""Instances of plain classes that were scripted: ``torch.jit.script(Point(1, 2))``."""

import pickle

from .. import _resolve, _rushlight

# What Python asks of an object by operators. The reference answers none of them.
_OPERATORS = (
    "__add__ __and__ __bool__ __call__ __contains__ __enter__ __eq__ __exit__ __float__ __ge__ __getitem__ __gt__ __iadd__ "
    "__int__ __iter__ __le__ __len__ __lt__ __mod__ __mul__ __ne__ __neg__ __or__ __pow__ __setitem__ __str__ __sub__ "
    "__truediv__ __xor__"
).split()


class RecursiveScriptClass:
    """A script object of a plain class: its attributes and methods, not its operators."""

    def __init__(self, inner, cls):
        state = self.__dict__
        state["_initializing"] = False
        state["_c"] = inner
        properties = ((name, _resolve.defined(cls, name)) for name in dir(cls))
        state["_props"] = {name: member for name, member in properties if isinstance(member, property)}

    def __getattr__(self, name):
        properties = self.__dict__.get("_props", {})
        if name in properties:
            return properties[name].fget(self)
        return self._c._get(name)

    def __setattr__(self, name, value):
        if name in self._props:
            return self._props[name].fset(self, value)
        self._c.setattr(name, value)

    def __getstate__(self):
        raise pickle.PickleError("ScriptClasses cannot be pickled")

    def __deepcopy__(self, memo):
        raise RuntimeError(f"Tried to deepcopy object {self._c._class_name()} which does not have a __getstate__ method defined!")

    def forward_magic_method(self, method_name, *args, **kwargs):
        """Calls the method of the script class that an operator stands for."""
        return self._c._get(method_name)(*args, **kwargs)

    __hash__ = object.__hash__


def _operator(name):
    def refuse(self, *_, **__):
        raise TypeError

    refuse.__name__ = name
    return refuse


for _name in _OPERATORS:
    setattr(RecursiveScriptClass, _name, _operator(_name))
RecursiveScriptClass.__module__ = "torch.jit._script"


def script_object(obj):
    """An object of a plain class as a script object that starts with its attributes."""
    from ._script import _script_class

    cls = type(obj)
    _script_class(cls)
    return RecursiveScriptClass(_rushlight.script_object(obj), cls)
