"""Observer of the histogram of all numbers, which leaves rare outliers out of the range."""

import struct
import warnings
from typing import List, Tuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from . import utils
from ._observer_base import UniformQuantizationObserverBase


def _single(x: float) -> float:
    """A number rounded to float32."""
    if torch.jit.is_scripting():
        return float(torch.tensor(x, dtype=torch.float).item())
    return _unpacked(x)


@torch.jit.unused
def _unpacked(x: float) -> float:
    return struct.unpack("f", struct.pack("f", x))[0]


class HistogramObserver(UniformQuantizationObserverBase):
    """Keeps a histogram of all numbers; its range is the one with the least error of quantization.

    Args:
        bins: how many bins the histogram has.
        others: as :class:`UniformQuantizationObserverBase`.
    """

    histogram: Tensor
    min_val: Tensor
    max_val: Tensor

    def __init__(
        self,
        bins: int = 2048,
        dtype: torch.dtype = torch.quint8,
        qscheme=torch.per_tensor_affine,
        reduce_range=False,
        quant_min=None,
        quant_max=None,
        factory_kwargs=None,
        eps=torch.finfo(torch.float32).eps,
        is_dynamic=False,
        **kwargs,
    ) -> None:
        if not utils.is_per_tensor(qscheme):
            raise NotImplementedError(
                "HistogramObserver's qscheme only support torch.per_tensor_symmetric                     "
                "and torch.per_tensor_affine."
            )
        if is_dynamic:
            raise NotImplementedError("HistogramObserver doesn't support dynamic quantization")
        super().__init__(
            dtype=dtype,
            qscheme=qscheme,
            reduce_range=reduce_range,
            quant_min=quant_min,
            quant_max=quant_max,
            factory_kwargs=factory_kwargs,
            eps=eps,
            is_dynamic=is_dynamic,
            **kwargs,
        )
        factory = dict(factory_kwargs or {})
        factory.pop("dtype", None)
        self.bins = bins
        self.register_buffer("histogram", torch.zeros(self.bins, **factory))
        self.register_buffer("min_val", torch.tensor(float("inf"), **factory))
        self.register_buffer("max_val", torch.tensor(float("-inf"), **factory))
        self.dst_nbins = 2 ** int(torch.iinfo(_integers(dtype)).bits) if dtype in _BITS else 2**4
        self.upsample_rate = 16

    def forward(self, x_orig: Tensor) -> Tensor:
        if x_orig.numel() == 0:
            return x_orig
        x = x_orig.detach()
        low, high = torch.aminmax(x)
        low, high = low.to(self.min_val.dtype), high.to(self.max_val.dtype)
        if not (torch.isfinite(low) and torch.isfinite(high)):
            warnings.warn("torch.inf detected in input tensor, ignoring input")
            x = x[x.abs() != float("inf")]
            if x.numel() == 0:
                return x_orig
            low, high = torch.aminmax(x)
        if self.min_val == float("inf") and self.max_val == float("-inf"):
            self.reset_histogram(x, low, high)
            return x_orig
        low, high = torch.min(low, self.min_val), torch.max(high, self.max_val)
        seen = torch.histc(x, self.bins, min=low.item(), max=high.item())
        before = self._combine_histograms(self.histogram, self.min_val, self.max_val, seen, low, high)
        self.histogram.copy_(before)
        self.min_val.copy_(low)
        self.max_val.copy_(high)
        return x_orig

    def reset_histogram(self, x: Tensor, min_val: Tensor, max_val: Tensor) -> None:
        """Begins anew with the numbers of one tensor, which lie between `min_val` and `max_val`."""
        self.min_val.resize_(min_val.shape)
        self.min_val.copy_(min_val)
        self.max_val.resize_(max_val.shape)
        self.max_val.copy_(max_val)
        if min_val.numel() != 1 or max_val.numel() != 1:
            raise AssertionError("histogram min/max values must be scalar.")
        counts = torch.histc(x, self.bins, min=min_val.item(), max=max_val.item())
        self.histogram.detach_().resize_(counts.shape)
        self.histogram.copy_(counts)

    def _combine_histograms(self, orig_hist, orig_min, orig_max, update_hist, update_min, update_max) -> Tensor:
        """The sum of two histograms, in the bins of the second, whose range contains that of the first."""
        if update_min == orig_min and update_max == orig_max:
            return orig_hist + update_hist
        if orig_min == orig_max:
            # All of it lies in one place.
            place = torch.histc(orig_min, bins=self.bins, min=update_min.item(), max=update_max.item())
            return place * torch.sum(orig_hist) + update_hist
        return update_hist + self._upscale_histogram(orig_hist, orig_min, orig_max, update_min, update_max)

    def _upscale_histogram(self, histogram, orig_min, orig_max, update_min, update_max):
        """A histogram in bins of a wider range: each of its bins is cut into parts, which fall where their middles lie."""
        parts = self.bins * self.upsample_rate
        counts = histogram.repeat_interleave(self.upsample_rate) / self.upsample_rate
        edges = torch.linspace(orig_min.item(), orig_max.item(), parts + 1)[:-1]
        middles = edges + 0.5 * ((orig_max - orig_min) / parts)
        bounds = torch.linspace(update_min.item(), update_max.item(), self.bins + 1)
        places = (torch.bucketize(middles, bounds, right=True) - 1).clamp(0, self.bins - 1)
        return torch.bincount(places, weights=counts, minlength=self.bins)

    @torch.jit.export
    def calculate_qparams(self):
        """Scale and zero point of the range with the least error, each a tensor of one element."""
        if self.min_val == float("inf") and self.max_val == float("-inf"):
            warnings.warn(
                "must run observer before calling calculate_qparams.                                    "
                "Returning default scale and zero point "
            )
            return torch.tensor([1.0]), torch.tensor([0])
        if self.bins != len(self.histogram):
            raise AssertionError(
                "The number of bins in histogram should be equal to the number of bins supplied while making this observer"
            )
        low, high = self._non_linear_param_search()
        return self._calculate_qparams(low, high)

    def _non_linear_param_search(self) -> Tuple[Tensor, Tensor]:
        """The part of the range that is worth its integers: its ends move inwards as long as the error gets smaller."""
        if self.histogram.size(0) != self.bins:
            raise AssertionError("bins mismatch")
        width = (self.max_val - self.min_val) / self.bins
        below: List[float] = torch.cumsum(self.histogram, dim=0).tolist()
        total = float(torch.sum(self.histogram).item())
        first, last = 0, self.bins - 1
        # What may lie outside: so much of all at the lower end, and the rest of `upper` at the other; a step takes 1e-5.
        lower, upper = 0.0, 1.0
        least = float("inf")
        while lower < upper:
            next_lower, next_upper = lower + 1e-5, upper - 1e-5
            limit = _single(_single(next_lower) * total)
            left = first
            while left < last and below[left] < limit:
                left += 1
            limit = _single(_single(next_upper) * total)
            right = last
            while right > first and below[right] > limit:
                right -= 1
            begin, end = first, last
            if left - first > last - right:
                begin, lower = left, next_lower
            else:
                end, upper = right, next_upper
            if begin == first and end == last:
                continue
            error = self._compute_quantization_error(begin, end)
            if error > least:
                break
            least = error
            first, last = begin, end
        return self.min_val + width * first, self.min_val + width * (last + 1)

    def _compute_quantization_error(self, next_start_bin: int, next_end_bin: int) -> float:
        """The sum of squared errors where the numbers of these bins are quantized, numbers being spread evenly in their bins."""
        width = float(self.max_val.item() - self.min_val.item()) / self.bins
        step = width * (next_end_bin - next_start_bin + 1) / self.dst_nbins
        if step == 0.0:
            return 0.0
        begins = (torch.arange(self.bins) - next_start_bin) * width
        ends = begins + width
        first_step = torch.clamp(torch.div(begins, step, rounding_mode="floor"), 0, self.dst_nbins - 1)
        last_step = torch.clamp(torch.div(ends, step, rounding_mode="floor"), 0, self.dst_nbins - 1)
        density = self.histogram / width
        whole = torch.ones(self.bins) * (step / 2)
        error = torch.zeros(self.bins)
        error += self._get_norm(begins - (first_step + 0.5) * step, whole, density)
        error += (last_step - first_step - 1) * self._get_norm(torch.tensor(-step / 2), torch.tensor(step / 2), density)
        error += self._get_norm(torch.tensor(-step / 2), ends - (last_step * step + step / 2), density)
        return float(error.sum().item())

    def _get_norm(self, delta_begin, delta_end, density):
        """The integral of the squared distance from a centre, between two distances."""
        return density * ((delta_end * delta_end * delta_end - delta_begin * delta_begin * delta_begin) / 3)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "min_val"] = self.min_val
        destination[prefix + "max_val"] = self.max_val

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        version = local_metadata.get("version")
        for name in ("min_val", "max_val"):
            key = prefix + name
            if key in state_dict:
                if (version is None or version < 3) and state_dict[key].shape == torch.Size([0]):
                    # Older versions said so that nothing had been seen.
                    state_dict[key] = torch.tensor(float("inf") if name == "min_val" else float("-inf"))
            elif strict:
                missing_keys.append(key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def extra_repr(self):
        return f"min_val={self.min_val}, max_val={self.max_val}"


_BITS = (torch.qint8, torch.quint8, torch.qint32, torch.int8, torch.uint8, torch.int16, torch.int32, torch.uint16)


def _integers(dtype):
    """The dtype of the integers behind a dtype."""
    return utils.to_underlying_dtype(dtype)


publish(globals(), "torch.ao.quantization.observer")
