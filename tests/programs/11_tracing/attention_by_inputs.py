# Traces of attention: what is multiplied at once depends on which inputs are one tensor; what is made like another requires no gradient.
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, call, **options):
        super().__init__()
        torch.manual_seed(0)
        self.attention = nn.MultiheadAttention(4, 2, **options)
        self.call = call

    def forward(self, *inputs):
        return self.call(self.attention, *inputs)


q, k, v = torch.rand(3, 1, 4), torch.rand(2, 1, 4), torch.rand(2, 1, 4)
mask, padding = torch.zeros(3, 2), torch.zeros(1, 2, dtype=torch.bool)
cases = [
    (lambda m, a, b, c: m(a, b, c), (q, k, v), {}),
    (lambda m, a, b: m(a, b, b), (q, k), {}),
    (lambda m, a: m(a, a, a), (q,), {}),
    (lambda m, a, b, c: m(a, b, c, need_weights=False)[0], (q, k, v), {}),
    (lambda m, a, b, c: m(a, b, c, attn_mask=mask), (q, k, v), {}),
    (lambda m, a, b, c: m(a, b, c, key_padding_mask=padding, average_attn_weights=False), (q, k, v), {}),
    (lambda m, a, b, c: m(a, b, c), (q[:, 0], k[:, 0], v[:, 0]), {}),
    (lambda m, a, b, c: m(a, b, c), (q, k, v), {"add_bias_kv": True, "add_zero_attn": True}),
    (lambda m, a, b, c: m(a, b, c)[0], (q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1)), {"batch_first": True}),
]
for call, inputs, options in cases:
    model = Model(call, **options).eval()
    traced = torch.jit.trace(model, inputs, check_trace=False)
    print(traced.attention.code)
    found, expected = traced(*inputs), model(*inputs)
    found, expected = [r if isinstance(r, tuple) else (r,) for r in (found, expected)]
    print(all(torch.allclose(a, b) for a, b in zip(found, expected)))

x = torch.ones(2, requires_grad=True)


def made(x):
    zeros, ones = torch.zeros_like(x), torch.ones_like(x)
    full, new = torch.full_like(x, 2.0), x.new_zeros(2)
    return zeros + x, ones * 2, full, new, x.new_ones(1), x.new_full((1,), 3.0), x.sign(), x.detach()


print("\n".join(line.split(" #")[0] for line in str(torch.jit.trace(made, x).graph).split("\n")))
