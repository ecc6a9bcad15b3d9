"""Small helpers that programs import."""

from . import deterministic, dlpack, hooks  # noqa: F401

# Modules that are loaded when they are first asked for.
_LAZY = frozenset((
    "_contextlib", "_python_dispatch", "_pytree", "_triton", "backcompat", "benchmark", "bundled_inputs", "checkpoint", "collect_env",
    "cpp_extension", "data", "flop_counter", "mobile_optimizer", "model_zoo", "module_tracker",
    "throughput_benchmark", "weak",
))


def __getattr__(name):
    if name in _LAZY:
        from importlib import import_module

        return import_module("." + name, __package__)
    if name == "swap_tensors":
        from .._tensor_questions import swap_tensors

        return swap_tensors
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_LAZY, "swap_tensors"})
