"""Which class takes the place of which when models are quantized or trained for it."""

import copy

import rushlight as torch

from ... import nn
from ..._library import publish
from ...nn import functional as F
from ..nn import intrinsic as nni
from ..nn import qat as nnqat
from ..nn import quantized as nnq
from ..nn.intrinsic import qat as nniqat
from ..nn.intrinsic import quantized as nniq
from ..nn.intrinsic.quantized import dynamic as nniqd
from ..nn.qat import dynamic as nnqatd
from ..nn.quantized import dynamic as nnqd
from ..nn.quantized import reference as nnqr
from .fake_quantize import default_fixed_qparams_range_0to1_fake_quant, default_fixed_qparams_range_neg1to1_fake_quant
from .stubs import DeQuantStub, QuantStub
from .utils import get_combined_dict
from ...nn.modules.linear import NonDynamicallyQuantizableLinear

__all__ = [
    "DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS", "DEFAULT_STATIC_QUANT_MODULE_MAPPINGS", "DEFAULT_QAT_MODULE_MAPPINGS",
    "DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS", "DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS",
    "DEFAULT_MODULE_TO_ACT_POST_PROCESS", "DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS",
    "DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS", "no_observer_set", "get_default_static_quant_module_mappings",
    "get_default_static_quant_reference_module_mappings", "get_embedding_static_quant_module_mappings",
    "get_default_static_sparse_quant_module_mappings", "get_static_quant_module_class", "get_dynamic_quant_module_class",
    "get_default_qat_module_mappings", "get_embedding_qat_module_mappings", "get_default_dynamic_quant_module_mappings",
    "get_default_dynamic_sparse_quant_module_mappings", "get_default_qconfig_propagation_list",
    "get_default_compare_output_module_list", "get_default_float_to_quantized_operator_mappings", "get_quantized_operator",
]

DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS = {
    QuantStub: nnq.Quantize,
    DeQuantStub: nnq.DeQuantize,
    nn.Linear: nnqr.Linear,
    nn.Conv1d: nnqr.Conv1d,
    nn.Conv2d: nnqr.Conv2d,
    nn.Conv3d: nnqr.Conv3d,
    nn.ConvTranspose1d: nnqr.ConvTranspose1d,
    nn.ConvTranspose2d: nnqr.ConvTranspose2d,
    nn.ConvTranspose3d: nnqr.ConvTranspose3d,
    nn.Embedding: nnqr.Embedding,
    nn.EmbeddingBag: nnqr.EmbeddingBag,
    nn.GRUCell: nnqr.GRUCell,
    nn.LSTMCell: nnqr.LSTMCell,
    nn.RNNCell: nnqr.RNNCell,
    nn.LSTM: nnqr.LSTM,
}

DEFAULT_STATIC_QUANT_MODULE_MAPPINGS = {
    QuantStub: nnq.Quantize,
    DeQuantStub: nnq.DeQuantize,
    nn.BatchNorm2d: nnq.BatchNorm2d,
    nn.BatchNorm3d: nnq.BatchNorm3d,
    nn.Dropout: nnq.Dropout,
    nn.Conv1d: nnq.Conv1d,
    nn.Conv2d: nnq.Conv2d,
    nn.Conv3d: nnq.Conv3d,
    nn.ConvTranspose1d: nnq.ConvTranspose1d,
    nn.ConvTranspose2d: nnq.ConvTranspose2d,
    nn.ConvTranspose3d: nnq.ConvTranspose3d,
    nn.ELU: nnq.ELU,
    nn.Embedding: nnq.Embedding,
    nn.EmbeddingBag: nnq.EmbeddingBag,
    nn.GroupNorm: nnq.GroupNorm,
    nn.Hardswish: nnq.Hardswish,
    nn.InstanceNorm1d: nnq.InstanceNorm1d,
    nn.InstanceNorm2d: nnq.InstanceNorm2d,
    nn.InstanceNorm3d: nnq.InstanceNorm3d,
    nn.LayerNorm: nnq.LayerNorm,
    nn.LeakyReLU: nnq.LeakyReLU,
    NonDynamicallyQuantizableLinear: nnq.Linear,
    nn.Linear: nnq.Linear,
    nn.ReLU6: nnq.ReLU6,
    nn.PReLU: nnq.PReLU,
    nnq.FloatFunctional: nnq.QFunctional,
    nni.BNReLU2d: nniq.BNReLU2d,
    nni.BNReLU3d: nniq.BNReLU3d,
    nni.ConvReLU1d: nniq.ConvReLU1d,
    nni.ConvReLU2d: nniq.ConvReLU2d,
    nni.ConvReLU3d: nniq.ConvReLU3d,
    nni.ConvAdd2d: nniq.ConvAdd2d,
    nni.ConvAddReLU2d: nniq.ConvAddReLU2d,
    nni.LinearReLU: nniq.LinearReLU,
    nni.LinearLeakyReLU: nniq.LinearLeakyReLU,
    nni.LinearTanh: nniq.LinearTanh,
    nniqat.ConvBn1d: nnq.Conv1d,
    nniqat.ConvBn2d: nnq.Conv2d,
    nniqat.ConvBn3d: nnq.Conv3d,
    nniqat.ConvBnReLU1d: nniq.ConvReLU1d,
    nniqat.ConvBnReLU2d: nniq.ConvReLU2d,
    nniqat.ConvBnReLU3d: nniq.ConvReLU3d,
    nniqat.ConvReLU2d: nniq.ConvReLU2d,
    nniqat.ConvReLU3d: nniq.ConvReLU3d,
    nniqat.LinearReLU: nniq.LinearReLU,
    nniqat.LinearBn1d: nnq.Linear,
    nnqat.Linear: nnq.Linear,
    nnqat.Conv2d: nnq.Conv2d,
    nnqat.Conv3d: nnq.Conv3d,
}

