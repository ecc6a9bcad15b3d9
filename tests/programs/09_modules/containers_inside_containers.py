# lists and dictionaries of modules inside one another, walked and indexed
import torch
import torch.nn as nn


class Add(nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k

    def forward(self, x):
        return x + self.k


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.ModuleList([nn.ModuleList([Add(i), Add(10 * i)]) for i in range(3)])
        self.named = nn.ModuleDict({"a": nn.ModuleDict({"b": Add(100)}), "l": nn.ModuleList([Add(1000)])})
        self.empty = nn.ModuleList([])

    def forward(self, x):
        for row in self.rows:
            for m in row:
                x = m(x)
        for i, (m, n) in enumerate(zip(self.rows[0], self.rows[1])):
            x = m(x) + n(x) + i
        for m in self.empty:
            x = m(x) * 0
        return self.named["a"]["b"](x), self.named["l"][-1](x), len(self.rows), len(self.empty), "a" in self.named


s = torch.jit.script(M())
print(s(torch.zeros(2)))
print(s)
