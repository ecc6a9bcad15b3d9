# Products of few rows with matrices that lie row by row; largest and smallest of integers.

import torch

torch.manual_seed(2)
for rows in (1, 2, 3, 5, 8, 17, 32, 33):
    for depth, columns in ((1, 7), (6, 16), (64, 200), (130, 333)):
        a, b, c = torch.rand(rows, depth), torch.rand(depth, columns), torch.rand(rows, columns)
        exact = (a.double() @ b.double()).float()
        ways = (
            a @ b,
            torch.bmm(a[None], b[None])[0],
            torch.addmm(c, a, b) - c,
            a.t().contiguous().t() @ b,
            torch.mm(a, b, out=torch.empty(rows, columns)),
        )
        print(rows, depth, columns, [bool(torch.allclose(way, exact, rtol=1e-4, atol=1e-4)) for way in ways])
x = torch.randint(-100, 100, (3, 50), dtype=torch.int32)
for dtype in (torch.int32, torch.uint8, torch.int8, torch.int64, torch.float32):
    y = (x.abs() if dtype == torch.uint8 else x).to(dtype)
    print(y.max(), y.min(), y.amax(0)[:4], y.amin(1), y.amax((0, 1), keepdim=True), y.max(1).values)
print(torch.tensor([[1.0, float("nan")], [3.0, 2.0]]).amax(0), torch.full((5, 70), -2.0).amax(0).sum())
for empty in (torch.empty(0, dtype=torch.int32), torch.empty(0, dtype=torch.uint8)):
    try:
        print(empty.max())
    except RuntimeError as error:
        print(str(error).splitlines()[0])
print(torch.rand(3, 700).add(0.9).prod(1).isfinite().all(), torch.full((2, 37), 1.5).prod(1))
