# Gradients that kernels give, and gradients of those.
import itertools
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(11)


def show(name, f, *xs, twice=True):
    xs = [x.detach().clone().requires_grad_() for x in xs]
    y = f(*xs)
    y = y if isinstance(y, tuple) else (y,)
    loss = sum((t * (torch.arange(t.numel()).reshape(t.shape) % 7 - 2.5)).sum() for t in y)
    grads = torch.autograd.grad(loss, xs, retain_graph=True, allow_unused=True)
    print(name, ["none" if g is None else "%.3f %.3f" % (round(g.sum().item(), 3) + 0.0, g.norm().item()) for g in grads])
    if twice:
        grads = torch.autograd.grad(loss, xs, create_graph=True)
        seconds = torch.autograd.grad(sum((g * g).sum() for g in grads), xs, allow_unused=True)
        print("   ", ["0" if g is None else "%.3g" % g.norm().item() for g in seconds])


def name(node):
    return type(node).__name__


# Layers of LSTM over padded batches.
for hidden, bias, both, first, layers in [(3, True, False, False, 1), (21, True, True, False, 1), (17, False, True, True, 2), (5, True, False, True, 2)]:
    m = nn.LSTM(4, hidden, layers, bias=bias, bidirectional=both, batch_first=first)
    with torch.no_grad():
        for i, p in enumerate(m.parameters()):
            p.copy_(((torch.arange(p.numel()) * (i + 3) % 17 - 8) / 20).reshape(p.shape))
    count = layers * (2 if both else 1)
    batch = 5 if first else 3
    h, c = torch.full((count, batch, hidden), 0.1), torch.full((count, batch, hidden), -0.2)
    x = torch.sin(torch.arange(60.0)).reshape(5, 3, 4)
    weights = list(m.parameters())

    def run(x, h, c, *weights):
        named = dict(zip((n for n, _ in m.named_parameters()), weights))
        y, (h, c) = torch.func.functional_call(m, named, (x, (h, c)))
        return y, h, c

    show("lstm %s" % ([hidden, bias, both, first, layers],), run, x, h, c, *weights, twice=layers == 1)
    y, (h, c) = m(x)
    print("   ", name(y.grad_fn), name(h.grad_fn), name(h.grad_fn.next_functions[0][0]))
    with torch.no_grad():
        print("   ", torch.allclose(y, m(x)[0], atol=1e-6))
    y.sum().backward()
    print("   ", ["%.3f" % p.grad.norm().item() for p in weights])

# Some gradients alone.
m = nn.LSTM(3, 2)
x = torch.randn(4, 2, 3)
m.weight_hh_l0.requires_grad_(False)
m(x)[1][1].sum().backward()
print([n for n, p in m.named_parameters() if p.grad is not None])


class Wrapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.LSTM(3, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x)[0]


script = torch.jit.script(Wrapped())
script(x).sum().backward()
print([tuple(p.grad.shape) for p in script.parameters()])

# Sampling along grids.
image = torch.arange(24.0).reshape(1, 2, 3, 4).cos()
points = torch.tensor([[-1.0, -0.9], [0.95, 1.0], [0.1, 0.2], [-1.2, 0.3], [1.5, -1.7], [0.8, 0.5], [-0.7, -0.6], [3.0, 3.3]]).reshape(1, 2, 4, 2)
for mode, padding, align in itertools.product(["bilinear", "nearest", "bicubic"], ["zeros", "border", "reflection"], [True, False]):
    sample = lambda x, g: F.grid_sample(x, g, mode=mode, padding_mode=padding, align_corners=align)
    show("grid %s %s %s" % (mode, padding, align), sample, image, points, twice=False)
show("grid", lambda x, g: F.grid_sample(x, g, align_corners=False), image, points)
solid = torch.arange(72.0).reshape(1, 2, 3, 4, 3).sin()
places = (torch.arange(24.0).reshape(1, 2, 2, 2, 3) * 0.7).sin() * 1.3
for mode, padding in itertools.product(["bilinear", "nearest"], ["zeros", "border", "reflection"]):
    sample = lambda x, g: F.grid_sample(x, g, mode=mode, padding_mode=padding, align_corners=False)
    show("grid of solids %s %s" % (mode, padding), sample, solid, places, twice=False)
image.requires_grad_()
y = F.grid_sample(image, points, align_corners=False)
y.sum().backward()
print(name(y.grad_fn), "%.4f" % image.grad.norm().item())

