"""What an operator does with batched tensors: a rule where there is one for it, else sample by sample.

A rule takes the level, a function that calls the operator, and the arguments; what it gives is the result for the samples.
Rules make one call for all samples. An operator without a rule is called once for each sample and the results are stacked:
exact, but as slow as a loop. So is one whose rule does not cover the call or fails.
"""

from .. import _rushlight
from ._announced import announce
from ._batched import Batched, batched_at, front, highest, sample, wrap

Tensor = _rushlight.Tensor

RULES = {}

# For tests: a rule that fails where the samples one by one do not is an error.
strict = [False]


class Unfit(Exception):
    """A rule does not cover a call: it is made sample by sample."""


class VmapError(RuntimeError):
    """What cannot be done for samples, however it is tried. Programs see a ``RuntimeError``."""


VmapError.__name__ = VmapError.__qualname__ = "RuntimeError"
VmapError.__module__ = "builtins"

# Operators in place that name themselves in the error, and those whose error speaks of sizes; arithmetic has words of its own, and
# the rest goes by its full name.
_NAMED = ("fill_", "index_add_", "index_fill_", "scatter_add_", "index_put_")
_ARITHMETIC = (
    "sub_", "subtract_", "mul_", "multiply_", "div_", "divide_", "true_divide_", "masked_fill_", "logical_and_", "logical_or_",
    "logical_xor_", "clamp_min_", "clamp_max_", "copy_", "__isub__", "__imul__", "__itruediv__", "__setitem__",
)
_SUMS = (
    "add_", "__iadd__", "bitwise_and_", "bitwise_or_", "bitwise_xor_", "__iand__", "__ior__", "__ixor__", "atan2_", "arctan2_", "copysign_",
)


def refuse_to_write(name, args):
    """The error of a write of samples to what is the same for all of them."""
    base = name[6:] if name.startswith("aten::") else name
    if base in _SUMS and isinstance(args[1], Tensor):
        import rushlight

        target, level = args[0], highest(args)
        try:
            whole = [level.batch_size, *rushlight.broadcast_shapes(target.shape, args[1].shape)]
        except RuntimeError:
            whole = None
        if whole is not None:
            raise VmapError(f"output with shape {[*target.shape]} doesn't match the broadcast shape {whole}")
    where = "in a vmap"
    if base == "__setitem__" and any(isinstance(i, Tensor) for i in (args[1] if isinstance(args[1], tuple) else (args[1],))):
        what = "index_put_"
    elif base in _ARITHMETIC or base in _SUMS:
        what = "inplace arithmetic"
    elif base in _NAMED:
        what = base
    else:
        what, where = name, f"at level {highest(args).number if highest(args) else 1}"
    raise VmapError(
        f"vmap: {what}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more elements "
        "than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over "
        f"{where}. Please try to use out-of-place operators instead of {what}. If said operator is being called inside the PyTorch "
        "framework, please file a bug report instead."
    )


_ESCAPED = (
    "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
    "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in `gen_vmap_plumbing` "
    "Please file an issue if it looks like the latter"
)


def rule(*names):
    """Makes a function the rule of operators: ``rule("sum", "mean")``."""

    def add(function):
        for name in names:
            RULES["aten::" + name] = function
        return function

    return add


def is_in_place(name):
    """Whether an operator writes its first argument: ``aten::add_``."""
    return name.endswith("_") and not name.endswith("__") or name.startswith("aten::__i") and name != "aten::__is__"


def dispatch(name, call, args, kwargs):
    """Calls an operator by name of which some arguments are batched."""
    level = highest(args)
    if kwargs:
        level = highest(kwargs.values(), level)
    if not level.alive:
        raise RuntimeError(_ESCAPED)
    if kwargs and kwargs.get("out") is not None:
        overload = name if name.endswith("_out") else name + ".out"
        raise RuntimeError(f"Batching rule not implemented for {overload}; the fallback path doesn't work on out= or view ops.")
    if (is_in_place(name) or name == "aten::__setitem__") and not (args and batched_at(args[0], level)):
        refuse_to_write(name, args)
    announce(name, args, kwargs)
    found = RULES.get(name)
    failure = None
    if found is not None:
        try:
            return found(level, call, args, kwargs)
        except VmapError:
            raise
        except Unfit:
            pass
        except Exception as error:
            failure = error
    if failure is None:
        return one_by_one(level, name, call, args, kwargs)
    try:
        result = one_by_one(level, name, call, args, kwargs)
    except VmapError:
        raise
    except Exception:
        # Neither way: the error of the call for all samples is what the reference shows.
        raise failure from None
    if strict[0]:
        raise AssertionError(f"the rule of {name} fails: {failure!r}") from failure
    return result


def _of_sample(obj, level, index):
    if type(obj) is Batched:
        return sample(obj, index) if obj.level is level else obj
    if type(obj) in (tuple, list):
        return type(obj)([_of_sample(part, level, index) for part in obj])
    return obj


def stack_results(results, level):
    """The results of the samples as one: tensors are stacked; what is no tensor must be the same for all."""
    first = results[0]
    if isinstance(first, Tensor):
        return Batched(_stack(results), 0, level)
    if isinstance(first, (tuple, list)):
        parts = [stack_results(list(column), level) for column in zip(*results)]
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    return first


def _stack(tensors):
    import rushlight

    return rushlight.stack(tensors)


def one_by_one(level, name, call, args, kwargs):
    """Calls an operator once for each sample."""
    written = is_in_place(name)
    if level.batch_size == 0:
        raise RuntimeError("The fallback path does not support vmap over dims of size 0. " + f"Attempted to call {name}.")
    results = []
    for index in range(level.batch_size):
        given = [_of_sample(arg, level, index) for arg in args]
        named = {key: _of_sample(value, level, index) for key, value in kwargs.items()}
        results.append(call(*given, **named))
    if written:
        return args[0]
    return stack_results(results, level)


__all__ = ["RULES", "Unfit", "VmapError", "dispatch", "front", "one_by_one", "rule", "wrap"]