DEFAULT_QAT_MODULE_MAPPINGS = {
    nn.Conv2d: nnqat.Conv2d,
    nn.Conv3d: nnqat.Conv3d,
    nn.Linear: nnqat.Linear,
    NonDynamicallyQuantizableLinear: nnqat.Linear,
    nni.ConvBn1d: nniqat.ConvBn1d,
    nni.ConvBn2d: nniqat.ConvBn2d,
    nni.ConvBn3d: nniqat.ConvBn3d,
    nni.ConvBnReLU1d: nniqat.ConvBnReLU1d,
    nni.ConvBnReLU2d: nniqat.ConvBnReLU2d,
    nni.ConvBnReLU3d: nniqat.ConvBnReLU3d,
    nni.ConvReLU2d: nniqat.ConvReLU2d,
    nni.ConvReLU3d: nniqat.ConvReLU3d,
    nni.LinearReLU: nniqat.LinearReLU,
    nni.LinearBn1d: nniqat.LinearBn1d,
}

DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS = {
    nn.GRUCell: nnqd.GRUCell,
    nn.Linear: nnqd.Linear,
    nnqatd.Linear: nnqd.Linear,
    NonDynamicallyQuantizableLinear: nnqd.Linear,
    nn.LSTM: nnqd.LSTM,
    nn.GRU: nnqd.GRU,
    nn.LSTMCell: nnqd.LSTMCell,
    nn.RNNCell: nnqd.RNNCell,
    nni.LinearReLU: nniqd.LinearReLU,
    nn.EmbeddingBag: nnq.EmbeddingBag,
    nn.Embedding: nnq.Embedding,
}

DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS = {
    F.elu: torch.ops.quantized.elu,
    F.hardswish: torch.ops.quantized.hardswish,
    F.instance_norm: torch.ops.quantized.instance_norm,
    F.layer_norm: torch.ops.quantized.layer_norm,
    F.leaky_relu: torch.ops.quantized.leaky_relu,
}

DEFAULT_MODULE_TO_ACT_POST_PROCESS = {
    nn.Hardsigmoid: default_fixed_qparams_range_0to1_fake_quant,
    nn.Sigmoid: default_fixed_qparams_range_0to1_fake_quant,
    nn.Softmax: default_fixed_qparams_range_0to1_fake_quant,
    nn.Tanh: default_fixed_qparams_range_neg1to1_fake_quant,
}

# Sparse layers do not exist here.
DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS = {}
DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS = {}

_INCLUDE_QCONFIG_PROPAGATE_LIST = {nn.Sequential}


def no_observer_set():
    """Modules whose results are observed within them."""
    from ..nn import quantizable as nnqa

    return {nnqa.LSTM, nnqa.MultiheadAttention}


def get_default_static_quant_module_mappings():
    """What takes the place of observed modules."""
    return copy.deepcopy(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS)


