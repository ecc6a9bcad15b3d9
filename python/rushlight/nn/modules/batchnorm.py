"""Batch normalisation, and what it shares with instance normalisation."""

from typing import Optional

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .lazy import _LazyNormBase
from .module import Module

__all__ = ["LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class _NormBase(Module):
    """Scale, shift and running statistics of channels."""

    _version = 2
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    num_features: int
    eps: float
    momentum: Optional[float]
    affine: bool
    track_running_stats: bool

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, is_used in (("weight", affine), ("bias", affine and bias)):
            self.register_parameter(name, Parameter(torch.empty(num_features, **factory)) if is_used else None)
        tracked = {"running_mean": None, "running_var": None, "num_batches_tracked": None}
        if track_running_stats:
            tracked["running_mean"] = torch.zeros(num_features, **factory)
            tracked["running_var"] = torch.ones(num_features, **factory)
            tracked["num_batches_tracked"] = torch.tensor(0, dtype=torch.long, device=device)
        for name, tensor in tracked.items():
            self.register_buffer(name, tensor)
        self.reset_parameters()

    def reset_running_stats(self):
        """Starts the running statistics anew."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Scale one, shift zero."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        # Version 1 did not count batches.
        if self.track_running_stats and (local_metadata.get("version") or 0) < 2:
            state_dict.setdefault(prefix + "num_batches_tracked", torch.tensor(0, dtype=torch.long))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    """Normalisation by statistics of the batch while training, by running ones otherwise."""

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        # How much the batch counts in the running statistics; without a momentum these are means over all batches.
        if self.momentum is None:
            exponential_average_factor = 0.0
        else:
            exponential_average_factor = self.momentum
        if self.training and self.track_running_stats:
            if self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                if self.momentum is None:
                    exponential_average_factor = 1.0 / float(self.num_batches_tracked)
                else:
                    exponential_average_factor = self.momentum
        # Text in a body takes a number in graphs; PyTorch has some at these two places.
        """The batch's own statistics count while training, and where there are no others."""
        if self.training:
            bn_training = True
        else:
            bn_training = self.running_mean is None and self.running_var is None
        """Running statistics are there to be updated, or to be used in evaluation."""
        return F.batch_norm(
            input,
            self.running_mean if not self.training or self.track_running_stats else None,
            self.running_var if not self.training or self.track_running_stats else None,
            self.weight,
            self.bias,
            bn_training,
            exponential_average_factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of vectors or sequences."""

    def _check_input_dim(self, input):
        if input.dim() != 2 and input.dim() != 3:
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images."""

    def _check_input_dim(self, input):
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of volumes."""

    def _check_input_dim(self, input):
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over processes: here there is one, so it is batch normalisation."""

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """The module with its batch normalisations replaced, which keep their state."""
        made = module
        if isinstance(module, _BatchNorm):
            made = cls(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats, process_group
            )
            made.train(module.training)
            for table in ("_parameters", "_buffers"):
                getattr(made, table).update(getattr(module, table))
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


class _LazyBatchNorm(_LazyNormBase):
    """What lazy batch normalisation shares: its arguments."""

    def __init__(
        self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True
    ):
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _size_of(self, input):
        self._check_input_dim(input)
        return super()._size_of(input)


class LazyBatchNorm1d(_LazyBatchNorm, BatchNorm1d):
    """Lazy batch normalisation (1d)."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyBatchNorm, BatchNorm2d):
    """Lazy batch normalisation (2d)."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyBatchNorm, BatchNorm3d):
    """Lazy batch normalisation (3d)."""

    cls_to_become = BatchNorm3d


publish(globals())
