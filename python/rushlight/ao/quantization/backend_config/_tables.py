"""What the backends have in common: tables of operations, and the configurations that they become.

Everything a table leaves out, a backend gives: the combinations of dtypes.
"""

import operator

import rushlight as torch

from .... import nn
from ....nn import functional as F
from ...nn import intrinsic as nni
from ...nn import qat as nnqat
from ...nn.intrinsic import qat as nniqat
from ...nn.quantized import reference as nnqr
from ..fuser_method_mappings import (
    _sequential_wrapper2,
    fuse_conv_bn,
    fuse_conv_bn_relu,
    fuse_convtranspose_bn,
    fuse_linear_bn,
)
from .backend_config import BackendPatternConfig, DTypeConfig, DTypeWithConstraints, ObservationType

_SHARED = ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT
_OWN = ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
_WEIGHT_SECOND = {"weight": 1, "bias": 2}

U8 = DTypeConfig(torch.quint8, torch.quint8)
U8_WEIGHTED = DTypeConfig(torch.quint8, torch.quint8, torch.qint8, torch.float)
DYNAMIC_INT8 = DTypeConfig(torch.quint8, torch.float, torch.qint8, torch.float, is_dynamic=True)
DYNAMIC_HALF = DTypeConfig(torch.float16, torch.float, torch.float16, torch.float, is_dynamic=True)
U8_LAYER_NORM = DTypeConfig(torch.quint8, torch.quint8, torch.float, torch.float)
TABLE_U8 = DTypeConfig(torch.float, torch.float, torch.quint8)
TABLE_U4 = DTypeConfig(torch.float, torch.float, torch.quint4x2)


def _fixed(scale: float, zero_point: int) -> DTypeWithConstraints:
    return DTypeWithConstraints(
        torch.quint8, quant_min_lower_bound=0, quant_max_upper_bound=255, scale_exact_match=scale,
        zero_point_exact_match=zero_point,
    )


_UNIT, _SIGNED = _fixed(1.0 / 256.0, 0), _fixed(2.0 / 256.0, 128)

# The kinds of convolutions: the plain layers with their normalization, the fused ones, those for training, the functions.
_CONVOLUTIONS = [
    (
        nn.Conv1d, nn.ConvTranspose1d, nn.BatchNorm1d, nnqat.Conv1d, F.conv1d, F.conv_transpose1d, nnqr.Conv1d,
        nnqr.ConvTranspose1d,
        nni.ConvReLU1d, nni.ConvBn1d, nni.ConvBnReLU1d, nniqat.ConvReLU1d, nniqat.ConvBn1d, nniqat.ConvBnReLU1d,
    ),
    (
        nn.Conv2d, nn.ConvTranspose2d, nn.BatchNorm2d, nnqat.Conv2d, F.conv2d, F.conv_transpose2d, nnqr.Conv2d,
        nnqr.ConvTranspose2d,
        nni.ConvReLU2d, nni.ConvBn2d, nni.ConvBnReLU2d, nniqat.ConvReLU2d, nniqat.ConvBn2d, nniqat.ConvBnReLU2d,
    ),
    (
        nn.Conv3d, nn.ConvTranspose3d, nn.BatchNorm3d, nnqat.Conv3d, F.conv3d, F.conv_transpose3d, nnqr.Conv3d,
        nnqr.ConvTranspose3d,
        nni.ConvReLU3d, nni.ConvBn3d, nni.ConvBnReLU3d, nniqat.ConvReLU3d, nniqat.ConvBn3d, nniqat.ConvBnReLU3d,
    ),
]

