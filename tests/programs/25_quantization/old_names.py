# The old names of quantization, imported in every way, are the new ones.
import warnings

import torch
import torch.nn.intrinsic.qat
import torch.nn.quantized.dynamic.modules.rnn
import torch.quantization.observer
from torch.ao.quantization.fake_quantize import FakeQuantize
from torch.nn.intrinsic import ConvBnReLU2d, LinearReLU
from torch.nn.intrinsic.qat.modules.conv_fused import ConvReLU2d
from torch.nn.intrinsic.quantized import ConvReLU2d as QuantizedConvReLU2d
from torch.nn.qat import Linear as QatLinear
from torch.nn.quantizable import LSTM
from torch.nn.quantized import FloatFunctional, QFunctional, Quantize
from torch.nn.quantized.modules.linear import LinearPackedParams
from torch.quantization import MinMaxObserver, QConfig, default_qconfig, fuse_modules, get_default_qconfig, prepare, quantize_dynamic
from torch.quantization.fake_quantize import default_fake_quant
from torch.quantization.fuse_modules import fuse_known_modules
from torch.quantization.qconfig import default_dynamic_qconfig
from torch.quantization.quantize import convert
from torch.quantization.stubs import QuantStub

warnings.simplefilter("ignore")
for item in (
    FakeQuantize, ConvBnReLU2d, LinearReLU, ConvReLU2d, QuantizedConvReLU2d, QatLinear, LSTM, FloatFunctional, QFunctional, Quantize,
    LinearPackedParams, MinMaxObserver, QConfig, fuse_modules, get_default_qconfig, prepare, quantize_dynamic, fuse_known_modules,
    convert, QuantStub, torch.nn.quantized.dynamic.LSTM, torch.nn.quantized.dynamic.Linear, torch.nn.quantized.Conv2d,
    torch.quantization.observer.HistogramObserver, torch.nn.quantized.modules.conv.Conv1d, torch.nn.quantized.functional.linear,
    torch.nn.intrinsic.qat.ConvBn2d, torch.quantization.add_quant_dequant, torch.nn.quantized.dynamic.modules.rnn.GRU,
):
    print(item.__module__, item.__name__)
print(torch.nn.quantized.Linear is torch.ao.nn.quantized.Linear, torch.quantization.QConfig is torch.ao.quantization.QConfig)
print(default_qconfig, default_dynamic_qconfig.weight().dtype, default_fake_quant)
print(torch.backends.quantized.engine in torch.backends.quantized.supported_engines, torch.backends.quantized.supported_engines)
print(torch.quantization.default_eval_fn(torch.nn.Identity(), [(1, 2)]))
mapping = torch.ao.quantization.QConfigMapping()
mapping.set_global(None).set_object_type(torch.nn.Linear, default_qconfig).set_module_name("a.b", None).set_module_name_regex("x.*", None)
print(mapping.to_dict().keys(), mapping.global_qconfig, list(mapping.module_name_qconfigs))
print(torch.ao.quantization.QConfigMapping())
print(torch.ao.quantization.QConfigMapping.from_dict({"": default_qconfig, "module_name": [("a", None)]}).module_name_qconfigs)
print(len(torch.ao.quantization.get_default_qconfig_mapping().object_type_qconfigs))
print(torch.ao.quantization.qconfig_equals(get_default_qconfig("fbgemm"), get_default_qconfig("x86")))
print(torch.ao.quantization.qconfig_equals(get_default_qconfig("fbgemm"), get_default_qconfig("qnnpack")))
wrapped = torch.quantization.add_quant_dequant(torch.nn.Sequential(torch.nn.Linear(1, 1)))
print(wrapped)
model = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU())
model[0].qconfig = default_qconfig
print(torch.quantization.add_quant_dequant(model))
torch.quantization.propagate_qconfig_(model, {"0": None, torch.nn.ReLU: default_qconfig})
print([getattr(m, "qconfig", 1) is None for m in model.modules()])
for kind in torch.ao.quantization.QuantType:
    print(kind, int(kind))
print(torch.ao.quantization.utils.get_quant_type(default_dynamic_qconfig), torch.ao.quantization.utils.activation_dtype(default_qconfig))
