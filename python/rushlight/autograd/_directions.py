"""``jvp`` of a ``torch.autograd.Function``, where directions are followed.

Directions are found by running backwards twice, so what a Function needs there is to run backwards: that is its ``jvp`` turned
around. ``jvp`` is linear in the directions of the arguments, so differentiating it by them gives the gradients of the arguments.
"""

import sys

from .. import _rushlight

Tensor = _rushlight.Tensor
_PACKAGE = __name__.removesuffix(".autograd._directions")


def has_direction(tensor):
    """Whether a tensor carries a direction: of a dual level, or of the innermost transform."""
    dual = sys.modules.get(_PACKAGE + ".autograd.forward_ad")
    if dual is not None and dual.is_on() and dual.direction(tensor) is not None:
        return True
    levels = sys.modules.get(_PACKAGE + "._functorch._levels")
    if levels is None:
        return False
    inner = [level for level in levels.current() if level.kind not in ("vmap", "directions")]
    if not inner or inner[-1].kind not in ("jvp", "jacfwd") or inner[-1].watched is None:
        return False
    return _depends(tensor, inner[-1].watched.plain)


def _depends(tensor, sources):
    """Whether the record of a tensor leads to any of these."""
    if any(tensor is s or tensor._same(s) for s in sources):
        return True
    before = _rushlight.set_grad_enabled(True)
    try:
        ends = {s.view_as(s).grad_fn.next_functions[0][0] for s in sources}
        seen, waiting = set(), [tensor.view_as(tensor).grad_fn]
        while waiting:
            node = waiting.pop()
            if node in ends:
                return True
            if node not in seen:
                seen.add(node)
                waiting.extend(n for n, _ in node.next_functions if n is not None)
        return False
    finally:
        _rushlight.set_grad_enabled(before)


def _directed(value):
    return isinstance(value, Tensor) and (value.is_floating_point() or value.is_complex())


def turned(cls, ctx, args, results, grads):
    """The gradients of the arguments from those of the results, by ``jvp``."""
    create = _rushlight.is_grad_enabled()
    _rushlight.set_grad_enabled(True)
    ctx.in_jvp = True
    try:
        sources = [a.detach().new_zeros(a.shape).requires_grad_() if _directed(a) and a.requires_grad else None for a in args]
        given = []
        for argument, source in zip(args, sources):
            if source is not None:
                given.append(source.clone())
            else:
                given.append(argument.detach().new_zeros(argument.shape) if _directed(argument) and ctx.materialize else None)
        found = cls.jvp(ctx, *given)
        found = found if isinstance(found, tuple) else (found,)
        _check(cls, results, found)
        known = [
            (f, g) for f, g in zip(found, grads) if isinstance(f, Tensor) and f.requires_grad and g is not None
        ]
        if not known:
            return tuple(None for _ in args)
        wanted = [s for s in sources if s is not None]
        gradients = iter(_rushlight.run_gradients(
            [f for f, _ in known], [g for _, g in known], wanted, accumulate=False, retain=True, create_graph=create, allow_unused=True,
        ))
        return tuple(None if s is None else next(gradients) for s in sources)
    finally:
        ctx.in_jvp = False
        _rushlight.set_grad_enabled(create)


def _check(cls, results, found):
    if len(found) != len(results):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(results)} but got {len(found)})"
        )
    for result, direction in zip(results, found):
        if not isinstance(result, Tensor) or direction is None:
            continue
        if not isinstance(direction, Tensor):
            raise RuntimeError(f"{cls.__name__}.jvp: expected a tensor or None for each result, got {type(direction).__name__}")
        if result.shape != direction.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
                f"Tensor is of size {list(result.shape)} while the given forward gradient is of size {list(direction.shape)}."
            )