# Operations whose results have a scale of their own.
_OWN_SCALE = [
    nn.ELU, nn.LeakyReLU, nn.Hardswish, nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d, nn.Dropout, nn.PReLU,
    F.elu, F.hardswish, F.leaky_relu, F.dropout,
]
# Functions with weights behind other arguments.
_NORM_FUNCTIONS = {F.group_norm: {"weight": 2, "bias": 3}, F.instance_norm: {"weight": 3, "bias": 4}}
# Operations whose results lie in a known range.
_FIXED_UNIT = [
    nn.Hardsigmoid, F.hardsigmoid, "hardsigmoid", "hardsigmoid_", nn.Sigmoid, torch.sigmoid, "sigmoid", "sigmoid_", nn.Softmax,
]
_FIXED_SIGNED = [nn.Tanh, torch.tanh, "tanh", "tanh_"]
# Operations whose results have the scale of their input.
_SHARED_SCALE = [
    nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d, nn.AvgPool1d, nn.AvgPool2d, nn.AvgPool3d, nn.Hardtanh,
    nn.Identity, nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d, nn.PixelShuffle, nn.PixelUnshuffle, nn.ReLU, nn.ReLU6,
    F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d, F.hardtanh, F.hardtanh_, F.interpolate, F.max_pool1d,
    F.max_pool2d, F.max_pool3d, F.pixel_shuffle, F.pixel_unshuffle, F.relu, F.relu6, F.avg_pool1d, F.avg_pool2d, F.avg_pool3d,
    torch.clamp, torch.flatten, torch.mean, torch.narrow, torch.repeat_interleave, torch.transpose, torch.squeeze, torch.stack,
    torch.unsqueeze, operator.floordiv, "contiguous", "clamp", "detach", "detach_", "mean", "permute", "repeat",
    "repeat_interleave", "reshape", "resize_", "relu", "relu_", "squeeze", "squeeze_", "transpose", "unsqueeze", "unsqueeze_",
    "view",
]
_CELLS = [
    (nn.GRUCell, nnqr.GRUCell), (nn.LSTMCell, nnqr.LSTMCell), (nn.RNNCell, nnqr.RNNCell), (nn.LSTM, nnqr.LSTM),
    (nn.GRU, nnqr.GRU),
]
_TABLES = [
    (nn.Embedding, nnqat.Embedding, nnqr.Embedding), (nn.EmbeddingBag, nnqat.EmbeddingBag, nnqr.EmbeddingBag),
]


def _config(pattern, dtypes: list[DTypeConfig], observed=_OWN, **parts) -> BackendPatternConfig:
    """A pattern with its dtypes and the parts that are known by name."""
    made = BackendPatternConfig(pattern).set_dtype_configs(dtypes).set_observation_type(observed)
    for name, value in parts.items():
        setattr(made, name, value)
    return made


