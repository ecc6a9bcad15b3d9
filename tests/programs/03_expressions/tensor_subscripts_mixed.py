# None, ellipsis, ints, slices, masks and index tensors in one subscript
import torch


@torch.jit.script
def views(x: torch.Tensor):
    return x[..., 0].size(), x[:, None].size(), x[1, :, None, 1:].size(), x[None, ..., None].size()


@torch.jit.script
def gathers(x: torch.Tensor, i: torch.Tensor):
    return x[i], x[0, i], x[x > 20], x[:, 1][1]


@torch.jit.script
def writes(x: torch.Tensor, i: torch.Tensor):
    y = x.clone()
    y[0] = -1
    y[1, i] = torch.tensor([[50], [60]])
    y[y == 13] = 0
    y[..., -1] += 1000
    return y


x = torch.arange(24).reshape(2, 3, 4)
print(views(x))
print(gathers(x, torch.tensor([1, 0])))
print(writes(x, torch.tensor([0, 2])))
