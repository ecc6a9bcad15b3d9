"""``torch.autograd.Function`` inside transforms."""

import collections

from ..autograd.function import Function, FunctionCtx
from . import _levels
from ._batched import Batched, batched_at, highest
from ._interpose import interposed

VmapInfo = collections.namedtuple("VmapInfo", ["batch_size", "randomness"])

_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def apply(cls, args, kwargs):
    """Calls a function that defines its own differentiation while a transform runs."""
    if cls.setup_context is Function.setup_context:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
            "setup_context staticmethod. " + _MORE
        )
    level = highest(args)
    if level is None:
        return cls._call(FunctionCtx(), args, kwargs)
    own_rule = cls.vmap is not Function.vmap
    if cls.generate_vmap_rule and own_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. "
            "Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. " + _MORE
        )
    if not cls.generate_vmap_rule and not own_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and implement the vmap "
            "staticmethod or set generate_vmap_rule=True. " + _MORE
        )
    values = [a.value if batched_at(a, level) else a for a in args]
    dims = tuple(a.bdim if batched_at(a, level) else None for a in args)
    if own_rule:
        return _by_rule(cls, level, values, dims)
    made = _for_all_samples(cls, level, dims)
    result = made.apply(*values, **kwargs)
    return _wrapped(result, made.out_dims, level)


def _wrapped(results, dims, level):
    if not isinstance(results, tuple):
        return results if dims is None else Batched(results, dims, level)
    dims = dims if isinstance(dims, (tuple, list)) else (dims,) * len(results)
    return tuple(r if d is None else Batched(r, d, level) for r, d in zip(results, dims))


def _by_rule(cls, level, values, dims):
    stack = _levels.current()
    place = stack.index(level)
    inner = stack[place:]
    del stack[place:]
    try:
        found = cls.vmap(VmapInfo(level.batch_size, level.randomness), dims, *values)
    finally:
        stack.extend(inner)
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with the "
            f"output. Got a {type(found)} instead"
        )
    return _wrapped(*found, level)


def _place(obj, level):
    """Puts batched tensors that were kept into a level that runs now."""
    if type(obj) is Batched:
        obj.level = level
    elif isinstance(obj, (tuple, list)):
        for part in obj:
            _place(part, level)


def _for_all_samples(cls, level, in_dims):
    """The function of all samples: forward and backward each run under a vmap of their own."""
    size, randomness = level.batch_size, level.randomness

    class Mapped(Function):
        out_dims = None

        @staticmethod
        def forward(*values, **kwargs):
            with interposed(), _levels.entered("vmap", size, randomness) as inner:
                result = cls.forward(*_given(values, inner), **kwargs)
                found = [r.value if batched_at(r, inner) else r for r in _listed(result)]
                dims = tuple(r.bdim if batched_at(r, inner) else None for r in _listed(result))
            Mapped.out_dims = dims if isinstance(result, tuple) else dims[0]
            return tuple(found) if isinstance(result, tuple) else found[0]

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.kept = FunctionCtx()
            ctx.kept.needs_input_grad = ctx.needs_input_grad
            with interposed(), _levels.entered("vmap", size, randomness) as inner:
                cls.setup_context(ctx.kept, tuple(_given(inputs, inner)), _wrapped(output, Mapped.out_dims, inner))
            ctx.set_materialize_grads(ctx.kept.materialize)

        @staticmethod
        def backward(ctx, *gradients):
            dims = Mapped.out_dims if isinstance(Mapped.out_dims, tuple) else (Mapped.out_dims,)
            with interposed(), _levels.entered("vmap", size, randomness) as inner:
                for kept in vars(ctx.kept).values():
                    _place(kept, inner)
                given = [g if d is None or g is None else Batched(g, d, inner) for g, d in zip(gradients, dims)]
                found = cls.backward(ctx.kept, *given)
                found = found if isinstance(found, tuple) else (found,)
                return tuple(_gradient(g, d, inner) for g, d in zip(found, in_dims))

    if cls.jvp is not Function.jvp:

        def jvp(ctx, *directions):
            with interposed(), _levels.entered("vmap", size, randomness) as inner:
                for kept in vars(ctx.kept).values():
                    _place(kept, inner)
                ctx.kept.in_jvp = True
                try:
                    given = [d if dim is None or d is None else Batched(d, dim, inner) for d, dim in zip(directions, in_dims)]
                    found = cls.jvp(ctx.kept, *given)
                finally:
                    ctx.kept.in_jvp = False
                dims = Mapped.out_dims if isinstance(Mapped.out_dims, tuple) else (Mapped.out_dims,)
                rows = tuple(d if d is None else _gradient(d, dim, inner) for d, dim in zip(_listed(found), dims))
            return rows if isinstance(found, tuple) else rows[0]

        Mapped.jvp = staticmethod(jvp)

    def _given(values, inner):
        return [v if d is None else Batched(v, d, inner) for v, d in zip(values, in_dims)]

    Mapped.__name__ = "Vmapped" + cls.__name__
    return Mapped


def _listed(result):
    return result if isinstance(result, tuple) else (result,)


def _gradient(gradient, dim, level):
    """The gradient of an argument: of one that is the same for all samples, their sum."""
    if gradient is None:
        return None
    if not batched_at(gradient, level):
        return gradient if dim is None else gradient.unsqueeze(dim).expand(
            *gradient.shape[:dim], level.batch_size, *gradient.shape[dim:]
        )
    if dim is None:
        return gradient.value.sum(gradient.bdim)
    return gradient.value.movedim(gradient.bdim, dim)
