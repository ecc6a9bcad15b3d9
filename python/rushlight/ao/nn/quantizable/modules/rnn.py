"""Long short-term memory written step by step, so that each step can be observed and quantized."""

import numbers
import warnings
from typing import Optional, Tuple

import rushlight as torch

from ....._library import publish
from ....._rushlight import Tensor
from .....nn import Linear, Module, ModuleList, Parameter, Sigmoid, Tanh
from .....nn import LSTM as _PlainLSTM
from .....nn import LSTMCell as _PlainLSTMCell
from ...quantized.modules.functional_modules import FloatFunctional

__all__ = ["LSTMCell", "LSTM"]


class LSTMCell(Module):
    """A step, written with operations that can be observed.

    Args:
        input_dim, hidden_dim: sizes of the input and the state.
        bias: whether there are biases.
    """

    _FLOAT_MODULE = _PlainLSTMCell

    def __init__(
        self, input_dim: int, hidden_dim: int, bias: bool = True, device=None, dtype=None, *, split_gates=False
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        if split_gates:
            raise NotImplementedError("split_gates is not supported by Rushlight")
        self.input_size = input_dim
        self.hidden_size = hidden_dim
        self.bias = bias
        self.split_gates = split_gates
        self.igates = Linear(input_dim, 4 * hidden_dim, bias=bias, **factory)
        self.hgates = Linear(hidden_dim, 4 * hidden_dim, bias=bias, **factory)
        self.gates = FloatFunctional()
        self.input_gate = Sigmoid()
        self.forget_gate = Sigmoid()
        self.cell_gate = Tanh()
        self.output_gate = Sigmoid()
        self.fgate_cx = FloatFunctional()
        self.igate_cgate = FloatFunctional()
        self.fgate_cx_igate_cgate = FloatFunctional()
        self.ogate_cy = FloatFunctional()
        self.initial_hidden_state_qparams = (1.0, 0)
        self.initial_cell_state_qparams = (1.0, 0)
        self.hidden_state_dtype = torch.quint8
        self.cell_state_dtype = torch.quint8

    def forward(self, x: Tensor, hidden: Optional[Tuple[Tensor, Tensor]] = None) -> Tuple[Tensor, Tensor]:
        if hidden is None or hidden[0] is None or hidden[1] is None:
            hidden = self.initialize_hidden(x.shape[0], x.is_quantized)
        hx, cx = hidden
        gates = self.gates.add(self.igates(x), self.hgates(hx))
        input_gate, forget_gate, cell_gate, out_gate = gates.chunk(4, 1)
        input_gate = self.input_gate(input_gate)
        forget_gate = self.forget_gate(forget_gate)
        cell_gate = self.cell_gate(cell_gate)
        out_gate = self.output_gate(out_gate)
        fgate_cx = self.fgate_cx.mul(forget_gate, cx)
        igate_cgate = self.igate_cgate.mul(input_gate, cell_gate)
        cy = self.fgate_cx_igate_cgate.add(fgate_cx, igate_cgate)
        tanh_cy = torch.tanh(cy)
        hy = self.ogate_cy.mul(out_gate, tanh_cy)
        return hy, cy

    def initialize_hidden(self, batch_size: int, is_quantized: bool = False) -> Tuple[Tensor, Tensor]:
        """States of zeros."""
        h, c = torch.zeros((batch_size, self.hidden_size)), torch.zeros((batch_size, self.hidden_size))
        if is_quantized:
            h_scale, h_zp = self.initial_hidden_state_qparams
            c_scale, c_zp = self.initial_cell_state_qparams
            h = torch.quantize_per_tensor(h, scale=h_scale, zero_point=h_zp, dtype=self.hidden_state_dtype)
            c = torch.quantize_per_tensor(c, scale=c_scale, zero_point=c_zp, dtype=self.cell_state_dtype)
        return h, c

    def _get_name(self):
        return "QuantizableLSTMCell"

    @classmethod
    def from_params(cls, wi, wh, bi=None, bh=None, split_gates=False):
        """A cell with the given weights and biases."""
        if (bi is None) != (bh is None):
            raise AssertionError("bi and bh must both be None or both have values")
        made = cls(input_dim=wi.shape[1], hidden_dim=wh.shape[1], bias=bi is not None, split_gates=split_gates)
        made.igates.weight, made.hgates.weight = Parameter(wi.detach()), Parameter(wh.detach())
        if bi is not None:
            made.igates.bias, made.hgates.bias = Parameter(bi.detach()), Parameter(bh.detach())
        return made

    @classmethod
    def from_float(cls, other, use_precomputed_fake_quant=False, split_gates=False):
        """A cell with the weights of a plain one."""
        if type(other) is not cls._FLOAT_MODULE:
            raise AssertionError(f"Expected module type {cls._FLOAT_MODULE}, got {type(other)}")
        if not hasattr(other, "qconfig"):
            raise AssertionError("The float module must have 'qconfig'")
        made = cls.from_params(other.weight_ih, other.weight_hh, other.bias_ih, other.bias_hh, split_gates=split_gates)
        made.qconfig = other.qconfig
        made.igates.qconfig = other.qconfig
        made.hgates.qconfig = other.qconfig
        return made


class _LSTMSingleLayer(Module):
    """One direction of one layer: a cell, step after step."""

    def __init__(self, input_dim, hidden_dim, bias=True, device=None, dtype=None, *, split_gates=False) -> None:
        super().__init__()
        self.cell = LSTMCell(input_dim, hidden_dim, bias=bias, split_gates=split_gates, device=device, dtype=dtype)

    def forward(self, x: Tensor, hidden: Optional[Tuple[Tensor, Tensor]] = None):
        result = []
        for i in range(x.shape[0]):
            hidden = self.cell(x[i], hidden)
            result.append(hidden[0])
        return torch.stack(result, 0), hidden

    @classmethod
    def from_params(cls, *args, **kwargs):
        """A direction with the given weights and biases."""
        cell = LSTMCell.from_params(*args, **kwargs)
        made = cls(cell.input_size, cell.hidden_size, cell.bias, split_gates=cell.split_gates)
        made.cell = cell
        return made


class _LSTMLayer(Module):
    """One layer, in one direction or both."""

    def __init__(
        self,
        input_dim,
        hidden_dim,
        bias=True,
        batch_first=False,
        bidirectional=False,
        device=None,
        dtype=None,
        *,
        split_gates=False,
    ) -> None:
        super().__init__()
        self.batch_first = batch_first
        self.bidirectional = bidirectional
        self.layer_fw = _LSTMSingleLayer(
            input_dim, hidden_dim, bias=bias, split_gates=split_gates, device=device, dtype=dtype
        )
        if self.bidirectional:
            self.layer_bw = _LSTMSingleLayer(
                input_dim, hidden_dim, bias=bias, split_gates=split_gates, device=device, dtype=dtype
            )

    def forward(self, x: Tensor, hidden: Optional[Tuple[Tensor, Tensor]] = None):
        if self.batch_first:
            x = x.transpose(0, 1)
        if hidden is None:
            hx_fw, cx_fw = (None, None)
        else:
            hx_fw, cx_fw = hidden
        hidden_bw = None
        if self.bidirectional:
            if hx_fw is None:
                hx_bw = None
            else:
                hx_bw = hx_fw[1]
                hx_fw = hx_fw[0]
            if cx_fw is None:
                cx_bw = None
            else:
                cx_bw = cx_fw[1]
                cx_fw = cx_fw[0]
            if hx_bw is not None and cx_bw is not None:
                hidden_bw = hx_bw, cx_bw
        hidden_fw = None if hx_fw is None and cx_fw is None else (hx_fw, cx_fw)
        result_fw, hidden_fw = self.layer_fw(x, hidden_fw)
        if self.bidirectional:
            result_bw, hidden_bw = self.layer_bw(x.flip(0), hidden_bw)
            result = torch.cat([result_fw, result_bw.flip(0)], result_fw.dim() - 1)
            h = torch.stack([hidden_fw[0], hidden_bw[0]], 0)
            c = torch.stack([hidden_fw[1], hidden_bw[1]], 0)
        else:
            result = result_fw
            h, c = hidden_fw
        if self.batch_first:
            result = result.transpose(0, 1)
        return result, (h, c)

    @classmethod
    def from_float(cls, other, layer_idx=0, qconfig=None, **kwargs):
        """A layer with the weights of one of a plain LSTM's."""
        made = cls(
            kwargs.get("input_size", other.input_size if layer_idx == 0 else other.hidden_size * (1 + other.bidirectional)),
            other.hidden_size,
            other.bias,
            other.batch_first,
            other.bidirectional,
        )
        made.qconfig = getattr(other, "qconfig", qconfig)
        for direction, ending in (("layer_fw", ""), ("layer_bw", "_reverse"))[: 1 + other.bidirectional]:
            names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            parts = (getattr(other, f"{name}_l{layer_idx}{ending}", None) for name in names)
            setattr(made, direction, _LSTMSingleLayer.from_params(*parts))
        return made


class LSTM(Module):
    """Long short-term memory written with operations that can be observed. Arguments as :class:`torch.nn.LSTM`."""

    _FLOAT_MODULE = _PlainLSTM

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device=None,
        dtype=None,
        *,
        split_gates: bool = False,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.training = False
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0:
            warnings.warn(
                "dropout option for quantizable LSTM is ignored. If you are training, please, use nn.LSTM version followed by "
                "`prepare` step.",
                stacklevel=2,
            )
            if num_layers == 1:
                warnings.warn(
                    "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                    f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                    stacklevel=2,
                )
        layers = [
            _LSTMLayer(
                input_size, hidden_size, self.bias, batch_first=False, bidirectional=bidirectional, split_gates=split_gates,
                **factory,
            )
        ]
        layers.extend(
            _LSTMLayer(
                hidden_size, hidden_size, self.bias, batch_first=False, bidirectional=bidirectional, split_gates=split_gates,
                **factory,
            )
            for _ in range(1, num_layers)
        )
        self.layers = ModuleList(layers)

    def forward(self, x: Tensor, hidden: Optional[Tuple[Tensor, Tensor]] = None):
        if self.batch_first:
            x = x.transpose(0, 1)
        max_batch_size = x.size(1)
        num_directions = 2 if self.bidirectional else 1
        if hidden is None:
            zeros = torch.zeros(num_directions, max_batch_size, self.hidden_size, dtype=torch.float, device=x.device)
            zeros.squeeze_(0)
            if x.is_quantized:
                zeros = torch.quantize_per_tensor(zeros, scale=1.0, zero_point=0, dtype=x.dtype)
            states = [(zeros, zeros) for _ in range(self.num_layers)]
        elif isinstance(hidden[0], Tensor):
            sizes = self.num_layers, num_directions, max_batch_size, self.hidden_size
            hx, cx = hidden[0].reshape(sizes), hidden[1].reshape(sizes)
            states = [(hx[i].squeeze(0), cx[i].squeeze(0)) for i in range(self.num_layers)]
        else:
            states = hidden
        kept_h, kept_c = [], []
        for layer, state in zip(self.layers, states):
            x, (h, c) = layer(x, state)
            kept_h.append(h)
            kept_c.append(c)
        sizes = self.num_layers * num_directions, max_batch_size, self.hidden_size
        if self.num_layers == 1:
            last = kept_h[0].reshape(sizes), kept_c[0].reshape(sizes)
        else:
            last = torch.stack(kept_h).reshape(sizes), torch.stack(kept_c).reshape(sizes)
        if self.batch_first:
            x = x.transpose(0, 1)
        return x, last

    def _get_name(self):
        return "QuantizableLSTM"

    @classmethod
    def from_float(cls, other, qconfig=None, split_gates=False):
        """A layer with the weights of a plain one, with observers where it has a configuration."""
        if not isinstance(other, cls._FLOAT_MODULE):
            raise AssertionError(f"Expected module type {cls._FLOAT_MODULE}, got {type(other)}")
        if not hasattr(other, "qconfig") and not qconfig:
            raise AssertionError("Either other must have 'qconfig' attribute or qconfig must be provided")
        made = cls(
            other.input_size, other.hidden_size, other.num_layers, other.bias, other.batch_first, other.dropout,
            other.bidirectional, split_gates=split_gates,
        )
        made.qconfig = getattr(other, "qconfig", qconfig)
        for index in range(other.num_layers):
            made.layers[index] = _LSTMLayer.from_float(other, index, qconfig, batch_first=False)
            made.layers[index].batch_first = False
        from ....quantization import prepare, prepare_qat

        if other.training:
            made.train()
            return prepare_qat(made, inplace=True)
        made.eval()
        return prepare(made, inplace=True)

    @classmethod
    def from_observed(cls, other):
        """Not from observed modules: those become :class:`torch.ao.nn.quantized.LSTM`."""
        raise NotImplementedError(
            "It looks like you are trying to convert a non-quantizable LSTM. Please, see the examples on quantizable LSTMs."
        )


publish(globals())
