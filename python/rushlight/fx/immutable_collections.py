"""``torch.fx.immutable_collections``: the lists and dictionaries that hold the arguments of nodes."""

__all__ = ["immutable_list", "immutable_dict"]

_HELP = """If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args"""


def _no_mutation(self, *args, **kwargs):
    raise TypeError(f"'{type(self).__name__}' object does not support mutation. {_HELP}")


def _frozen(cls, *methods):
    for name in methods:
        setattr(cls, name, _no_mutation)
    return cls


class immutable_list(list):
    """A list that cannot be changed; it has a hash."""

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return type(self), (tuple(self),)


class immutable_dict(dict):
    """A dictionary that cannot be changed; it has a hash."""

    def __hash__(self):
        return hash(frozenset(self.items()))

    def __reduce__(self):
        return type(self), (tuple(self.items()),)


_frozen(
    immutable_list, "__delitem__", "__iadd__", "__imul__", "__setitem__",
    "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort",
)
_frozen(immutable_dict, "__delitem__", "__ior__", "__setitem__", "clear", "pop", "popitem", "setdefault", "update")


def _register():
    """Trees are taken apart and put together through them as through plain lists and dictionaries."""
    from ..utils import _pytree

    _pytree.register_pytree_node(
        immutable_list, lambda held: (list(held), None), lambda values, _: immutable_list(values)
    )
    _pytree.register_pytree_node(
        immutable_dict,
        lambda held: (list(held.values()), list(held)),
        lambda values, keys: immutable_dict(zip(keys, values)),
    )


_register()
