# Interpolation and sampling along grids in all modes, volumes with cubic ones among them, with gradients.
"""Interpolation modes, grid_sample, affine_grid."""
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.set_printoptions(precision=3, sci_mode=False)


def err(label, fn):
    try:
        r = fn()
        print(label, "-> ok", r)
    except Exception as e:
        print(label, "->", type(e).__name__, "|", str(e).split("\n")[0][:250])


def show(name, r):
    w = torch.arange(1, r.numel() + 1).reshape(r.shape).double()
    print(f"{name:30s} {str(tuple(r.shape)):16s} sum={round(r.double().sum().item(), 3) + 0:.3f} wsum={round((r.double() * w).sum().item() / r.numel(), 3) + 0:.3f} mid={[round(v, 3) + 0 for v in r.flatten()[r.numel() // 2:][:3].tolist()]}")


a = torch.tensor([[[1., 4., 2., 8.]]])
b = ((torch.arange(24) * 5 % 13) / 4).reshape(1, 2, 3, 4)
c = ((torch.arange(48) * 5 % 17) / 4).reshape(1, 2, 2, 3, 4)
print(F.interpolate(a, scale_factor=2), F.interpolate(a, size=7, mode="linear"), F.interpolate(a, size=7, mode="linear", align_corners=True), F.interpolate(a, size=6, mode="nearest-exact"), F.interpolate(a, size=3, mode="nearest"), F.interpolate(a, 3, mode="area"), sep="\n")
for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area"):
    for size, sf in (((5, 7), None), ((2, 2), None), (None, 2), (None, (0.7, 1.6))):
        show(f"{mode} {size or sf}", F.interpolate(b, size=size, scale_factor=sf, mode=mode))
for mode in ("bilinear", "bicubic"):
    show(mode + " ac", F.interpolate(b, size=(5, 7), mode=mode, align_corners=True))
    show(mode + " aa down", F.interpolate(b, size=(2, 2), mode=mode, antialias=True))
    show(mode + " aa up", F.interpolate(b, size=(4, 6), mode=mode, antialias=True, align_corners=False))
show("recompute_scale", F.interpolate(b, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True))
show("no recompute_scale", F.interpolate(b, scale_factor=1.7, mode="bilinear", recompute_scale_factor=False))
show("trilinear", F.interpolate(c, size=(3, 4, 5), mode="trilinear"))
show("trilinear ac", F.interpolate(c, scale_factor=(2, 1, 1.5), mode="trilinear", align_corners=True))
show("nearest 3d", F.interpolate(c, scale_factor=1.5))
show("area 3d", F.interpolate(c, size=(1, 2, 2), mode="area"))
show("Upsample", nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)(b))
show("UpsamplingNearest2d", nn.UpsamplingNearest2d(size=(4, 4))(b))
show("UpsamplingBilinear2d", nn.UpsamplingBilinear2d(scale_factor=2)(b))
show("channels_last", F.interpolate(b.to(memory_format=torch.channels_last), size=(5, 5), mode="bilinear"))
show("double", F.interpolate(b.double(), size=(4, 5), mode="bicubic"))
print(nn.Upsample(size=(2, 3), mode="nearest"), nn.UpsamplingBilinear2d(scale_factor=2))
show("uint8 nearest", F.interpolate((b * 20).to(torch.uint8), size=(5, 7)))

theta = torch.tensor([[[0.8, 0.3, 0.1], [-0.2, 0.9, -0.3]]])
g = F.affine_grid(theta, (1, 2, 4, 5), align_corners=False)
print(g[0, 0], F.affine_grid(theta, (1, 1, 2, 2), align_corners=True).flatten())
for mode in ("bilinear", "nearest", "bicubic"):
    for pm in ("zeros", "border", "reflection"):
        for ac in (False, True):
            show(f"grid {mode} {pm} {ac}", F.grid_sample(b, g * 1.3 + 0.01, mode=mode, padding_mode=pm, align_corners=ac))
th3 = torch.tensor([[[1., 0.1, 0, 0.1], [0, 0.9, 0.2, 0], [0.1, 0, 1.1, -0.1]]])
g3 = F.affine_grid(th3, (1, 2, 2, 3, 3), align_corners=True)
show("affine 3d", g3)
show("grid 3d", F.grid_sample(c, g3, align_corners=True))
show("grid 3d nearest border", F.grid_sample(c, g3 * 0.93, mode="nearest", padding_mode="border", align_corners=False))
bg, gg = b.clone().requires_grad_(), g.clone().requires_grad_()
F.grid_sample(bg, gg, align_corners=False).pow(2).sum().backward()
show("grad in", bg.grad)
show("grad grid", gg.grad)
for mode in ("nearest", "bilinear", "bicubic", "area"):
    bb = b.clone().requires_grad_()
    r = F.interpolate(bb, size=(5, 3), mode=mode)
    (r * torch.arange(r.numel()).reshape(r.shape)).sum().backward()
    show("grad " + mode, bb.grad)
err("mode", lambda: F.interpolate(b, size=2, mode="cubic"))
err("dims linear", lambda: F.interpolate(b, size=2, mode="linear"))
err("dims bilinear", lambda: F.interpolate(a, size=2, mode="bilinear"))
err("both", lambda: F.interpolate(b, size=2, scale_factor=2))
err("neither", lambda: F.interpolate(b))
err("size len", lambda: F.interpolate(b, size=(2,)))
err("ac nearest", lambda: F.interpolate(b, size=2, mode="nearest", align_corners=True))
err("aa nearest", lambda: F.interpolate(b, size=2, mode="nearest", antialias=True))
err("size 0", lambda: F.interpolate(b, size=(0, 2)))
err("int bilinear", lambda: F.interpolate(b.long(), size=(2, 2), mode="bilinear"))
err("2d", lambda: F.interpolate(torch.ones(2, 3), size=2))
err("grid mode", lambda: F.grid_sample(b, g, mode="abc"))
err("grid padding", lambda: F.grid_sample(b, g, padding_mode="abc"))
err("grid last dim", lambda: F.grid_sample(b, torch.zeros(1, 2, 2, 3)))
err("grid batch", lambda: F.grid_sample(b, torch.zeros(2, 2, 2, 2)))
err("grid bicubic 3d", lambda: F.grid_sample(c, g3, mode="bicubic"))
err("affine size", lambda: F.affine_grid(theta, (1, 2, 3)))
err("affine theta", lambda: F.affine_grid(theta.long(), (1, 2, 3, 3)))


@torch.jit.script
def f(x, theta):
    g = F.affine_grid(theta, [1, 2, 3, 3], align_corners=False)
    y = F.grid_sample(x, g, align_corners=False)
    return F.interpolate(y, scale_factor=2.0, mode="bilinear", align_corners=False), F.interpolate(y, size=[2, 5], mode="nearest")


for r in f(b, theta):
    show("jit", r)
tr = torch.jit.trace(lambda x: F.interpolate(x, scale_factor=2, mode="bicubic"), b)
show("trace", tr(b + 1))
