"""What losses, attention and bags of embeddings say of arguments that do not fit, and quantiles by rank."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def attempt(what, function):
    try:
        print(what, "ok", function())
    except Exception as error:
        print(what, type(error).__name__, error)


steps = torch.randn(12, 2, 5).log_softmax(-1)
labels = torch.ones(2, 3, dtype=torch.long)
attempt("rows", lambda: F.ctc_loss(steps, labels[:1], (12, 12), (3, 3)))
attempt("long input", lambda: F.ctc_loss(steps, labels, (13, 12), (3, 3)))
attempt("long target", lambda: F.ctc_loss(steps, labels, (12, 12), (4, 3)))
attempt("flat", lambda: F.ctc_loss(steps, torch.ones(5, dtype=torch.long), (12, 12), (3, 3)))
attempt("rank", lambda: F.ctc_loss(steps, labels[None], (12, 12), (3, 3)))
attempt("negative input", lambda: F.ctc_loss(steps, labels, (-1, 12), (3, 3)))
attempt("negative target", lambda: F.ctc_loss(steps, labels, (12, 12), (-3, 3)))
attempt("fits", lambda: F.ctc_loss(steps, labels, (12, 12), (3, 3)))

attention = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.randn(3, 2, 4)
for shape in ((2, 2), (3, 5)):
    attempt(f"padding {shape}", lambda: attention(x, x, x, key_padding_mask=torch.zeros(shape, dtype=torch.bool)))
attempt("padding of one", lambda: attention(x[0], x[0], x[0], key_padding_mask=torch.zeros(5, dtype=torch.bool)))

attempt("bilinear batch", lambda: F.bilinear(torch.ones(4, 6, 5), torch.ones(1, 6, 5), torch.ones(2, 5, 5)))
attempt("bilinear bias", lambda: F.bilinear(torch.ones(4, 5), torch.ones(4, 5), torch.ones(2, 5, 5), torch.ones(3)))
attempt("bag offset", lambda: F.embedding_bag(torch.tensor([0, 1, 2, 3, 4]), torch.randn(9, 3), torch.tensor([0, 57])))
attempt("bag index", lambda: F.embedding_bag(torch.tensor([0, 1, 2, 3, 40]), torch.randn(9, 3), torch.tensor([0, 2])))

y = torch.arange(120).reshape(2, 3, 4, 5)
nine, zero = torch.tensor([9]), torch.tensor([0])
attempt("index 1", lambda: y[:, nine])
attempt("index 2", lambda: y[:, :, nine])
attempt("index both", lambda: y[:, zero, :, nine])
attempt("write both", lambda: y.__setitem__((slice(None), zero, slice(None), nine), 0))
attempt("list", lambda: y[:, [0, 7]])
w = torch.ones(3, requires_grad=True)
attempt("resize leaf", lambda: w.resize_(2))
attempt("resize result", lambda: (w * 1).resize_(2))
attempt("expanded", lambda: torch.zeros(1, 2).expand(3, 2).fill_(4))
for text in ("float33", "gpu", "nope:3", "cpu:x", "float32"):
    attempt(f"to {text}", lambda: torch.ones(2).to(text))
    attempt(f"device {text}", lambda: torch.device(text))

for dtype in (torch.float32, torch.float64):
    values = torch.arange(1.0, 9.0).to(dtype)
    for how in ("linear", "lower", "higher", "midpoint", "nearest"):
        print(how, [torch.quantile(values[:n], q, interpolation=how).item() for n in (3, 6, 8) for q in (0.2, 0.35, 0.4, 0.6, 0.8)])
