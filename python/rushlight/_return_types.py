"""``torch.return_types``: the tuples with names that operators with several results give."""

import sys
import types
from operator import itemgetter

from . import _rushlight


def _new(cls, sequence=None, dict=None):
    if sequence is None:
        raise TypeError("structseq() missing required argument 'sequence' (pos 1)")
    try:
        values = tuple(sequence)
    except TypeError:
        raise TypeError("constructor requires a sequence") from None
    own = f"{cls.__module__}.{cls.__name__}"
    if dict is not None and not isinstance(dict, _DICT):
        raise TypeError(f"{own}() takes a dict as second arg, if any")
    if len(values) != cls.n_fields:
        raise TypeError(f"{own}() takes a {cls.n_fields}-sequence ({len(values)}-sequence given)")
    return tuple.__new__(cls, values)


_DICT = dict


def _repr(self):
    fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self.__match_args__, self))
    return f"{type(self).__module__}.{type(self).__name__}(\n{fields})"


def _reduce(self):
    return type(self), (tuple(self), {})


def _refuse_attribute(self, name):
    kind = type(self)
    raise AttributeError(f"'{kind.__module__}.{kind.__name__}' object has no attribute '{name}'")


def _refuse_change(self, name, value):
    if name in self.__match_args__:
        raise AttributeError("readonly attribute")
    _refuse_attribute(self, name)


def _refuse_subclass(cls):
    base = cls.__bases__[0]
    raise TypeError(f"type '{base.__module__}.{base.__name__}' is not an acceptable base type")


# What the classes have besides their fields: they are made of one sequence, as Python's own such tuples are. Their only
# base is ``tuple``, by which programs know them.
_METHODS = {
    "__new__": _new,
    "__repr__": _repr,
    "__reduce__": _reduce,
    "__getattr__": _refuse_attribute,
    "__setattr__": _refuse_change,
    "__init_subclass__": classmethod(_refuse_subclass),
}


class ReturnTypes(types.ModuleType):
    """A module whose attributes are the classes of results."""

    def __getattr__(self, name):
        schemas = () if name.startswith("__") else _rushlight.schemas_of("aten::" + name)
        if name.endswith("_out") and not schemas:
            written = _rushlight.schemas_of("aten::" + name.removesuffix("_out"))
            schemas = [s for s in written if any(a.kwarg_only and a.name in {r.name for r in s.returns} for a in s.arguments)]
        for schema in schemas:
            fields = [result.name for result in schema.returns]
            if len(fields) > 1 and all(fields):
                return self.make(name, fields)
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'")

    def make(self, name, fields):
        """The class of an operator's results."""
        found = self.__dict__.get(name)
        if found is None:
            fields = tuple(fields)
            members = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
            counts = {"n_fields": len(fields), "n_sequence_fields": len(fields), "n_unnamed_fields": 0}
            own = {"__module__": "torch.return_types", "__doc__": None, "__slots__": (), "__match_args__": fields}
            found = type(name, (tuple,), {**_METHODS, **own, **counts, **members})
            setattr(self, name, found)
        return found


_makers = {}


def _maker(name, fields):
    """What makes a result of its parts, one by one."""
    made = _makers.get(name)
    if made is None:
        kind, new = return_types.make(name, fields), tuple.__new__

        def made(*parts):
            return new(kind, parts)

        if any(str(each.type).startswith("List[") for schema in _rushlight.schemas_of("aten::" + name) for each in schema.returns):
            # Several tensors that are one result are a tuple.
            def made(*parts):
                return new(kind, [tuple(part) if isinstance(part, list) else part for part in parts])

        _makers[name] = made
    return made


return_types = ReturnTypes("torch.return_types")
sys.modules[f"{__package__}.return_types"] = return_types
_rushlight.register("return_type", _maker)
