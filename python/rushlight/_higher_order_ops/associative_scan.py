"""Running combinations of slices, by a function that may combine them in any grouping."""

from .. import stack
from ..utils import _pytree as pytree


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """What ``combine_fn`` makes of the slices of tensors along a dimension, from the first to each.

    Args:
        combine_fn: makes of two trees of slices one of the same form, and may be called in any grouping.
        xs: a tree of tensors.
        dim: the dimension.
        reverse: from the last to each.
        combine_mode: ``"pointwise"`` or ``"generic"``, which are the same here.
    """
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    leaves, form = pytree.tree_flatten(xs)
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    count = leaves[0].size(dim)
    order = range(count - 1, -1, -1) if reverse else range(count)
    results, so_far = [None] * count, None
    for place in order:
        here = pytree.tree_unflatten([leaf.select(dim, place) for leaf in leaves], form)
        so_far = here if so_far is None else combine_fn(so_far, here)
        results[place] = pytree.tree_leaves(so_far)
    return pytree.tree_unflatten([stack(parts, dim) for parts in zip(*results)] if count else leaves, form)
