"""``torch.func.rearrange``: dimensions named by a pattern, ``"b (h w) -> b h w"``."""

import math
import re

import rushlight as torch


def _parsed(text, pattern):
    """One side of a pattern: names, lists of names that stand in brackets, and ``...``."""
    tokens = re.findall(r"\.\.\.|\(|\)|[^\s().]+", text)
    found, group = [], None
    for token in tokens:
        if token == "(":
            if group is not None:
                raise ValueError(f"brackets inside brackets are not supported in pattern {pattern!r}")
            group = []
            found.append(group)
        elif token == ")":
            if group is None:
                raise ValueError(f"brackets are not balanced in pattern {pattern!r}")
            group = None
        elif group is not None:
            group.append(token)
        else:
            found.append(token)
    if group is not None:
        raise ValueError(f"brackets are not balanced in pattern {pattern!r}")
    return found


def _names(side):
    return [n for part in side for n in (part if isinstance(part, list) else [part]) if n != "1"]


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
    left_text, arrow, right_text = pattern.partition("->")
    if not arrow:
        raise ValueError(f"pattern {pattern!r} has no '->'")
    left, right = _parsed(left_text, pattern), _parsed(right_text, pattern)
    names = _names(left)
    if sorted(names) != sorted(_names(right)) or len(set(names)) != len(names):
        raise ValueError(f"the sides of pattern {pattern!r} name different dimensions")
    more = tensor.dim() - (len(left) - ("..." in left))
    if more < 0 or more and "..." not in left:
        raise ValueError(f"pattern {pattern!r} does not fit a tensor of {tensor.dim()} dimensions")
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
            raise ValueError(f"a dimension of size {size} cannot be split into {inside} of pattern {pattern!r}")
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
