"""Recurrent layers over whole sequences, and cells for single steps."""

import math
import warnings
import weakref
from typing import List, Optional, Tuple

import rushlight as torch

from ..._library import publish
from ..._once import warn_once
from ..._rushlight import Tensor
from ...jit._names import _overload_method
from .. import functional as F
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .module import Module

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]

# What the library that the reference runs layers with computes with.
_OF_ONEDNN = (torch.float32, torch.bfloat16)
_WITHOUT_ONEDNN = "LSTM with projections is not supported with oneDNN. Using default implementation."
# How many matrices of the hidden size a step stacks, by mode.
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _checked_dropout(dropout, num_layers):
    """The dropout as a number; a warning where it has nothing to work on."""
    dropout = float(dropout)
    if not 0 <= dropout <= 1:
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
            f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=3,
        )
    return dropout


def _check_rank(input: Tensor, message: str) -> None:
    """Refuses padded sequences that have neither two dimensions nor, with a batch, three."""
    if input.dim() not in (2, 3):
        raise ValueError(message.format(input.dim()))


# Functions, not methods: scripts list the methods of these layers by name.


def _states(num_layers: int, bidirectional: bool) -> int:
    """How many states there are, one for each layer and direction."""
    return 2 * num_layers if bidirectional else num_layers


def _sequences(input: Tensor, batch_sizes: Optional[Tensor], batch_first: bool) -> int:
    """How many sequences there are."""
    if batch_sizes is not None:
        return int(batch_sizes[0])
    return input.size(0 if batch_first else 1)


def _packed(batch_sizes: Tensor) -> int:
    """How many sequences are packed: traces record where that comes from, so that they hold for other batches."""
    if not torch.jit.is_scripting():
        if torch.jit.is_tracing():
            return batch_sizes[0]
    return int(batch_sizes[0])


def _zeros(input: Tensor, states: int, max_batch_size: int, width: int) -> Tensor:
    """States before the first step."""
    return torch.zeros(states, max_batch_size, width, dtype=input.dtype, device=input.device)


def _permuted(tensor: Tensor, permutation: Tensor) -> Tensor:
    """States in the order of packed sequences."""
    return tensor.index_select(1, permutation)


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """The parts of a dimension in another order; an older name of ``index_select``."""
    warnings.warn(
        "apply_permutation is deprecated, please use tensor.index_select(dim, permutation) instead", FutureWarning, stacklevel=2
    )
    return tensor.index_select(dim, permutation)


