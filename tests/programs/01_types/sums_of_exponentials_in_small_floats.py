# logsumexp of bfloat16 and half is rounded after every step.
import torch

torch.manual_seed(0)
for dtype in (torch.bfloat16, torch.float16):
    x = torch.randn(3, 4, 5).to(dtype)
    print(torch.logsumexp(x, -1), torch.logsumexp(x, (0, 2)), torch.logsumexp(x, (0, 1, 2), keepdim=True), x.logsumexp(1).dtype)
    for values in ([float("inf"), 1.0], [-float("inf")] * 2, [float("nan"), 1.0], [], [5.0], [-float("inf"), 2.0]):
        print(torch.logsumexp(torch.tensor(values, dtype=dtype), 0))
    print(torch.logsumexp(torch.tensor(3.0, dtype=dtype), 0), torch.logsumexp(torch.ones(2, 0, dtype=dtype), 1))
