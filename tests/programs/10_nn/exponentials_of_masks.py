# Exponentials of what masks leave: nothing, too small for a normal number, and the edges.

import torch
import torch.nn.functional as F

torch.manual_seed(1)
scores = torch.randn(6, 40)
late = torch.ones(6, 40).triu(1).bool()
for fill in (float("-inf"), -1e9, -200.0, -95.0, -88.0):
    masked = scores.masked_fill(late, fill)
    for name, result in (
        ("exp", masked.exp()),
        ("softmax", masked.softmax(1)),
        ("softmax of columns", masked.softmax(0)),
        ("log_softmax", masked.log_softmax(1)),
        ("logsumexp", masked.logsumexp(1)),
        ("sigmoid", masked.sigmoid()),
        ("silu", F.silu(masked)),
        ("softplus", F.softplus(masked)),
        ("exp2", masked.exp2()),
        ("double", masked.double().exp()),
    ):
        finite = result[result.isfinite()].double().clamp(-1e3, 1e3)
        # What is too small for a normal number may be nothing.
        nothing = int((result.abs() < 2e-38).sum())
        print(fill, name, f"{finite.sum().item():.4f}", nothing, int(result.isnan().sum()))
edges = torch.tensor([-104.0, -103.0, -100.0, -88.0, -87.4, -87.3, 88.7, 89.0, float("inf"), float("nan")])
print(edges.exp())
print(torch.tensor([-151.0, -149.0, -126.0, 127.5, 128.0]).exp2())
print(torch.tensor([-746.0, -745.0, -709.0, 709.7, 710.0], dtype=torch.float64).exp())
q = torch.randn(1, 2, 9, 8)
mask = torch.zeros(9, 9).masked_fill(torch.ones(9, 9).triu(1).bool(), float("-inf"))
a = F.scaled_dot_product_attention(q, q, q, is_causal=True)
b = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
print(torch.allclose(a, b, atol=1e-6), f"{a.sum().item():.3f}")
