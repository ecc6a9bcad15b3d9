# children, modules and buffers of a module are gone over in scripts
import torch
import torch.nn as nn

class Sub(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ReLU()
        self.b = nn.Tanh()

    def forward(self, x):
        for m in self.children():
            x = m(x)
        return x

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.sub = Sub()
        self.act = nn.Sigmoid()
        self.register_buffer("scale", torch.tensor([2.0]))

    def forward(self, x):
        for name, m in self.named_children():
            print(name)
            x = m(x)
        n = 0
        for m in self.modules():
            n += 1
        for name, m in self.named_modules():
            print(name)
        for name, b in self.named_buffers():
            print(name)
            x = x * b
        return x, n

s = torch.jit.script(M())
print(s(torch.zeros(1)))

