"""Recurrent layers and cells with quantized weights, whose inputs are quantized as they come."""

import numbers
import warnings
from typing import Optional, Tuple

import rushlight as torch

from ......_library import publish
from ......_rushlight import Tensor
from ......jit._names import _overload_method
from ......nn import GRU as FloatGRU
from ......nn import LSTM as FloatLSTM
from ......nn import GRUCell as FloatGRUCell
from ......nn import LSTMCell as FloatLSTMCell
from ......nn import Module, ModuleList
from ......nn import RNNBase as FloatRNNBase
from ......nn import RNNCell as FloatRNNCell
from ......nn.modules.module import _addindent
from ......nn.utils.rnn import PackedSequence
from ...modules.utils import _quantize_weight

__all__ = [
    "pack_weight_bias", "PackedParameter", "RNNBase", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell",
    "apply_permutation",
]

# How many matrices of the hidden size a step stacks, by mode or kind.
_GATES = {"LSTM": 4, "GRU": 3}
_CELL_GATES = {FloatLSTMCell: 4, FloatGRUCell: 3, FloatRNNCell: 1}


def _apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """The slices of a dimension in another order."""
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """The old name of ``index_select``."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return _apply_permutation(tensor, permutation, dim)


def pack_weight_bias(qweight, bias, dtype):
    """A weight and bias, packed: for ``torch.qint8`` the weight is quantized, for ``torch.float16`` it is plain."""
    if dtype == torch.qint8:
        return torch.ops.quantized.linear_prepack(qweight, bias)
    return torch.ops.quantized.linear_prepack_fp16(qweight, bias)


def _cell_parameters(w_ih, w_hh, b_ih, b_hh, dtype):
    """What an operator needs of one direction of one layer."""
    if dtype == torch.qint8:
        return torch.ops.quantized.make_quantized_cell_params_dynamic(
            pack_weight_bias(w_ih, b_ih, dtype), pack_weight_bias(w_hh, b_hh, dtype), b_ih, b_hh, True
        )
    if not _has_half_cells():
        raise NotImplementedError("recurrent layers with weights of torch.float16 are not supported by Rushlight; torch.qint8 is")
    return torch.ops.quantized.make_quantized_cell_params_fp16(
        torch.ops.quantized.linear_prepack_fp16(w_ih, b_ih), torch.ops.quantized.linear_prepack_fp16(w_hh, b_hh)
    )


def _has_half_cells():
    return hasattr(torch.ops.quantized, "make_quantized_cell_params_fp16")


def _for_packing(part):
    """A weight or bias of a reference layer as it is packed: the rounding to half precision happens there."""
    return part if part.is_quantized else part.detach().float()


def _weights_of(packed):
    """Weights and biases of packed parameters: those of the input, those of the state."""
    from ......_packed import state_of

    kind, tensors, _, _, layers = state_of(packed)
    unpack = torch.ops.quantized.linear_unpack if kind == "quantized_dynamic" else torch.ops.quantized.linear_unpack_fp16
    (w_ih, b_ih), (w_hh, b_hh) = (tuple(unpack(layer)) for layer in layers)
    if tensors:
        b_ih, b_hh = tensors
    return w_ih, w_hh, b_ih, b_hh


class PackedParameter(Module):
    """Keeps packed parameters as an entry of the state."""

    def __init__(self, param):
        super().__init__()
        self.param = param

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "param"] = self.param

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        self.param = state_dict[prefix + "param"]
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )


class RNNBase(Module):
    """What both layers share: their weights and the checks of their inputs."""

    _FLOAT_MODULE = FloatRNNBase
    _version = 2

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        dtype=torch.qint8,
    ):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.dtype = dtype
        self.version = 2
        self.training = False
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=2,
            )
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self._all_weight_values = ModuleList([PackedParameter(p) for p in self._drawn(_GATES[mode] * hidden_size, dtype)])

    def _drawn(self, gate_size, dtype):
        """Packed parameters with random numbers, for every direction of every layer."""
        directions = 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else self.hidden_size * directions
            for _ in range(directions):
                w_ih = torch.randn(gate_size, width).to(torch.float)
                w_hh = torch.randn(gate_size, self.hidden_size).to(torch.float)
                b_ih = torch.randn(gate_size).to(torch.float)
                b_hh = torch.randn(gate_size).to(torch.float)
                if dtype == torch.qint8:
                    w_ih = torch.quantize_per_tensor(w_ih, scale=0.1, zero_point=0, dtype=torch.qint8)
                    w_hh = torch.quantize_per_tensor(w_hh, scale=0.1, zero_point=0, dtype=torch.qint8)
                yield _cell_parameters(w_ih, w_hh, b_ih, b_hh, dtype)

    def _get_name(self):
        return "DynamicQuantizedRNN"

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (
            ("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0), ("bidirectional", False),
        ):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text

    def __repr__(self):
        shown = [
            f"({name}): {_addindent(repr(module), 2)}"
            for name, module in self._modules.items()
            if not isinstance(module, (PackedParameter, ModuleList))
        ]
        if not shown:
            return f"{self._get_name()}({self.extra_repr()})"
        return self._get_name() + "(\n  " + "\n  ".join([self.extra_repr(), *shown]) + "\n)"

    def check_input(self, input: Tensor, batch_sizes: Optional[Tensor]) -> None:
        """Refuses inputs of the wrong sizes."""
        expected_input_dim = 2 if batch_sizes is not None else 3
        if input.dim() != expected_input_dim:
            raise RuntimeError(f"input must have {expected_input_dim} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Optional[Tensor]) -> Tuple[int, int, int]:
        """The sizes that a state must have."""
        if batch_sizes is not None:
            mini_batch = int(batch_sizes[0])
        else:
            mini_batch = input.size(0) if self.batch_first else input.size(1)
        num_directions = 2 if self.bidirectional else 1
        return self.num_layers * num_directions, mini_batch, self.hidden_size

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: Tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Refuses states of the wrong sizes."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Tensor, batch_sizes: Optional[Tensor]) -> None:
        """Refuses inputs and states that do not go together."""
        self.check_input(input, batch_sizes)
        expected_hidden_size = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden, expected_hidden_size, msg="Expected hidden size {}, got {}")

    def permute_hidden(self, hx: Tensor, permutation: Optional[Tensor]) -> Tensor:
        """A state in the order of packed sequences."""
        if permutation is None:
            return hx
        return _apply_permutation(hx, permutation)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        self.version = local_metadata.get("version", None)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    def _names(self):
        """The names that weights of a plain layer have: (layer and direction as part of a name)."""
        endings = ("", "_reverse") if self.bidirectional else ("",)
        return [f"l{layer}{ending}" for layer in range(self.num_layers) for ending in endings]

    def get_weight(self):
        """The quantized weights, under the names that a plain layer has for them."""
        found = {}
        for name, kept in zip(self._names(), self._all_weight_values):
            found["weight_ih_" + name], found["weight_hh_" + name], _, _ = _weights_of(kept.param)
        return found

    def get_bias(self):
        """The biases, under the names that a plain layer has for them."""
        found = {}
        for name, kept in zip(self._names(), self._all_weight_values):
            _, _, found["bias_ih_" + name], found["bias_hh_" + name] = _weights_of(kept.param)
        return found

    def _weight_bias(self):
        return {"weight": self.get_weight(), "bias": self.get_bias()}

    def set_weight_bias(self, weight_bias_dict):
        """Replaces all weights and biases, by the names that a plain layer has for them."""
        made = []
        for name in self._names():
            parts = [weight_bias_dict[f"{part}_{name}"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
            made.append(PackedParameter(_cell_parameters(*parts, self.dtype)))
        self._all_weight_values = ModuleList(made)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The layer for a plain LSTM or GRU.

        Raises:
            AssertionError: `mod` is neither, or nothing has been said of its quantization.
        """
        from .....quantization.qconfig import default_dynamic_qconfig

        if type(mod) not in (FloatLSTM, FloatGRU):
            raise AssertionError("nn.quantized.dynamic.RNNBase.from_float only works for nn.LSTM and nn.GRU")
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        if mod.proj_size:
            raise NotImplementedError("Quantized LSTM with projections is not supported")
        qconfig = mod.qconfig if mod.qconfig is not None and mod.qconfig.weight is not None else default_dynamic_qconfig
        dtype = qconfig.weight().dtype
        if dtype not in (torch.qint8, torch.float16):
            raise RuntimeError(f"Unsupported dtype for Dynamic RNN quantization: {dtype}")
        made = (LSTM if type(mod) is FloatLSTM else GRU)(
            mod.input_size, mod.hidden_size, mod.num_layers, mod.bias, mod.batch_first, mod.dropout, mod.bidirectional, dtype
        )
        if not mod.bias:
            raise AssertionError("mod.bias must be True")
        parts = {}
        for name, weight in mod.named_parameters():
            if name.startswith("weight") and dtype == torch.qint8:
                observer = qconfig.weight()
                observer(weight)
                weight = _quantize_weight(weight.float(), observer)
            elif name.startswith("weight"):
                weight = weight.float()
            parts[name] = weight
        made.set_weight_bias({name: part.detach() for name, part in parts.items()})
        return made

    @classmethod
    def from_reference(cls, ref_mod):
        """The layer for one that keeps its quantized weights unpacked."""
        dtype = ref_mod.weight_ih_l0_dtype
        kind = {"LSTM": LSTM, "GRU": GRU}[ref_mod.mode]
        made = kind(
            ref_mod.input_size, ref_mod.hidden_size, ref_mod.num_layers, ref_mod.bias, ref_mod.batch_first, ref_mod.dropout,
            ref_mod.bidirectional, dtype,
        )
        held = ref_mod.get_quantized_weight_bias_dict()
        made.set_weight_bias({name: _for_packing(part) for kept in held.values() for name, part in kept.items()})
        return made


