# parameter lists and dictionaries in scripts
import torch
import torch.nn as nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.ps = nn.ParameterList([torch.ones(2), torch.ones(2) * 3])
        self.named = nn.ParameterDict({"u": torch.ones(2) * 5, "v": torch.ones(2) * 7})

    def forward(self, x):
        for i, p in enumerate(self.ps):
            x = x * p + i
        return x + self.ps[0] + self.ps[-1] + self.named["u"] - self.named["v"]


s = torch.jit.script(M())
print(s(torch.ones(2)).detach())
print([n for n, _ in s.named_parameters()])
print(s.ps, s.named)
