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
    compared = [f.name for f in fields if f.compare]
    if parameters.eq and "__eq__" not in _written(cls):
        equal = " and ".join(f"self.{n} == other.{n}" for n in compared) or "True"
        texts.append(f"def __eq__(self, other: {cls.__name__}) -> bool:\n    return {equal}\n")
    if parameters.order:
        for name, symbol, at_end in (("lt", "<", False), ("le", "<", True), ("gt", ">", False), ("ge", ">", True)):
            texts.append(_ordering(cls.__name__, name, symbol, compared, at_end))
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


def _ordering(cls, name, symbol, compared, at_end):
    lines = [f"def __{name}__(self, other: {cls}) -> bool:\n"]
    for field in compared:
        lines.append(f"    if self.{field} != other.{field}:\n        return self.{field} {symbol} other.{field}\n")
    return "".join(lines) + f"    return {at_end}\n"
