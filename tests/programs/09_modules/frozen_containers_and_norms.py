# Freezing computes what constants decide, also views and elements of containers; batch norms can be folded later.
import torch
from torch import nn


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.d = {"a": torch.ones(1), "b": torch.zeros(2)}
        self.l = [torch.ones(1)]
        self.t = (torch.ones(1), 2)
        self.w = torch.ones(2, 2)
        self.i = {"k": 3}

    def forward(self, x: torch.Tensor, k: str) -> torch.Tensor:
        y = self.d["b"] + self.l[0] + self.t[0]
        return x + y + self.d[k] + self.w.t() + self.i["k"] + len(self.d)


f = torch.jit.freeze(torch.jit.script(D().eval()))
print([n.kind() for n in f.graph.nodes() if n.kind() != "prim::Constant"])
print(f(torch.zeros(2), "a"))
net = nn.Sequential(nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2), nn.ReLU()).eval()
g = torch.jit.freeze(torch.jit.script(net), optimize_numerics=False)
print([n.kind() for n in g.graph.nodes() if n.kind() != "prim::Constant"])
torch.jit.run_frozen_optimizations(g)
print([n.kind() for n in g.graph.nodes() if n.kind() != "prim::Constant"])
x = torch.ones(1, 1, 2, 2)
print(torch.allclose(g(x), net(x), atol=1e-6))
print(str(torch.jit.freeze(torch.jit.script(D().eval())).graph).split("\n")[0])
