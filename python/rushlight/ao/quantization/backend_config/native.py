"""What the library's own kernels do: the backend that models are quantized for where nothing else is said."""

from typing import Any

from ...._library import publish
from . import _tables as tables
from .backend_config import BackendConfig

__all__ = ["get_native_backend_config", "get_native_backend_config_dict"]


def get_native_backend_config() -> BackendConfig:
    """Everything that any of the backends of this library does."""
    weighted = [tables.U8_WEIGHTED]
    dynamic = [tables.DYNAMIC_INT8, tables.DYNAMIC_HALF]
    plain = [tables.U8]
    made = BackendConfig("native")
    for configs in (
        tables.convolutions(weighted),
        tables.linear_maps(weighted + dynamic),
        tables.binary_operations(plain),
        tables.joins(plain),
        tables.plain_operations(plain),
        tables.fixed_ranges(plain),
        tables.shared_scales(plain),
        tables.questions(plain),
        tables.normalizations(plain),
        tables.layer_normalizations([tables.U8_LAYER_NORM]),
        tables.recurrent_layers(dynamic),
        tables.tables_of_embeddings([tables.TABLE_U8, tables.TABLE_U4]),
    ):
        made.set_backend_pattern_configs(configs)
    return made


def get_native_backend_config_dict() -> dict[str, Any]:
    """:func:`get_native_backend_config` as a dictionary."""
    return get_native_backend_config().to_dict()


publish(globals())
