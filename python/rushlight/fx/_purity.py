"""Which calls have effects besides their result."""

import operator

import rushlight

from .._rushlight import Builtin

_side_effectful_functions = {rushlight._assert, operator.setitem}

# Functions that draw from the random stream: their calls stay, since the numbers of later calls depend on them.
_DRAWING = frozenset((
    "bernoulli", "multinomial", "normal", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like",
    "randperm",
))
# Operators of `torch.ops` that do, besides.
_DRAWING_OPERATORS = _DRAWING | {
    "alpha_dropout", "cauchy", "dropout", "exponential", "geometric", "gru", "log_normal", "lstm", "native_dropout",
    "normal_functional", "rnn_relu", "rnn_tanh", "uniform", "_fused_dropout", "_standard_gamma",
}


def has_side_effect(fn):
    """Marks a function as one whose calls stay in graphs even where nobody uses the result; returns it."""
    _side_effectful_functions.add(fn)
    return fn


def is_impure(node, impure_random=True):
    """Whether a node stays where nobody uses it."""
    if node.op in ("placeholder", "output"):
        return True
    if node.op == "call_function":
        try:
            if node.target in _side_effectful_functions:
                return True
        except TypeError:
            pass  # a callable without a hash
        return _function_is_impure(node.target, impure_random)
    if node.op == "call_module":
        module = node.graph.owning_module
        assert module is not None, "self.graph.owning_module not set for purity check"
        called = module.get_submodule(node.target)
        assert called is not None, f"Did not find expected submodule target {node.target}"
        return getattr(called, "_is_impure", False)
    return False


def _function_is_impure(target, impure_random):
    if not isinstance(target, Builtin):
        return False
    name = target.__name__
    if not target.path.startswith("torch.ops."):
        return name in _DRAWING
    changes_argument = name.endswith("_") and not name.endswith("__")
    return changes_argument or (impure_random and name in _DRAWING_OPERATORS)
