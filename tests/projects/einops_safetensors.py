"""einops, safetensors and opt_einsum on tensors."""
# packages: safetensors einops opt_einsum
# needs: numpy packaging
import os
import tempfile

import opt_einsum
import torch
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange, Reduce
from safetensors.torch import load, load_file, load_model, save, save_file, save_model
from show import saved, show

torch.manual_seed(0)
x = torch.randn(2, 3, 4, 4)
show("rearrange", rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=2, q=2))
show("reduce", reduce(x, "b c h w -> b c", "max"))
show("repeat", repeat(x[0], "c h w -> c (2 h) w"))
net = torch.nn.Sequential(Rearrange("b c h w -> b (c h w)"), torch.nn.Linear(48, 5))
show("script", saved(torch.jit.script(net))(x))
show("einsum", opt_einsum.contract("bchw,dc,hw->bd", x, torch.randn(6, 3), torch.randn(4, 4)))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "a.safetensors")
    save_file({"x": x, "half": x.half(), "ints": torch.arange(4), "bf": x.bfloat16()}, path, {"made": "here"})
    show("file", load_file(path))
    save_model(net, path)
    print(load_model(net, path))
show("bytes", load(save({"x": x[0]})))
