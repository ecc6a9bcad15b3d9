"""Gradients of transforms of signals, of what is measured along dimensions, and of sequences that are put together."""

import torch

x = torch.arange(24, dtype=torch.float64).sin()
window = torch.hann_window(8, dtype=torch.float64)


def show(name, function, *inputs):
    inputs = [i.clone().requires_grad_() for i in inputs]
    found = function(*inputs)
    outputs = list(found) if isinstance(found, (tuple, list)) else [found]
    nodes = [t.grad_fn.name() for t in outputs]
    total = 0
    for out in outputs:
        out = torch.view_as_real(out.resolve_conj()) if out.is_complex() else out
        total = total + (out * torch.arange(out.numel(), dtype=torch.float64).reshape(out.shape).cos()).sum()
    grads = torch.autograd.grad(total, inputs)
    parts = [torch.view_as_real(g.resolve_conj()) if g.is_complex() else g for g in grads]
    print(name, nodes, [[round(v, 4) + 0.0 for v in p.reshape(-1).tolist()[:12]] for p in parts])


show("stft", lambda s: torch.stft(s, 8, 4, window=window, return_complex=True), x)
show("stft of batches", lambda s: torch.stft(s, 8, 4, window=window, return_complex=True), x.reshape(2, 12))
show("stft as reals", lambda s: torch.stft(s, 8, 4, window=window, return_complex=False), x)
show("istft", lambda s: torch.istft(s, 8, 4, window=window), torch.stft(x, 8, 4, window=window, return_complex=True))
m = x.reshape(4, 6)
for name in ("hfft2", "hfftn", "ihfft2", "ihfftn"):
    show(name, getattr(torch.fft, name), m)
show("gradient", torch.gradient, m)
show("gradient by steps", lambda t: torch.gradient(t, spacing=[0.5, 2.0], edge_order=2), m)
show("gradient by places", lambda t: torch.gradient(t, spacing=(torch.tensor([0.0, 1.0, 3.0, 4.0]),), dim=0), m)
show("corrcoef", torch.corrcoef, m)
show("nanquantile", lambda t: torch.nanquantile(t, 0.3, dim=1), m)
show("quantiles", lambda t, q: torch.quantile(t, q, dim=0), m, torch.tensor([0.1, 0.7], dtype=torch.float64))
show("diff", lambda t: torch.diff(t, n=2, prepend=t[:, :1]), m)
show("meshgrid", lambda a, b: torch.meshgrid(a, b, indexing="xy"), x[:3], x[3:5])
show("pad_sequence", lambda a, b: torch.nn.utils.rnn.pad_sequence([a, b], batch_first=True), x[:4], x[4:6])
show("pad_sequence left", lambda a, b: torch.nn.utils.rnn.pad_sequence([a, b], padding_side="left"), x[:4], x[4:6])
for kind in ("sum", "mean", "max", "min", "prod"):
    show(kind + " of segments", lambda t: torch.segment_reduce(t, kind, lengths=torch.tensor([1, 3, 2])), x[:6].clone())
show("chalf", lambda t: t.chalf(), x[:3])
show("sum_to_size", lambda t: t.sum_to_size(1, 6), m)
show("logaddexp", torch.logaddexp, torch.complex(x[:3], x[3:6]), torch.complex(x[6:9], x[9:12]))
show("lerp", torch.lerp, *(torch.complex(x[i : i + 3], x[i + 3 : i + 6]) for i in (0, 6, 12)))
show("ldexp", lambda t: torch.ldexp(t, torch.tensor([1, 2, 3])), torch.complex(x[:3], x[3:6]))
show("times a number", lambda t: t * (2 + 1j) / (1 - 3j), torch.complex(x[:3], x[3:6]))
show("cross", torch.cross, torch.complex(x[:3], x[3:6]), torch.complex(x[6:9], x[9:12]))
show("fake quantization", lambda t: torch.fake_quantize_per_tensor_affine(t, 0.1, 2, 0, 10), x[:8])
conv = lambda a, b: torch.nn.functional.conv1d(a, b) * 1
show("complex convolution", conv, torch.complex(x[:8], x[8:16]).reshape(1, 1, 8), torch.complex(x[16:18], x[18:20]).reshape(1, 1, 2))
