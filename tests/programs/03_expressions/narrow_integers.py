"""Arithmetic, comparisons and choices in narrow integers, of every layout: with numbers, rows, in place, and beside other dtypes."""
import torch

for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    low = 0 if dtype == torch.uint8 else -120
    a = (torch.arange(77) * 37 % 241 + low).to(dtype).reshape(7, 11)
    b = (torch.arange(77) * 53 % 239 + low).to(dtype).reshape(7, 11)
    for name in "add sub mul maximum minimum eq ne lt le gt ge".split():
        f = getattr(torch, name)
        forms = [f(a, b), f(a, b[0]), f(a, b[:, :1]), f(a[:7, :7], b[:7, :7].t()), f(a[:, ::2], b[:, ::2]), f(a.repeat(40, 9), b.repeat(40, 9))]
        if name not in ("maximum", "minimum"):
            forms += [f(a, 7), f(a.repeat(40, 9), 7), f(a, 2.5)]
        print(dtype, name, forms[0].dtype, [int(r.sum()) if r.dtype != torch.float32 else round(float(r.sum()), 3) for r in forms])
    print(torch.add(a, b, alpha=3).sum(), torch.sub(a, b, alpha=2).sum(), (a + b.to(torch.int16)).dtype, (a * (b > 0)).sum())
    c = a.clone()
    c += b
    c *= 3
    c[:, ::3] -= 1
    print(c.sum(), torch.where(a > b, a, b).sum(), a.masked_fill(a > b, 5).sum(), a.clamp(3, 50).sum(), (-a).sum(), a.abs().sum())
    print(a.min(), a.max(), a.amax(0).sum(), a.amin(1).sum(), a.max(1)[1].tolist(), a.min(0)[1].tolist())
    print(torch.add(a, b, out=torch.empty(0, dtype=torch.float64)).sum())