class RNNBase(Module):
    """Weights of stacked recurrent layers, and the checks of their inputs."""

    __constants__ = [
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional", "proj_size",
    ]
    __jit_unused_properties__ = ["all_weights"]
    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

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
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = _checked_dropout(dropout, num_layers)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        for name, given, kind in (
            ("input_size", input_size, int),
            ("hidden_size", hidden_size, int),
            ("bias", bias, bool),
            ("batch_first", batch_first, bool),
        ):
            if not isinstance(given, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(given).__name__}")
        for is_wrong, message in (
            (input_size <= 0, "input_size must be greater than zero"),
            (hidden_size <= 0, "hidden_size must be greater than zero"),
            (num_layers <= 0, "num_layers must be greater than zero"),
            (proj_size < 0, "proj_size should be a positive integer or zero to disable projections"),
            (proj_size >= hidden_size, "proj_size has to be smaller than hidden_size"),
            (mode not in _GATES, f"Unrecognized RNN mode: {mode}"),
        ):
            if is_wrong:
                raise ValueError(message)
        self._flat_weights_names = []
        self._all_weights = []
        self._make_weights(_GATES[mode] * hidden_size, {"device": device, "dtype": dtype})
        self._init_flat_weights()
        self.reset_parameters()

    def _make_weights(self, gate_size, factory):
        """Registers the weights of every layer and direction, under names that say which."""
        endings = ("", "_reverse") if self.bidirectional else ("",)
        output_size = self.proj_size or self.hidden_size
        input_size = self.input_size
        for layer in range(self.num_layers):
            shapes = {"weight_ih": (gate_size, input_size), "weight_hh": (gate_size, output_size)}
            if self.bias:
                shapes["bias_ih"] = shapes["bias_hh"] = (gate_size,)
            if self.proj_size > 0:
                shapes["weight_hr"] = (self.proj_size, self.hidden_size)
            for ending in endings:
                named = {f"{name}_l{layer}{ending}": shape for name, shape in shapes.items()}
                for name, shape in named.items():
                    setattr(self, name, Parameter(torch.empty(shape, **factory)))
                self._flat_weights_names.extend(named)
                self._all_weights.append(list(named))
            # Both directions of a layer are the input of the next.
            input_size = output_size * len(endings)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        names = self.__dict__.get("_flat_weights_names")
        if names is not None and name in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(name)] = value

    def _found_weights(self):
        """The weights as they are, None for those that were taken away."""
        return [getattr(self, name, None) for name in self._flat_weights_names]

    def _init_flat_weights(self):
        """Takes the weights up as they are; programs may put others into ``_flat_weights``."""
        self._flat_weights = self._found_weights()
        self._flat_weight_refs = [None if weight is None else weakref.ref(weight) for weight in self._flat_weights]

    def flatten_parameters(self):
        """Nothing: weights need no special layout here."""

    def _apply(self, fn, recurse=True):
        # Swapping tensors refuses those that have weak references.
        self._flat_weight_refs = []
        result = super()._apply(fn, recurse)
        self._init_flat_weights()
        return result

    def reset_parameters(self):
        """Draws the initial weights."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _update_flat_weights(self):
        if not torch.jit.is_scripting():
            self._refresh_flat_weights()

    @torch.jit.unused
    def _refresh_flat_weights(self) -> None:
        """Takes up weights that were replaced behind the back of ``__setattr__``."""
        for name, known in zip(self._flat_weights_names, self._flat_weight_refs):
            weight = getattr(self, name, None)
            if weight is not None and known is not None and known() is not weight:
                self._init_flat_weights()
                return

    @torch.jit.unused
    def _check_dtype(self, input: Tensor) -> None:
        weight = self._flat_weights[0].dtype
        if input.dtype != weight:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight}). "
                f"Convert input: input.to({weight}), or convert model: model.to({input.dtype})"
            )

    def check_input(self, input: Tensor, batch_sizes: Optional[Tensor]) -> None:
        """Refuses inputs of the wrong sizes."""
        if not torch.jit.is_scripting():
            self._check_dtype(input)
        rank = 3 if batch_sizes is None else 2
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        width = input.size(-1)
        if width != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {width}")

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Optional[Tensor]) -> Tuple[int, int, int]:
        """The sizes that a hidden state must have."""
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        return _states(self.num_layers, self.bidirectional), _sequences(input, batch_sizes, self.batch_first), width

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: Tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Refuses hidden states of the wrong sizes."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Tensor, batch_sizes: Optional[Tensor]) -> None:
        """Refuses inputs and hidden states that do not go together."""
        self.check_input(input, batch_sizes)
        expected = self.get_expected_hidden_size(input, batch_sizes)
        self.check_hidden_size(hidden, expected)

    def permute_hidden(self, hx: Tensor, permutation: Optional[Tensor]):
        """The hidden states in the order of packed sequences."""
        return hx if permutation is None else _permuted(hx, permutation)

    def extra_repr(self):
        # Each with the value that goes without saying.
        options = {
            "proj_size": (self.proj_size, 0),
            "num_layers": (self.num_layers, 1),
            "bias": (self.bias, True),
            "batch_first": (self.batch_first, False),
            "dropout": (self.dropout, 0),
            "bidirectional": (self.bidirectional, False),
        }
        shown = [f"{self.input_size}, {self.hidden_size}"]
        shown += [f"{name}={value}" for name, (value, usual) in options.items() if value != usual]
        return ", ".join(shown)

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_flat_weight_refs"}

    def __setstate__(self, d):
        super().__setstate__(d)
        self.__dict__.setdefault("proj_size", 0)
        self._init_flat_weights()

    @property
    def all_weights(self) -> List[List[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]


def _batched_state(hx: Tensor, rank: int) -> Tensor:
    """A state with a batch, checked to have one if and only if the input has."""
    if hx.dim() != rank:
        kind = "batched 3-D" if rank == 3 else "unbatched 2-D"
        raise RuntimeError(f"For {kind} input, hx should also be {rank}-D but got {hx.dim()}-D tensor")
    return hx if rank == 3 else hx.unsqueeze(1)


class RNN(RNNBase):
    """``h' = tanh(W x + b + U h + c)``, or with ``relu``."""

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        # The nonlinearity may be the fourth argument.
        if len(args) > 3:
            kwargs["nonlinearity"] = args[3]
            args = args[:3] + args[4:]
        self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + self.nonlinearity.upper(), *args, **kwargs)

    @_overload_method
    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        pass

    @_overload_method
    def forward(self, input: PackedSequence, hx: Optional[Tensor] = None) -> Tuple[PackedSequence, Tensor]:
        pass

    def forward(self, input, hx=None):
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, order_back = input
            if hx is None:
                max_batch_size = _packed(batch_sizes)
                hx = _zeros(data, _states(self.num_layers, self.bidirectional), max_batch_size, self.hidden_size)
            else:
                hx = self.permute_hidden(hx, order)
            self.check_forward_args(data, hx, batch_sizes)
            if self.mode == "RNN_TANH":
                output, hidden = torch._VF.rnn_tanh(
                    data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
                )
            else:
                output, hidden = torch._VF.rnn_relu(
                    data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
                )
            return PackedSequence(output, batch_sizes, order, order_back), self.permute_hidden(hidden, order_back)
        else:
            _check_rank(input, "RNN: Expected input to be 2D or 3D, got {}D tensor instead")
            rank = input.dim()
            is_single = rank == 2
            batch_dim = 0 if self.batch_first else 1
            if is_single:
                input = input.unsqueeze(batch_dim)
            if hx is not None:
                hx = _batched_state(hx, rank)
            if hx is None:
                max_batch_size = _sequences(input, None, self.batch_first)
                hx = _zeros(input, _states(self.num_layers, self.bidirectional), max_batch_size, self.hidden_size)
            else:
                # Padded sequences stand as they are; asked here so that scripts have the method before the checks.
                hx = self.permute_hidden(hx, None)
            self.check_forward_args(input, hx, None)
            if self.mode == "RNN_TANH":
                output, hidden = torch._VF.rnn_tanh(
                    input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
                    self.batch_first
                )
            else:
                output, hidden = torch._VF.rnn_relu(
                    input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
                    self.batch_first
                )
            if is_single:
                return output.squeeze(batch_dim), hidden.squeeze(1)
            return output, hidden


