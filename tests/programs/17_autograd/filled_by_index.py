# Numbers assigned at masks and indices of tensors that require gradients; what is left out of an index makes no view.
import torch


def made():
    return torch.arange(24.0).view(2, 3, 4).requires_grad_() * 1


NAMES = {
    "b": torch.tensor([True, False]), "b3": torch.tensor([True, False, True]), "b23": torch.tensor([[True, False, True], [False, True, True]]),
    "i": torch.tensor([0, 1]), "i22": torch.tensor([[0, 1], [1, 0]]), "back": torch.tensor([-1]), "none": torch.tensor([], dtype=torch.long),
}  # fmt: skip

for place in (
    "b", "b3", ":, b3", "b23", ":, :, b", "i", ":, i", "i22", ":, i22", "back", "none", "..., i", "0, i", "i, 0", "None, i", "i, None", "b, 0",
    "b, :, 1:", "b, None", "[True, False]", "[0]", "0, b3", "i, i", "b, b3[:1]", "...", "()", ":, :", "0, :, 1",
):  # fmt: skip
    y = made()
    leaf = y.grad_fn.next_functions[0][0].variable if hasattr(y.grad_fn.next_functions[0][0], "variable") else None
    try:
        exec(f"y[{place}] = 2.5", {**NAMES, "y": y, "None": None})
        print(place, "|", y.sum().item(), y.grad_fn.name())
        (g,) = torch.autograd.grad(y.square().sum(), leaf) if leaf is not None else (None,)
        print("   ", None if g is None else g.sum().item())
    except Exception as error:
        print(place, "|", type(error).__name__, error)

y = made()
for place in (":", ":, :", "...", ":, 0:2", ":, 0:3", "0:2", ":, :, i", "None", "0:", ":5", "::1", ":, 1:", "()", ":, None", "..., 0"):
    z = eval(f"y[{place}]", {**NAMES, "y": y})
    print(place, "|", z.grad_fn.name(), z.grad_fn.next_functions[0][0].name(), z is y, z._base is y)
y = made()
y[...].mul_(2)
y[:, :].add_(1)
print(y.sum().item(), y.grad_fn.name())
