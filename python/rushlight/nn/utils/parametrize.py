"""Parameters that are computed from others: ``register_parametrization`` and what belongs to it.

A module with a parametrized tensor gets a class of its own, a subclass that has a property in the tensor's place; the
original tensors and the modules that compute from them live in ``module.parametrizations``.
"""

import contextlib
import copyreg

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]

# Values computed while `cached` is on, by module and name.
_cache = {}
_caching = 0


@contextlib.contextmanager
def cached():
    """Within, each parametrized tensor is computed once."""
    global _caching
    _caching += 1
    try:
        yield
    finally:
        _caching -= 1
        if not _caching:
            _cache.clear()


def _register(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _inverse(steps, value):
    """What the steps make the value from, as far as they say."""
    for step in reversed(steps):
        if hasattr(step, "right_inverse"):
            with contextlib.suppress(NotImplementedError):
                value = step.right_inverse(value)
    return value


class ParametrizationList(ModuleList):
    """The steps from the original tensors to a parametrized one."""

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        start = _inverse(list(modules), original.detach() if isinstance(original, Tensor) else original)
        self.is_tensor = isinstance(start, Tensor)
        if not self.is_tensor and not isinstance(start, (tuple, list)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{type(start).__name__}"
            )
        self.ntensors = 1 if self.is_tensor else len(start)
        for name, tensor in zip(self._names(), (start,) if self.is_tensor else start):
            if isinstance(original, Parameter):
                # The very object where nothing changed, so that optimizers keep knowing it.
                same = self.is_tensor and tensor.shape == original.shape and tensor.dtype == original.dtype
                if same:
                    original.data = tensor
                tensor = original if same else Parameter(tensor, original.requires_grad)
            _register(self, name, tensor)

    def _names(self):
        return ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]

    def right_inverse(self, value):
        """Sets the original tensors so that the steps make the value from them."""
        steps = list(self)
        for step in reversed(steps):
            if not hasattr(step, "right_inverse"):
                raise RuntimeError(f"parametrization {type(step).__name__} does not implement right_inverse.")
            value = step.right_inverse(value)
        for name, tensor in zip(self._names(), (value,) if self.is_tensor else value):
            getattr(self, name).data = tensor.detach()

    def forward(self) -> Tensor:
        if torch.jit.is_scripting():
            raise RuntimeError("Parametrization is not working with scripting.")
        first, *others = self
        value = first(*(getattr(self, name) for name in self._names()))
        for step in others:
            value = step(value)
        return value


def _computed(module, name):
    if not _caching:
        return module.parametrizations[name]()
    if torch.jit.is_tracing():
        raise RuntimeError("Cannot trace a model while caching parametrizations.")
    key = id(module), name
    if key not in _cache:
        _cache[key] = module.parametrizations[name]()
    return _cache[key]


def _own_class(module):
    """Gives a module a class of its own, where properties can be put."""
    base = type(module)

    def refuse(self):
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
            "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    def deep_copy(self, memo):
        import copy

        found = memo.get(id(self))
        if found is None:
            found = memo[id(self)] = copyreg.__newobj__(type(self))
            found.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return found

    made = type(f"Parametrized{base.__name__}", (base,), {"__getstate__": refuse, "__module__": "torch.nn.utils.parametrize"})
    if not hasattr(base, "__deepcopy__"):
        made.__deepcopy__ = deep_copy
    module.__class__ = made
    module.parametrizations = ModuleDict()


def _put_property(module, name):
    def get_parametrized(self) -> Tensor:
        if torch.jit.is_scripting():
            raise RuntimeError("Parametrization is not working with scripting.")
        return _computed(self, name)

    def set_original(self, value: Tensor) -> None:
        if torch.jit.is_scripting():
            raise RuntimeError("Parametrization is not working with scripting.")
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get_parametrized, set_original))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Makes a parameter or buffer the result of a module that is called on it."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        steps = module.parametrizations[tensor_name]
        if not unsafe:
            value = getattr(module, tensor_name)
            _check_step(parametrization, value)
        if hasattr(parametrization, "right_inverse"):
            steps.right_inverse(parametrization.right_inverse(getattr(module, tensor_name).detach()))
        steps.append(parametrization)
        steps.unsafe |= unsafe
        return module
    table = next((t for t in (module._parameters, module._buffers) if tensor_name in t), None)
    if table is None:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    original = table[tensor_name]
    if not unsafe and not hasattr(parametrization, "right_inverse"):
        _check_step(parametrization, original)
    steps = ParametrizationList([parametrization], original, unsafe=unsafe)
    del table[tensor_name]
    if not is_parametrized(module):
        _own_class(module)
    _put_property(module, tensor_name)
    module.parametrizations[tensor_name] = steps
    return module


def _check_step(step, value):
    """Refuses a step that gives something else than a tensor like the one that it is for."""
    result = step(value.detach())
    if not isinstance(result, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(result).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(result, what) != getattr(value, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is enabled."
                f"\nunparametrized {what}: {getattr(value, what)}\nparametrized {what}: {getattr(result, what)}"
            )


def is_parametrized(module, tensor_name=None):
    """Whether a module has parametrized tensors, or one of the name."""
    steps = module._modules.get("parametrizations")
    if steps is None or not isinstance(steps, ModuleDict):
        return False
    return len(steps) > 0 if tensor_name is None else tensor_name in steps


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Makes a tensor a plain one again: as computed, or as it was without its steps."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    steps = module.parametrizations[tensor_name]
    names = steps._names()
    if not leave_parametrized and len(names) > 1:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of tensors.")
    original = getattr(steps, names[0])
    value = getattr(module, tensor_name).detach() if leave_parametrized else None
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if value is not None and len(names) == 1:
        original.data = value
    elif value is not None:
        needs = any(getattr(steps, name).requires_grad for name in names)
        original = Parameter(value, needs) if isinstance(original, Parameter) else value
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The class of a module without regard to its parametrizations."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Gives a module the parametrizations of another, and the tensors behind them."""
    if not is_parametrized(from_module):
        return to_module
    if not isinstance(to_module, Module):
        raise TypeError("to_module must be a Module")
    names = [tensor_name] if tensor_name is not None else list(from_module.parametrizations)
    for name in names:
        steps = from_module.parametrizations[name]
        if name not in to_module._parameters and name not in to_module._buffers and not is_parametrized(to_module, name):
            _register(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        for step in steps:
            register_parametrization(to_module, name, step, unsafe=True)
        for own in steps._names():
            getattr(to_module.parametrizations[name], own).data = getattr(steps, own).data
    return to_module


publish(globals())
