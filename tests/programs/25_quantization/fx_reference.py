# Recorded models that are fused only, or quantized with plain numbers between; what backends and programs say of it.
import warnings

import torch
from torch import nn
from torch.ao.nn.quantized import reference
from torch.ao.quantization import QConfigMapping, default_dynamic_qconfig, default_qconfig, get_default_qconfig_mapping
from torch.ao.quantization.backend_config import (
    BackendConfig, BackendPatternConfig, DTypeConfig, DTypeWithConstraints, ObservationType, get_fbgemm_backend_config,
    get_native_backend_config, get_qnnpack_backend_config,
)
from torch.ao.quantization.backend_config.x86 import get_x86_backend_config
from torch.ao.quantization.fx.custom_config import ConvertCustomConfig, FuseCustomConfig, PrepareCustomConfig
from torch.ao.quantization.quantize_fx import convert_to_reference_fx, fuse_fx, prepare_fx
from torch.nn import functional as F

warnings.simplefilter("ignore")
torch.manual_seed(0)


def exact(model):
    # Numbers that sums of floats have exactly, in whatever order.
    for tensor in [*model.parameters(), *model.buffers()]:
        if tensor.is_floating_point():
            tensor.data = (tensor.data * 16).round() / 16
    return model


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.bn, self.fc1, self.relu, self.fc2 = nn.Conv1d(2, 4, 1), nn.BatchNorm1d(4), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)

    def forward(self, x):
        return self.fc2(self.relu(self.fc1(F.relu(self.bn(self.conv(x))))))


fused = fuse_fx(Net().eval())
print(fused)
x = (torch.randn(3, 2, 4) * 8).round() / 8
for mapping in (get_default_qconfig_mapping(), QConfigMapping().set_global(default_dynamic_qconfig)):
    prepared = prepare_fx(exact(Net()).eval(), mapping, (x,))
    prepared(x)
    made = convert_to_reference_fx(prepared)
    print(made)
    print(list(made.state_dict()))
    print(made.fc2.weight_qscheme, made.fc2.weight_dtype, made.fc2.weight_axis)
prepared = prepare_fx(nn.Sequential(nn.LSTM(2, 2)), QConfigMapping().set_global(default_dynamic_qconfig), (torch.zeros(1, 1, 2),))
print(list(convert_to_reference_fx(prepared.eval()).state_dict()))
print(reference.Linear(2, 3), reference.Conv2d(1, 2, 3, padding=1, bias=False), reference.LSTM(2, 3, num_layers=2), reference.EmbeddingBag(3, 4))
print(reference.GRUCell(2, 3), reference.RNNCell(2, 3, nonlinearity="relu"), reference.ConvTranspose1d(2, 3, 2))
for make in (get_native_backend_config, get_fbgemm_backend_config, get_x86_backend_config, get_qnnpack_backend_config):
    config = make()
    print(config.name, len(config.configs), len(BackendConfig.from_dict(config.to_dict()).configs))
for config in get_native_backend_config().configs[:2]:
    print(config)
print(DTypeConfig(torch.quint8, is_dynamic=True).to_dict(), DTypeWithConstraints(torch.qint8), BackendConfig("mine"))
only_linear = BackendPatternConfig(nn.Linear).set_dtype_configs([DTypeConfig(torch.quint8, torch.quint8, torch.qint8, torch.float)])
only_linear.set_root_module(nn.Linear).set_reference_quantized_module(reference.Linear)
only_linear.set_observation_type(ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT)
backend = BackendConfig("mine").set_backend_pattern_config(only_linear)
prepared = prepare_fx(Net().eval(), QConfigMapping().set_global(default_qconfig), (x,), backend_config=backend)
print(prepared.graph)
print(PrepareCustomConfig(), ConvertCustomConfig().set_preserved_attributes(["a"]).to_dict(), FuseCustomConfig())
print(PrepareCustomConfig().set_float_to_observed_mapping(nn.Linear, nn.Conv1d).set_input_quantized_indexes([0]).to_dict())
print(PrepareCustomConfig.from_dict({"non_traceable_module_name": ["a"], "output_quantized_idxs": [1]}))
