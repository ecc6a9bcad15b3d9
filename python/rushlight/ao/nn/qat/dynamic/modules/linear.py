"""Linear maps that train with rounded weights, for inputs that are quantized as they come."""

from ......_library import publish
from ...modules import linear

__all__ = ["Linear"]


class Linear(linear.Linear):
    """``x Wᵀ + b`` with a weight that is rounded as it will be quantized.

    Raises:
        ValueError: the configuration does not ask for scales that each input gives.
    """

    def __init__(self, in_features, out_features, bias=True, qconfig=None, device=None, dtype=None) -> None:
        super().__init__(in_features, out_features, bias, qconfig, device, dtype)
        from .....quantization.utils import activation_is_dynamically_quantized

        if not activation_is_dynamically_quantized(qconfig):
            raise ValueError(
                "Dynamic QAT requires a memoryless observer." + "This means a MovingAverage observer with averaging constant equal to 1"
            )


publish(globals())
