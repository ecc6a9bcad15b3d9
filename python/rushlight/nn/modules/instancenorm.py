"""Instance normalisation."""

import warnings

from ..._library import publish
from ..._rushlight import Tensor
from .. import functional as F
from .batchnorm import _NormBase
from .lazy import LazyChannels

__all__ = ["LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_NormBase):
    """Normalisation of each channel of each instance."""

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _rank(self):
        """The number of dimensions of a single instance."""
        raise NotImplementedError

    def _check_input_dim(self, input):
        rank = self._rank()
        if input.dim() not in (rank, rank + 1):
            raise ValueError(f"expected {rank}D or {rank + 1}D input (got {input.dim()}D input)")

    def _check_channels(self, dim: int, channels: int) -> None:
        """Refuses another number of channels where there is a weight for each; elsewhere it does not matter."""
        if channels == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: {channels}."
            )
        warnings.warn(
            f"input's size at dim={dim} does not match num_features. "
            "You can silence this warning by not passing in num_features, "
            "which is not used because affine=False"
        )

    def _normalized(self, batch):
        momentum = self.momentum
        return F.instance_norm(
            batch,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            momentum if momentum is not None else 0.0,
            self.eps,
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        channel_dim = input.dim() - self._rank()
        self._check_channels(channel_dim, input.size(channel_dim))
        if channel_dim == 0:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        # Version 1 kept statistics even where none were tracked.
        if local_metadata.get("version") is None and not self.track_running_stats:
            kept = [prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if kept:
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {' and '.join(repr(k) for k in kept)} for "
                    f"{type(self).__name__} with track_running_stats=False. Set track_running_stats=True or remove "
                    "the keys from the state dict before loading it."
                )
                for name in kept:
                    state_dict.pop(name)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of sequences."""

    def _rank(self):
        return 2



class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of images."""

    def _rank(self):
        return 3



class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of volumes."""

    def _rank(self):
        return 4


class _LazyInstanceNorm(LazyChannels):
    """What lazy instance normalisation shares: its arguments."""

    def __init__(
        self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ):
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _size_of(self, input):
        self._check_input_dim(input)
        return input.shape[input.dim() - self._rank()]


class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """Lazy instance normalisation (1d)."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """Lazy instance normalisation (2d)."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """Lazy instance normalisation (3d)."""

    cls_to_become = InstanceNorm3d


publish(globals())
