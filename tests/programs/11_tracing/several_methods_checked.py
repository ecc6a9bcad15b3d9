# Tracing several methods of a module checks each; examples by name come in the order of the parameters.
import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    def forward(self, x):
        return self.l(x)

    def other(self, x, y):
        return self.l(x) + y


class Minus(nn.Module):
    def forward(self, a, b, c=None):
        return a - b


m = torch.jit.trace_module(M(), {"forward": torch.ones(1, 2), "other": (torch.ones(1, 2), torch.ones(1))})
print(m.other.code, m.forward.code)
t = torch.jit.trace(Minus(), example_kwarg_inputs={"b": torch.ones(1), "a": torch.zeros(1)})
print(t(torch.ones(1), torch.zeros(1)), t.code)
print(torch.jit.trace(lambda a, b: a - b, example_kwarg_inputs={"b": torch.ones(1), "a": torch.zeros(1)})(torch.ones(1), torch.zeros(1)))
for wrong in (
    lambda: torch.jit.trace(Minus(), example_kwarg_inputs=3),
    lambda: torch.jit.trace(Minus()),
    lambda: torch.jit.trace_module(Minus(), {"forward": {"q": torch.ones(1), "a": torch.ones(1)}}, example_inputs_is_kwarg=True),
):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])
graph, out = torch.jit._get_trace_graph(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).eval(), torch.ones(1, 2))
print(len(list(graph.inputs())), [n.kind() for n in graph.nodes()], out.shape)
