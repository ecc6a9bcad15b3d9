# The strides of what operators give for tensors that are not row-major.
import torch

a = torch.randn(3, 4, 5)
p = a.permute(2, 0, 1)
m = torch.randn(4, 3)
s = torch.eye(3) * 2 + torch.ones(3, 3)
linalg, fft = torch.linalg, torch.fft


def strides(given):
    if isinstance(given, torch.Tensor):
        return tuple(given.shape), given.stride()
    return [strides(one) for one in given]


for what in (
    "linalg.qr(m)", "linalg.qr(m.T)", "linalg.qr(a)", "linalg.qr(m, mode='complete')", "linalg.qr(m, mode='r')",
    "linalg.lstsq(m, torch.ones(4, 2)).solution", "linalg.lstsq(a, torch.ones(3, 4, 1)).solution", "torch.cholesky_inverse(s)",
    "torch.cholesky_inverse(s.expand(2, 3, 3))", "fft.fft(p)", "fft.fft(p, dim=0)", "fft.fft(a, dim=1)", "fft.fft2(p)", "fft.fftn(p)",
    "fft.ifft(p)", "fft.rfft(p)", "fft.rfft(a, dim=0)", "fft.rfftn(p)", "fft.irfft(p + 0j)", "fft.irfft(a + 0j, dim=0)", "fft.irfftn(a + 0j)",
    "fft.hfft(p + 0j)", "fft.ihfft(p)", "fft.ihfft2(m)", "fft.ihfftn(a)", "fft.ihfft2(p)", "fft.hfftn(a + 0j)", "fft.fft(p, n=3)",
    "p[torch.tensor([0, 1])]", "p[:, torch.tensor([0, 1])]", "p[:, :, torch.tensor([[0, 1]])]", "p[torch.tensor([0]), :, torch.tensor([1])]",
    "a[:, torch.tensor([0, 1])]", "m.T[torch.tensor([1, 0])]", "p[:, torch.tensor([0, 1])].sum(0)",
):  # fmt: skip
    print(what, strides(eval(what)))
assert torch.equal(p[:, torch.tensor([0, 1])], p.contiguous()[:, torch.tensor([0, 1])])
assert torch.allclose(fft.fftn(p), fft.fftn(p.contiguous()), atol=1e-5)
assert torch.allclose(fft.ihfftn(a), fft.ihfftn(a.clone()), atol=1e-5)
