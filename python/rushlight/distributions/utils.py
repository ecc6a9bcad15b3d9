"""``torch.distributions.utils``: what distributions share."""

from numbers import Number

import rushlight as torch

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant = 0.57721566490153286060


def broadcast_all(*values):
    """Numbers and tensors as tensors of one shape."""
    if not all(isinstance(value, (Number, torch.Tensor)) for value in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    like = next((value for value in values if isinstance(value, torch.Tensor)), None)
    options = {"dtype": torch.get_default_dtype()} if like is None else {"dtype": like.dtype, "device": like.device}
    tensors = [value if isinstance(value, torch.Tensor) else torch.tensor(value, **options) for value in values]
    return torch.broadcast_tensors(*tensors)


def _standard_normal(shape, dtype, device):
    return torch.normal(torch.zeros(shape, dtype=dtype, device=device), torch.ones(shape, dtype=dtype, device=device))


def _sum_rightmost(value, dim):
    """The sum over so many last dimensions."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def clamp_probs(probs):
    """Probabilities a little away from 0 and 1."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits, is_binary=False):
    """Probabilities of their logarithms, or of log-odds."""
    return torch.sigmoid(logits) if is_binary else torch.nn.functional.softmax(logits, dim=-1)


def probs_to_logits(probs, is_binary=False):
    """Logarithms of probabilities, or log-odds."""
    ps_clamped = clamp_probs(probs)
    return torch.log(ps_clamped) - torch.log1p(-ps_clamped) if is_binary else torch.log(ps_clamped)


class lazy_property:
    """A property that is worked out when it is first asked for."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self._name, value)
        return value


def vec_to_tril_matrix(vec, diag=0):
    """A lower triangle of its elements row by row."""
    n = (-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular part of a square D "
            "x D matrix."
        )
    n = round(n)
    matrix = vec.new_zeros(vec.shape[:-1] + (n, n))
    rows, columns = torch.tril_indices(n, n, diag)
    matrix[..., rows, columns] = vec
    return matrix


def tril_matrix_to_vec(mat, diag=0):
    """The elements of a lower triangle row by row."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = torch.tril_indices(n, n, diag)
    return mat[..., rows, columns]


def check_one_of(**given):
    """Refuses all but exactly one of two parameters."""
    if sum(value is not None for value in given.values()) != 1:
        names = " or ".join(f"`{name}`" for name in given)
        raise ValueError(f"Either {names} must be specified, but not both.")


class ProbsOrLogits:
    """What distributions share whose parameters are given as probabilities or as logarithms."""

    # Whether each parameter is one of two possibilities, not one of a row of them.
    _is_binary = True

    def _keep(self, probs, logits, *beside):
        """Keeps the one of both that was given, in one shape with values beside it; gives those."""
        check_one_of(probs=probs, logits=logits)
        *beside, param = broadcast_all(*beside, logits if probs is None else probs)
        if probs is None:
            self.logits = param
        else:
            self.probs = param
        return beside

    @lazy_property
    def logits(self):
        """The parameters as logarithms."""
        return probs_to_logits(self.probs, is_binary=self._is_binary)

    @lazy_property
    def probs(self):
        """The parameters as probabilities."""
        return logits_to_probs(self.logits, is_binary=self._is_binary)

    @property
    def _param(self):
        return self.__dict__["probs"] if "probs" in self.__dict__ else self.__dict__["logits"]

    @property
    def param_shape(self):
        """The shape of the parameters."""
        return self._param.size()

    def _enumerated(self, values, expand):
        """All values of one distribution, before the dimensions of the batch or for each of it."""
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values
