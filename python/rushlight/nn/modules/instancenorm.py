"""Instance normalisation."""

import warnings

from ..._library import publish
from ..._rushlight import Tensor
from .. import functional as F
from .batchnorm import _NormBase
from .lazy import _LazyNormBase

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

    def _check_input_dim(self, input):
        raise NotImplementedError

    def _get_no_batch_dim(self):
        """The number of dimensions of a single instance."""
        raise NotImplementedError

    def _handle_no_batch_input(self, input):
        """The result for a single instance."""
        return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)

    def _apply_instance_norm(self, input):
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        feature_dim = input.dim() - self._get_no_batch_dim()
        # Another number of channels matters where there is a weight for each.
        if input.size(feature_dim) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={feature_dim} to match num_features ({self.num_features}), "
                    f"but got: {input.size(feature_dim)}."
                )
            else:
                warnings.warn(
                    f"input's size at dim={feature_dim} does not match num_features. "
                    "You can silence this warning by not passing in num_features, "
                    "which is not used because affine=False"
                )
        if input.dim() == self._get_no_batch_dim():
            return self._handle_no_batch_input(input)
        return self._apply_instance_norm(input)

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

    def _get_no_batch_dim(self):
        return 2

    def _check_input_dim(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of images."""

    def _get_no_batch_dim(self):
        return 3

    def _check_input_dim(self, input):
        if input.dim() not in (3, 4):
            raise ValueError(f"expected 3D or 4D input (got {input.dim()}D input)")


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of volumes."""

    def _get_no_batch_dim(self):
        return 4

    def _check_input_dim(self, input):
        if input.dim() not in (4, 5):
            raise ValueError(f"expected 4D or 5D input (got {input.dim()}D input)")


class _LazyInstanceNorm(_LazyNormBase):
    """What lazy instance normalisation shares: its arguments."""

    def __init__(
        self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ):
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _size_of(self, input):
        self._check_input_dim(input)
        return input.shape[input.dim() - self._get_no_batch_dim()]


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
