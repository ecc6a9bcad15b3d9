"""What the native backend has for operations: modules and functions on quantized numbers."""

import operator

import rushlight as torch

from .... import nn
from ....nn import functional as F
from ...nn import intrinsic as nni
from ...nn import quantized as nnq
from ...nn.intrinsic import quantized as nniq
from ...nn.intrinsic.quantized import dynamic as nniqd
from ...nn.quantized import dynamic as nnqd
from ...nn.quantized import reference as nnqr

_ops = torch.ops.quantized

# Reference layers, by when their inputs are quantized: before, as they come, never.
STATIC = {
    nnqr.Linear: nnq.Linear, nnqr.Conv1d: nnq.Conv1d, nnqr.Conv2d: nnq.Conv2d, nnqr.Conv3d: nnq.Conv3d,
    nnqr.ConvTranspose1d: nnq.ConvTranspose1d, nnqr.ConvTranspose2d: nnq.ConvTranspose2d,
    nnqr.ConvTranspose3d: nnq.ConvTranspose3d,
}
DYNAMIC = {
    nnqr.Linear: nnqd.Linear, nnqr.GRUCell: nnqd.GRUCell, nnqr.LSTMCell: nnqd.LSTMCell, nnqr.RNNCell: nnqd.RNNCell,
    nnqr.LSTM: nnqd.LSTM, nnqr.GRU: nnqd.GRU,
}
WEIGHT_ONLY = {nnqr.Embedding: nnq.Embedding, nnqr.EmbeddingBag: nnq.EmbeddingBag}
# Sequences that begin with one: what their first part is, and what they become.
STATIC_FUSED = {
    nni.LinearReLU: (nnqr.Linear, nniq.LinearReLU), nni.LinearLeakyReLU: (nnqr.Linear, nniq.LinearLeakyReLU),
    nni.LinearTanh: (nnqr.Linear, nniq.LinearTanh), nni.ConvReLU1d: (nnqr.Conv1d, nniq.ConvReLU1d),
    nni.ConvReLU2d: (nnqr.Conv2d, nniq.ConvReLU2d), nni.ConvReLU3d: (nnqr.Conv3d, nniq.ConvReLU3d),
}
DYNAMIC_FUSED = {nni.LinearReLU: (nnqr.Linear, nniqd.LinearReLU)}

# Layers without packed weights.
PLAIN_MODULES = {
    nn.ELU: nnq.ELU, nn.LeakyReLU: nnq.LeakyReLU, nn.Hardswish: nnq.Hardswish, nn.InstanceNorm1d: nnq.InstanceNorm1d,
    nn.InstanceNorm2d: nnq.InstanceNorm2d, nn.InstanceNorm3d: nnq.InstanceNorm3d, nn.LayerNorm: nnq.LayerNorm,
    nn.Dropout: nnq.Dropout, nn.Softmax: nnq.Softmax, nn.PReLU: nnq.PReLU, nn.BatchNorm2d: nnq.BatchNorm2d,
    nn.BatchNorm3d: nnq.BatchNorm3d, nni.BNReLU2d: nniq.BNReLU2d, nni.BNReLU3d: nniq.BNReLU3d,
}
# Functions that take scale and zero point by name, with the arguments that they do not have.
PLAIN_FUNCTIONS = {
    F.elu: (_ops.elu, {"inplace"}), F.hardswish: (_ops.hardswish, {"inplace"}), F.leaky_relu: (_ops.leaky_relu, set()),
    F.layer_norm: (_ops.layer_norm, set()),
    F.instance_norm: (_ops.instance_norm, {"running_mean", "running_var", "use_input_stats", "momentum"}),
}

# Sums and products: alone and with a ReLU.
BINARY = {
    operator.add: (_ops.add, _ops.add_relu), torch.add: (_ops.add, _ops.add_relu), operator.mul: (_ops.mul, _ops.mul_relu),
    torch.mul: (_ops.mul, _ops.mul_relu), torch.matmul: (_ops.matmul, None),
}

# Functions with weights: what packs these, and what computes with them, alone and with a ReLU.
FUNCTIONS = {
    F.linear: (_ops.linear_prepack, _ops.linear, _ops.linear_relu),
    F.conv1d: (_ops.conv1d_prepack, _ops.conv1d, _ops.conv1d_relu),
    F.conv2d: (_ops.conv2d_prepack, _ops.conv2d, _ops.conv2d_relu),
    F.conv3d: (_ops.conv3d_prepack, _ops.conv3d, _ops.conv3d_relu),
    F.conv_transpose1d: (_ops.conv_transpose1d_prepack, _ops.conv_transpose1d, None),
    F.conv_transpose2d: (_ops.conv_transpose2d_prepack, _ops.conv_transpose2d, None),
    F.conv_transpose3d: (_ops.conv_transpose3d_prepack, _ops.conv_transpose3d, None),
}
# The same for inputs that are quantized as they come, by the dtype of the weight.
DYNAMIC_FUNCTIONS = {
    (F.linear, torch.qint8): (_ops.linear_prepack, _ops.linear_dynamic, _ops.linear_relu_dynamic),
    (F.linear, torch.float16): (_ops.linear_prepack_fp16, _ops.linear_dynamic_fp16, _ops.linear_relu_dynamic_fp16),
}

RELU_FUNCTIONS = {F.relu, torch.relu}

# Operations that are the same on quantized numbers: those that move numbers or keep their scale. Pools over volumes, and
# others that have no kernel for quantized numbers, stand between dequantizing and quantizing.
SAME_MODULES = {
    nn.AdaptiveAvgPool1d, nn.AdaptiveAvgPool2d, nn.AdaptiveAvgPool3d, nn.AvgPool1d, nn.AvgPool2d, nn.Hardtanh, nn.Identity,
    nn.MaxPool1d, nn.MaxPool2d, nn.PixelShuffle, nn.ReLU, nn.ReLU6, nn.Hardsigmoid, nn.Sigmoid, nn.Tanh,
}
SAME_FUNCTIONS = {
    F.adaptive_avg_pool1d, F.adaptive_avg_pool2d, F.adaptive_avg_pool3d, F.hardtanh, F.hardtanh_, F.interpolate, F.max_pool1d,
    F.max_pool2d, F.pixel_shuffle, F.relu, F.relu6, F.avg_pool1d, F.avg_pool2d, torch.clamp, torch.flatten, torch.mean,
    torch.narrow, torch.transpose, torch.squeeze, torch.stack, torch.unsqueeze, torch.cat, operator.floordiv, F.hardsigmoid,
    torch.sigmoid, torch.tanh, F.dropout,
}
SAME_METHODS = {
    "contiguous", "clamp", "detach", "mean", "permute", "repeat", "reshape", "relu", "relu_", "squeeze", "transpose",
    "unsqueeze", "unsqueeze_", "view", "shape", "size", "hardsigmoid", "hardsigmoid_", "sigmoid", "sigmoid_", "tanh", "tanh_",
}
