"""Dropout: of elements, of whole channels, and the kinds that keep mean and variance."""

import warnings

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _channels(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Dropout of whole channels, which are the second dimension."""
    return torch.feature_dropout_(input, p, training) if inplace else torch.feature_dropout(input, p, training)


def _channels_of_one(input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Dropout of whole channels of an input without a batch: they are the first dimension."""
    if inplace:
        return _channels(input.unsqueeze_(0), p, training, True).squeeze_(0)
    return _channels(input.unsqueeze(0), p, training, False).squeeze(0)


def _warn_of_rank(name: str, rank: int, spatial: int, ranks: str) -> None:
    """Says that an input has dimensions that dropout of channels is not for."""
    warnings.warn(
        f"{name}: Received a {rank}-D input to {name}, which is deprecated "
        "and will result in an error in a future release. To retain the behavior "
        f"and silence this warning, please use dropout instead. Note that {name} "
        f"exists to provide channel-wise dropout on inputs with {spatial} spatial dimensions, "
        f"a channel dimension, and an optional batch dimension (i.e. {ranks} inputs)."
    )


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements set to zero with probability ``p``, the others scaled up."""
    _check_probability(p)
    return torch.dropout_(input, p, training) if inplace else torch.dropout(input, p, training)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout for inputs of mean 0 and variance 1, which keeps both."""
    _check_probability(p)
    return torch.alpha_dropout_(input, p, training) if inplace else torch.alpha_dropout(input, p, training)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """``alpha_dropout`` of whole channels."""
    _check_probability(p)
    if inplace:
        return torch.feature_alpha_dropout_(input, p, training)
    return torch.feature_alpha_dropout(input, p, training)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of sequences."""
    _check_probability(p)
    rank = input.dim()
    if rank not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. "
            "Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension "
            "(i.e. 2D or 3D inputs)."
        )
    return _channels(input, p, training, inplace) if rank == 3 else _channels_of_one(input, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of images."""
    _check_probability(p)
    if input.dim() not in (3, 4):
        _warn_of_rank("dropout2d", input.dim(), 2, "3D or 4D")
    if input.dim() == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise "
            "1D dropout behavior is desired - input is interpreted as shape (N, C, L), where C "
            "is the channel dim. This behavior will change in a future release to interpret the "
            "input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
            "channel-wise dropout behavior, please switch to using dropout1d instead."
        )
    return _channels(input, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of volumes."""
    _check_probability(p)
    rank = input.dim()
    if rank not in (4, 5):
        _warn_of_rank("dropout3d", rank, 3, "4D or 5D")
    return _channels(input, p, training, inplace) if rank == 5 else _channels_of_one(input, p, training, inplace)


publish(globals(), "torch.nn.functional")
