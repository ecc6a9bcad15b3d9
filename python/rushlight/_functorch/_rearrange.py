"""``torch.func.rearrange``: dimensions named by a pattern, ``"b (h w) -> b h w"``."""

import math
import re

import rushlight as torch


class DimensionBindError(Exception):
    """Sizes that do not fit the names of a pattern."""


DimensionBindError.__module__ = "functorch._C"


def _parsed(text, pattern):
    """One side of a pattern: names, lists of names that stand in brackets, and ``...``."""
    if "." in text.replace("...", "", 1):
        raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
    found, group, seen = [], None, set()
    for token in re.findall(r"\.\.\.|\(|\)|\w+|\S", text):
        if token == "(":
            if group is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            group = []
            found.append(group)
            continue
        if token == ")":
            if group is None:
                raise ValueError("Brackets are not balanced")
            group = None
            continue
        if token != "..." and not re.fullmatch(r"\w+", token):
            raise ValueError(f"Unknown character '{token}'")
        if token != "1" and token in seen:
            raise ValueError(f"Indexing expression contains duplicate dimension '{token}'")
        seen.add(token)
        (found if group is None else group).append(token)
    if group is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{text}'")
    return found


def _names(side):
    return [n for part in side for n in (part if isinstance(part, list) else [part]) if n != "1"]


def _misfit(inside, unknown, sizes, size, names):
    if len(unknown) > 1:
        first, second = (f"d{names.index(n)}" for n in unknown[:2])
        return f"cannot infer the sizes of two dimensions at once {first} and {second}"
    if unknown:
        shown = tuple("?" if n in unknown else sizes[n] for n in inside)
        return f"inferred dimension does not evenly fit into larger dimension: {size} vs {shown}"
    pack = "(" + ", ".join(f"d{names.index(n)}" for n in inside) + ("," if len(inside) == 1 else "") + ")"
    return f"Dimension sizes to do not match ({size} != {math.prod(sizes[n] for n in inside)}) when matching dimension pack {pack}"


def rearrange(tensor, pattern, **axes_lengths):
    """A tensor, or a list of them as one, with its dimensions split, joined and put in another order.

    Args:
        tensor: a tensor; a list of tensors is stacked, the list being the first dimension.
        pattern: the dimensions by name before and after ``->``; brackets join some, ``...`` stands for any number, ``1`` for
            a dimension of size 1.
        axes_lengths: sizes of dimensions that are split and do not follow from others.
    """
    if isinstance(tensor, (list, tuple)):
        tensor = torch.stack(list(tensor))
    if pattern.count("->") != 1:
        raise ValueError("Pattern must contain a single '->' separator")
    left_text, _, right_text = pattern.partition("->")
    left, right = _parsed(left_text, pattern), _parsed(right_text, pattern)
    names = _names(left)
    if "..." in _names(right) and "..." not in names:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    lone = set(names) ^ set(_names(right))
    if lone - {"..."}:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {lone}")
    unknown = {n for n in axes_lengths if n not in names}
    if unknown:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    more = tensor.dim() - (len(left) - ("..." in left))
    if more < 0 or more and "..." not in left:
        raise ValueError(
            f"Number of dimensions in pattern ({len(left)}) must be equal to the number of dimensions in the tensor ({tensor.dim()})"
        )
    sizes, place = dict(axes_lengths), 0
    split, order = [], []
    for part in left:
        if part == "...":
            for i in range(more):
                sizes[f"...{i}"] = tensor.shape[place + i]
                split.append(sizes[f"...{i}"])
                order.append(f"...{i}")
            place += more
            continue
        size = tensor.shape[place]
        place += 1
        if part == "1":
            if size != 1:
                raise ValueError(f"a dimension of size {size} stands where pattern {pattern!r} has 1")
            continue
        inside = [n for n in (part if isinstance(part, list) else [part]) if n != "1"]
        unknown = [n for n in inside if n not in sizes]
        known = math.prod(sizes[n] for n in inside if n in sizes)
        if len(unknown) > 1 or known == 0 or size % known or not unknown and known != size:
            raise DimensionBindError(_misfit(inside, unknown, sizes, size, names))
        if unknown:
            sizes[unknown[0]] = size // known
        split += [sizes[n] for n in inside]
        order += inside
    tensor = tensor.reshape(split)
    target, final = [], []
    for part in right:
        group = [f"...{i}" for i in range(more)] if part == "..." else part if isinstance(part, list) else [part]
        group = [n for g in group for n in ([f"...{i}" for i in range(more)] if g == "..." else [g]) if n != "1"]
        target += group
        final += [sizes[n] for n in group] if part == "..." else [math.prod(sizes[n] for n in group)]
    return tensor.permute([order.index(n) for n in target]).reshape(final)
