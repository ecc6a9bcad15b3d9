"""The operators that programs have defined, by name and overload."""

import re

from .. import _rushlight

# ``ns::name`` to a dictionary of overloads by name, in the order of their definition.
_operators = {}
# Kernels that were given before the operator was defined.
_early = {}


class Defined:
    """One overload of an operator that a program defined."""

    def __init__(self, schema, text, where, tags=()):
        self.schema = schema
        self.text = text
        self.where = where
        self.tags = list(tags) if isinstance(tags, (list, tuple)) else [tags]
        self.kernels = {}
        self.fake = None
        self.backward = None
        self.setup_context = None
        self.vmap = None
        self.autocast = {}
        self.definition = None
        self.disabled = set()
        # Whether modes that see operators see this one, where its kernel is made of others.
        self.is_seen = False
        self.arguments = list(schema.arguments)
        self.returns = list(schema.returns)
        self.mutated = [i for i, a in enumerate(self.arguments) if a.alias_info is not None and a.alias_info.is_write]

    @property
    def qualified(self):
        """``ns::name``."""
        return self.schema.name

    @property
    def full(self):
        """``ns::name.overload``."""
        overload = self.schema.overload_name
        return f"{self.schema.name}.{overload}" if overload else self.schema.name

    @property
    def dotted(self):
        """``ns.name.default``."""
        return f"{self.schema.name.replace('::', '.')}.{self.schema.overload_name or 'default'}"

    def __str__(self):
        return self.text


_DTYPES = (
    "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64", "complex128", "bool",
    "qint8", "quint8", "qint32", "bfloat16",
)


def _shown(text):
    """A schema as the reference spells it: whole floats end in a point, dtypes are numbers."""
    text = re.sub(r"=\[[^\]]*\]", lambda m: re.sub(r",\s*", ", ", m[0]), text)
    text = re.sub(r"(?<=[=\[ ])(-?\d+)\.0(?=[,)\]])", r"\1.", text)
    text = re.sub(
        r"(ScalarType\??) (\w+)=(\w+)", lambda m: f"{m[1]} {m[2]}={_DTYPES.index(m[3]) if m[3] in _DTYPES else m[3]}", text
    )
    return re.sub(r"\)\s*->\s*", ") -> ", text)


def _plain(text):
    """A schema as the parser reads it: it knows marks of one letter."""
    return re.sub(r"\(a(\d+)!\)", lambda m: f"({chr(ord('a') + int(m[1]) % 26)}!)", text)


def parse(text):
    """The schema that a text says, and how it is shown; errors are the reference's."""
    text = _shown(text)
    try:
        return _rushlight.read_schema(_plain(text)), text
    except RuntimeError as error:
        message = str(error)
        if not message.startswith("unknown type "):
            raise
        name = message.removeprefix("unknown type ").split()[0]
        base = text.split("::", 1)[1] if "::" in text.split("(", 1)[0] else text
        at = base.find(name)
        raise RuntimeError(
            "\nunknown type specifier. Common valid schema types include Tensor, SymInt, int, float, bool, Scalar; for a full list, "
            "please see https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md#func :\n"
            f"{base}\n{' ' * at}{'~' * len(name)} <--- HERE\n"
        ) from None


def add(defined):
    """Adds an overload; a second one of the same name is refused."""
    overloads = _operators.setdefault(defined.qualified, {})
    before = overloads.get(defined.schema.overload_name)
    if before is not None or _rushlight.has_operator(defined.full):
        was = before.where if before is not None else "built in"
        raise RuntimeError(
            f"Tried to register an operator ({defined.text}) with the same name and overload name multiple times. Each overload's "
            f"schema should only be registered with a single call to def(). Duplicate registration: {defined.where}. Original "
            f"registration: {was}"
        )
    # A built-in operator takes no overloads that scripts know.
    if overloads or not _rushlight.has_operator(defined.qualified):
        from .operators import kernel_of

        _rushlight.define_operator(_plain(defined.text), kernel_of(defined))
    overloads[defined.schema.overload_name] = defined
    for apply in _early.pop(defined.full, ()):
        apply(defined)
    forget(defined.qualified)


def remove(defined):
    """Takes an overload away."""
    overloads = _operators.get(defined.qualified, {})
    if overloads.get(defined.schema.overload_name) is defined:
        del overloads[defined.schema.overload_name]
        _rushlight.take_back_operator(defined.full)
        if not overloads:
            del _operators[defined.qualified]
    forget(defined.qualified)


def forget(qualified):
    """Makes ``torch.ops`` look a name up again."""
    from .._namespaces import NAMESPACES

    namespace, name = qualified.split("::")
    space = vars(NAMESPACES["ops"]).get(namespace)
    if space is not None:
        vars(space).pop(name, None)


def overloads(qualified):
    """The overloads of a name, in their order; None where there are none."""
    return _operators.get(qualified)


def find(full):
    """An overload by ``ns::name`` or ``ns::name.overload``; None where it is not defined."""
    qualified, _, overload = full.partition(".")
    found = _operators.get(qualified)
    return None if found is None else found.get("" if overload == "default" else overload)


def when_defined(full, apply):
    """Calls a function with an operator now, or as soon as it is defined."""
    found = find(full)
    if found is not None:
        apply(found)
    else:
        _early.setdefault(full, []).append(apply)


def names():
    """All names, sorted."""
    return sorted(_operators)
