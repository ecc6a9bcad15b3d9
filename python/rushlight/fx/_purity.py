"""Which calls have effects besides their result."""

import operator

import rushlight

from .._rushlight import Builtin

_side_effectful_functions = {rushlight._assert, operator.setitem}

# Operators that draw from a random stream.
_RANDOM = frozenset((
    "bernoulli", "dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout", "multinomial", "normal", "poisson",
    "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "rrelu", "binomial", "native_dropout",
))


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
    if impure_random and name in _RANDOM:
        return True
    return target.path.startswith("torch.ops.") and name.endswith("_") and not name.endswith("__")
