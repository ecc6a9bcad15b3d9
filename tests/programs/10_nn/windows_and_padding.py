# Convolutions, pools, padding and sampling: shapes, numbers, gradients, refusals.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_printoptions(precision=4, linewidth=110)
torch.manual_seed(21)


def err(name, fn):
    try:
        r = fn()
        print(f"{name}: no error -> {tuple(r.shape) if hasattr(r, 'shape') else r}")
    except Exception as e:
        print(f"{name}: {type(e).__name__}: {(str(e).splitlines() or [''])[0].split('{')[0]}")


def s(t):
    return f"{tuple(t.shape)} {t.dtype} sum={t.double().sum().item():.3f} absmax={t.abs().max().item():.3f}"


x1 = torch.randn(2, 4, 9)
x2 = torch.randn(2, 4, 7, 8)
x3 = torch.randn(1, 2, 4, 5, 6)

print("== conv modules")
mods = [
    (nn.Conv1d(4, 6, 3), x1), (nn.Conv1d(4, 4, 3, stride=2, padding=2, dilation=2, groups=4, bias=False), x1), (nn.Conv1d(4, 2, 4, padding="same"), x1),
    (nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0)), x2), (nn.Conv2d(4, 8, 3, padding=1, groups=2, padding_mode="circular"), x2),
    (nn.Conv2d(4, 2, 3, padding="same", padding_mode="reflect", dilation=2), x2), (nn.Conv2d(4, 2, 1, padding="valid", bias=False), x2),
    (nn.Conv2d(4, 4, 3, padding=(0, 2), padding_mode="replicate"), x2), (nn.Conv3d(2, 3, (1, 2, 3), padding=(0, 1, 1)), x3), (nn.Conv3d(2, 2, 3, groups=2, dtype=torch.float64), x3.double()),
    (nn.ConvTranspose1d(4, 3, 3, stride=2), x1), (nn.ConvTranspose1d(4, 2, 4, stride=3, padding=1, output_padding=2, dilation=1), x1),
    (nn.ConvTranspose2d(4, 4, 3, stride=2, padding=1, output_padding=1, groups=2), x2), (nn.ConvTranspose2d(4, 2, (2, 3), dilation=(1, 2), bias=False), x2),
    (nn.ConvTranspose3d(2, 1, 2, stride=(1, 2, 1)), x3),
]
for m, x in mods:
    y = m(x)
    print(m, [tuple(p.shape) for p in m.parameters()], s(y))
    y.pow(2).mean().backward()
    print("   grads", [round(p.grad.abs().sum().item(), 3) for p in m.parameters()])
ct = nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
print(ct(torch.ones(1, 1, 4, 4), output_size=(8, 8)).shape, ct(torch.ones(1, 1, 4, 4), output_size=[1, 1, 7, 7]).shape, ct(torch.ones(1, 3, 3)).shape)
print(nn.Conv2d(1, 1, 2)(torch.ones(1, 3, 3)).shape, nn.Conv1d(4, 2, 3).weight[0, 0], nn.Conv2d(3, 2, 5).bias)

print("== conv functional")
w = torch.tensor([[[1.0, 0.0, -1.0]]])
sig = torch.tensor([[[0.0, 1.0, 4.0, 9.0, 16.0, 25.0]]])
print(F.conv1d(sig, w), F.conv1d(sig, w, padding=1, stride=2), F.conv1d(sig, w, dilation=2), F.conv1d(sig, w, padding="same"), F.conv_transpose1d(sig, w, stride=2)[..., :6])
img = torch.arange(25.0).view(1, 1, 5, 5)
k = torch.tensor([[[[0.0, 1, 0], [1, -4, 1], [0, 1, 0]]]])
print(F.conv2d(img, k, torch.tensor([0.5])), F.conv2d(img, k, padding=1)[0, 0, 0], F.conv2d(img.double(), k.double()).dtype, F.conv2d(img[0], k).shape)
cols = F.unfold(x2, (3, 2), padding=1, stride=2, dilation=1)
print(s(cols), s(F.fold(cols, (7, 8), (3, 2), padding=1, stride=2)), nn.Unfold(2)(img)[0, :, 0], nn.Fold((3, 3), 2)(torch.ones(1, 4, 4)), nn.Unfold((2, 3)), nn.Fold(4, 2, stride=2))
wt = torch.randn(6, 4, 3, 2)
print(torch.allclose((wt.view(6, -1) @ cols).view(2, 6, 4, 5), F.conv2d(x2, wt, padding=1, stride=2), atol=1e-4))
print(s(F.conv2d(x2.bfloat16(), wt.bfloat16())), s(torch.conv2d(x2.to(torch.complex64), wt.to(torch.complex64)).abs()), torch.nn.grad.conv2d_input(img.shape, k, torch.ones(1, 1, 3, 3))[0, 0, 1], torch.nn.grad.conv2d_weight(img, k.shape, torch.ones(1, 1, 3, 3))[0, 0])

