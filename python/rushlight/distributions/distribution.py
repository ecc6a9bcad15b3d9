"""``torch.distributions.distribution``: the base of all distributions."""

import warnings

import rushlight as torch

from . import constraints
from .utils import lazy_property

__all__ = ["Distribution"]

Size = torch.Size


def holds(valid):
    """Whether a check holds for all values. Of samples under ``vmap`` this cannot be asked: it is taken for granted."""
    return hasattr(valid, "bdim") or bool(valid.all())


class Distribution:
    """Random values: `batch_shape` many of them that are independent, each of shape `event_shape`."""

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value):
        """Sets whether parameters and values are checked."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=Size(), event_shape=Size(), validate_args=None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        try:
            known = self.arg_constraints
        except NotImplementedError:
            known = {}
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
        for name, constraint in known.items():
            is_lazy = isinstance(getattr(type(self), name, None), lazy_property)
            if constraints.is_dependent(constraint) or name not in self.__dict__ and is_lazy:
                continue
            value = getattr(self, name)
            if not holds(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape, _instance=None):
        """The same distribution for another batch shape."""
        new = self._get_checked_instance(type(self), _instance)
        self._expand_into(new, Size(batch_shape))
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _expand_into(self, new, batch_shape):
        """Gives another object the parameters of this one, for a batch shape."""
        for name, constraint in self.arg_constraints.items():
            if name in self.__dict__:
                value = self.__dict__[name]
                shape = batch_shape + value.shape[value.dim() - constraint.event_dim :]
                setattr(new, name, value.expand(shape))

    def _get_checked_instance(self, cls, _instance=None):
        return type(self).__new__(type(self)) if _instance is None else _instance

    @property
    def batch_shape(self):
        """How many independent ones there are."""
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of one value."""
        return self._event_shape

    @property
    def arg_constraints(self):
        """The constraints of the parameters, by name."""
        raise NotImplementedError

    @property
    def support(self):
        """The values that can come."""
        raise NotImplementedError

    @property
    def mean(self):
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self):
        """The likeliest value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self):
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape=Size()):
        """Values without gradients."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=Size()):
        """Values that are differentiable in the parameters."""
        raise NotImplementedError

    def sample_n(self, n):
        """`n` values."""
        warnings.warn("sample_n(n) will be deprecated. Use .sample((n,)) instead.", UserWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density or probability of a value."""
        raise NotImplementedError

    def cdf(self, value):
        """How likely a value is not larger than this one."""
        raise NotImplementedError

    def icdf(self, value):
        """The value that :meth:`cdf` gives this probability for."""
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """All values that can come."""
        raise NotImplementedError

    def entropy(self):
        """The entropy."""
        raise NotImplementedError

    def perplexity(self):
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=Size()):
        return Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))

    def _validate_sample(self, value):
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        events = value.dim() - len(self._event_shape)
        if value.shape[events:] != self._event_shape:
            raise ValueError(
                "The right-most size of value must match event_shape: "
                f"{value.size()} vs {self._event_shape}."
            )
        expected = self._batch_shape + self._event_shape
        for i, j in zip(reversed(value.size()), reversed(expected)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the distribution "
                "with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if not holds(support.check(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _check(self, value):
        if self._validate_args:
            self._validate_sample(value)

    def __repr__(self):
        known = [name for name in self.arg_constraints if name in self.__dict__]
        parts = [f"{n}: {v if v.numel() == 1 else v.size()}" for n, v in ((n, self.__dict__[n]) for n in known)]
        return f"{self.__class__.__name__}({', '.join(parts)})"
