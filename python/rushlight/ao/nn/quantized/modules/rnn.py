"""Recurrent layers that were observed step by step."""

from typing import Any

from ....._library import publish
from ...quantizable.modules.rnn import LSTM as _ObservedLSTM

__all__ = ["LSTM"]


class LSTM(_ObservedLSTM):
    """Long short-term memory on quantized numbers."""

    _FLOAT_MODULE = _ObservedLSTM

    def _get_name(self) -> str:
        return "QuantizedLSTM"

    @classmethod
    def from_float(cls, *args: Any, **kwargs: Any) -> None:
        """Not from plain modules: they have to be observed first."""
        raise NotImplementedError(
            "It looks like you are trying to convert a non-observed LSTM module. Please, see the examples on quantizable LSTMs."
        )

    @classmethod
    def from_observed(cls, other):
        """The layer for an observed one."""
        from ....quantization import convert

        if not isinstance(other, _ObservedLSTM):
            raise AssertionError("other must be an observed torch.ao.nn.quantizable.LSTM")
        converted = convert(other, inplace=False, remove_qconfig=True)
        converted.__class__ = cls
        return converted


publish(globals())
