# What an operator did in older archives, as a program adds it, takes the place of its calls when such an archive is loaded.
import io
import warnings
from typing import Union

warnings.simplefilter("ignore")

import torch


class Between(torch.nn.Module):
    def forward(self, a, b):
        return torch.lerp(a, b, 2.0), torch.lerp(b, a, 0.5)


buffer = io.BytesIO()
torch.jit.save(torch.jit.script(Between()), buffer)
saved = buffer.getvalue()
a, b = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
print(torch.jit.load(io.BytesIO(saved))(a, b))


@torch.jit.script
def lerp_Scalar_0_3(self: torch.Tensor, end: torch.Tensor, weight: Union[int, float, complex]) -> torch.Tensor:
    return end - self


schema = "aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor"
torch._C._test_only_add_entry_to_op_version_map("aten::lerp.Scalar", torch._C._UpgraderEntry(4, "lerp_Scalar_0_3", schema))
graphs = {"lerp_Scalar_0_3": str(lerp_Scalar_0_3.graph)}
torch._C._test_only_populate_upgraders(graphs)
loaded = torch.jit.load(io.BytesIO(saved))
print(loaded(a, b))
print(sorted(node.kind() for node in loaded.graph.nodes() if node.kind().startswith("aten::")))
torch._C._test_only_remove_entry_to_op_version_map("aten::lerp.Scalar")
torch._C._test_only_remove_upgraders(graphs)
print(torch.jit.load(io.BytesIO(saved))(a, b))
