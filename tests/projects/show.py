"""Prints tensors of any size as a line: what the programs of this folder compare by."""

import torch


def show(label, value):
    """A line for a tensor (shape, dtype, mean, mean of magnitudes, first and last elements), one for each part of a container."""
    if isinstance(value, torch.Tensor):
        flat = value.detach().to(torch.float64).flatten() if not value.is_complex() else torch.view_as_real(value.detach()).to(torch.float64).flatten()
        numbers = [] if flat.numel() == 0 else [flat.mean(), flat.abs().mean(), *flat[:3], *flat[-2:]]
        print(label, list(value.shape), str(value.dtype).removeprefix("torch."), *("%.7g" % float(n) for n in numbers))
    elif isinstance(value, dict):
        for name in value:
            show(f"{label}.{name}", value[name])
    elif isinstance(value, (list, tuple)):
        for place, part in enumerate(value):
            show(f"{label}[{place}]", part)
    elif isinstance(value, float):
        print(label, "%.7g" % value)
    else:
        print(label, value)


def steps(label, model, loss, parameters=None, count=3, rate=0.01, optimizer=torch.optim.SGD):
    """Trains: prints the loss before each step and after the last."""
    stepper = optimizer(parameters if parameters is not None else model.parameters(), lr=rate)
    for step in range(count):
        stepper.zero_grad()
        value = loss()
        value.backward()
        stepper.step()
        show(f"{label} step {step}", float(value.detach()))
    with torch.no_grad():
        show(f"{label} end", float(loss()))


def saved(module, path="m.pt"):
    """A scripted or traced module after it was saved and loaded."""
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        torch.jit.save(module, os.path.join(folder, path))
        return torch.jit.load(os.path.join(folder, path))
