"""``torch.distributions.von_mises``: the normal distribution's kin on the circle (drawn as Best and Fisher do)."""

import math

import rushlight as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all


@torch.jit.script_if_tracing
def _rejection_sample(loc, concentration, proposal_r, found):
    """Angles, drawn until all are accepted: how often that is, a trace asks anew in every run."""
    done = torch.zeros_like(found, dtype=torch.bool)
    while not bool(done.all()):
        one, two, three = torch.rand([3] + list(found.shape), dtype=loc.dtype, device=loc.device).unbind()
        z = torch.cos(math.pi * one)
        f = (1 + proposal_r * z) / (proposal_r + z)
        c = concentration * (proposal_r - f)
        accepted = (c * (2 - c) - two > 0) | ((c / two).log() + 1 - c >= 0)
        found = torch.where(accepted, (three - 0.5).sign() * f.acos(), found)
        done = done | accepted
    return (found + math.pi + loc) % (2 * math.pi) - math.pi


class VonMises(Distribution):
    """Angles around ``loc``; the larger the concentration the nearer."""

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, torch.Size(), validate_args)

    mean = property(lambda self: self.loc)
    mode = property(lambda self: self.loc)

    @property
    def variance(self):
        """The circular variance."""
        return 1 - torch.special.i1e(self.concentration) / torch.special.i0e(self.concentration)

    def log_prob(self, value):
        """The logarithm of the density."""
        self._check(value)
        log_i0 = torch.special.i0e(self.concentration).log() + self.concentration
        return self.concentration * torch.cos(value - self.loc) - math.log(2 * math.pi) - log_i0

    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        """Angles between -pi and pi."""
        shape = self._extended_shape(sample_shape)
        loc, kappa = self.loc.double(), self.concentration.double()
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        # For small concentrations the formula loses all digits; there it is nearly 1 / kappa + kappa.
        r = torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
        found = torch.empty(shape, dtype=torch.float64, device=loc.device)
        return _rejection_sample(loc, kappa, r, found).to(self.loc.dtype)