class LSTM(RNNBase):
    """Long short-term memory."""

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Optional[Tensor]) -> Tuple[int, int, int]:
        """The sizes that a cell state must have."""
        states = _states(self.num_layers, self.bidirectional)
        return states, _sequences(input, batch_sizes, self.batch_first), self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Tuple[Tensor, Tensor], batch_sizes: Optional[Tensor]) -> None:
        """Refuses inputs and states that do not go together."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(
            hidden[0], self.get_expected_hidden_size(input, batch_sizes), "Expected hidden[0] size {}, got {}"
        )
        self.check_hidden_size(
            hidden[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}"
        )

    def permute_hidden(self, hx: Tuple[Tensor, Tensor], permutation: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
        """The states in the order of packed sequences."""
        if permutation is None:
            return hx
        return _permuted(hx[0], permutation), _permuted(hx[1], permutation)

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
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            input, batch_sizes, order, order_back = input
            if hx is None:
                max_batch_size = _packed(batch_sizes)
                count = _states(self.num_layers, self.bidirectional)
                h_zeros, c_zeros = _zero_states(input, count, max_batch_size, self.proj_size, self.hidden_size)
                states = (h_zeros, c_zeros)
            else:
                sizes = self.get_expected_hidden_size(input, batch_sizes)
                self.check_hidden_size(hx[0], sizes, "Expected hidden[0] size {}, got {}")
                self.check_hidden_size(hx[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}")
                states = self.permute_hidden(hx, order)
            output, hidden, cell = torch._VF.lstm(
                input, batch_sizes, states, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
                self.bidirectional
            )
            return PackedSequence(output, batch_sizes, order, order_back), self.permute_hidden((hidden, cell), order_back)
        else:
            _check_rank(input, "LSTM: Expected input to be 2D or 3D, got {}D instead")
            is_single = input.dim() == 2
            batch_dim = 0 if self.batch_first else 1
            if hx is not None:
                hx = _batched_states(hx, input.dim())
            if is_single:
                input = input.unsqueeze(batch_dim)
            if hx is None:
                max_batch_size = _sequences(input, None, self.batch_first)
                count = _states(self.num_layers, self.bidirectional)
                states = _zero_states(input, count, max_batch_size, self.proj_size, self.hidden_size)
            else:
                states = hx
            self.check_forward_args(input, states, None)
            if not torch.jit.is_scripting():
                if self.proj_size > 0 and input.dtype in _OF_ONEDNN and input.numel() > 0:
                    warn_once(_WITHOUT_ONEDNN, stacklevel=1)
            result = torch._VF.lstm(
                input, states, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional,
                self.batch_first
            )
            output = result[0]
            last = result[1:]
            if is_single:
                return output.squeeze(batch_dim), (last[0].squeeze(1), last[1].squeeze(1))
            return output, last


def _zero_states(input: Tensor, states: int, max_batch_size: int, proj_size: int, hidden_size: int) -> Tuple[Tensor, Tensor]:
    """Hidden and cell states before the first step."""
    width = proj_size if proj_size > 0 else hidden_size
    return _zeros(input, states, max_batch_size, width), _zeros(input, states, max_batch_size, hidden_size)


def _batched_states(hx: Tuple[Tensor, Tensor], rank: int) -> Tuple[Tensor, Tensor]:
    """Both states with a batch, checked to have one if and only if the input has."""
    hidden, cell = hx[0], hx[1]
    if hidden.dim() != rank or cell.dim() != rank:
        kind = "batched 3-D" if rank == 3 else "unbatched 2-D"
        raise RuntimeError(
            f"For {kind} input, hx and cx should also be {rank}-D but got ({hidden.dim()}-D, {cell.dim()}-D) tensors"
        )
    return hx if rank == 3 else (hidden.unsqueeze(1), cell.unsqueeze(1))


class GRU(RNNBase):
    """Gated recurrent units."""

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    @_overload_method
    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:
        pass

    @_overload_method
    def forward(self, input: PackedSequence, hx: Optional[Tensor] = None) -> Tuple[PackedSequence, Tensor]:
        pass

    def forward(self, input, hx=None):
        self._update_flat_weights()
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, order_back = input
            if hx is None:
                max_batch_size = _packed(batch_sizes)
                hx = _zeros(data, _states(self.num_layers, self.bidirectional), max_batch_size, self.hidden_size)
            else:
                hx = self.permute_hidden(hx, order)
            self.check_forward_args(data, hx, batch_sizes)
            output, hidden = torch._VF.gru(
                data, batch_sizes, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
            )
            return PackedSequence(output, batch_sizes, order, order_back), self.permute_hidden(hidden, order_back)
        else:
            _check_rank(input, "GRU: Expected input to be 2D or 3D, got {}D instead")
            rank = input.dim()
            is_single = rank == 2
            batch_dim = 0 if self.batch_first else 1
            if is_single:
                input = input.unsqueeze(batch_dim)
            if hx is not None:
                hx = _batched_state(hx, rank)
            if hx is None:
                max_batch_size = _sequences(input, None, self.batch_first)
                hx = _zeros(input, _states(self.num_layers, self.bidirectional), max_batch_size, self.hidden_size)
            else:
                # Padded sequences stand as they are; asked here so that scripts have the method before the checks.
                hx = self.permute_hidden(hx, None)
            self.check_forward_args(input, hx, None)
            output, hidden = torch._VF.gru(
                input, hx, self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, self.batch_first
            )
            if is_single:
                return output.squeeze(batch_dim), hidden.squeeze(1)
            return output, hidden


class RNNCellBase(Module):
    """Weights of a single step."""

    __constants__ = ["input_size", "hidden_size", "bias"]
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Tensor
    weight_hh: Tensor

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(torch.empty((rows, input_size), **factory))
        self.weight_hh = Parameter(torch.empty((rows, hidden_size), **factory))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(torch.empty(rows, **factory)) if bias else None)
        self.reset_parameters()

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def reset_parameters(self):
        """Draws the initial weights."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _weights(self):
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


