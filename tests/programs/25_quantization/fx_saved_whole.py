# Converted recorded models with packed weights of functions: saved whole, in containers, twice in one file, copied and pickled
import copy
import io
import pickle
import warnings
warnings.simplefilter("ignore")
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.ao.quantization import get_default_qconfig_mapping
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx
class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.arange(6.0).reshape(2, 3) / 6)
        self.b = nn.Parameter(torch.ones(2))
        self.first = nn.Linear(3, 3)
        nn.init.constant_(self.first.weight, 0.5)
        nn.init.zeros_(self.first.bias)
    def forward(self, x):
        return F.linear(self.first(x), self.w, self.b)
class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2, 1, 1, 1))
        self.b = nn.Parameter(torch.ones(2))
    def forward(self, x):
        return F.relu(F.conv2d(x, self.w, self.b, (1, 1), (0, 0), (1, 1), 1))
def saved(value):
    buffer = io.BytesIO()
    torch.save(value, buffer)
    buffer.seek(0)
    return torch.load(buffer, weights_only=False)
for model, x in ((Linear(), torch.ones(2, 3)), (Conv(), torch.arange(4.0).reshape(1, 1, 2, 2))):
    prepared = prepare_fx(model.eval(), get_default_qconfig_mapping("fbgemm"), (x,))
    prepared(x)
    quantized = convert_fx(prepared)
    expected = quantized(x)
    print(expected)
    back = saved(quantized)
    print(type(back).__name__, torch.equal(back(x), expected), type(back._packed_weight_0).__name__)
    both = saved({"a": quantized, "list": [quantized, nn.Sequential(quantized)]})
    print(both["a"] is both["list"][0], both["list"][1][0] is both["a"], torch.equal(both["list"][1](x), expected))
    print(torch.equal(copy.deepcopy(quantized)(x), expected), torch.equal(pickle.loads(pickle.dumps(quantized))(x), expected))
    print(torch.equal(saved(back)(x), expected), sorted(back.state_dict()) == sorted(quantized.state_dict()))
    other = copy.deepcopy(quantized)
    other.load_state_dict(saved(quantized.state_dict()))
    print(torch.equal(other(x), expected))
