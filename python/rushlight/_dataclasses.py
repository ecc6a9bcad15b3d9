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


def synthesize(cls, scope):
    """The texts of the added methods; names that they need are put into ``scope``."""
    if cls not in _scripted:
        raise OSError(f"Failed to get source for {cls.__init__} using inspect.getsource")
    import dataclasses

    fields = dataclasses.fields(cls)
    parameters = cls.__dataclass_params__
    texts = []
    if parameters.init:
        texts.append(_init(cls, fields, scope))
    compared = [f for f in fields if f.compare]
    if parameters.eq and "__eq__" not in _written(cls):
        texts.append(_comparison(cls.__name__, "eq", compared, ["if mine != others: return False"], True, "return False"))
    if parameters.order:
        refusal = f"raise TypeError('Cannot compare {cls.__name__} with None')"
        for name, symbol, at_end in (("lt", "<", False), ("le", "<", True), ("gt", ">", False), ("ge", ">", True)):
            steps = [f"if mine {symbol} others: return True", f"elif others {symbol} mine: return False"]
            texts.append(_comparison(cls.__name__, name, compared, steps, at_end, refusal))
    return texts


def _written(cls):
    """The methods of a class whose text the program has."""
    return {n for n, m in vars(cls).items() if getattr(getattr(m, "__code__", None), "co_filename", "<string>") != "<string>"}


def _init(cls, fields, scope):
    import dataclasses

    parameters, body = ["self"], []
    for field in fields:
        if field.default_factory is not dataclasses.MISSING:
            raise NotImplementedError("Default factory initializers are not supported in TorchScript dataclasses")
        if not field.init:
            continue
        scope[f"_type_of_{field.name}"] = field.type
        parameter = f"{field.name}: _type_of_{field.name}"
        if field.default is not dataclasses.MISSING:
            scope[f"_default_of_{field.name}"] = field.default
            parameter += f" = _default_of_{field.name}"
        parameters.append(parameter)
        body.append(f"    self.{field.name} = {field.name}\n")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()\n")
    return f"def __init__({', '.join(parameters)}) -> None:\n{''.join(body) or '    pass'}"


def _is_optional(annotation):
    import types
    import typing

    unions = (typing.Union, getattr(types, "UnionType", typing.Union))
    return typing.get_origin(annotation) in unions and type(None) in typing.get_args(annotation)


def _comparison(cls, name, fields, steps, at_end, where_one_is_none):
    """Compares field by field; ``steps`` see ``mine`` and ``others``, neither of them None."""
    lines = [f"def __{name}__(self, other: {cls}) -> bool:"]
    for field in fields:
        lines += [f"    mine = self.{field.name}", f"    others = other.{field.name}"]
        if _is_optional(field.type):
            lines.append("    if mine is not None and others is not None:")
            lines += [f"        {step}" for step in steps]
            lines.append("    elif (mine is None) != (others is None):")
            lines.append(f"        {where_one_is_none}")
        else:
            lines += [f"    {step}" for step in steps]
    lines.append(f"    return {at_end}\n")
    return "\n".join(lines)
