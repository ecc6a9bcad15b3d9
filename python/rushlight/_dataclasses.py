"""The methods that ``dataclasses.dataclass`` adds to a class, as source that scripts can be compiled from.

Python makes these methods without source. Types and default values may be any objects, so the text refers to them by
names of its own, which go to the scope of the class.

Python's own ``dataclasses`` is imported once there is one to describe: it takes longer than all of this package.
"""

_scripted = set()


def is_dataclass(cls):
    """Whether a class was made by ``dataclasses.dataclass``."""
    return hasattr(cls, "__dataclass_fields__")


def mark_scripted(cls):
    """Allows a dataclass in scripts: ``torch.jit.script`` was called on it."""
    _scripted.add(cls)


def is_left_out(cls, name):
    """Whether a method that ``dataclass`` added is for Python alone."""
    return name in ("__repr__", "__hash__", "__replace__") and name not in _written(cls)


def synthesize(cls, scope):
    """The texts of the added methods by name; names that they need are put into ``scope``."""
    if cls not in _scripted:
        raise OSError(f"Failed to get source for {cls.__init__} using inspect.getsource")
    import dataclasses

    fields = dataclasses.fields(cls)
    parameters = cls.__dataclass_params__
    texts = {}
    if parameters.init and "__init__" not in _written(cls):
        # Some parameters are no fields: `__post_init__` takes them.
        texts["__init__"] = _init(cls, cls.__dataclass_fields__.values(), scope)
    compared = [f for f in fields if f.compare]
    if parameters.eq and "__eq__" not in _written(cls):
        texts["__eq__"] = _comparison(cls, "eq", compared, ["if val1 != val2: return False"], True, "return False")
    if parameters.order:
        refusal = f"raise TypeError('Cannot compare {cls.__name__} with None')"
        for name, symbol, at_end in (("lt", "<", False), ("le", "<", True), ("gt", ">", False), ("ge", ">", True)):
            steps = [f"if val1 {symbol} val2: return True", f"elif val2 {symbol} val1: return False"]
            texts[f"__{name}__"] = _comparison(cls, name, compared, steps, at_end, refusal)
    return texts


def _written(cls):
    """The methods of a class whose text the program has."""
    codes = ((n, getattr(getattr(m, "__wrapped__", m), "__code__", None)) for n, m in vars(cls).items())
    return {n for n, code in codes if code is not None and code.co_filename != "<string>"}


def _init(cls, fields, scope):
    import dataclasses
    import typing

    parameters, body, taken = ["self"], [], []
    for field in fields:
        written = _annotation(cls, field)
        if typing.get_origin(written) is typing.ClassVar or written is typing.ClassVar:
            continue
        if field.default_factory is not dataclasses.MISSING:
            raise NotImplementedError("Default factory initializers are not supported in TorchScript dataclasses")
        if not field.init:
            continue
        only_taken = isinstance(written, dataclasses.InitVar)
        annotation = written
        if not isinstance(written, str):
            annotation = f"_type_of_{field.name}"
            scope[annotation] = written.type if only_taken else written
        parameter = f"{field.name}: {annotation}"
        if field.default is not dataclasses.MISSING:
            scope[f"_default_of_{field.name}"] = field.default
            parameter += f" = _default_of_{field.name}"
        if getattr(field, "kw_only", False) and "*" not in parameters:
            parameters.append("*")
        parameters.append(parameter)
        if only_taken:
            taken.append(field.name)
        else:
            body.append(f"  self.{field.name} = {field.name}\n")
    if hasattr(cls, "__post_init__"):
        body.append(f"  self.__post_init__({', '.join(taken)})\n")
    return f"def __init__({', '.join(parameters)}) -> None:\n{''.join(body) or '  pass'}"


def _annotation(cls, field):
    """The type of a field. One that is written as a string is what its module means by it, or the string where that is nothing:
    the scope of the class may know the name."""
    import sys

    if not isinstance(field.type, str):
        return field.type
    try:
        return eval(field.type, dict(vars(sys.modules[cls.__module__])), dict(vars(cls)))
    except (NameError, AttributeError, KeyError):
        return field.type


def _is_optional(annotation):
    import types
    import typing

    unions = (typing.Union, getattr(types, "UnionType", typing.Union))
    return typing.get_origin(annotation) in unions and type(None) in typing.get_args(annotation)


def _comparison(cls, name, fields, steps, at_end, where_one_is_none):
    """Compares field by field; ``steps`` see ``val1`` and ``val2``, neither of them None."""
    lines = [f"def __{name}__(self, other: {cls.__name__}) -> bool:"]
    for field in fields:
        lines += [f"  val1 = self.{field.name}", f"  val2 = other.{field.name}"]
        if _is_optional(_annotation(cls, field)):
            lines.append("  if val1 is not None and val2 is not None:")
            lines += [f"    {step}" for step in steps]
            lines.append("  elif (val1 is None) != (val2 is None):")
            lines.append(f"    {where_one_is_none}")
        else:
            lines += [f"  {step}" for step in steps]
    lines.append(f"  return {at_end}\n")
    return "\n".join(lines)