print("== pooling")
for m, x in [(nn.MaxPool1d(3), x1), (nn.MaxPool1d(2, 1, 1, dilation=2), x1), (nn.MaxPool2d(3, stride=2, padding=1, ceil_mode=True), x2), (nn.MaxPool2d((2, 1)), x2), (nn.MaxPool3d(2), x3), (nn.AvgPool1d(2, ceil_mode=True), x1),
             (nn.AvgPool2d(3, 2, 1, count_include_pad=False), x2), (nn.AvgPool2d(2, divisor_override=3), x2), (nn.AvgPool3d((1, 2, 2)), x3), (nn.LPPool1d(2, 3), x1), (nn.LPPool2d(1.5, 2, stride=1), x2.abs()),
             (nn.AdaptiveAvgPool1d(4), x1), (nn.AdaptiveAvgPool2d((3, None)), x2), (nn.AdaptiveAvgPool3d(2), x3), (nn.AdaptiveMaxPool1d(4), x1), (nn.AdaptiveMaxPool2d((None, 5)), x2), (nn.AdaptiveMaxPool3d((1, 2, 3)), x3)]:
    print(m, s(m(x)))
p, idx = F.max_pool2d(img, 2, return_indices=True)
print(p, idx, F.max_unpool2d(p, idx, 2, output_size=(5, 5)), nn.MaxUnpool2d(2)(p, idx, output_size=(5, 5)).shape, nn.MaxUnpool1d(2, stride=2), F.adaptive_max_pool1d(x1[:1, :1], 2, return_indices=True)[1])
torch.manual_seed(0)
fp, fi = F.fractional_max_pool2d(x2[:1, :1], 3, output_size=(3, 4), return_indices=True)
print(fp, fi, nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.6))(x2).shape, nn.FractionalMaxPool3d(2, output_size=2)(x3).shape)
g = img.clone().requires_grad_()
(F.max_pool2d(g, 3, 1).sum() + F.avg_pool2d(g, 2).sum()).backward()
print(g.grad[0, 0])
print(F.max_pool1d(torch.tensor([[1.0, float("nan"), 3.0, 2.0]]), 2), F.avg_pool1d(torch.arange(4.0)[None], 2), F.max_pool2d(torch.arange(16).view(1, 4, 4), 2) if True else 0)

print("== padding")
a = torch.arange(12.0).view(1, 1, 3, 4)
for mode in ("constant", "reflect", "replicate", "circular"):
    print(mode, F.pad(a, (1, 2, 1, 0), mode=mode))
print(F.pad(a, (-1, 1, 0, -1), value=9.0), F.pad(torch.ones(2, dtype=torch.int64), (1, 1), value=7), F.pad(a, (0, 0, 0, 0, 1, 0)).shape, F.pad(torch.ones(2, 2, dtype=torch.bool), (1, 0), value=True))
for m in (nn.ZeroPad1d(2), nn.ZeroPad2d((1, 0, 2, 0)), nn.ConstantPad1d(1, 3.5), nn.ConstantPad2d((0, 1, 0, 1), -1), nn.ReflectionPad1d((2, 1)), nn.ReflectionPad2d(1), nn.ReplicationPad1d(1), nn.ReplicationPad2d((1, 1, 0, 2)), nn.CircularPad1d(1), nn.CircularPad2d((1, 2, 1, 1)), nn.ReplicationPad3d(1), nn.ReflectionPad3d(1), nn.ConstantPad3d(1, 0.5), nn.CircularPad3d(1), nn.ZeroPad3d(1)):
    x = {"1": x1, "2": x2, "3": x3}[type(m).__name__[-2]]
    print(m, s(m(x)))

print("== upsampling / sampling")
u = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
for mode in ("nearest", "nearest-exact", "bilinear", "bicubic", "area"):
    print(mode, F.interpolate(u, size=(3, 4), mode=mode))
