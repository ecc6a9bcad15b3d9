"""Conditions that are known when a function is compiled: what stands in graphs for them."""
import torch
from typing import Optional
def show(f): print(torch.jit.script(f).graph.str(False))
class M(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.a = None; self.register_buffer("b", torch.ones(1))
class A(M):
    def forward(self, x):
        y = (self.b is None) and (self.a is None)
        return x, y
class B(M):
    def forward(self, x):
        y = self.b is None
        return x, y
class C(M):
    def forward(self, x):
        y = self.b is None or self.a is None
        return x, y
class D(M):
    def forward(self, x):
        y = self.b is None and self.b is None
        return x, y
class E(M):
    def forward(self, x, z: bool):
        y = self.b is None and z
        w = z and self.b is None
        return x, y, w
class F(M):
    def forward(self, x):
        y = not (self.b is None)
        z = isinstance(x, torch.Tensor) and x.dim() > 1
        return x, y, z
for m in (A,B,C,D,E,F): show(m())