def get_default_static_quant_reference_module_mappings():
    """What takes the place of observed modules where weights are to stay unpacked."""
    return copy.deepcopy(DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS)


def get_embedding_static_quant_module_mappings():
    """What takes the place of observed modules, tables that were trained with rounding among them."""
    mapping = copy.deepcopy(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS)
    mapping[nnqat.EmbeddingBag] = nnq.EmbeddingBag
    mapping[nnqat.Embedding] = nnq.Embedding
    return mapping


def get_default_static_sparse_quant_module_mappings():
    """What takes the place of observed sparse modules."""
    return copy.deepcopy(DEFAULT_STATIC_SPARSE_QUANT_MODULE_MAPPINGS)


def get_default_dynamic_sparse_quant_module_mappings():
    """What takes the place of sparse modules whose inputs are quantized as they come."""
    return copy.deepcopy(DEFAULT_DYNAMIC_SPARSE_QUANT_MODULE_MAPPINGS)


def get_static_quant_module_class(float_module_class, additional_static_quant_mapping=None, is_reference=False):
    """The class that takes the place of an observed one.

    Raises:
        AssertionError: there is none.
    """
    mapping = DEFAULT_REFERENCE_STATIC_QUANT_MODULE_MAPPINGS if is_reference else DEFAULT_STATIC_QUANT_MODULE_MAPPINGS
    found = get_combined_dict(mapping, additional_static_quant_mapping or {}).get(float_module_class)
    if found is None:
        raise AssertionError(
            f"Floating point module class {float_module_class!s}" + " does not have a corresponding quantized module class"
        )
    return copy.deepcopy(found)


def get_dynamic_quant_module_class(float_module_class, additional_dynamic_quant_mapping=None):
    """The class that takes the place of one whose inputs are quantized as they come.

    Raises:
        AssertionError: there is none.
    """
    mapping = get_combined_dict(DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS, additional_dynamic_quant_mapping or {})
    found = mapping.get(float_module_class)
    if found is None:
        raise AssertionError(
            f"Floating point module class {float_module_class!s}" + " does not have a corresponding quantized module class"
        )
    return copy.deepcopy(found)


def get_default_qat_module_mappings():
    """What takes the place of modules for training."""
    return copy.deepcopy(DEFAULT_QAT_MODULE_MAPPINGS)


def get_embedding_qat_module_mappings():
    """What takes the place of modules for training, tables among them."""
    mapping = copy.deepcopy(DEFAULT_QAT_MODULE_MAPPINGS)
    mapping[nn.EmbeddingBag] = nnqat.EmbeddingBag
    mapping[nn.Embedding] = nnqat.Embedding
    return mapping


def get_default_dynamic_quant_module_mappings():
    """What takes the place of modules whose inputs are quantized as they come."""
    return DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS


def get_default_qconfig_propagation_list():
    """The classes of modules that configurations are for."""
    return copy.deepcopy(
        set(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS)
        | set(DEFAULT_QAT_MODULE_MAPPINGS)
        | set(DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS)
        | _INCLUDE_QCONFIG_PROPAGATE_LIST
    )


def get_default_compare_output_module_list():
    """The classes of modules whose results are worth comparing."""
    found = set(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS.values()) | set(DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS.values())
    found |= set(DEFAULT_STATIC_QUANT_MODULE_MAPPINGS) | set(DEFAULT_QAT_MODULE_MAPPINGS)
    return found | set(DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS) | _INCLUDE_QCONFIG_PROPAGATE_LIST


def get_default_float_to_quantized_operator_mappings():
    """What takes the place of functions."""
    return copy.deepcopy(DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS)


def get_quantized_operator(float_op):
    """The operator on quantized numbers for a function.

    Raises:
        AssertionError: there is none.
    """
    found = DEFAULT_FLOAT_TO_QUANTIZED_OPERATOR_MAPPINGS.get(float_op)
    if found is None:
        raise AssertionError(f"Operator {float_op!s} does not have corresponding quantized op")
    return found


def _get_special_act_post_process(module):
    """What is to watch the results of a module whose range is known; None for others."""
    return DEFAULT_MODULE_TO_ACT_POST_PROCESS.get(type(module))


def _has_special_act_post_process(module):
    """Whether the range of a module's results is known."""
    return module.training and type(module) in DEFAULT_MODULE_TO_ACT_POST_PROCESS


publish(globals())