def _check_step(x: Tensor, cell: str, what: str) -> None:
    """Refuses what is neither a vector nor a batch of vectors."""
    if x.dim() not in (1, 2):
        raise ValueError(f"{cell}: Expected {what} to be 1D or 2D, got {x.dim()}D instead")


def _step_state(input: Tensor, hx: Optional[Tensor], width: int) -> Tensor:
    """The state with a batch where the input, a vector or a batch, goes without; zeros where there is none."""
    if hx is not None:
        return hx if input.dim() == 2 else hx.unsqueeze(0)
    return torch.zeros(input.size(0) if input.dim() == 2 else 1, width, dtype=input.dtype, device=input.device)


# Traces hold what a step is made of instead of the step. Variables name the values of a trace: other parts stand in tuples.


def _traced_rnn(input, hx, weights, nonlinearity):
    total = (F.linear(hx, weights[1], weights[3]).add_(F.linear(input, weights[0], weights[2])),)
    return getattr(total[0], nonlinearity)()


def _traced_lstm(input, states, weights):
    if states[0] is states[1]:
        zeros = states[0]  # noqa: F841  names the value
    total = (F.linear(states[0], weights[1], weights[3]).add_(F.linear(input, weights[0], weights[2])),)
    gates = torch.unsafe_chunk(total[0], 4, 1)
    gates = (gates[0].sigmoid_(), gates[1].sigmoid_(), gates[2].tanh_(), gates[3].sigmoid_())
    cells = (gates[1].mul(states[1]).add_(gates[0].mul(gates[2])),)
    return gates[3].mul(cells[0].tanh()), cells[0]


