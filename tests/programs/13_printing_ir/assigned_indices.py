"""Graphs of assignments to elements that slices and index tensors choose; frozen graphs, with dropouts and without."""
import torch


@torch.jit.script
def numbers(x, ids):
    y = x.clone()
    y[:, ids, :] = 0
    y[:, :, ids] = 1.5
    y[ids] = 2
    y[0] = 3
    y[:, 0, ids] = y[0]
    y[None, :, ids] = 2
    y[:, :, ids] += 2.5
    y[:, :, ids] *= y
    return torch.any(y, dim=-1), y[:, :, ids], y[ids, :, ids]


print(numbers.graph)


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.25)
        self.drop2 = torch.nn.Dropout2d(0.5)

    def forward(self, x):
        y = torch.jit.fork(self.drop, x)
        return self.drop2(x + torch.jit.wait(y)) * 2


scripted = torch.jit.script(Layers().eval())
kept = torch.jit._recursive.wrap_cpp_module(torch._C._freeze_module(scripted._c))
for module in (kept, torch.jit.freeze(scripted, optimize_numerics=False), torch.jit.freeze(scripted)):
    print(str(module.graph).count("dropout("), module(torch.ones(1, 2, 1, 1)))
torch.jit.run_frozen_optimizations(kept)
print(str(kept.inlined_graph).count("dropout("))