class LSTM(RNNBase):
    """Long short-term memory. Arguments as :class:`torch.nn.LSTM`, and ``dtype`` for the weights."""

    _FLOAT_MODULE = FloatLSTM

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def _get_name(self):
        return "DynamicQuantizedLSTM"

    def forward_impl(
        self,
        input: Tensor,
        hx: Optional[Tuple[Tensor, Tensor]],
        batch_sizes: Optional[Tensor],
        max_batch_size: int,
        sorted_indices: Optional[Tensor],
    ) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        """Runs over padded sequences, or packed ones where `batch_sizes` is given."""
        if hx is None:
            num_directions = 2 if self.bidirectional else 1
            zeros = torch.zeros(
                self.num_layers * num_directions, max_batch_size, self.hidden_size, dtype=input.dtype, device=input.device
            )
            hx = (zeros, zeros)
        else:
            hx = self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(input, hx, batch_sizes)
        _all_params = [m.param for m in self._all_weight_values]
        if batch_sizes is None:
            result = torch.quantized_lstm(
                input, [hx[0], hx[1]], _all_params, self.bias, self.num_layers, self.dropout, self.training,
                self.bidirectional, self.batch_first, dtype=self.dtype, use_dynamic=True,
            )
        else:
            result = torch.quantized_lstm(
                input, batch_sizes, [hx[0], hx[1]], _all_params, self.bias, self.num_layers, self.dropout, self.training,
                self.bidirectional, dtype=self.dtype, use_dynamic=True,
            )
        return result[0], (result[1], result[2])

    def forward_tensor(
        self, input: Tensor, hx: Optional[Tuple[Tensor, Tensor]] = None
    ) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        """Runs over padded sequences."""
        max_batch_size = input.size(0) if self.batch_first else input.size(1)
        output, hidden = self.forward_impl(input, hx, None, max_batch_size, None)
        return output, self.permute_hidden(hidden, None)

    def forward_packed(
        self, input: PackedSequence, hx: Optional[Tuple[Tensor, Tensor]] = None
    ) -> Tuple[PackedSequence, Tuple[Tensor, Tensor]]:
        """Runs over packed sequences."""
        input_, batch_sizes, sorted_indices, unsorted_indices = input
        output_, hidden = self.forward_impl(input_, hx, batch_sizes, int(batch_sizes[0]), sorted_indices)
        output = PackedSequence(output_, batch_sizes, sorted_indices, unsorted_indices)
        return output, self.permute_hidden(hidden, unsorted_indices)

    def permute_hidden(self, hx: Tuple[Tensor, Tensor], permutation: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
        """The states in the order of packed sequences."""
        if permutation is None:
            return hx
        return _apply_permutation(hx[0], permutation), _apply_permutation(hx[1], permutation)

    def check_forward_args(self, input: Tensor, hidden: Tuple[Tensor, Tensor], batch_sizes: Optional[Tensor]) -> None:
        """Refuses inputs and states that do not go together."""
        self.check_input(input, batch_sizes)
        expected_hidden_size = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden[0], expected_hidden_size, "Expected hidden[0] size {}, got {}")
        self.check_hidden_size(hidden[1], expected_hidden_size, "Expected hidden[1] size {}, got {}")

    @_overload_method
    def forward(
        self, input: Tensor, hx: Optional[Tuple[Tensor, Tensor]] = None
    ) -> Tuple[Tensor, Tuple[Tensor, Tensor]]:
        pass

    @_overload_method
    def forward(
        self, input: PackedSequence, hx: Optional[Tuple[Tensor, Tensor]] = None
    ) -> Tuple[PackedSequence, Tuple[Tensor, Tensor]]:
        pass

    def forward(self, input, hx=None):
        if isinstance(input, PackedSequence):
            return self.forward_packed(input, hx)
        else:
            return self.forward_tensor(input, hx)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`RNNBase.from_float`."""
        return super().from_float(mod, use_precomputed_fake_quant)


class GRU(RNNBase):
    """Gated recurrent units. Arguments as :class:`torch.nn.GRU`, and ``dtype`` for the weights."""

    _FLOAT_MODULE = FloatGRU

    def __init__(self, *args, **kwargs):
        super().__init__("GRU", *args, **kwargs)

    def _get_name(self):
        return "DynamicQuantizedGRU"

    def forward_impl(
        self,
        input: Tensor,
        hx: Optional[Tensor],
        batch_sizes: Optional[Tensor],
        max_batch_size: int,
        sorted_indices: Optional[Tensor],
    ) -> Tuple[Tensor, Tensor]:
        """Runs over padded sequences, or packed ones where `batch_sizes` is given."""
        if hx is None:
            num_directions = 2 if self.bidirectional else 1
            hx = torch.zeros(
                self.num_layers * num_directions, max_batch_size, self.hidden_size, dtype=input.dtype, device=input.device
            )
        else:
            hx = self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(input, hx, batch_sizes)
        _all_params = [m.param for m in self._all_weight_values]
        if batch_sizes is None:
            result = torch.quantized_gru(
                input, hx, _all_params, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
                self.batch_first,
            )
        else:
            result = torch.quantized_gru(
                input, batch_sizes, hx, _all_params, self.bias, self.num_layers, self.dropout, self.training,
                self.bidirectional,
            )
        return result[0], result[1]

    def forward_tensor(self, input: Tensor, hx: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        """Runs over padded sequences."""
        max_batch_size = input.size(0) if self.batch_first else input.size(1)
        output, hidden = self.forward_impl(input, hx, None, max_batch_size, None)
        return output, self.permute_hidden(hidden, None)

    def forward_packed(self, input: PackedSequence, hx: Optional[Tensor] = None) -> Tuple[PackedSequence, Tensor]:
        """Runs over packed sequences."""
        input_, batch_sizes, sorted_indices, unsorted_indices = input
        output_, hidden = self.forward_impl(input_, hx, batch_sizes, int(batch_sizes[0]), sorted_indices)
        output = PackedSequence(output_, batch_sizes, sorted_indices, unsorted_indices)
        return output, self.permute_hidden(hidden, unsorted_indices)

    @_overload_method
    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        pass

    @_overload_method
    def forward(self, input: PackedSequence, hx: Optional[Tensor] = None) -> Tuple[PackedSequence, Tensor]:
        pass

    def forward(self, input, hx=None):
        if isinstance(input, PackedSequence):
            return self.forward_packed(input, hx)
        else:
            return self.forward_tensor(input, hx)

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """See :meth:`RNNBase.from_float`."""
        return super().from_float(mod, use_precomputed_fake_quant)


class RNNCellBase(Module):
    """What all cells share: their weights and the checks of their inputs."""

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size, hidden_size, bias=True, num_chunks=4, dtype=torch.qint8):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self.weight_dtype = dtype
        if bias:
            self.bias_ih = torch.randn(num_chunks * hidden_size).to(dtype=torch.float)
            self.bias_hh = torch.randn(num_chunks * hidden_size).to(dtype=torch.float)
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        w_ih = torch.randn(num_chunks * hidden_size, input_size).to(torch.float)
        w_hh = torch.randn(num_chunks * hidden_size, hidden_size).to(torch.float)
        if dtype == torch.qint8:
            w_ih = torch.quantize_per_tensor(w_ih, scale=1, zero_point=0, dtype=torch.qint8)
            w_hh = torch.quantize_per_tensor(w_hh, scale=1, zero_point=0, dtype=torch.qint8)
        self._packed_weight_ih = pack_weight_bias(w_ih, self.bias_ih, dtype)
        self._packed_weight_hh = pack_weight_bias(w_hh, self.bias_hh, dtype)

    def _get_name(self):
        return "DynamicQuantizedRNNBase"

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def check_forward_input(self, input):
        """Refuses inputs of the wrong size."""
        if input.size(1) != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)}, expected {self.input_size}")

    def check_forward_hidden(self, input: Tensor, hx: Tensor, hidden_label: str = "") -> None:
        """Refuses states of the wrong sizes."""
        if input.size(0) != hx.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{hidden_label} batch size {hx.size(0)}"
            )
        if hx.size(1) != self.hidden_size:
            raise RuntimeError(
                f"hidden{hidden_label} has inconsistent hidden_size: got {hx.size(1)}, expected {self.hidden_size}"
            )

    def _unpacked(self):
        """Weight and bias of the input, and of the state."""
        is_half = self.weight_dtype == torch.float16
        unpack = torch.ops.quantized.linear_unpack_fp16 if is_half else torch.ops.quantized.linear_unpack
        return unpack(self._packed_weight_ih), unpack(self._packed_weight_hh)

    def _weight_bias(self):
        return {"weight": self.get_weight(), "bias": self.get_bias()}

    def get_weight(self):
        """The quantized weights."""
        (w_ih, _), (w_hh, _) = self._unpacked()
        return {"weight_ih": w_ih, "weight_hh": w_hh}

    def get_bias(self):
        """The biases."""
        return {"bias_ih": self.bias_ih, "bias_hh": self.bias_hh}

    def set_weight_bias(self, weight_bias_dict):
        """Replaces weights and biases."""
        parts = weight_bias_dict
        self._packed_weight_ih = pack_weight_bias(parts["weight_ih"], parts["bias_ih"], self.weight_dtype)
        self._packed_weight_hh = pack_weight_bias(parts["weight_hh"], parts["bias_hh"], self.weight_dtype)
        self.bias_ih = parts["bias_ih"]
        self.bias_hh = parts["bias_hh"]

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "_packed_weight_ih"] = self._packed_weight_ih
        destination[prefix + "_packed_weight_hh"] = self._packed_weight_hh

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        self._packed_weight_ih = state_dict.pop(prefix + "_packed_weight_ih")
        self._packed_weight_hh = state_dict.pop(prefix + "_packed_weight_hh")
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, False, missing_keys, unexpected_keys, error_msgs
        )

    @classmethod
    def from_float(cls, mod, use_precomputed_fake_quant=False):
        """The cell for a plain one.

        Raises:
            AssertionError: `mod` is no cell, or nothing has been said of its quantization.
        """
        from .....quantization.qconfig import default_dynamic_qconfig

        if type(mod) not in _CELL_GATES:
            raise AssertionError(
                "nn.quantized.dynamic.RNNCellBase.from_float only works for nn.LSTMCell, nn.GRUCell and nn.RNNCell"
            )
        if not hasattr(mod, "qconfig"):
            raise AssertionError("Input float module must have qconfig defined")
        qconfig = mod.qconfig if mod.qconfig is not None and mod.qconfig.weight is not None else default_dynamic_qconfig
        dtype = qconfig.weight().dtype
        if dtype not in (torch.qint8, torch.float16):
            raise AssertionError(
                f"The only supported dtypes for dynamic quantized linear are qint8 and float16, got: {dtype}"
            )
        if type(mod) is FloatRNNCell:
            made = RNNCell(mod.input_size, mod.hidden_size, bias=mod.bias, nonlinearity=mod.nonlinearity, dtype=dtype)
        else:
            kind = LSTMCell if type(mod) is FloatLSTMCell else GRUCell
            made = kind(mod.input_size, mod.hidden_size, bias=mod.bias, dtype=dtype)
        if not mod.bias:
            raise AssertionError("mod.bias must be True")
        parts = {"bias_ih": mod.bias_ih.detach(), "bias_hh": mod.bias_hh.detach()}
        for name in ("weight_ih", "weight_hh"):
            weight = getattr(mod, name)
            if dtype == torch.qint8:
                observer = qconfig.weight()
                observer(weight)
                weight = _quantize_weight(weight.float(), observer)
            parts[name] = weight.float() if dtype == torch.float16 else weight
        made.set_weight_bias(parts)
        return made

    @classmethod
    def from_reference(cls, ref_mod):
        """The cell for one that keeps its quantized weights unpacked."""
        dtype = ref_mod.weight_ih_dtype
        options = {"bias": ref_mod.bias, "dtype": dtype}
        if hasattr(ref_mod, "nonlinearity"):
            options["nonlinearity"] = ref_mod.nonlinearity
        made = cls(ref_mod.input_size, ref_mod.hidden_size, **options)
        parts = {name: ref_mod.get_quantized_weight(name) for name in ("weight_ih", "weight_hh")}
        parts.update(bias_ih=ref_mod.bias_ih, bias_hh=ref_mod.bias_hh)
        made.set_weight_bias({name: _for_packing(part) for name, part in parts.items()})
        return made


class RNNCell(RNNCellBase):
    """``h' = tanh(W x + b + U h + c)``, or with ``relu``."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", dtype=torch.qint8):
        super().__init__(input_size, hidden_size, bias, num_chunks=1, dtype=dtype)
        self.nonlinearity = nonlinearity

    def _get_name(self):
        return "DynamicQuantizedRNNCell"

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        self.check_forward_input(input)
        if hx is None:
            hx = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        self.check_forward_hidden(input, hx, "")
        if self.nonlinearity == "tanh":
            ret = torch.ops.quantized.quantized_rnn_tanh_cell_dynamic(
                input, hx, self._packed_weight_ih, self._packed_weight_hh, self.bias_ih, self.bias_hh
            )
        elif self.nonlinearity == "relu":
            ret = torch.ops.quantized.quantized_rnn_relu_cell_dynamic(
                input, hx, self._packed_weight_ih, self._packed_weight_hh, self.bias_ih, self.bias_hh
            )
        else:
            ret = input
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return ret


