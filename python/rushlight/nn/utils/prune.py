"""``torch.nn.utils.prune``: parameters of which some elements are zero, by masks that can be taken away again."""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable

from ... import cat, norm, ones_like, rand, rand_like, topk, zeros_like

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]


class BasePruningMethod(ABC):
    """A way to choose which elements are zero; subclasses say how with :meth:`compute_mask`."""

    _tensor_name: str

    def __call__(self, module, inputs):
        """Before each forward, the parameter is made of its values and its mask."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """The mask for a tensor that has one already."""

    def apply_mask(self, module):
        """The values with zeros where the mask has them."""
        assert self._tensor_name is not None, f"Module {module} has to be pruned"
        mask = getattr(module, self._tensor_name + "_mask")
        values = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=values.dtype) * values

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Gives a parameter of a module a mask, or another one besides those that it has."""
        earlier = _hook(module, name)
        if earlier is not None:
            del module._forward_pre_hooks[earlier[0]]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if earlier is not None:
            hook = earlier[1]
            container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
            container.add_pruning_method(method)
            method = container
        values = getattr(module, name)
        if importance_scores is None:
            importance_scores = values
        else:
            assert importance_scores.shape == values.shape, (
                f"importance_scores should have the same shape as parameter                 {name} of {module}"
            )
        if earlier is None:
            original = module._parameters[name]
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            default_mask = ones_like(original)
        else:
            original = getattr(module, name + "_orig")
            default_mask = getattr(module, name + "_mask").detach().clone()
        try:
            mask = method.compute_mask(importance_scores, default_mask=default_mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if earlier is None:
                del module._parameters[name + "_orig"]
                module.register_parameter(name, original)
            raise
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """A tensor with some of its elements zero."""
        scores = t if importance_scores is None else importance_scores
        assert scores.shape == t.shape, "importance_scores should have the same shape as tensor t"
        mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=mask)

    def remove(self, module):
        """Makes the zeros part of the parameter and takes the mask away."""
        name = self._tensor_name
        assert name is not None, f"Module {module} has to be pruned            before pruning can be removed"
        values = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = values.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


def _hook(module, name):
    """The number and the method of a parameter's mask."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            return number, hook
    return None


class PruningContainer(BasePruningMethod):
    """Several methods for one parameter, each for what the earlier ones have left."""

    def __init__(self, *args):
        self._pruning_methods = ()
        if not isinstance(args, Iterable) or len(args) == 1:
            self._tensor_name = args[0]._tensor_name
            self.add_pruning_method(args[0])
        else:
            for method in args:
                self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Adds a method for the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to PruningContainer "
                f"{self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        """The mask of the last method, for what the others have left."""
        method, mask = self._pruning_methods[-1], default_mask.clone()
        kind = method.PRUNING_TYPE
        if kind == "unstructured":
            part = mask == 1
        elif kind == "structured":
            dim = method.dim % t.dim()
            others = [d for d in range(t.dim()) if d != dim]
            kept = mask.sum(dim=others) != 0
            part = tuple(kept if d == dim else slice(None) for d in range(t.dim()))
        elif kind == "global":
            part = tuple([slice(None)] * t.dim())
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
        mask[part] = method.compute_mask(t[part], default_mask=mask[part]).to(mask.dtype)
        return mask


class Identity(BasePruningMethod):
    """A mask of ones."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        """The mask that there is."""
        return default_mask

    @classmethod
    def apply(cls, module, name):
        """Gives a parameter a mask of ones."""
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Elements wherever they are; subclasses say which with ``_chosen``."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t, default_mask):
        """The mask that there is without so many elements."""
        count = _compute_nparams_toprune(self.amount, t.nelement())
        _validate_pruning_amount(count, t.nelement())
        mask = default_mask.clone()
        if count != 0:
            mask.view(-1)[self._chosen(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Elements at random."""

    def _chosen(self, t, count):
        return topk(rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module, name, amount):
        """Gives a parameter such a mask."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """The elements of the smallest absolute values."""

    def _chosen(self, t, count):
        return topk(t.abs().view(-1), k=count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        """Gives a parameter such a mask."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """Whole slices along a dimension; subclasses say which stay with ``_kept``."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        _validate_pruning_amount_init(amount)
        self.amount, self.dim = amount, dim

    def compute_mask(self, t, default_mask):
        """The mask that there is without so many slices."""
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _compute_nparams_toprune(self.amount, size)
        _validate_pruning_amount(count, size)
        if count == 0:
            return default_mask
        mask, dim = zeros_like(t), self.dim % t.dim()
        mask[tuple(self._kept(t, size, count) if d == dim else slice(None) for d in range(t.dim()))] = 1
        return mask * default_mask.to(dtype=t.dtype)


class RandomStructured(_Structured):
    """Whole slices at random."""

    def _kept(self, t, size, count):
        order = rand(size)
        return order > topk(order, k=count, largest=False).values.max()

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        """Gives a parameter such a mask."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """The slices of the smallest norms."""

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t, size, count):
        return topk(_compute_norm(t, self.n, self.dim), k=size - count, largest=True).indices

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        """Gives a parameter such a mask."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """A mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        """Both masks together."""
        assert default_mask.shape == self.mask.shape
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        """Gives a parameter a mask."""
        return super().apply(module, name, mask=mask)


def identity(module, name):
    """Gives a parameter a mask of ones."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Makes so many elements zero, at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Makes the elements of the smallest absolute values zero."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Makes whole slices zero, at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Makes the slices of the smallest norms zero."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """Makes elements zero where a mask is."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Makes elements of several parameters zero, chosen among all of them."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters = list(parameters)
    scores = cat([importance_scores.get((m, n), getattr(m, n)).flatten() for m, n in parameters])
    masks = cat([getattr(m, n + "_mask", ones_like(getattr(m, n))).flatten() for m, n in parameters])
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. '
            f"Found method {pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    final = container.compute_mask(scores, masks)
    begin = 0
    for module, name in parameters:
        values = getattr(module, name)
        custom_from_mask(module, name, mask=final[begin : begin + values.numel()].view(values.shape))
        begin += values.numel()


def remove(module, name):
    """Makes the zeros part of a parameter and takes its mask away."""
    found = _hook(module, name)
    if found is None:
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    number, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[number]
    return module


def is_pruned(module):
    """Whether a parameter here or below has a mask."""
    return any(isinstance(hook, BasePruningMethod) for m in module.modules() for hook in m._forward_pre_hooks.values())


def _validate_pruning_amount_init(amount):
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if isinstance(amount, numbers.Integral) and amount < 0 or not isinstance(amount, numbers.Integral) and not 0 <= amount <= 1:
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount, tensor_size):
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _validate_structured_pruning(t):
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. "
            f"Found tensor of shape {t.shape} with {t.dim()} dims"
        )


def _validate_pruning_dim(t, dim):
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_nparams_toprune(amount, tensor_size):
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _compute_norm(t, n, dim):
    dims = [d for d in range(t.dim()) if d != dim % t.dim()]
    return norm(t, p=n, dim=dims)
