"""What is asked of a backend, as dictionaries by pattern."""

from typing import Any, Callable

from ...._library import publish
from .backend_config import BackendConfig, DTypeConfig

__all__ = [
    "get_pattern_to_dtype_configs", "get_qat_module_classes", "get_fused_module_classes", "get_pattern_to_input_type_to_index",
    "get_root_module_to_quantized_reference_module", "get_fuser_method_mapping", "get_module_to_qat_module",
]


def get_pattern_to_dtype_configs(backend_config: BackendConfig) -> dict[Any, list[DTypeConfig]]:
    """The combinations of dtypes of every pattern."""
    return {pattern: config.dtype_configs for pattern, config in backend_config._pattern_complex_format_to_config.items()}


def get_qat_module_classes(backend_config: BackendConfig) -> tuple[type, ...]:
    """The classes for training."""
    return tuple({config.qat_module for config in backend_config.configs if config.qat_module is not None})


def get_fused_module_classes(backend_config: BackendConfig) -> tuple[type, ...]:
    """The classes that stand for patterns."""
    return tuple({config.fused_module for config in backend_config.configs if config.fused_module is not None})


def get_pattern_to_input_type_to_index(backend_config: BackendConfig) -> dict[Any, dict[str, int]]:
    """Which argument is the weight, and which the bias, of every pattern."""
    return {
        pattern: config._input_type_to_index for pattern, config in backend_config._pattern_complex_format_to_config.items()
    }


def get_root_module_to_quantized_reference_module(backend_config: BackendConfig) -> dict[type, type]:
    """The class that takes the place of a module with weights, with the weights quantized and unpacked."""
    return {
        config.root_module: config.reference_quantized_module
        for config in backend_config.configs
        if config.root_module is not None and config.reference_quantized_module is not None
    }


def get_fuser_method_mapping(backend_config: BackendConfig) -> dict[Any, Callable]:
    """The function that makes one module of every pattern that has one."""
    return {
        pattern: config.fuser_method
        for pattern, config in backend_config._pattern_complex_format_to_config.items()
        if config.fuser_method is not None
    }


def get_module_to_qat_module(backend_config: BackendConfig) -> dict[Any, type]:
    """The class for training of every pattern that has one."""
    return {
        pattern: config.qat_module
        for pattern, config in backend_config._pattern_complex_format_to_config.items()
        if config.qat_module is not None
    }


publish(globals())
