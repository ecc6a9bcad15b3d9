"""Walks through the nested containers that arguments are made of."""

from .immutable_collections import immutable_dict, immutable_list

__all__ = ["map_aggregate", "map_arg", "map_nodes"]


def map_aggregate(a, fn):
    """``fn`` of every leaf of nested tuples, lists, dictionaries and slices, in containers of the same kinds.

    Lists and dictionaries come back as those that cannot be changed.
    """
    if isinstance(a, tuple):
        items = tuple(map_aggregate(item, fn) for item in a)
        return type(a)(*items) if hasattr(a, "_fields") else items
    if isinstance(a, list):
        return immutable_list([map_aggregate(item, fn) for item in a])
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(value, fn)) for key, value in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_nodes(a, fn):
    """``fn`` of every node in an argument."""
    from .node import Node

    return map_aggregate(a, lambda leaf: fn(leaf) if isinstance(leaf, Node) else leaf)


def map_arg(a, fn):
    """``fn`` of every node in an argument; everything else stays."""
    assert callable(fn), "torch.fx.map_arg(a, fn): fn must be a callable"
    return map_nodes(a, fn)