class LSTMCell(RNNCellBase):
    """A step of long short-term memory."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, num_chunks=4, **kwargs)

    def _get_name(self):
        return "DynamicQuantizedLSTMCell"

    def forward(self, input: Tensor, hx: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[Tensor, Tensor]:
        self.check_forward_input(input)
        if hx is None:
            zeros = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
            hx = (zeros, zeros)
        self.check_forward_hidden(input, hx[0], "[0]")
        self.check_forward_hidden(input, hx[1], "[1]")
        return torch.ops.quantized.quantized_lstm_cell_dynamic(
            input, [hx[0], hx[1]], self._packed_weight_ih, self._packed_weight_hh, self.bias_ih, self.bias_hh
        )


class GRUCell(RNNCellBase):
    """A step of gated recurrent units."""

    def __init__(self, input_size, hidden_size, bias=True, dtype=torch.qint8):
        super().__init__(input_size, hidden_size, bias, num_chunks=3, dtype=dtype)

    def _get_name(self):
        return "DynamicQuantizedGRUCell"

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        self.check_forward_input(input)
        if hx is None:
            hx = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        self.check_forward_hidden(input, hx, "")
        return torch.ops.quantized.quantized_gru_cell_dynamic(
            input, hx, self._packed_weight_ih, self._packed_weight_hh, self.bias_ih, self.bias_hh
        )


publish(globals())
