"""Methods of tensors, modules and generators that older programs call, and those that name devices which are not here."""

from . import _rushlight
from ._type_names import SHORT_NAMES

Tensor, Generator = _rushlight.Tensor, _rushlight.Generator

# Python 2's names for what Python 3 calls otherwise.
_RENAMED = {
    "__div__": "__truediv__", "__idiv__": "__itruediv__", "__nonzero__": "__bool__",
    "__long__": "__int__",
}
_REINFORCE = """reinforce() was removed.
Use torch.distributions instead.
See https://pytorch.org/docs/main/distributions.html

Instead of:

probs = policy_network(state)
action = probs.multinomial()
next_state, reward = env.step(action)
action.reinforce(reward)
action.backward()

Use:

probs = policy_network(state)
# NOTE: categorical is equivalent to what used to be called multinomial
m = torch.distributions.Categorical(probs)
action = m.sample()
next_state, reward = env.step(action)
loss = -m.log_prob(action) * reward
loss.backward()
"""
# Devices that are not here: the error of a call, and what it says.
_DEVICES = {
    "xpu": (AssertionError, "Torch not compiled with XPU enabled"),
    "ipu": (RuntimeError, "PyTorch is not linked with support for ipu devices"),
    "mtia": (
        AssertionError,
        "Torch not compiled with MTIA enabled. Ensure you have `import mtia.host_runtime.torch_mtia.dynamic_library` in your "
        "python src file and include `//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!",
    ),
}


def _product(name):
    def method(self, *args, **kwargs):
        import rushlight

        if not self.is_sparse:
            raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")
        return getattr(rushlight, name)(self, *args, **kwargs)

    return _named(method, name, f"See ``torch.{name}``.")


def _divided(self, other):
    if not isinstance(other, (Tensor, int, float, complex)):
        return self.__rtruediv__(other)
    return self.reciprocal() * other


def _refusal(name, error, text):
    def method(self, *args, **kwargs):
        raise error(text)

    return _named(method, name, f"Refused: {text.splitlines()[0].split('. ')[0]}.")


def _named(method, name, doc):
    method.__name__ = method.__qualname__ = name
    method.__doc__ = doc
    return method


def device_methods():
    """Methods that would move what they are called on to a device that is not here, by their names."""
    return {name: _refusal(name, *refusal) for name, refusal in _DEVICES.items()}


def refuse_device(kind):
    """Refuses to move anything to a device that is not here."""
    error, text = _DEVICES.get(kind, (RuntimeError, f"PyTorch is not linked with support for {kind} devices"))
    raise error(text)


def resize(self, *sizes):
    """The elements in other sizes, which have as many."""
    return _resized(self, sizes, "resize")


def resize_as(self, tensor):
    """The elements in the sizes of another tensor, which has as many."""
    return _resized(self, tensor.size(), "resize_as")


def _resized(tensor, sizes, name):
    import math
    import warnings

    warnings.warn(f"non-inplace {name} is deprecated", stacklevel=3)
    count = math.prod(sizes) if all(isinstance(size, (int, float)) for size in sizes) else None
    if count == tensor.numel():
        return tensor.contiguous().view(*sizes)
    shown, own = ("x".join(map(str, each)) for each in (sizes, tensor.size()))
    raise RuntimeError(
        f"requested resize to {shown} ({shown if count is None else count} elements in total), but the given tensor has a size of "
        f"{own} ({tensor.numel()} elements). autograd's resize can only change the shape of a given tensor, while preserving the "
        "number of elements. "
    )


def _quiet_grad(self):
    return self.grad if self.is_leaf or self.retains_grad else None


def install():
    """Gives the classes these methods."""
    for old, name in _RENAMED.items():
        setattr(Tensor, old, getattr(Tensor, name))
    Tensor.__rdiv__ = _named(_divided, "__rdiv__", "``other / self``.")
    for name, method in {**device_methods(), "smm": _product("smm"), "sspaddmm": _product("sspaddmm")}.items():
        setattr(Tensor, name, method)
    Tensor.reinforce = _refusal("reinforce", RuntimeError, _REINFORCE)
    Tensor._grad_fn = property(lambda self: self.grad_fn, doc="The recorded call that made this tensor.")
    Tensor._grad = property(_quiet_grad, doc="The gradient, if there is one.")
    Tensor.resize, Tensor.resize_as = resize, resize_as
    for name in ("get_offset", "set_offset"):
        setattr(Generator, name, _refusal(name, RuntimeError, "CPU Generator does not use offset"))
    for name in ("graphsafe_get_state", "graphsafe_set_state"):
        setattr(Generator, name, _refusal(name, NotImplementedError, f"{name} is not supported in this Generator"))
    _rushlight.dtype.abbr = property(_abbreviation, doc="A short name: ``f32``.")


# Methods that are functions of Python in the reference, too, whose messages name them in full.
_OF_PYTHON = """
    backward index register_hook register_post_accumulate_grad_hook reinforce is_shared share_memory_ module_load norm cholesky solve lstsq eig
    qr symeig lu stft istft resize resize_as split unique unique_consecutive storage_type unflatten to_sparse_coo dim_order
""".split()


def name_in_full():
    """Gives the methods that are written in Python their full names."""
    for name in _OF_PYTHON:
        method = vars(Tensor).get(name)
        if hasattr(method, "__code__"):
            method.__qualname__ = f"Tensor.{name}"


def _abbreviation(dtype):
    return SHORT_NAMES.get(dtype.name, dtype.name)


install()
