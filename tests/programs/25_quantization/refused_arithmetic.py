# Arithmetic of quantized tensors with numbers and plain tensors is refused before the operator is looked for.
import torch

q = torch.quantize_per_tensor(torch.tensor([1.0, 3.0]), 0.1, 0, torch.quint8)
row = q.reshape(1, 2)
calls = [
    lambda: q * 2, lambda: q + 1, lambda: 1 - q, lambda: q / 2, lambda: q.mul_(2.0), lambda: q + torch.ones(2), lambda: torch.ones(2) + q,
    lambda: q + torch.tensor(1), lambda: q % 2, lambda: q // 2, lambda: q + q, lambda: torch.mv(row, q), lambda: torch.outer(q, q),
    lambda: q.var(0), lambda: q.std(), lambda: row.std(1, keepdim=True), lambda: q > 1,
]
for call in calls:
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split(". This could be")[0])
