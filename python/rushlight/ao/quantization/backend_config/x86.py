"""What ``x86`` does."""

from ...._library import publish
from . import _tables as tables
from .backend_config import BackendConfig

__all__ = ["get_x86_backend_config"]


def get_x86_backend_config() -> BackendConfig:
    """What ``x86`` does: as ``fbgemm``; sums, products and operations with a known range say the dtypes of weights too."""
    weighted = [tables.U8_WEIGHTED]
    dynamic = [tables.DYNAMIC_INT8, tables.DYNAMIC_HALF]
    plain = [tables.U8]
    made = BackendConfig("x86")
    for configs in (
        tables.convolutions(weighted),
        tables.linear_maps(weighted + dynamic),
        tables.binary_operations(weighted),
        tables.joins(plain),
        tables.plain_operations(plain),
        tables.fixed_ranges(weighted),
        tables.shared_scales(plain),
        tables.questions(plain),
        tables.normalizations(plain),
        tables.recurrent_layers(dynamic),
        tables.tables_of_embeddings([tables.TABLE_U8, tables.TABLE_U4]),
    ):
        made.set_backend_pattern_configs(configs)
    return made


publish(globals())