def convolutions(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Convolutions, alone, with a normalization and with a ReLU."""
    found = []
    for row in _CONVOLUTIONS:
        conv, transposed, bn, qat, function, t_function, reference, t_reference, *fused = row
        relu, normed, both, q_relu, q_normed, q_both = fused
        with_relu = {"fused_module": relu, "fuser_method": _sequential_wrapper2(relu)}
        rooted = {"root_module": conv, "reference_quantized_module": reference}
        found += [
            _config(conv, dtypes, qat_module=qat, **rooted),
            _config(qat, dtypes, **rooted),
            _config(function, dtypes, _input_type_to_index=_WEIGHT_SECOND),
            *(_config((conv, each), dtypes, **with_relu) for each in (nn.ReLU, F.relu)),
            _config(relu, dtypes, qat_module=q_relu),
            _config(q_relu, dtypes, **rooted),
            *(_config((function, each), dtypes) for each in (nn.ReLU, F.relu)),
            _config((conv, bn), dtypes, fused_module=normed, fuser_method=fuse_conv_bn),
            _config((conv, bn, nn.ReLU), dtypes, fused_module=both, fuser_method=fuse_conv_bn_relu),
            _config((conv, bn, F.relu), dtypes, root_module=conv, fused_module=both, fuser_method=fuse_conv_bn_relu),
            _config(normed, dtypes, qat_module=q_normed),
            _config(both, dtypes, qat_module=q_both),
            _config(q_normed, dtypes, **rooted),
            _config(q_both, dtypes, **rooted),
            _config(transposed, dtypes, root_module=transposed, reference_quantized_module=t_reference),
            _config(
                (transposed, bn), dtypes, root_module=transposed, reference_quantized_module=t_reference,
                fuser_method=fuse_convtranspose_bn,
            ),
            _config(t_function, dtypes, _input_type_to_index=_WEIGHT_SECOND),
        ]
    return found


def linear_maps(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Linear maps, alone, with a normalization and with a ReLU."""
    rooted = {"root_module": nn.Linear, "reference_quantized_module": nnqr.Linear}
    relu = {"fused_module": nni.LinearReLU, "fuser_method": _sequential_wrapper2(nni.LinearReLU)}
    return [
        _config(nn.Linear, dtypes, qat_module=nnqat.Linear, **rooted),
        _config(nnqat.Linear, dtypes, **rooted),
        _config(F.linear, dtypes, _input_type_to_index=_WEIGHT_SECOND),
        *(_config((nn.Linear, each), dtypes, **relu) for each in (nn.ReLU, F.relu)),
        _config(nni.LinearReLU, dtypes, qat_module=nniqat.LinearReLU, **rooted),
        _config(nniqat.LinearReLU, dtypes, **rooted),
        *(_config((F.linear, each), dtypes) for each in (nn.ReLU, F.relu)),
        _config((nn.Linear, nn.BatchNorm1d), dtypes, fused_module=nni.LinearBn1d, fuser_method=fuse_linear_bn),
        _config(nni.LinearBn1d, dtypes, qat_module=nniqat.LinearBn1d, **rooted),
        _config(nniqat.LinearBn1d, dtypes, **rooted),
    ]


def binary_operations(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Sums and products: of two tensors the result has its own scale, of a tensor and a number the tensor's."""
    observed = {0: _OWN, 1: _SHARED, 2: _OWN}
    return [
        _config(pattern, dtypes, _num_tensor_args_to_observation_type=observed)
        for op in (operator.add, torch.add, operator.mul, torch.mul)
        for pattern in ((op, nn.ReLU), (op, F.relu), (op, torch.relu), op)
    ] + [_config(torch.matmul, dtypes)]


def joins(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """``torch.cat``: everything has the scale of the first part."""
    return [_config(torch.cat, dtypes, _SHARED)]


def plain_operations(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Operations without weights whose results have a scale of their own."""
    found = [_config(op, dtypes) for op in _OWN_SCALE]
    return found + [_config(op, dtypes, _input_type_to_index=index) for op, index in _NORM_FUNCTIONS.items()]


def fixed_ranges(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Operations whose results lie in a known range, which is what their dtypes are held to."""

    def held(wanted):
        return [
            DTypeConfig(wanted, wanted, each.weight_dtype_with_constraints, each.bias_dtype, each.is_dynamic)
            if each.input_dtype == torch.quint8 else each
            for each in dtypes
        ]

    return [_config(op, held(_UNIT)) for op in _FIXED_UNIT] + [_config(op, held(_SIGNED)) for op in _FIXED_SIGNED]


def shared_scales(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Operations whose results have the scale of their input."""
    return [_config(op, dtypes, _SHARED) for op in _SHARED_SCALE]


def questions(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Questions about tensors that do not look at numbers."""
    return [_config(op, dtypes, ObservationType.INPUT_OUTPUT_NOT_OBSERVED) for op in ("shape", "size")]


def normalizations(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Batch normalizations, alone and with a ReLU."""
    found = []
    for bn, fused in ((nn.BatchNorm2d, nni.BNReLU2d), (nn.BatchNorm3d, nni.BNReLU3d)):
        for relu in (nn.ReLU, F.relu):
            found.append(_config((bn, relu), dtypes, fused_module=fused, fuser_method=_sequential_wrapper2(fused)))
        found.append(_config(bn, dtypes))
    return found + [_config(fused, dtypes) for fused in (nni.BNReLU2d, nni.BNReLU3d)]


def layer_normalizations(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Layer normalizations."""
    return [
        _config(nn.LayerNorm, dtypes), _config(F.layer_norm, dtypes, _input_type_to_index={"weight": 2, "bias": 3}),
    ]


def recurrent_layers(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Recurrent layers and their cells."""
    return [_config(kind, dtypes, root_module=kind, reference_quantized_module=reference) for kind, reference in _CELLS]


def tables_of_embeddings(dtypes: list[DTypeConfig]) -> list[BackendPatternConfig]:
    """Tables, of which only the rows are quantized."""
    found = []
    for plain, qat, reference in _TABLES:
        rooted = {"root_module": plain, "reference_quantized_module": reference}
        found += [_config(plain, dtypes, qat_module=qat, **rooted), _config(qat, dtypes, **rooted)]
    return found
