"""Recurrent layers and cells with quantized weights."""

from typing import Any, Optional

import rushlight as torch

from ......_library import publish
from ......_rushlight import Tensor
from .utils import _keep_qparams, _quantized, _rounded

__all__ = ["RNNCell", "LSTMCell", "GRUCell", "LSTM", "GRU"]


class _Weights:
    """What they share: weights that know how they are quantized, by the names of the weights."""

    def _keep(self, names: list[str], qparams: Optional[dict[str, Any]], device=None) -> None:
        self.is_decomposed = bool((qparams or {}).get("is_decomposed", False))
        for name in names:
            _keep_qparams(self, name, None if qparams is None else qparams[name], device)
            self.register_buffer(name + "_zero_point", getattr(self, name + "_zero_point").to(torch.int))

    def get_quantized_weight(self, name: str) -> Tensor:
        """A quantized weight, in half precision where that is its dtype."""
        return _quantized(self, name)

    def get_weight(self, name: str) -> Tensor:
        """A weight as it is after it was quantized."""
        return _rounded(self, name)

    def _get_name(self):
        return f"Quantized{type(self).__name__}(Reference)"

    @classmethod
    def _with_parameters(cls, made, plain):
        """A layer with the parameters of a plain one."""
        for name, parameter in plain.named_parameters():
            setattr(made, name, torch.nn.Parameter(parameter.detach()))
        return made


class _Cell(_Weights):
    """What cells share."""

    def get_weight_ih(self) -> Tensor:
        """The weight of inputs as it is after it was quantized."""
        return self.get_weight("weight_ih")

    def get_weight_hh(self) -> Tensor:
        """The weight of the state as it is after it was quantized."""
        return self.get_weight("weight_hh")

    def _parameters_of_step(self):
        return self.get_weight_ih(), self.get_weight_hh(), self.bias_ih, self.bias_hh

    @classmethod
    def from_float(cls, mod, weight_qparams_dict):
        """The cell for a plain one."""
        made = cls(mod.input_size, mod.hidden_size, mod.bias, weight_qparams_dict=weight_qparams_dict)
        return cls._with_parameters(made, mod)


_OF_CELL = ["weight_ih", "weight_hh"]


class RNNCell(_Cell, torch.nn.RNNCell):
    """``h' = tanh(W x + b + U h + c)``, or with ``relu``."""

    def __init__(
        self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None, weight_qparams_dict=None
    ) -> None:
        torch.nn.RNNCell.__init__(self, input_size, hidden_size, bias, nonlinearity, device=device, dtype=dtype)
        self._keep(_OF_CELL, weight_qparams_dict, device)

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        if hx is None:
            hx = torch.zeros(*input.shape[:-1], self.hidden_size, dtype=input.dtype)
        step = {"tanh": torch.rnn_tanh_cell, "relu": torch.rnn_relu_cell}.get(self.nonlinearity)
        if step is None:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return step(input, hx, *self._parameters_of_step())

    @classmethod
    def from_float(cls, mod, weight_qparams_dict):
        """The cell for a plain one."""
        made = cls(mod.input_size, mod.hidden_size, mod.bias, mod.nonlinearity, weight_qparams_dict=weight_qparams_dict)
        return cls._with_parameters(made, mod)


class LSTMCell(_Cell, torch.nn.LSTMCell):
    """One step of a long short-term memory."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None, weight_qparams_dict=None) -> None:
        torch.nn.LSTMCell.__init__(self, input_size, hidden_size, bias, device=device, dtype=dtype)
        self._keep(_OF_CELL, weight_qparams_dict, device)

    def forward(self, input: Tensor, hx=None):
        if hx is None:
            zeros = torch.zeros(*input.shape[:-1], self.hidden_size, dtype=input.dtype)
            hx = zeros, zeros
        return torch.lstm_cell(input, hx, *self._parameters_of_step())


class GRUCell(_Cell, torch.nn.GRUCell):
    """One step of a gated recurrent unit."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None, weight_qparams_dict=None) -> None:
        torch.nn.GRUCell.__init__(self, input_size, hidden_size, bias, device=device, dtype=dtype)
        self._keep(_OF_CELL, weight_qparams_dict, device)

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        if hx is None:
            hx = torch.zeros(*input.shape[:-1], self.hidden_size, dtype=input.dtype)
        return torch.gru_cell(input, hx, *self._parameters_of_step())


class _Layer(_Weights):
    """What layers share: they run as plain ones with the weights as they are after they were quantized."""

    def get_quantized_weight_bias_dict(self) -> dict[str, dict[str, Tensor]]:
        """The quantized weights and the biases, by their names."""
        weights = [name for name in self._flat_weights_names if name.startswith("weight")]
        biases = [name for name in self._flat_weights_names if name.startswith("bias")]
        return {
            "weight": {name: self.get_quantized_weight(name) for name in weights},
            "bias": {name: getattr(self, name) for name in biases},
        }

    def get_flat_weights(self) -> list[Tensor]:
        """Weights, as they are after they were quantized, and biases in the order of the layer."""
        return [
            self.get_weight(name) if name.startswith("weight") else getattr(self, name) for name in self._flat_weights_names
        ]

    def forward(self, input, hx=None):
        self._update_flat_weights()
        kept, self._flat_weights = self._flat_weights, self.get_flat_weights()
        try:
            return super().forward(input, hx)
        finally:
            self._flat_weights = kept

    @classmethod
    def from_float(cls, mod, weight_qparams_dict):
        """The layer for a plain one."""
        made = cls(
            mod.input_size, mod.hidden_size, mod.num_layers, mod.bias, mod.batch_first, mod.dropout, mod.bidirectional,
            weight_qparams_dict=weight_qparams_dict,
        )
        made = cls._with_parameters(made, mod)
        made.train(mod.training)
        return made


class LSTM(_Layer, torch.nn.LSTM):
    """Long short-term memory of plain numbers. Arguments as :class:`torch.nn.LSTM`, and ``weight_qparams_dict``."""

    def __init__(self, *args, weight_qparams_dict=None, **kwargs):
        torch.nn.LSTM.__init__(self, *args, **kwargs)
        self._keep([name for name in self._flat_weights_names if name.startswith("weight")], weight_qparams_dict)


class GRU(_Layer, torch.nn.GRU):
    """Gated recurrent units of plain numbers. Arguments as :class:`torch.nn.GRU`, and ``weight_qparams_dict``."""

    def __init__(self, *args, weight_qparams_dict=None, **kwargs):
        torch.nn.GRU.__init__(self, *args, **kwargs)
        self._keep([name for name in self._flat_weights_names if name.startswith("weight")], weight_qparams_dict)


publish(globals())
