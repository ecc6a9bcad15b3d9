"""When the numbers of a module are quantized."""

import enum

from ..._library import publish

__all__ = ["QuantType"]


class QuantType(enum.IntEnum):
    """What a configuration asks for."""

    DYNAMIC = 0
    STATIC = 1
    QAT = 2
    WEIGHT_ONLY = 3


_TEXTS = {QuantType.STATIC: "static", QuantType.DYNAMIC: "dynamic", QuantType.QAT: "qat", QuantType.WEIGHT_ONLY: "weight_only"}


def _get_quant_type_to_str(quant_type):
    return _TEXTS[quant_type]


def _quant_type_from_str(name):
    for quant_type, text in _TEXTS.items():
        if text == name:
            return quant_type
    raise ValueError(f"Unknown QuantType name '{name}'")


publish(globals())
