"""``torch.distributions.kl``: how far one distribution is from another."""

import functools
import math

import rushlight as torch

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .wishart import Wishart
from .utils import _sum_rightmost, euler_constant as _euler_gamma

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY = {}


def register_kl(type_p, type_q):
    """Makes a function the one for two kinds of distributions, and for what is derived from them."""
    for kind in (type_p, type_q):
        # Any class will do: other libraries have distributions of their own.
        if not isinstance(kind, type):
            raise TypeError("issubclass() arg 1 must be a class")

    def decorator(fun):
        _KL_REGISTRY[type_p, type_q] = fun
        _found.cache_clear()
        return fun

    return decorator


@functools.lru_cache(maxsize=None)
def _found(type_p, type_q):
    """The function of the nearest kinds."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return None
    by_p = min(matches, key=lambda m: (type_p.__mro__.index(m[0]), type_q.__mro__.index(m[1])))
    by_q = min(matches, key=lambda m: (type_q.__mro__.index(m[1]), type_p.__mro__.index(m[0])))
    chosen = _KL_REGISTRY[by_p]
    if chosen is not _KL_REGISTRY[by_q]:
        import warnings

        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({by_p[0].__name__}, {by_q[1].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return chosen


def kl_divergence(p, q):
    """How much information is lost when `q` is taken for `p`."""
    found = _found(type(p), type(q))
    if found is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    return found(p, q)


def _infinite_like(tensor):
    return torch.full_like(tensor, math.inf)


@register_kl(ExponentialFamily, ExponentialFamily)
def _of_families(p, q):
    raise NotImplementedError(
        "The cross KL-divergence between different exponential families cannot                             be computed using "
        "Bregman divergences"
    )


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    softplus = torch.nn.functional.softplus
    t1 = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    t1[q.probs == 0] = math.inf
    t1[p.probs == 0] = 0
    t2 = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    t2[q.probs == 1] = math.inf
    t2[p.probs == 1] = 0
    return t1 + t2


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, Beta)
def _beta(p, q):
    sum_params_p, sum_params_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    t1 = q.concentration1.lgamma() + q.concentration0.lgamma() + sum_params_p.lgamma()
    t2 = p.concentration1.lgamma() + p.concentration0.lgamma() + sum_params_q.lgamma()
    t3 = (p.concentration1 - q.concentration1) * torch.digamma(p.concentration1)
    t4 = (p.concentration0 - q.concentration0) * torch.digamma(p.concentration0)
    t5 = (sum_params_q - sum_params_p) * torch.digamma(sum_params_p)
    return t1 - t2 + t3 + t4 + t5


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    inf_idxs = p.total_count > q.total_count
    kl[inf_idxs] = _infinite_like(kl[inf_idxs])
    return kl


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = math.inf
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    t1 = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    t2 = (4 * p.scale * q.scale).log()
    return t1 - t2


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    sum_p_concentration, sum_q_concentration = p.concentration.sum(-1), q.concentration.sum(-1)
    t1 = sum_p_concentration.lgamma() - sum_q_concentration.lgamma()
    t2 = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    t3 = p.concentration - q.concentration
    t4 = p.concentration.digamma() - sum_p_concentration.digamma().unsqueeze(-1)
    return t1 - t2 + (t3 * t4).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    rate_ratio = q.rate / p.rate
    t1 = -rate_ratio.log()
    return t1 + rate_ratio - 1


@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    ratio = q.rate / p.rate
    t1 = -q.concentration * torch.log(ratio)
    return t1 + ratio + q.concentration.lgamma() + q.concentration * _euler_gamma - (1 + _euler_gamma)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    product = p.rate * q.scale
    inner = torch.exp(q.loc / q.scale)
    t1 = product.log() - 1
    return t1 + (product.reciprocal() + inner * product / (product + 1)) - q.loc / q.scale


@register_kl(Exponential, Normal)
def _exponential_normal(p, q):
    variance, rate_squared = q.scale.pow(2), p.rate.pow(2)
    t1 = 0.5 * torch.log(rate_squared * variance * 2 * math.pi)
    return t1 - 1 + (rate_squared.reciprocal() - q.loc / p.rate + q.loc.pow(2) / 2) / variance


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    t1 = q.concentration * (p.rate / q.rate).log()
    t2 = torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
    t3 = (p.concentration - q.concentration) * torch.digamma(p.concentration)
    t4 = (q.rate - p.rate) * (p.concentration / p.rate)
    return t1 + t2 + t3 + t4


@register_kl(Gamma, Exponential)
def _gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Normal)
def _gamma_normal(p, q):
    variance, squared = q.scale.pow(2), p.rate.pow(2)
    t1 = 0.5 * torch.log(squared * variance * 2 * math.pi) - p.concentration - p.concentration.lgamma()
    t2 = 0.5 * (p.concentration.pow(2) + p.concentration) / squared
    t3 = q.loc * p.concentration / p.rate
    return t1 + (p.concentration - 1) * p.concentration.digamma() + (t2 - t3 + 0.5 * q.loc.pow(2)) / variance


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ct1, ct2, ct3 = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    t1 = -ct1.log() - ct2 + ct3
    t2 = ct1 * _euler_gamma
    t3 = torch.exp(ct2 + (1 + ct1).lgamma() - ct3)
    return t1 + t2 + t3 - (1 + _euler_gamma)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    scale_ratio, loc_abs_diff = p.scale / q.scale, (p.loc - q.loc).abs()
    t1 = -scale_ratio.log()
    t2 = loc_abs_diff / q.scale
    t3 = scale_ratio * torch.exp(-loc_abs_diff / p.scale)
    return t1 + t2 + t3 - 1


@register_kl(Laplace, Normal)
def _laplace_normal(p, q):
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    t1 = 0.5 * torch.log(2 * ratio / math.pi)
    return -t1 + ratio + 0.5 * p.loc.pow(2) / variance - p.loc * q.loc / variance + 0.5 * q.loc.pow(2) / variance - 1


_OTHER_SHAPES = (
    "KL-divergence between two {}Multivariate Normals with                          different event shapes cannot be computed"
)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError(_OTHER_SHAPES.format(""))
    half = q._half_log_det() - p._half_log_det()
    shape = torch.broadcast_shapes(q._unbroadcasted_scale_tril.shape[:-2], p._unbroadcasted_scale_tril.shape[:-2])
    n = p.event_shape[0]
    lower_q = q._unbroadcasted_scale_tril.expand(shape + (n, n))
    lower_p = p._unbroadcasted_scale_tril.expand(shape + (n, n))
    t2 = torch.linalg.solve_triangular(lower_q, lower_p, upper=False).pow(2).sum((-2, -1))
    t3 = _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return half + 0.5 * (t2 + t3 - n)


@register_kl(Normal, Normal)
def _normal(p, q):
    var_ratio = (p.scale / q.scale).pow(2)
    t1 = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (var_ratio + t1 - 1 - var_ratio.log())


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    mean, ratio = (p.loc - q.loc) / q.scale, (p.scale / q.scale).pow(2)
    return mean + torch.exp(-mean + 0.5 * ratio) - 0.5 * (1 + math.log(2 * math.pi)) - 0.5 * ratio.log()


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    away = p.loc - q.loc
    in_scales = away / p.scale
    t1 = torch.log(p.scale / q.scale)
    t2 = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * in_scales.pow(2))
    t3 = away * torch.erf(math.sqrt(0.5) * in_scales)
    return -t1 + (t2 + t3) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    scales, ratio = p.scale / q.scale, q.alpha / p.alpha
    kl = q.alpha * scales.log() - ratio.log() + ratio - 1
    return kl.masked_fill(p.support.lower_bound < q.support.lower_bound, math.inf)


@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    product = p.scale * q.rate
    kl = (p.alpha / product).log() - 1 / p.alpha + p.alpha * product / (p.alpha - 1) - 1
    return kl.masked_fill(p.alpha <= 1, math.inf)


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Wishart, Wishart)
def _wishart(p, q):
    size = p.event_shape[-1]
    below = torch.arange(size, dtype=p.df.dtype) / 2
    halves = p.df / 2
    trace = torch.cholesky_solve(p.covariance_matrix, q.scale_tril).diagonal(dim1=-2, dim2=-1).sum(-1)
    log_det = 2 * (q._half_log_det() - p._half_log_det())
    gammas = torch.mvlgamma(q.df / 2, size) - torch.mvlgamma(halves, size)
    digammas = torch.digamma(halves.unsqueeze(-1) - below).sum(-1)
    return (p.df * (trace - size) + q.df * log_det + (p.df - q.df) * digammas) / 2 + gammas


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = math.inf
    return result


@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    width = p.high - p.low

    def entropies(x):
        return torch.special.xlogy(x, x)

    t1 = torch.log(width)
    t2 = (q.concentration1 - 1) * (entropies(p.high) - entropies(p.low) - width) / width
    t3 = (q.concentration0 - 1) * (entropies(1 - p.high) - entropies(1 - p.low) + width) / width
    t4 = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    return (t3 + t4 - t1 - t2).masked_fill((p.high > 1) | (p.low < 0), math.inf)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    kl = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return kl.masked_fill(p.low < 0, math.inf)


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    width = p.high - p.low
    t1 = (math.sqrt(math.pi * 2) * q.scale / width).log()
    t2 = width.pow(2) / 12
    t3 = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return t1 + 0.5 * (t2 + t3) / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    width = p.high - p.low
    t1 = (q.alpha * q.scale.pow(q.alpha) * width).log()
    t2 = (p.high * p.high.log() - p.low * p.low.log() - width) / width
    return (t2 * (q.alpha + 1) - t1).masked_fill(p.low < q.support.lower_bound, math.inf)


def _mean_log(p):
    """The mean of the logarithms of the values."""
    if isinstance(p, Beta):
        return torch.digamma(p.concentration1) - torch.digamma(p.concentration1 + p.concentration0)
    if isinstance(p, Pareto):
        return p.scale.log() + 1 / p.alpha
    return (torch.special.xlogy(p.high, p.high) - torch.special.xlogy(p.low, p.low)) / (p.high - p.low) - 1


def _mean_exp(p, rate):
    """The mean of ``exp(-rate x)``."""
    if isinstance(p, Gamma):
        return (1 + rate / p.rate).pow(-p.concentration)
    return ((-rate * p.low).exp() - (-rate * p.high).exp()) / (rate * (p.high - p.low))


def _log_of_normal(p, q):
    return -0.5 * (2 * math.pi * q.scale.pow(2)).log() - ((p.mean - q.loc).pow(2) + p.variance) / (2 * q.scale.pow(2))


def _log_of_exponential(p, q):
    return q.rate.log() - q.rate * p.mean


def _log_of_gamma(p, q):
    shape = q.concentration
    return shape * q.rate.log() - shape.lgamma() + (shape - 1) * _mean_log(p) - q.rate * p.mean


def _log_of_gumbel(p, q):
    away = q.loc / q.scale
    return away - q.scale.log() - p.mean / q.scale - away.exp() * _mean_exp(p, q.scale.reciprocal())


def _log_of_uniform(p, q):
    return -(q.high - q.low).log()


def _log_of_continuous_bernoulli(p, q):
    return p.mean * q.logits + torch.log1p(-q.probs) + q._log_norm()


# Pairs: the mean of the logarithm of the second's density under the first, and where that counts as out of reach: as the
# reference has it, which for numbers between 0 and 1 takes in the bounds.
_BY_MEANS = {
    (Beta, ContinuousBernoulli): (_log_of_continuous_bernoulli, None),
    (Beta, Exponential): (_log_of_exponential, None),
    (Beta, Gamma): (_log_of_gamma, None),
    (Beta, Normal): (_log_of_normal, None),
    (Beta, Uniform): (_log_of_uniform, lambda p, q: (q.low > 0) | (q.high < 1)),
    (ContinuousBernoulli, ContinuousBernoulli): (_log_of_continuous_bernoulli, None),
    (ContinuousBernoulli, Exponential): (_log_of_exponential, None),
    (ContinuousBernoulli, Normal): (_log_of_normal, None),
    (ContinuousBernoulli, Uniform): (_log_of_uniform, lambda p, q: (q.low >= 0) | (q.high <= 1)),
    (Gamma, Gumbel): (_log_of_gumbel, None),
    (Gumbel, Normal): (_log_of_normal, None),
    (Pareto, Gamma): (_log_of_gamma, lambda p, q: p.alpha <= 1),
    (Pareto, Normal): (_log_of_normal, lambda p, q: p.alpha <= 2),
    (Uniform, ContinuousBernoulli): (_log_of_continuous_bernoulli, lambda p, q: (p.low <= 0) | (p.high >= 1)),
    (Uniform, Gamma): (_log_of_gamma, lambda p, q: p.low < 0),
    (Uniform, Gumbel): (_log_of_gumbel, None),
}


def _by_means(mean_of_log, beyond):
    def divergence(p, q):
        kl = -p.entropy() - mean_of_log(p, q)
        return kl if beyond is None else kl.masked_fill(beyond(p, q), math.inf)

    return divergence


for _pair, _parts in _BY_MEANS.items():
    register_kl(*_pair)(_by_means(*_parts))


def _of_factors(p, q):
    """Normal distributions of which at least one is of few factors."""
    if p.event_shape != q.event_shape:
        both = isinstance(p, LowRankMultivariateNormal) and isinstance(q, LowRankMultivariateNormal)
        raise ValueError(_OTHER_SHAPES.format("Low Rank " if both else "(Low Rank) "))
    away = (q.loc - p.loc).unsqueeze(-1)
    covariance = p.covariance_matrix + torch.matmul(away, away.mT)
    logs = [each._log_det() if isinstance(each, LowRankMultivariateNormal) else 2 * each._half_log_det() for each in (p, q)]
    trace = (q.precision_matrix * covariance).sum((-2, -1))
    return 0.5 * (logs[1] - logs[0] + trace - p.event_shape[0])


for _pair in (
    (LowRankMultivariateNormal, LowRankMultivariateNormal), (LowRankMultivariateNormal, MultivariateNormal),
    (MultivariateNormal, LowRankMultivariateNormal),
):
    register_kl(*_pair)(_of_factors)


def _never(type_p, *types_q):
    """Pairs of which the second cannot give all values of the first."""
    for type_q in types_q:
        register_kl(type_p, type_q)(lambda p, q: _infinite_like(_a_parameter(p)))


def _a_parameter(distribution):
    return next(getattr(distribution, name) for name in distribution.arg_constraints)


_never(Beta, Pareto)
_never(ContinuousBernoulli, Pareto)
_never(Exponential, Beta, ContinuousBernoulli, Pareto, Uniform)
_never(Gamma, Beta, ContinuousBernoulli, Pareto, Uniform)
_never(Gumbel, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_never(Laplace, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_never(Normal, Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_never(Pareto, Beta, ContinuousBernoulli, Uniform)
_never(Poisson, Bernoulli, Binomial)