def _traced_gru(input, hx, weights):
    own = torch.unsafe_chunk(F.linear(input, weights[0], weights[2]), 3, 1)
    fed = torch.unsafe_chunk(F.linear(hx, weights[1], weights[3]), 3, 1)
    gates = (fed[0].add_(own[0]).sigmoid_(), fed[1].add_(own[1]).sigmoid_())
    new = (own[2].add(fed[2].mul_(gates[0])).tanh_(),)
    return hx.sub(new[0]).mul_(gates[1]).add_(new[0])


def _as_batch(x: Tensor) -> Tensor:
    return x if x.dim() == 2 else x.unsqueeze(0)


class RNNCell(RNNCellBase):
    """One step of ``RNN``."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]
    nonlinearity: str

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        _check_step(input, "RNNCell", "input")
        if hx is not None:
            _check_step(hx, "RNNCell", "hidden")
        hx = _step_state(input, hx, self.hidden_size)
        hidden = self._step(_as_batch(input), hx)
        return hidden if input.dim() == 2 else hidden.squeeze(0)

    def _step(self, x: Tensor, hx: Tensor) -> Tensor:
        if not torch.jit.is_scripting():
            if torch.jit.is_tracing() and self.nonlinearity in ("tanh", "relu"):
                return _traced_rnn(x, hx, self._weights(), self.nonlinearity)
        if self.nonlinearity == "tanh":
            return torch._VF.rnn_tanh_cell(x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if self.nonlinearity == "relu":
            return torch._VF.rnn_relu_cell(x, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")


def _check_pair(hx):
    """Refuses what are not the two states of a cell."""
    if not isinstance(hx, (tuple, list)):
        raise TypeError(f"lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {type(hx).__name__}")
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")


class LSTMCell(RNNCellBase):
    """One step of ``LSTM``."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[Tensor, Tensor]:
        _check_step(input, "LSTMCell", "input")
        if hx is None:
            zeros = _step_state(input, None, self.hidden_size)
            states = (zeros, zeros)
        else:
            if not torch.jit.is_scripting():
                if input.dim() == 2:
                    _check_pair(hx)
            _check_step(hx[0], "LSTMCell", "hx[0]")
            _check_step(hx[1], "LSTMCell", "hx[1]")
            states = (_step_state(input, hx[0], self.hidden_size), _step_state(input, hx[1], self.hidden_size))
        if not torch.jit.is_scripting():
            if torch.jit.is_tracing():
                hidden, cell = _traced_lstm(_as_batch(input), states, self._weights())
                return (hidden, cell) if input.dim() == 2 else (hidden.squeeze(0), cell.squeeze(0))
        hidden, cell = torch._VF.lstm_cell(
            _as_batch(input), states, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        )
        return (hidden, cell) if input.dim() == 2 else (hidden.squeeze(0), cell.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of ``GRU``."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Optional[Tensor] = None) -> Tensor:
        _check_step(input, "GRUCell", "input")
        if hx is not None:
            _check_step(hx, "GRUCell", "hidden")
        hx = _step_state(input, hx, self.hidden_size)
        if not torch.jit.is_scripting():
            if torch.jit.is_tracing():
                hidden = _traced_gru(_as_batch(input), hx, self._weights())
                return hidden if input.dim() == 2 else hidden.squeeze(0)
        hidden = torch._VF.gru_cell(_as_batch(input), hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return hidden if input.dim() == 2 else hidden.squeeze(0)


publish(globals())
