"""The methods of an interface stand in the order of their names, in archives and where one that a module lacks is named."""

import io
import re
import zipfile

import torch


@torch.jit.interface
class Expert(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass

    def cost(self, n: int) -> int:
        pass


class Priced(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x

    @torch.jit.export
    def cost(self, n: int) -> int:
        return n


class Renamed(torch.nn.Module):
    def forward(self, y: torch.Tensor) -> torch.Tensor:
        return y

    @torch.jit.export
    def cost(self, m: int) -> int:
        return m


class Holder(torch.nn.Module):
    inner: Expert

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner.forward(x)


scripted = torch.jit.script(Holder(Priced()))
data = io.BytesIO()
torch.jit.save(scripted, data)
archive = zipfile.ZipFile(data)
code = "".join(archive.read(name).decode() for name in archive.namelist() if name.endswith(".py"))
print(code[code.index("class Expert") :])

for wrong in (Renamed(), torch.nn.Linear(2, 2)):
    try:
        torch.jit.script(Holder(wrong))
    except (RuntimeError, AttributeError) as error:
        print(re.sub("0x[0-9a-f]+", "0x", str(error)).strip())
