"""What ``qnnpack`` does."""

import rushlight as torch

from ...._library import publish
from . import _tables as tables
from .backend_config import BackendConfig, DTypeConfig, DTypeWithConstraints

__all__ = ["get_qnnpack_backend_config"]

_SMALLEST_SCALE = 2**-12
_SIGNED = DTypeWithConstraints(torch.qint8, scale_min_lower_bound=_SMALLEST_SCALE)
_SIGNED_WEIGHT = DTypeWithConstraints(
    torch.qint8, quant_min_lower_bound=-127, quant_max_upper_bound=127, scale_min_lower_bound=_SMALLEST_SCALE
)


def get_qnnpack_backend_config() -> BackendConfig:
    """What ``qnnpack`` does: signed numbers with scales that are not too small, besides those without a sign."""
    weighted = [DTypeConfig(_SIGNED, _SIGNED, _SIGNED_WEIGHT, torch.float), tables.U8_WEIGHTED]
    dynamic = [tables.DYNAMIC_INT8, tables.DYNAMIC_HALF]
    plain = [DTypeConfig(_SIGNED, _SIGNED), tables.U8]
    made = BackendConfig("qnnpack")
    for configs in (
        tables.convolutions(weighted),
        tables.linear_maps(weighted + dynamic),
        tables.binary_operations(plain),
        tables.joins(plain),
        tables.plain_operations(plain),
        tables.fixed_ranges(plain),
        tables.shared_scales(plain),
        tables.normalizations(plain),
        tables.recurrent_layers(dynamic),
        tables.tables_of_embeddings([tables.TABLE_U8, tables.TABLE_U4]),
    ):
        made.set_backend_pattern_configs(configs)
    return made


publish(globals())
