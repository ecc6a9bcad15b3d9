"""rwkv: a language model of the fourth generation, whose methods are scripted, from a checkpoint of random weights."""
# packages: rwkv
# needs: numpy tokenizers
import os
import tempfile

os.environ["RWKV_JIT_ON"] = "1"
os.environ["RWKV_CUDA_ON"] = "0"
import torch
from show import show

WIDTH, LAYERS, WORDS = 64, 2, 50


def checkpoint():
    """Weights of a small model, by the names that a checkpoint has."""
    weights = {"emb.weight": torch.randn(WORDS, WIDTH) * 0.1, "head.weight": torch.randn(WORDS, WIDTH) * 0.3}
    for name in ["blocks.0.ln0", "ln_out", *(f"blocks.{i}.ln{j}" for i in range(LAYERS) for j in (1, 2))]:
        weights[name + ".weight"], weights[name + ".bias"] = torch.ones(WIDTH), torch.zeros(WIDTH)
    for i in range(LAYERS):
        att, ffn = f"blocks.{i}.att.", f"blocks.{i}.ffn."
        weights[att + "time_decay"] = torch.linspace(-5, 1, WIDTH)
        weights[att + "time_first"] = torch.randn(WIDTH) * 0.3
        for part in ("k", "v", "r"):
            weights[att + "time_mix_" + part] = torch.rand(1, 1, WIDTH)
        for part in ("key", "value", "receptance", "output"):
            weights[att + part + ".weight"] = torch.randn(WIDTH, WIDTH) * 0.1
        for part in ("k", "r"):
            weights[ffn + "time_mix_" + part] = torch.rand(1, 1, WIDTH)
        weights[ffn + "key.weight"] = torch.randn(4 * WIDTH, WIDTH) * 0.1
        weights[ffn + "receptance.weight"] = torch.randn(WIDTH, WIDTH) * 0.1
        weights[ffn + "value.weight"] = torch.randn(WIDTH, 4 * WIDTH) * 0.1
    return weights


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    torch.save(checkpoint(), os.path.join(folder, "small.pth"))
    from rwkv.model import RWKV

    model = RWKV(model=os.path.join(folder, "small"), strategy="cpu fp32", verbose=False)
    show("prompt", model.forward([3, 14, 15, 9], None)[0])
    out, state = model.forward([3, 14, 15], None)
    out, state = model.forward([9], state)
    show("word by word", out)
    show("state", state)
    show("whole", model.forward([3, 14, 15, 9], None, full_output=True)[0])
    words = []
    for _ in range(8):
        words.append(int(out.argmax()))
        out, state = model.forward([words[-1]], state)
    print("greedy", words)
