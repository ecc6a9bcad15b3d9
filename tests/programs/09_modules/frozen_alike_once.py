# What frozen methods compute twice they compute once, and constants in lists are written out.
import io
import re

import torch


def frozen(module, *example):
    for made in (torch.jit.script(module.eval()), torch.jit.trace(module.eval(), example, check_trace=False)):
        print(re.sub(r"CONSTANTS\.c\d+", "C", torch.jit.freeze(made).code))


class Ends(torch.nn.Module):
    def forward(self, x):
        return torch.cat([x[:, 0:1, :], x, x[:, -1:, :]], 1)


class Looks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.e = torch.nn.Embedding(5, 4)

    def forward(self, x):
        return self.e(x + 1) * self.e(x + 1)


class Chosen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("r", torch.tensor([0, 1]))

    def forward(self, x):
        y = x[:, self.r]
        w = x[:, self.r]
        return torch.zeros(2, 2) + torch.zeros(2, 2) + y, w, torch.rand(2), torch.rand(2)


class Written(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("r", torch.tensor([1, 0]))

    def forward(self, x):
        out = x.clone()
        out[:, 0] = 2 * x[:, 0]
        a = out[:, self.r]
        out[:, 1] = 3 * x[:, 0]
        b = out[:, self.r]
        return a + b + x[:, self.r] + x[:, self.r]


class Added(torch.nn.Module):
    def forward(self, x):
        a = x + x.new_tensor([0, 1, 2]).unsqueeze(0)
        b = x + x.new_tensor([0, 1, 2]).unsqueeze(0)
        return torch.relu(a) * torch.sigmoid(b)


frozen(Ends(), torch.ones(2, 3, 4))
frozen(Looks(), torch.zeros(2, 3, dtype=torch.long))
frozen(Chosen(), torch.ones(2, 3))
frozen(Written(), torch.ones(2, 2))
print(torch.jit.freeze(torch.jit.script(Written().eval()))(torch.tensor([[1.0, 2.0]])))
print(torch.jit.freeze(torch.jit.trace(Added().eval(), torch.ones(2, 3))).code)


class Lists(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ws = [torch.ones(2), torch.zeros(2)]

    def forward(self, x):
        t = x
        for w in self.ws:
            t = t + w
        return t, self.ws


frozen_lists = torch.jit.freeze(torch.jit.script(Lists().eval()))
print(re.sub(r"CONSTANTS\.c\d+", "C", frozen_lists.code))
archive = io.BytesIO()
torch.jit.save(frozen_lists, archive)
archive.seek(0)
print(torch.jit.load(archive)(torch.ones(2)))
