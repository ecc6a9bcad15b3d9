"""Modes that see every call, and what can be asked about overriding."""

import torch
from torch.overrides import TorchFunctionMode, handle_torch_function, has_torch_function, is_tensor_like, resolve_name


class Log(TorchFunctionMode):
    def __init__(self, name):
        self.name = name

    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(self.name, resolve_name(func), len(args), kwargs or {})
        return func(*args, **(kwargs or {}))


class Doubles(TorchFunctionMode):
    """Tensors that are made without a dtype have doubles."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func in (torch.ones, torch.zeros, torch.tensor):
            kwargs.setdefault("dtype", torch.float64)
        return func(*args, **kwargs)


class Sevens(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return 7 if func is torch.add else func(*args, **(kwargs or {}))


class Nothing(TorchFunctionMode):
    def __repr__(self):
        return "<Nothing>"

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NotImplemented


class Sub(torch.Tensor):
    pass


t = torch.ones(2)
with Log("one"):
    torch.ones(2)
    torch.tensor([1.0])
    torch.rand(2, dtype=torch.float64)
    torch.zeros_like(t)
    torch.arange(3)
    t + 1
    t.sum()
    t[0]
    t.shape
    t.add_(1)
    torch.nn.functional.relu(t)
    torch.nn.functional.linear(t, torch.ones(1, 2))
    print(type(t.as_subclass(Sub) + 1).__name__)
    with Log("two") as inner:
        print(inner.name)
        torch.mul(t, 2)
    with torch._C.DisableTorchFunction():
        t + 1
    with torch._C.DisableTorchFunctionSubclass():
        print(type(t.as_subclass(Sub) + 1).__name__)
t + 1
with Doubles():
    print(torch.ones(2).dtype, torch.tensor(1.0).dtype, torch.zeros(1, dtype=torch.float32).dtype)
print(torch.ones(2).dtype, torch.tensor(1.0).dtype)
with Sevens():
    print(torch.add(t, t), torch.sub(t, t))
print(torch.add(t, t))
for call in (lambda: torch.add(t, 1), lambda: t + 1, lambda: torch.nn.functional.relu(t)):
    try:
        with Nothing():
            call()
    except TypeError as error:
        print(error)
try:
    with Log("error"):
        torch.ones(2) @ torch.ones(3)
except RuntimeError:
    print(torch._C._len_torch_function_stack())
print(torch._C._is_torch_function_enabled(), torch._C._is_torch_function_mode_enabled())


class Like:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, args[1:], kwargs


class Never:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def public(input, other=2):
    if has_torch_function((input,)):
        return handle_torch_function(public, (input,), input, other=other)
    return input + other


print(public(1), public(Like()), public(t))
for call in (lambda: public(Never()), lambda: handle_torch_function(torch.add, (Never(),), Never(), 1)):
    try:
        call()
    except TypeError as error:
        print(error)
print([is_tensor_like(each) for each in (t, Like(), 1, Sub([1.0]))])
print([has_torch_function((each,)) for each in (t, Like(), 1, Sub([1.0]), torch.nn.Parameter(t))])
for function in (
    torch.add, torch.Tensor.add, torch.Tensor.__getitem__, torch.nn.functional.relu, torch.nn.functional.linear, torch.Tensor.shape.__get__,
    torch.linalg.norm, torch.split, torch.norm, torch.fft.fft, torch.einsum, torch.Tensor.T.__get__, print,
):  # fmt: skip
    print(resolve_name(function), torch.overrides.is_tensor_method_or_property(function))
wrapped = torch.overrides.wrap_torch_function(lambda x: (x,))(lambda x: ("plain", x))
print(wrapped(1), wrapped(Like()))
functions = torch.overrides.get_overridable_functions()
print(torch.add in functions[torch], torch.nn.functional.relu in functions[torch.nn.functional], torch.Tensor.add in functions[torch.Tensor])
print(torch.ones in torch.overrides.get_ignored_functions(), torch.add in torch.overrides.get_ignored_functions())
print(torch.add in torch.overrides.get_testing_overrides())
print(torch.Tensor.grad.__get__ in torch.overrides.get_default_nowrap_functions())