# Classification of sequences.
logits = torch.sin(torch.arange(7 * 3 * 6) * 0.37).reshape(7, 3, 6)
labels = torch.tensor([[1, 2, 2, 5], [3, 3, 0, 0], [4, 1, 3, 2]])
for reduction, zeros in itertools.product(["none", "mean", "sum"], [False, True]):
    loss = lambda x: F.ctc_loss(x.log_softmax(2), labels, [7, 5, 3], [4, 2, 4], reduction=reduction, zero_infinity=zeros)
    if zeros:
        show("ctc %s" % reduction, loss, logits, twice=False)
    else:
        x = logits.clone().requires_grad_()
        loss(x)[:2].sum().backward() if reduction == "none" else loss(x).backward()
        print("ctc %s" % reduction, "%.4f" % x.grad[:, :2].norm().item(), x.grad[:3, 2].isnan().any().item())
flat = lambda x: F.ctc_loss(x.log_softmax(2), torch.tensor([1, 2, 2, 3, 3, 4]), torch.tensor([7, 6, 5]), torch.tensor([3, 2, 1]), blank=5)
show("ctc of one list", flat, logits, twice=False)
show("ctc of nothing", lambda x: F.ctc_loss(x.log_softmax(2), torch.zeros(3, 0, dtype=torch.long), [7, 2, 1], [0, 0, 0]), logits, twice=False)

# Norms.
x = (torch.arange(2 * 6 * 5 * 7) * 0.31).sin().reshape(2, 6, 5, 7)
w, b = torch.linspace(-1, 2, 6), torch.linspace(0, 1, 6)
show("group", lambda x, w, b: F.group_norm(x, 3, w, b), x, w, b)
show("group without weight", lambda x: F.group_norm(x, 2), x)
show("group of few", lambda x, w, b: F.group_norm(x, 3, w, b), x[..., :1, :2], w, b)
show("batch", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), x, w, b)
show("batch with statistics", lambda x, w, b: F.batch_norm(x, torch.zeros(6), torch.ones(6), w, b, True), x, w, b)
show("batch of few", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), x[..., 0, 0], w, b)
show("batch in other order", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), x.contiguous(memory_format=torch.channels_last), w, b)
show("instance", lambda x: F.instance_norm(x), x)
w, b = torch.linspace(-1, 2, 35).reshape(5, 7), torch.linspace(0, 1, 35).reshape(5, 7)
show("layer", lambda x, w, b: F.layer_norm(x, (5, 7), w, b), x, w, b)
show("layer without weight", lambda x: F.layer_norm(x, (7,)), x)
long = (torch.arange(300 * 70) * 0.13).sin().reshape(300, 70)
show("layer of many rows", lambda x, w, b: F.layer_norm(x, (70,), w, b), long, torch.ones(70), torch.zeros(70), twice=False)
show("layer in f64", lambda x, w, b: F.layer_norm(x, (5, 7), w, b), x.double(), w.double(), b.double())
m = nn.LayerNorm(7).bfloat16()
y = m(x.bfloat16())
y.sum().backward()
print(name(y.grad_fn), m.weight.grad.dtype, "%.1f" % m.bias.grad.float().norm().item())

# Pools of lines, triangles, outer products and classes of pixels.
line = (torch.arange(2 * 3 * 11) * 0.7).sin().reshape(2, 3, 11)
show("max_pool1d", lambda x: F.max_pool1d(x, 3, 2, 1), line, twice=False)
show("max_pool1d", lambda x: F.max_pool1d(x, 2), line, twice=False)
show("tril", lambda x: x.tril(-1), x, twice=False)
show("triu", lambda x: x.transpose(2, 3).triu(1), x, twice=False)
print(torch.arange(12).reshape(3, 4).tril(1), torch.ones(2, 2, 3, dtype=torch.bool).triu())
show("outer", lambda a, b: torch.outer(a, b), x[0, 0, 0], x[0, 1, 1])
show("pixels", lambda x: F.cross_entropy(x, torch.arange(70).reshape(2, 5, 7) % 6), x)
show("mse", lambda a, b: F.mse_loss(a, b), x, x.cos())
print(F.mse_loss(x.half(), x.cos().half()).dtype, "%.3f" % F.mse_loss(x.half(), x.cos().half()).item())
