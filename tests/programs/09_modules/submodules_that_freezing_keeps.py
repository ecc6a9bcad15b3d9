# Submodules that freezing is to keep stay whole, with their methods, as plain attributes: a frozen module lists no submodules.
import io

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.body = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
        self.head = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        return self.head(self.body(x)) * self.scale


scripted = torch.jit.script(Model().eval())
x = torch.ones(1, 3)
for kept in (["body"], ["head", "scale"], ["body.0"], []):
    frozen = torch.jit.freeze(scripted, preserved_attrs=kept)
    print(kept, frozen)
    print([n for n, _ in frozen.named_parameters()], [n for n, _ in frozen.named_modules()], list(frozen.state_dict()))
    print(torch.equal(frozen(x), scripted(x)))
    file = io.BytesIO()
    torch.jit.save(frozen, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    print([n for n, _ in loaded.named_parameters()], torch.equal(loaded(x), scripted(x)))
    if kept == ["body"]:
        print(frozen.body.forward(x), type(frozen.body) is type(scripted.body))
        print(loaded.body(x), loaded.body)
