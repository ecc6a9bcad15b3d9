"""The arguments of a program that is recorded: open ones, and those that ``concrete_args`` fixes."""

import warnings

import rushlight

from ..utils import _pytree as pytree
from ._codegen import _PyTreeCodeGen, _PyTreeInfo


class PHBase:
    """Marks an open place in ``concrete_args``."""

    def __repr__(self):
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """An open place that carries a key, which the placeholder's node gets with all other attributes."""

    def __init__(self, ph_key=None):
        super().__init__()
        self.ph_key = ph_key


_CONSTANTS = (bool, int, float, str, complex, type(None))


def rest(tracer, name):
    """The proxy of what is left over behind stars."""
    return tracer.create_proxy("placeholder", name, (), {})


def placeholder(tracer, name, concrete_args, signature, function):
    """The argument of a name."""
    default = signature.parameters[name].default
    given = () if default is signature.empty else (default,)
    if concrete_args is None or name not in concrete_args:
        return tracer.create_proxy(
            "placeholder", name, given, {}, type_expr=getattr(function, "__annotations__", {}).get(name, None)
        )
    count = 0

    def fix(value):
        nonlocal count
        count += 1
        open_place = tracer.create_proxy("placeholder", f"{name}_{count}", given, {})
        if isinstance(value, PHBase):
            if value is not PH:
                for key, held in vars(value).items():
                    setattr(open_place.node, key, held)
            return open_place
        told = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            from ._symbolic_trace import _assert_is_none

            tracer.create_proxy("call_function", _assert_is_none, (open_place, told), {})
        elif isinstance(value, _CONSTANTS):
            tracer.create_proxy("call_function", rushlight._assert, (open_place == value, told), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the "
                "user to make sure that your inputs match the inputs you specialized the function with.",
                stacklevel=2,
            )
        return value

    return pytree.tree_map(fix, concrete_args[name])


def nested(tracer, function, args, names, is_module):
    """(function, flat arguments) where arguments are containers, and the graph's code that takes them apart; None where
    there are no containers."""
    given = args[1:] if is_module else args
    leaves, spec = pytree.tree_flatten(tuple(given))
    if all(child.is_leaf() for child in spec.children()):
        return None
    names = [*names, *(f"_rest{i}" for i in range(len(given) - len(names)))]
    tracer.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names, spec, None))

    def flat(*values):
        values = list(values)
        own = [values.pop(0)] if is_module else []
        out = function(*own, *pytree.tree_unflatten(values, spec))
        out_leaves, out_spec = pytree.tree_flatten(out)
        codegen = tracer.graph._codegen
        codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
        return out_leaves

    return flat, [*args[:1], *leaves] if is_module else leaves


