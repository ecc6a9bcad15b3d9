# tensordot names dimensions as they were given where sizes do not fit.
import torch

a, b = torch.ones(2, 3), torch.ones(2, 3)
for dims in (
    1, ([1], [0]), ([-1], [-2]), ([0, 1], [1, 0]), ([0], [0, 1]), torch.tensor([[1], [0]]), torch.tensor(1), ([0, 0], [0, 0]),
    ([0, -2], [0, -2]), ([4], [0]), 3, -1, 2, ([1], [1]),
):  # fmt: skip
    try:
        print(torch.tensordot(a, b, dims).shape)
    except (RuntimeError, IndexError) as problem:
        print(type(problem).__name__, problem)
print(torch.tensordot(torch.ones(2, 1), b, ([1], [1])).shape, torch.vmap(lambda x: torch.tensordot(x, b[0], 1))(a))


@torch.jit.script
def contracted(x: torch.Tensor, y: torch.Tensor):
    return torch.tensordot(x, y, [[1], [1]])


print(contracted(a, b))
