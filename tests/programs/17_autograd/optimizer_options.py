# Options of optimizers that exclude one another, and learning rates that are tensors.
import torch

weight = torch.nn.Parameter(torch.ones(2, 2))
for name in ("SGD", "Adam", "AdamW", "Adagrad"):
    for options in (
        {"fused": True, "foreach": True},
        {"fused": True, "differentiable": True},
        {"fused": True},
        {"foreach": True, "lr": torch.tensor(0.1)},
        {"lr": torch.tensor([0.1])},
    ):
        try:
            optimizer = getattr(torch.optim, name)([weight], **options)
            print(name, list(options), optimizer.param_groups[0]["lr"])
        except (RuntimeError, ValueError) as error:
            print(f"<<{type(error).__name__}>>\n{name}: {error}\n<<end>>")
print(torch.optim.Adam([weight], lr=torch.tensor(0.1), foreach=True, capturable=True).param_groups[0]["lr"])
