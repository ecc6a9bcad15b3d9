# Rows of many lengths, dtypes and widths: turned around, shifted, padded, cut into blocks, sorted, selected and transformed.
import torch
import torch.nn.functional as F

DTYPES = [torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bool]


def numbers(*sizes):
    count = 1
    for size in sizes:
        count *= size
    return (torch.arange(count) * 37 % 113).view(*sizes)


def check(label, found, expected):
    assert found.shape == expected.shape, (label, found.shape, expected.shape)
    assert bool((found == expected).all()), label


for dtype in DTYPES:
    for sizes in [(3, 5), (2, 70, 4), (4, 33), (2, 3, 4, 5)]:
        x = numbers(*sizes).to(dtype)
        for dim in range(len(sizes)):
            n = sizes[dim]
            back = torch.tensor(list(range(n - 1, -1, -1)))
            check("flip", x.flip(dim), x.index_select(dim, back))
            for shift in (1, -2, n // 2):
                places = (torch.arange(n) - shift) % n
                check("roll", torch.roll(x, shift, dim), x.index_select(dim, places))
            check("interleave", x.repeat_interleave(2, dim), x.index_select(dim, torch.arange(2 * n) // 2))
        both = x.flip(0, -1)
        check("flip both", both, x.flip(0).flip(-1))
        padded = F.pad(x, (1, 2, 3, 0))
        check("pad inside", padded[..., 3:, 1:-2], x)
        assert int((padded != 0).sum()) == int((x != 0).sum())
        check("pad cut", F.pad(x, (-1, 2, 1, -1))[..., 1:, :-2], x[..., :-1, 1:])
print("moved")

for stride in (1, 2, 3):
    for padding in (0, 1, 2):
        for dilation in (1, 2):
            x = numbers(2, 3, 9, 8).float()
            blocks = F.unfold(x, (3, 2), dilation, padding, stride)
            wide = F.pad(x, (padding, padding, padding, padding))
            high, across = wide.shape[2] - 2 * dilation, wide.shape[3] - dilation
            rows = [wide[:, :, i * dilation:i * dilation + high:stride, j * dilation:j * dilation + across:stride] for i in range(3) for j in range(2)]
            check("unfold", blocks, torch.stack(rows, 2).reshape(2, 18, -1))
            ones = F.fold(torch.ones_like(blocks), (9, 8), (3, 2), dilation, padding, stride)
            assert float(ones.sum()) == float(F.unfold(torch.ones_like(x), (3, 2), dilation, padding, stride).sum())
print("blocks")

for mode in ("reflect", "replicate", "circular"):
    print(mode, F.pad(torch.arange(12.0).view(1, 3, 4), (2, 1), mode).tolist(), F.pad(torch.arange(4.0).view(1, 4), (-1, 2), mode).tolist())

for count, n in ((9, 5), (20, 16), (17, 64), (8, 65), (11, 200), (5, 300)):
    ties = (torch.arange(count * n) * 31 % 97 % 23).view(count, n).float()
    apart = torch.sin(torch.arange(count * n).double() * 1.2345).float().view(count, n)
    weights = torch.arange(count * n).view(count, n) % 101
    for x in (ties, apart, -apart, torch.where(apart > 0.9, float("nan"), apart), ties.int(), ties.t().contiguous()):
        w = weights if x.shape == weights.shape else weights.t()
        for dim in (-1, 0):
            for descending in (False, True):
                values, indices = torch.sort(x, dim, descending)
                print(int((indices * w).sum()), int((values == torch.gather(x, dim, indices)).sum()), end=" ")
            for k in (1, 3, x.shape[dim] // 2, x.shape[dim]):
                values, indices = torch.topk(x, k, dim)
                print(int((indices * w.narrow(dim, 0, k)).sum()), int((values == torch.gather(x, dim, indices)).sum()), end=" ")
    print()

for n in (8, 9, 12, 14, 16, 30, 64, 100, 250, 512):
    for count in (1, 2, 5, 16):
        x = torch.sin(torch.arange(count * n).double() * 0.7).view(count, n).float().double()
        exact = torch.fft.rfft(x)
        assert float((torch.fft.rfft(x.float()) - exact).abs().max()) < 1e-6 * (n + 8)
        assert float((torch.fft.irfft(exact.to(torch.complex64), n) - x).abs().max()) < 2e-6
        z = torch.complex(x, x.flip(-1))
        assert float((torch.fft.ifft(torch.fft.fft(z.to(torch.complex64))) - z).abs().max()) < 2e-6
        assert float((torch.fft.fft(z.to(torch.complex64)) - torch.fft.fft(z)).abs().max()) < 1e-6 * (n + 8)
        assert float((torch.fft.hfft(exact.to(torch.complex64), n) - torch.fft.hfft(exact, n)).abs().max()) < 2e-6 * n * n
    for window in (None, torch.hann_window(n)):
        x = torch.sin(torch.arange(900.0) * 0.3)
        found = torch.stft(x, n, max(n // 3, 1), window=window, return_complex=True)
        exact = torch.stft(x.double(), n, max(n // 3, 1), window=None if window is None else window.double(), return_complex=True)
        assert float((found - exact).abs().max()) < 1e-6 * (n + 8)
print("transformed")

for n in (1, 2, 10, 16, 17, 65, 128, 129):
    for count in (1, 3, 4, 8, 21):
        x = torch.sin(torch.arange(count * n) * 1.1).view(count, n) * 8
        y = x.double()
        e = (y - y.max(-1, keepdim=True)[0]).exp()
        p = e / e.sum(-1, keepdim=True)
        assert float((x.softmax(-1) - p).abs().max()) < 1e-6
        assert float((x.log_softmax(-1) - p.log()).abs().max()) < 1e-5
x = torch.zeros(9, 5)
x[2] = float("-inf")
x[4, 1] = float("nan")
x[5, 2] = float("-inf")
print(x.softmax(-1).tolist()[2:6])
print(torch.complex(torch.tensor([3.0, float("inf"), 1e30, 1e-40]), torch.tensor([4.0, float("nan"), 1e30, 0.0])).abs().tolist())
