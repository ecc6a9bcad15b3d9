"""``torch.distributions.transformed_distribution``: functions of random values."""

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost


class TransformedDistribution(Distribution):
    """What transforms make of the values of a distribution."""

    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        transform = ComposeTransform(self.transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        if len(base_shape) < transform.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {transform.domain.event_dim}, but got {base_shape}."
            )
        forward = transform.forward_shape(base_shape)
        expanded = transform.inverse_shape(forward)
        if base_shape != expanded:
            batch = expanded[: len(expanded) - len(base_distribution.event_shape)]
            base_distribution = base_distribution.expand(batch)
        missing = transform.domain.event_dim - len(base_distribution.event_shape)
        if missing > 0:
            base_distribution = Independent(base_distribution, missing)
        self.base_dist = base_distribution
        change = transform.codomain.event_dim - transform.domain.event_dim
        events = max(transform.codomain.event_dim, len(base_distribution.event_shape) + change)
        cut = len(forward) - events
        super().__init__(forward[:cut], forward[cut:], validate_args=validate_args)

    def _expand_into(self, new, batch_shape):
        new.transforms = self.transforms
        transform = ComposeTransform(self.transforms)
        shape = transform.inverse_shape(batch_shape + self.event_shape)
        cut = len(shape) - len(self.base_dist.event_shape)
        new.base_dist = self.base_dist.expand(shape[:cut])

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        """What the last transform leads into."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        missing = len(self.event_shape) - support.event_dim
        return constraints.independent(support, missing) if missing > 0 else support

    has_rsample = property(lambda self: self.base_dist.has_rsample)

    def sample(self, sample_shape=torch.Size()):
        """Values without gradients."""
        with torch.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=torch.Size()):
        """Values that are differentiable in the parameters."""
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        events, log_prob, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            events += transform.domain.event_dim - transform.codomain.event_dim
            change = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - _sum_rightmost(change, events - transform.domain.event_dim)
            y = x
        return log_prob + _sum_rightmost(self.base_dist.log_prob(y), events - len(self.base_dist.event_shape))

    def _order(self):
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return sign

    def _turned(self, value):
        sign = self._order()
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value):
        """How likely a value is not larger than this one."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value):
        """The value of a probability."""
        return self._forward(self.base_dist.icdf(self._turned(value)))
