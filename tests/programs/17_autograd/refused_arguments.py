# Arguments that nothing can be differentiated by are refused, and gradients of rare forms are right.
import torch
import torch.nn.functional as F


def r(*sizes):
    return torch.rand(*sizes, requires_grad=True)


def show(name, f):
    try:
        print(name, type(f().grad_fn).__name__)
    except RuntimeError as e:
        print(name, e)


labels = torch.tensor([0, 1, 2])
show("bce", lambda: F.binary_cross_entropy(r(3), r(3).detach(), weight=r(3)))
show("bce target", lambda: F.binary_cross_entropy(r(3), r(3)))
show("logits", lambda: F.binary_cross_entropy_with_logits(r(3), r(3).detach(), weight=r(3)))
show("logits pos", lambda: F.binary_cross_entropy_with_logits(r(3), r(3).detach(), pos_weight=r(3)))
show("nll", lambda: F.nll_loss(r(3, 4), labels, weight=r(4)))
show("nll 2d", lambda: F.nll_loss(r(3, 4, 2, 2), torch.zeros(3, 2, 2, dtype=torch.long), weight=r(4)))
show("ce", lambda: F.cross_entropy(r(3, 4), labels, weight=r(4)))
show("ce smooth", lambda: F.cross_entropy(r(3, 4), labels, weight=r(4), label_smoothing=0.1))
show("multi", lambda: F.multi_margin_loss(r(3, 4), labels, weight=r(4)))
show("soft", lambda: F.soft_margin_loss(r(3), r(3)))
show("bn", lambda: F.batch_norm(r(3, 4), r(4), r(4)))
show("in", lambda: F.instance_norm(r(3, 4, 5), r(4), r(4).detach()))
show("pool", lambda: F.fractional_max_pool2d(r(1, 1, 6, 6), 2, output_size=3, _random_samples=r(1, 1, 2)))
show("pinv", lambda: torch.linalg.pinv(r(3, 3), rtol=r(1)))
show("scale", lambda: torch.fake_quantize_per_tensor_affine(r(3), r(1), torch.zeros(1, dtype=torch.int32), 0, 255))


def grads(name, f, *given):
    given = [g.clone().requires_grad_() for g in given]
    out = f(*given)
    weights = torch.cos(torch.arange(out.numel(), dtype=out.dtype)).reshape(out.shape)
    for g in torch.autograd.grad(out, given, weights):
        print(name, [round(v, 4) + 0.0 for v in g.flatten().tolist()])


x = torch.arange(6, dtype=torch.float64).reshape(2, 3) * 0.7 - 1.3
grads("tile", lambda t: t.tile(2), x)
grads("tile none", lambda t: t.tile(()), x[0])
grads("tile more", lambda t: t.tile(2, 1, 2), x)
grads("take_along_dim", lambda t: torch.take_along_dim(t, torch.tensor([[-1, 0, -3]]), 1), x)
grads("index_fill", lambda t, v: t.index_fill(1, torch.tensor([2, 0, 0]), v), x, torch.tensor(2.0, dtype=torch.float64))
grads("quantile", lambda t: torch.quantile(t, 0.5, dim=0, keepdim=True), x[0, 0])
grads("cosine", lambda a, b: F.cosine_similarity(a, b, dim=-2), x.reshape(1, 2, 3), x.reshape(2, 1, 3) + 1)
grads("group", lambda w, b: F.group_norm(torch.zeros(0, 2, dtype=torch.float64), 1, w, b), x[0, :2], x[1, :2])
bag = (torch.tensor([1, 1, 1, 0]), torch.tensor([0, 2]))
grads("bag", lambda w: F.embedding_bag(bag[0], w, bag[1], mode="sum", scale_grad_by_freq=True), x)
