"""What the 16-bit floats round after every step, and what is fused."""
import math

import torch
import torch.nn.functional as F


def numbers(*sizes, scale=5.0, dtype=torch.bfloat16):
    count = math.prod(sizes)
    return (torch.sin(torch.arange(count) * 1.7 + 0.3) * scale).reshape(sizes).to(dtype)


for dtype in (torch.bfloat16, torch.float16):
    print(dtype)
    volume = numbers(1, 1, 4, 5, 6, dtype=dtype)
    print(F.adaptive_avg_pool3d(volume, (2, 2, 2)).flatten().tolist())
    print(F.adaptive_avg_pool3d(volume, (1, 1, 2)).flatten().tolist())
    plane = numbers(4, 5, dtype=dtype)
    grid = torch.tensor([1.0, 3.0, 2.0, 7.5]).to(dtype)
    for order in (1, 2):
        print(torch.gradient(plane, spacing=[grid], dim=[0], edge_order=order)[0].flatten().tolist())
        print(torch.gradient(plane, spacing=0.3, dim=1, edge_order=order)[0].flatten().tolist())
    wide = torch.gradient(plane, spacing=[torch.tensor([1, 3, 4, 8])], dim=[0])[0]
    print(wide.dtype)
    positive = numbers(8, dtype=dtype).abs() + 1
    print(F.poisson_nll_loss(positive, positive.flip(0) * 2, log_input=False, full=True, reduction="none").tolist())
    one = torch.tensor([-8.5], dtype=dtype)
    print(F.layer_norm(one, [1]).tolist())
    table = numbers(3, 4, dtype=dtype)
    print(F.embedding_bag(torch.tensor([[0], [1], [2]]), table, max_norm=1.3, mode="sum").flatten().tolist())
    print(table.flatten().tolist())
    print(torch._softmax_backward_data(numbers(2, 3, dtype=dtype), torch.softmax(numbers(2, 3, dtype=dtype), 1), 1, torch.float32).dtype)
    print(F.cosine_similarity(numbers(6, dtype=dtype), numbers(6, dtype=torch.float32).flip(0), dim=0).dtype)

x, mean, variance = torch.tensor([[-7.95059]]), torch.zeros(1), torch.ones(1)
weight, bias = torch.tensor([-8.47837]), torch.tensor([-1.76583])
print([round(v, 5) for v in F.batch_norm(x, mean, variance, weight, bias, training=False, eps=1e-5).flatten().tolist()])
print([round(v, 4) for v in torch.batch_norm(x, weight, bias, mean, variance, True, 0.1, 1e-5, False).flatten().tolist()])
