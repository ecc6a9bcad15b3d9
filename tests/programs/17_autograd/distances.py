"""Distances of few rows and of many, which are made of products, and their gradients."""
import torch

inf = float("inf")
a = (torch.arange(40 * 6) * 37 % 97 / 10 - 5).reshape(40, 6).double()
b = (torch.arange(33 * 6) * 53 % 89 / 10 - 4).reshape(33, 6).double()
b[3] = a[5]
b[4, :2] = a[7, :2]
for x, y in ((a[:9], b[:8]), (a, b), (a[None].expand(2, 40, 6), b), (a[:0], b), (a[:, :0], b[:, :0])):
    for p in (2.0, 1.0, 3.0, 1.5, inf, 0.0):
        for mode in ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
            if p != 2.0 and "if" not in mode:
                continue
            u, v = x.clone().requires_grad_(), y.clone().requires_grad_()
            d = torch.cdist(u, v, p=p, compute_mode=mode)
            weights = (torch.arange(d.numel()).reshape(d.shape) % 7) * 0.1
            near = d.detach() < 1e-3
            (d.masked_fill(near, 0) * weights).sum().backward()
            print(tuple(d.shape), p, mode[:6], "%.5f" % float(d.detach().sum()), int(near.sum()), "%.5f %.5f" % (float(u.grad.abs().sum()), float(v.grad.abs().sum())))
u = a.clone().requires_grad_()
first, = torch.autograd.grad((torch.cdist(u, b)[:, 6:] ** 1.5).sum(), u, create_graph=True)
first.pow(2).sum().backward()
print("%.4f" % u.grad.abs().sum())
