"""``tensorrt``: a backend that models are not quantized for here. The name is, and says so when it is called."""

from ...._library import publish

__all__ = ["get_tensorrt_backend_config", "get_tensorrt_backend_config_dict"]

_WHY = "is not supported by Rushlight: models are quantized for the native backend, fbgemm, x86 or qnnpack"


def get_tensorrt_backend_config():
    """Raises."""
    raise NotImplementedError(f"torch.ao.quantization.backend_config.get_tensorrt_backend_config {_WHY}")


def get_tensorrt_backend_config_dict():
    """Raises."""
    raise NotImplementedError(f"torch.ao.quantization.backend_config.get_tensorrt_backend_config_dict {_WHY}")


publish(globals())
