"""Make the model zoo: archives of other people's architectures, with the answers that PyTorch gives.

    PYTHON make.py OUT [NAME ...]      make the named models, or all that OUT does not have yet
    PYTHON make.py --list              print the table of ../models.md

PYTHON is a Python that has torch 2.15 and, for the models taken from them, torchvision, timm, transformers and torchaudio;
nothing is downloaded, weights are random from a fixed seed. For each model OUT gets NAME.pt and NAME.npz with the arrays
`input_0`, ... and `output_0`, ...; `check.py` beside this script runs them. This is not part of CI.

A model is scripted where the reference can script it and traced otherwise; every second one is frozen.
"""

import pathlib
import sys
import warnings

import numpy as np
import torch

from architectures import MODELS

warnings.filterwarnings("ignore")


def lively(module):
    """Move what starts as zeros and ones away from there, so that every parameter has a say in the result."""
    with torch.no_grad():
        for name, p in list(module.named_parameters()) + list(module.named_buffers()):
            if not p.is_floating_point() or p.numel() == 0:
                continue
            if name.endswith("running_mean"):
                p.normal_(0, 0.1)
            elif name.endswith("running_var"):
                p.uniform_(0.8, 1.2)
            elif bool((p == p.flatten()[0]).all()) and isinstance(p, torch.nn.Parameter):
                p.add_(torch.randn_like(p) * 0.05)


def tensors(value):
    """The tensors of a result, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors(v)]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors(v)]
    return []


class Flat(torch.nn.Module):
    """Calls a module and returns the tensors of its result as a tuple."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, *args):
        return tuple(tensors(self.inner(*args)))


def convert(model, module, inputs):
    """The module as TorchScript, and how it was made."""
    if model.how == "script":
        return torch.jit.script(module)
    simple = isinstance(module(*inputs), torch.Tensor)
    return torch.jit.trace(module if simple else Flat(module), inputs, check_trace=False)


def make(name, model, frozen, out):
    torch.manual_seed(0)
    np.random.seed(0)
    module, inputs = model.build()
    module = module.eval()
    if model.lively:
        lively(module)
    with torch.no_grad():
        script = convert(model, module, inputs)
        if frozen and model.freezes:
            script = torch.jit.freeze(script.eval())
        torch.jit.save(script, str(out / f"{name}.pt"))
        loaded = torch.jit.load(str(out / f"{name}.pt"))
        torch.manual_seed(0)
        results = tensors(loaded(*inputs))
    arrays = {f"input_{i}": t.numpy() for i, t in enumerate(inputs)}
    arrays.update({f"output_{i}": t.numpy() for i, t in enumerate(results)})
    np.savez(out / f"{name}.npz", **arrays)


def main():
    frozen = {name: i % 2 == 1 and m.freezes for i, (name, m) in enumerate(MODELS.items())}
    if sys.argv[1:] == ["--list"]:
        for name, m in MODELS.items():
            print(f"| {name} | {m.package} | {m.how}{', frozen' if frozen[name] else ''} |")
        return
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[2:] or [n for n in MODELS if not (out / f"{n}.npz").exists()]
    failed = 0
    for name in wanted:
        try:
            make(name, MODELS[name], frozen[name], out)
            print("made", name, flush=True)
        except Exception as error:
            failed += 1
            lines = [l for l in str(error).strip().splitlines() if l.strip()] or [""]
            print("FAILED", name, type(error).__name__, " / ".join(lines[:2] + lines[-2:])[:600], flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
