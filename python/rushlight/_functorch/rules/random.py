"""Random operators: refused, the same for all samples or different, as the ``vmap`` that runs was told."""

from .. import _levels
from .._batched import Batched
from .._dispatch import RULES, VmapError
from ._common import Tensor, Unfit, batched_at, front, wrap

_ERROR = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on "
    "vmap or perform the randomness operation out of vmap"
)
_SAME_IN_PLACE = (
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
)
PLAIN = object()

# Those that make a tensor of sizes: where the sizes stand among their arguments.
_MAKERS = {"rand": 0, "randn": 0, "randint": None, "randperm": None, "normal": None}
_LIKE = ("rand_like", "randn_like", "randint_like")
_SAMPLERS = ("bernoulli", "poisson", "multinomial", "binomial", "_standard_gamma", "_sample_dirichlet", "normal")
_WRITERS = ("bernoulli_", "uniform_", "normal_", "exponential_", "random_", "cauchy_", "geometric_", "log_normal_")
_DROPOUTS = (
    "dropout", "dropout_", "alpha_dropout", "alpha_dropout_", "feature_dropout", "feature_dropout_", "feature_alpha_dropout",
    "feature_alpha_dropout_", "native_dropout", "rrelu", "rrelu_",
)
OPERATORS = frozenset("aten::" + name for name in (*_MAKERS, *_LIKE, *_SAMPLERS, *_WRITERS, *_DROPOUTS))


def _draws(name, args, kwargs):
    """Whether a call draws numbers: dropout that is switched off does not."""
    base = name[6:]
    if base in _DROPOUTS and base != "native_dropout":
        if base.startswith("rrelu"):
            training = kwargs.get("training", args[3] if len(args) > 3 else False)
        else:
            training = kwargs.get("train", kwargs.get("training", args[2] if len(args) > 2 else False))
            # Nothing is left to chance where nothing or everything is dropped.
            if kwargs.get("p", args[1] if len(args) > 1 else 0.5) in (0, 1):
                return False
        return bool(training)
    return True


def _sizes(name, args, kwargs):
    """The arguments of a maker with its sizes taken out: what makes the call again for given sizes."""
    args = list(args)
    if name in ("rand", "randn"):
        if "size" in kwargs:
            sizes, rest = kwargs["size"], {k: v for k, v in kwargs.items() if k != "size"}
        else:
            sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
            rest = kwargs
        return list(sizes), lambda call, whole: call(whole, **rest)
    if name == "randint":
        rest = {k: v for k, v in kwargs.items() if k not in ("low", "high", "size")}
        low, high, size = kwargs.get("low"), kwargs.get("high"), kwargs.get("size")
        numbers = [a for a in args if isinstance(a, int)]
        for a in args:
            if isinstance(a, (tuple, list)):
                size = a
        if len(numbers) == 2:
            low, high = numbers
        elif numbers:
            low, high = (low if low is not None else 0, numbers[0]) if high is None else (numbers[0], high)
        return list(size), lambda call, whole: call(low or 0, high, whole, **rest)
    if name == "normal":
        size = args[2] if len(args) > 2 else kwargs.get("size")
        if size is None:
            raise Unfit
        rest = {k: v for k, v in kwargs.items() if k != "size"}
        return list(size), lambda call, whole: call(args[0], args[1], whole, **rest)
    raise Unfit


def _innermost(levels):
    return levels[-1] if levels else None


