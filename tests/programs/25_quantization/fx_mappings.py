# Which parts of a recorded model are quantized: by kind, path, pattern and position; parts that are left alone, not looked into, or kept.
import operator
import warnings

import torch
from torch import nn
from torch.ao.quantization import QConfigMapping, default_per_channel_qconfig, default_qconfig, get_default_qconfig_mapping
from torch.ao.quantization.fx.custom_config import ConvertCustomConfig, PrepareCustomConfig
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
from torch.nn import functional as F

warnings.simplefilter("ignore")


def exact(model):
    # Numbers that sums of floats have exactly, in whatever order.
    for tensor in [*model.parameters(), *model.buffers()]:
        if tensor.is_floating_point():
            tensor.data = (tensor.data * 16).round() / 16
    return model


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return F.relu(self.fc(x)) + 1


class Opaque(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        if x.sum() > 100:
            return x
        return self.fc(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.inner = Inner()
        self.opaque = Opaque()
        self.tag = "kept"

    def forward(self, x):
        x = self.second(self.first(x))
        return self.opaque(self.inner(x) * x)


def show(title, mapping, prepare=None, convert=None, **options):
    torch.manual_seed(0)
    model = exact(Net()).eval()
    x = (torch.randn(2, 4) * 8).round() / 8
    custom = (prepare or PrepareCustomConfig()).set_non_traceable_module_classes([Opaque])
    prepared = prepare_fx(model, mapping, (x,), custom)
    prepared(x)
    quantized = convert_fx(prepared, convert, **options)
    print(title)
    for node in quantized.graph.nodes:
        print("   ", node.format_node())
    print("   ", {name: type(module).__name__ for name, module in quantized.named_modules() if name})
    y = quantized(x)
    print("   ", y.int_repr().tolist() if y.is_quantized else y.tolist())
    return prepared, quantized


usual = get_default_qconfig_mapping()
show("everything", usual)
show("by kind", QConfigMapping().set_global(default_qconfig).set_object_type(nn.Linear, None).set_object_type(F.relu, None))
show("by function", QConfigMapping().set_object_type(operator.mul, default_qconfig))
show("by path", QConfigMapping().set_module_name("second", default_qconfig).set_module_name("inner", default_per_channel_qconfig))
show("by pattern", QConfigMapping().set_global(default_qconfig).set_module_name_regex("inn.*", None))
show("the path before the pattern", QConfigMapping().set_module_name_regex(".*", default_qconfig).set_module_name("first", None))
show("by position", QConfigMapping().set_global(default_qconfig).set_module_name_object_type_order("", nn.Linear, 1, None))
show("a dictionary", {"": default_qconfig, "module_name": [("first", None)], "object_type": [(operator.add, None)]})
show("nothing", QConfigMapping())
prepared, quantized = show(
    "kept", usual, PrepareCustomConfig().set_preserved_attributes(["tag"]).set_non_traceable_module_names(["inner"]),
    ConvertCustomConfig().set_preserved_attributes(["tag"]),
)
print(prepared.tag, quantized.tag)
show("a result that stays quantized", usual, PrepareCustomConfig().set_output_quantized_indexes([0]).set_non_traceable_module_names([]))
show("left alone when converting", usual, qconfig_mapping=get_default_qconfig_mapping().set_module_name("first", None))
for backend in ("fbgemm", "qnnpack", "onednn", "x86"):
    show(backend, get_default_qconfig_mapping(backend))


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


class ObservedScaled(Scaled):
    @classmethod
    def from_float(cls, plain):
        made = cls()
        made.fc, made.qconfig = plain.fc, plain.qconfig
        return made


class QuantizedScaled(Scaled):
    @classmethod
    def from_observed(cls, observed):
        made = cls()
        observed.fc.qconfig, observed.fc.activation_post_process = observed.qconfig, observed.activation_post_process
        made.fc = torch.ao.nn.quantized.Linear.from_float(observed.fc)
        return made


torch.manual_seed(0)
model = exact(nn.Sequential(nn.Linear(4, 4), Scaled(), nn.Linear(4, 4))).eval()
x = (torch.randn(2, 4) * 8).round() / 8
prepared = prepare_fx(model, usual, (x,), PrepareCustomConfig().set_float_to_observed_mapping(Scaled, ObservedScaled))
print(prepared.graph)
prepared(x)
quantized = convert_fx(prepared, ConvertCustomConfig().set_observed_to_quantized_mapping(ObservedScaled, QuantizedScaled))
print(quantized)
print(quantized(x))
