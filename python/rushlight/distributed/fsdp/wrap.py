"""Which modules within a module are wrapped: what they are asked by, and wrapping by hand."""

import contextlib
from abc import ABC, abstractmethod

from ...nn import ModuleDict, ModuleList, MultiheadAttention

__all__ = [
    "always_wrap_policy", "lambda_auto_wrap_policy", "transformer_auto_wrap_policy", "size_based_auto_wrap_policy", "enable_wrap", "wrap",
    "CustomPolicy", "ModuleWrapPolicy",
]


def always_wrap_policy(*args, **kwargs):
    """Every module."""
    return True


class _Policy(ABC):
    """Which modules are wrapped, and with which arguments."""

    @abstractmethod
    def _run_policy(self, root_module, ignored_modules, root_kwargs):
        """The arguments for each module within a module that is to be wrapped."""


def _module_wrap_policy(module, recurse, nonwrapped_numel, module_classes):
    """Modules of some classes."""
    return True if recurse else isinstance(module, tuple(module_classes))


def transformer_auto_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls):
    """Modules of some classes, those of a transformer's layers."""
    return _module_wrap_policy(module, recurse, nonwrapped_numel, transformer_layer_cls)


class ModuleWrapPolicy(_Policy):
    """Modules of some classes."""

    def __init__(self, module_classes):
        self._module_classes = set(module_classes)
        self._module_classes_str = str(self._module_classes)

    def _run_policy(self, root_module, ignored_modules, root_kwargs):
        classes = tuple(self._module_classes)
        return {
            module: dict(root_kwargs) for module in root_module.modules() if module not in ignored_modules and isinstance(module, classes)
        }

    def __call__(self, module, recurse, *args, **kwargs):
        return _module_wrap_policy(module, recurse, -1, self._module_classes)

    def __repr__(self):
        return f"{super().__repr__()}({self._module_classes_str})"


class CustomPolicy(_Policy):
    """Modules that a function says yes to, or gives arguments for."""

    def __init__(self, lambda_fn):
        self._lambda_fn = lambda_fn

    def _run_policy(self, root_module, ignored_modules, root_kwargs):
        found = {}
        for module in root_module.modules():
            if module in ignored_modules:
                continue
            answer = self._lambda_fn(module)
            if not isinstance(answer, (dict, bool)):
                raise ValueError(
                    f"The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, but it returned {answer}"
                )
            if answer:
                found[module] = {**root_kwargs, **(answer if isinstance(answer, dict) else {})}
        return found


def lambda_auto_wrap_policy(module, recurse, nonwrapped_numel, lambda_fn):
    """Modules that a function says yes to."""
    return True if recurse else lambda_fn(module)


def _or_policy(module, recurse, nonwrapped_numel, policies):
    """Modules that one of several policies takes."""
    return any(policy(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) for policy in policies)


def size_based_auto_wrap_policy(
    module, recurse, nonwrapped_numel, min_num_params=int(1e8), force_leaf_modules=None, exclude_wrap_modules=None
):
    """Modules with many numbers that are not wrapped yet.

    Args:
        recurse: whether the question is if the modules within are asked.
        nonwrapped_numel: the numbers of the module that are not wrapped.
        min_num_params: how many are many.
        force_leaf_modules: classes of modules within which nothing is wrapped.
        exclude_wrap_modules: classes of modules that are not wrapped themselves.
    """
    itself = size_based_auto_wrap_policy
    leaves = itself.FORCE_LEAF_MODULES if force_leaf_modules is None else force_leaf_modules
    excluded = itself.EXCLUDE_WRAP_MODULES if exclude_wrap_modules is None else exclude_wrap_modules
    return nonwrapped_numel >= min_num_params and not isinstance(module, tuple(leaves if recurse else excluded))


size_based_auto_wrap_policy.EXCLUDE_WRAP_MODULES = {ModuleList, ModuleDict}
size_based_auto_wrap_policy.FORCE_LEAF_MODULES = {MultiheadAttention}

# The class and the arguments of the block that is on.
_within = []


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls, **wrapper_kwargs):
    """Within, :func:`wrap` wraps modules into objects of a class."""
    if _within:
        raise NotImplementedError("You are already within an autowrap context and we currently do not supported nested autowrap.")
    _within.append((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        _within.clear()


def wrap(module, **wrap_overrides):
    """A module, wrapped within a block of :func:`enable_wrap`, and as it is elsewhere."""
    if not _within:
        return module
    wrapper, given = _within[0]
    return wrapper(module, **{**given, **wrap_overrides})
