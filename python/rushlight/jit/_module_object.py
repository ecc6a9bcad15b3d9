"""What the script object of a module (``module._c``) answers besides its own attributes and methods, by the reference's names."""

from .. import _rushlight

# A value as scripts print it.
_text = _rushlight.Builtin("aten::str", "torch.ops.aten.str")
# Ends a graph in dumps: an empty line that stands as far in as the module that it is of.
_END = "\0"


def _getattr(inner, name):
    """An attribute that the module holds."""
    if not _hasattr(inner, name):
        raise AttributeError(f"{inner._class_name()} does not have a field with name '{name}'")
    found = inner._get(name)
    return getattr(found, "_c", found)


def _hasattr(inner, name):
    """Whether the module holds an attribute."""
    return any(name == own for own, _ in inner._attributes())


def _setattr(inner, name, value):
    """Sets an attribute that the module holds."""
    inner._set(name, value)


def _method_names(inner):
    """The names of the methods."""
    return inner._methods()


class _Property:
    """A property of a script object: its name and the methods behind it."""

    def __init__(self, inner, name):
        self._name, self._inner = name, inner

    name = property(lambda self: self._name, doc="The name.")
    getter = property(lambda self: self._inner._get_method(f"__{self._name}_getter"), doc="The method that gives the value.")

    @property
    def setter(self):
        """The method that takes a value; None where the property cannot be set."""
        name = f"__{self._name}_setter"
        return self._inner._get_method(name) if self._inner._has_method(name) else None


_Property.__name__ = _Property.__qualname__ = "ScriptObjectProperty"
_Property.__module__ = "torch"


def _properties(inner):
    """The properties that were compiled with the class; archives hold none."""
    names = [name[2:-7] for name in inner._methods() if name.startswith("__") and name.endswith("_getter")]
    return [_Property(inner, name) for name in names if inner._has_property(name)]


def _save(inner, path, _extra_files=None):
    """Saves the module under a path."""
    from ._script_module import wrap

    wrap(inner).save(path, _extra_files)


def _save_to_buffer(inner, _extra_files=None):
    """The archive of the module, as bytes."""
    from ._script_module import wrap

    return wrap(inner).save_to_buffer(_extra_files)


def _dump_to_str(inner, code=True, attrs=True, params=True):
    """What the module holds and does, as text."""
    return _dumped(inner, code, attrs, params)


def _dump(inner, code=True, attrs=True, params=True):
    """Prints what the module holds and does."""
    print(_dump_to_str(inner, code, attrs, params))


def _dumped(inner, code, attrs, params):
    kinds = inner._attributes()

    def shown(name, kind, show):
        if kind == "module":
            part = inner._get_object(name)
            return f"<{part._class_name()} object at {id(part):#x}>"
        value = inner._get(name)
        if isinstance(value, _rushlight.Tensor) and not show:
            return "..."
        return str(value) if isinstance(value, _rushlight.ScriptObject) else _text(value)

    def group(title, entries):
        lines.append(f"{title} {{")
        lines.extend(line if line == _END else "  " + line for entry in entries for line in entry.split("\n"))
        lines.append("}")

    lines = []
    group("parameters", [f"{n} = {shown(n, kind, params)}" for n, kind in kinds if kind == "parameter"])
    group("attributes", [f"{n} = {shown(n, kind, attrs)}" for n, kind in kinds])
    methods = []
    for name in inner._methods():
        body = str(inner._get_method(name).graph).splitlines() if code else ()
        methods.append("\n".join([f"method {name} {{", *("  " + line for line in body), *([_END] if code else ()), "}"]))
    group("methods", methods)
    group("submodules", [_dumped(inner._get_object(n), code, attrs, params).removesuffix("\n") for n, kind in kinds if kind == "module"])
    return "\n".join([f"module {inner._class_name()} {{", *("  " + line.removesuffix(_END) for line in lines), "}"]) + "\n"


_METHODS = {
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "_method_names": _method_names,
    "_properties": _properties,
    "save": _save,
    "save_to_buffer": _save_to_buffer,
    "dump": _dump,
    "dump_to_str": _dump_to_str,
}
_VALUES = {
    "qualified_name": lambda inner: inner._class_name(),
    "code": lambda inner: inner._get_method("forward").code,
    "code_with_constants": lambda inner: inner._get_method("forward").code_with_constants,
}


def find(inner, name):
    """The method or value of a name, or None."""
    if name in _VALUES:
        return _VALUES[name](inner)
    method = _METHODS.get(name)
    return None if method is None else method.__get__(inner)


_rushlight.register("module_object_method", find)
