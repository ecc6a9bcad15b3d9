"""Objects that are no tensors and bring operators of their own."""

import torch

HANDLED = {}


def implements(function):
    def keep(own):
        HANDLED[function] = own
        return own

    return keep


class Scaled:
    """A number times the identity."""

    def __init__(self, size, value):
        self.size, self.value = size, value

    def __repr__(self):
        return f"Scaled({self.size}, {self.value})"

    def dense(self):
        return self.value * torch.eye(self.size)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLED or not all(issubclass(kind, (torch.Tensor, Scaled)) for kind in types):
            return NotImplemented
        return HANDLED[func](*args, **(kwargs or {}))


def dense(value):
    return value.dense() if isinstance(value, Scaled) else value


@implements(torch.mean)
def mean(input):
    return float(input.value) / input.size


@implements(torch.add)
def add(input, other):
    if isinstance(input, Scaled) and isinstance(other, Scaled):
        return Scaled(input.size, input.value + other.value)
    return torch.add(dense(input), dense(other))


@implements(torch.Tensor.add)
def add_to(input, other):
    return dense(input) + dense(other)


@implements(torch.nn.functional.relu)
def relu(input, inplace=False):
    return Scaled(input.size, max(input.value, 0))


@implements(torch.cat)
def cat(tensors, dim=0):
    return torch.cat([dense(each) for each in tensors], dim)


@implements(torch.nn.functional.linear)
def linear(input, weight, bias=None):
    return torch.nn.functional.linear(dense(input), weight, bias)


def shown(label, call):
    try:
        print(label, call())
    except Exception as error:
        print(label, type(error).__name__, error)


one, two = Scaled(2, 3), Scaled(2, -1)
shown("mean", lambda: torch.mean(one))
shown("add", lambda: torch.add(one, two))
shown("add mixed", lambda: torch.add(one, torch.ones(2, 2)))
shown("sign", lambda: torch.ones(2, 2) + one)
shown("relu", lambda: torch.nn.functional.relu(two))
shown("module", lambda: torch.nn.ReLU()(one))
shown("cat", lambda: torch.cat([one, two]))
shown("cat dim", lambda: torch.cat((one, torch.zeros(2, 1)), dim=1))
shown("linear", lambda: torch.nn.functional.linear(one, torch.ones(1, 2)))
shown("not there", lambda: torch.mul(one, 2))
shown("not there, of Python", lambda: torch.nn.functional.softmax(one, dim=0))
shown("sign not there", lambda: torch.ones(2, 2) - one)


class Asked:
    """Tells that it is asked."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("  asked", cls.__name__, func.__name__, [kind.__name__ for kind in types], len(args), kwargs)
        return NotImplemented


class Closer(Asked):
    pass


class Beside:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print("  asked", cls.__name__, func.__name__, [kind.__name__ for kind in types], len(args), kwargs)
        return f"answer of {cls.__name__}"


asked, closer, beside, plain = Asked(), Closer(), Beside(), torch.ones(2)
shown("subclass first", lambda: torch.add(asked, closer))
shown("left to right", lambda: torch.add(asked, beside))
shown("in a list", lambda: torch.stack([plain, beside, closer]))
shown("by name", lambda: torch.sum(beside, dim=0, keepdim=True))
shown("method", lambda: plain.add(beside, alpha=2))
shown("index", lambda: plain[beside])
shown("comparison", lambda: plain < beside)
shown("keywords", lambda: torch.nn.functional.dropout(beside, 0.25))
shown("norm", lambda: torch.norm(beside))
shown("split", lambda: torch.split(beside, 2))
shown("linalg", lambda: torch.linalg.norm(asked))
shown("special", lambda: torch.special.expit(beside))
shown("equal", lambda: plain == asked)


class Off:
    __torch_function__ = torch._C._disabled_torch_function_impl


shown("off", lambda: torch.overrides.has_torch_function((Off(), plain, 1)))