def unbatched(name, call, args, kwargs):
    """A random operator without batched arguments: :data:`PLAIN` where it is called as it is."""
    level = _innermost([level for level in _levels.current() if level.randomness is not None])
    if level is None or not _draws(name, args, kwargs):
        return PLAIN
    if level.randomness == "error":
        raise VmapError(_ERROR)
    base = name[6:]
    if level.randomness == "same":
        # What is the same for all samples of this level may differ among those of levels around it.
        return _around(level, lambda: unbatched(name, call, args, kwargs), lambda: call(*args, **kwargs))
    if base in _WRITERS or base.endswith("_"):
        raise VmapError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If this "
            "is necessary for your usage, please file an issue with functorch."
        )
    if base in _MAKERS and not any(isinstance(a, Tensor) for a in args):
        try:
            sizes, again = _sizes(base, args, kwargs)
        except Unfit:
            return _separately(level, call, args, kwargs)
        return _around(level, lambda: Batched(again(call, [level.batch_size, *sizes]), 0, level))
    if base in _LIKE or base == "bernoulli" or base in _DROPOUTS:
        tensor = args[0].unsqueeze(0).expand(level.batch_size, *args[0].shape)
        return _around(level, lambda: Batched(call(tensor, *args[1:], **kwargs), 0, level))
    return _separately(level, call, args, kwargs)


def _separately(level, call, args, kwargs):
    from .._dispatch import stack_results

    def all_samples():
        return stack_results([call(*args, **kwargs) for _ in range(level.batch_size)], level)

    return _around(level, all_samples)


def _around(level, make, _=None):
    """Makes a call as the levels around this one see it."""
    stack = _levels.current()
    place = stack.index(level)
    inner = stack[place:]
    del stack[place:]
    try:
        return make()
    finally:
        stack.extend(inner)


def _random_rule(name):
    plain = RULES.get("aten::" + name)

    def rule_of(level, call, args, kwargs):
        full = "aten::" + name
        if name == "normal" and not _draws(full, args, kwargs):
            raise Unfit
        if not _draws(full, args, kwargs):
            return wrap(call(front(args[0]), *args[1:], **kwargs), level) if plain is None else plain(level, call, args, kwargs)
        if level.randomness == "error":
            raise VmapError(_ERROR)
        first = args[0] if args else next(iter(kwargs.values()))
        if level.randomness == "same":
            return _same(level, name, call, args, kwargs)
        if name.endswith("_") and not batched_at(first, level):
            raise VmapError(
                "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If "
                "this is necessary for your usage, please file an issue with functorch."
            )
        if any(isinstance(a, Tensor) for a in [*args[1:], *kwargs.values()]):
            raise Unfit
        if name == "multinomial":
            if first.dim() == 1:
                return _around(level, lambda: wrap(call(front(first), *args[1:], **kwargs), level))
            rows = front(first)
            drawn = _around(level, lambda: call(rows.flatten(0, 1), *args[1:], **kwargs))
            return wrap(drawn.unflatten(0, rows.shape[:2]), level)
        if name.startswith("feature"):
            value = front(first)
            result = _around(level, lambda: call(value.flatten(0, 1), *args[1:], **kwargs))
            if name.endswith("_"):
                return first
            return wrap(result.reshape(value.shape), level)
        result = _around(level, lambda: call(front(first), *args[1:], **kwargs))
        return first if name.endswith("_") else wrap(result, level)

    RULES["aten::" + name] = rule_of


def _same(level, name, call, args, kwargs):
    """One draw for all samples."""
    import rushlight as torch

    first = args[0]
    if name in _WRITERS and batched_at(first, level) and not any(isinstance(a, Tensor) for a in args[1:]):
        drawn = _around(level, lambda: call(torch.zeros(first.shape, dtype=first.dtype), *args[1:], **kwargs))
        return first.copy_(drawn)
    if name in _LIKE:
        stand = first.value.detach().select(first.bdim, 0)
        return _around(level, lambda: call(stand, *args[1:], **kwargs))
    if name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"):
        probability = args[1] if len(args) > 1 else kwargs["p"]
        alpha = "alpha" in name
        stand = (torch.zeros if alpha else torch.ones)(first.shape, dtype=first.dtype)
        drawn = _around(level, lambda: call(stand, probability, True))
        if not alpha:
            return first * drawn
        # What is kept is scaled; all is moved, by more where nothing is kept.
        square = 1.7580993408473766**2
        return first * ((drawn > 0) * ((square * probability + 1) * (1 - probability)) ** -0.5) + drawn
    raise VmapError(_SAME_IN_PLACE)


for _name in (*_LIKE, *_SAMPLERS, *_WRITERS, *_DROPOUTS):
    _random_rule(_name)