print(F.interpolate(u, scale_factor=2, mode="bilinear", align_corners=True), F.interpolate(u, scale_factor=(1.5, 3), mode="nearest", recompute_scale_factor=True).shape)
print(F.interpolate(x2, (3, 3), mode="bilinear", antialias=True)[0, 0], s(F.interpolate(x2, (4, 5), mode="bicubic", antialias=True)), F.interpolate(x1, 5, mode="linear")[0, 0], s(F.interpolate(x3, scale_factor=2, mode="trilinear")))
for m in (nn.Upsample(scale_factor=2), nn.Upsample((4, 4), mode="bilinear", align_corners=False), nn.UpsamplingNearest2d(scale_factor=2), nn.UpsamplingBilinear2d(size=3), nn.PixelShuffle(2), nn.PixelUnshuffle(1), nn.ChannelShuffle(2)):
    print(m, s(m(x2)))
theta = torch.tensor([[[0.0, -1.0, 0.2], [1.0, 0.0, 0.0]]])
grid = F.affine_grid(theta, (1, 1, 3, 3), align_corners=False)
print(grid[0, 0], F.grid_sample(img, grid, align_corners=False), F.grid_sample(img, grid * 1.5, mode="nearest", padding_mode="border", align_corners=True), F.grid_sample(img, grid, mode="bicubic", padding_mode="reflection", align_corners=False)[0, 0, 1])
print(F.pixel_shuffle(torch.arange(8).view(1, 4, 1, 2), 2), nn.functional.channel_shuffle(torch.arange(6).view(1, 6, 1, 1), 3).flatten(), F.one_hot(torch.tensor([0, 2])), F.glu(x1, 1).shape)

print("== errors")
err("channels", lambda: nn.Conv2d(3, 4, 3)(x2))
err("kernel big", lambda: F.conv2d(torch.ones(1, 1, 2, 2), k))
err("groups", lambda: nn.Conv2d(4, 6, 3, groups=4))
err("groups in", lambda: nn.Conv2d(3, 6, 3, groups=2))
err("same stride", lambda: nn.Conv2d(4, 4, 3, stride=2, padding="same"))
err("padding str", lambda: nn.Conv2d(4, 4, 3, padding="foo"))
err("padding_mode", lambda: nn.Conv2d(4, 4, 3, padding_mode="foo"))
err("tconv padding_mode", lambda: nn.ConvTranspose2d(4, 4, 3, padding_mode="reflect"))
err("dims", lambda: nn.Conv2d(4, 4, 3)(x1[0]))
err("dtype", lambda: nn.Conv1d(4, 4, 3)(x1.double()))
err("bias", lambda: F.conv1d(x1, torch.ones(2, 4, 3), torch.ones(3)))
err("stride 0", lambda: F.conv1d(x1, torch.ones(2, 4, 3), stride=0))
err("output_size", lambda: ct(torch.ones(1, 1, 4, 4), output_size=(9, 9)))
err("pool pad", lambda: F.max_pool2d(x2, 2, padding=2))
err("pool size", lambda: F.avg_pool2d(x2, 20))
err("pool dims", lambda: F.max_pool2d(x2[0, 0], 2))
err("reflect pad", lambda: F.pad(x1, (9, 0), mode="reflect"))
err("circular pad", lambda: F.pad(x1, (10, 0), mode="circular"))
err("pad odd", lambda: F.pad(x1, (1,)))
err("pad mode", lambda: F.pad(x1, (1, 1), mode="foo"))
err("pad long", lambda: F.pad(torch.ones(2), (1, 1, 1, 1)))
err("interp both", lambda: F.interpolate(u, size=3, scale_factor=2))
err("interp none", lambda: F.interpolate(u))
err("interp mode", lambda: F.interpolate(x1, 4, mode="bilinear"))
err("interp align", lambda: F.interpolate(u, 4, mode="nearest", align_corners=True))
err("interp mode2", lambda: F.interpolate(u, 4, mode="foo"))
err("pixel_shuffle", lambda: F.pixel_shuffle(torch.ones(1, 3, 2, 2), 2))
err("grid", lambda: F.grid_sample(img, torch.ones(1, 3, 3, 3)))
err("fold", lambda: F.fold(torch.ones(1, 4, 5), (3, 3), 2))
err("unpool", lambda: F.max_unpool2d(p, torch.where(idx == 18, 118, 0), 2))
