"""Pools and resampling of pictures whose channels come last: the same numbers, in the same memory format."""
import torch
import torch.nn.functional as F

x = (torch.arange(2 * 5 * 9 * 11) * 37 % 101 / 10 - 5).reshape(2, 5, 9, 11)
calls = {
    "mean": lambda t: F.avg_pool2d(t, 2),
    "mean of some": lambda t: F.avg_pool2d(t, 3, 2, 1, count_include_pad=False),
    "mean of windows that reach out": lambda t: F.avg_pool2d(t, (3, 2), (2, 1), (1, 0), ceil_mode=True),
    "sum": lambda t: F.avg_pool2d(t, 3, divisor_override=1),
    "largest": lambda t: F.max_pool2d(t, 2),
    "largest with gaps": lambda t: F.max_pool2d(t, 2, 2, 1, 2),
    "one mean": lambda t: F.adaptive_avg_pool2d(t, 1),
    "nearest": lambda t: F.interpolate(t, scale_factor=2),
    "nearest, fewer": lambda t: F.interpolate(t, size=(4, 7), mode="nearest-exact"),
    "linear": lambda t: F.interpolate(t, scale_factor=2, mode="bilinear"),
    "linear to the corners": lambda t: F.interpolate(t, size=(9, 4), mode="bilinear", align_corners=True),
    "cubic": lambda t: F.interpolate(t, size=(5, 20), mode="bicubic"),
    "smoothed": lambda t: F.interpolate(t, scale_factor=0.6, mode="bilinear", antialias=True),
}
for dtype in (torch.float32, torch.float64, torch.bfloat16):
    for name, f in calls.items():
        if dtype == torch.bfloat16 and name == "smoothed":
            continue
        rows, last = f(x.to(dtype)), f(x.to(dtype).to(memory_format=torch.channels_last))
        print(dtype, name, tuple(last.shape), last.stride(), torch.allclose(rows, last, rtol=1e-2 if dtype == torch.bfloat16 else 1e-5, atol=1e-5), round(float(last.double().sum()), 0))
bytes = (x * 20 + 100).to(torch.uint8).to(memory_format=torch.channels_last)
for mode in ("nearest", "bilinear", "bicubic"):
    print(mode, F.interpolate(bytes, size=(13, 6), mode=mode).sum(), F.interpolate(bytes.contiguous(), size=(13, 6), mode=mode).sum())
for size in ((4, 5), (20, 3)):
    print(F.interpolate(bytes, size=size, mode="bilinear", antialias=True).flatten()[::17].tolist())
nan = x.clone()
nan[0, 0, 0, 0] = float("nan")
print(F.max_pool2d(nan, 2)[0, 0, 0], F.max_pool2d(nan.to(memory_format=torch.channels_last), 2)[0, 0, 0])
