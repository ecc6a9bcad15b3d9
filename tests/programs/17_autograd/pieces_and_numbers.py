"""Pieces that overlap, a bias without a weight, powers of complex numbers, quotients by complex numbers."""
import torch


def slopes(f, *inputs):
    inputs = [x.clone().requires_grad_() for x in inputs]
    result = f(*inputs)
    results = result if isinstance(result, (tuple, list)) else [result]
    kinds = [r for r in results if r.requires_grad]
    factors = [torch.arange(r.numel()).reshape(r.shape).to(r.dtype) + 1 for r in kinds]
    for grad in torch.autograd.grad(kinds, inputs, factors, allow_unused=True):
        if grad is None:
            print(None)
        elif grad.is_complex():
            print([complex(round(v.real, 3), round(v.imag, 3)) for v in grad.flatten().tolist()])
        else:
            print([round(v, 3) for v in grad.flatten().tolist()])


x = torch.arange(6.0)
slopes(lambda x: torch.tensor_split(x, [4, 2]), x)
slopes(lambda x: torch.tensor_split(x, [-2, 3, 9]), x)
slopes(lambda x: torch.hsplit(x, [2, 4, 2]), x)
slopes(lambda x: torch.vsplit(x.reshape(3, 2), [2, 1]), x)
slopes(lambda x: torch.dsplit(x.reshape(1, 1, 6), [-1, 2]), x)
slopes(lambda x: torch.tensor_split(x, 4), x)

rows = torch.sin(torch.arange(12.0)).reshape(2, 2, 3)
slopes(lambda x, b: torch.nn.functional.layer_norm(x, (2, 3), None, b), rows, torch.arange(6.0).reshape(2, 3))

base = torch.tensor([0j, 0j, 0j, 1 + 1j], dtype=torch.complex128)
slopes(torch.pow, base, torch.tensor([2 + 0j, 0j, 3 + 0j, 2 - 1j], dtype=torch.complex128))
slopes(torch.pow, base, torch.tensor([2.0, 0.0, 3.0, 0.5], dtype=torch.float64))
slopes(lambda x: torch.div(x, 1 + 2j, rounding_mode=None), x)
slopes(lambda x: torch.div(x, 1 + 2j), x)
