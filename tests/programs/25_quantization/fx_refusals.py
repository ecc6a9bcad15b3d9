# What quantization of recorded models refuses.
import warnings

import torch
from torch import nn
from torch.ao.quantization import QConfigMapping, QuantType, default_qconfig, get_default_qconfig_mapping, per_channel_dynamic_qconfig
from torch.ao.quantization.fx.custom_config import PrepareCustomConfig
from torch.ao.quantization.quantize_fx import convert_fx, fuse_fx, prepare_fx

warnings.simplefilter("ignore")
x = torch.zeros(2, 4)


class Branch(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


def refused(function):
    try:
        function()
    except Exception as error:
        print(f"<<{type(error).__name__}>>\n{error}\n<<end>>")


refused(lambda: convert_fx(nn.Linear(4, 4)))
refused(lambda: convert_fx(torch.fx.symbolic_trace(nn.Linear(4, 4))))
refused(lambda: prepare_fx(nn.Linear(4, 4).eval(), 3, (x,)))
refused(lambda: prepare_fx(nn.Linear(4, 4), get_default_qconfig_mapping(), (x,)))
refused(lambda: fuse_fx(nn.Linear(4, 4)))
refused(lambda: prepare_fx(Branch().eval(), get_default_qconfig_mapping(), (x,)))
pair = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).eval()
refused(lambda: prepare_fx(pair, QConfigMapping().set_object_type(nn.Linear, per_channel_dynamic_qconfig), (x,)))
refused(lambda: PrepareCustomConfig().set_float_to_observed_mapping(nn.Linear, nn.Linear, QuantType.DYNAMIC))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    prepare_fx(nn.Sequential(nn.Sigmoid()).eval(), QConfigMapping().set_global(default_qconfig), (x,))
print([str(each.message).split("\n")[0].split(", ignoring")[0] for each in caught if "fixed" in str(each.message)])
