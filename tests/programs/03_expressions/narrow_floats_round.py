# 16-bit floats round what the reference rounds: numbers, alphas, thresholds and steps of quotients.
import torch
import torch.nn.functional as F

torch.manual_seed(0)


def show(name, values):
    print(name, [round(v, 6) for v in values.double().flatten().tolist()])


for dtype in (torch.bfloat16, torch.float16):
    x = (torch.arange(16) * 0.7371 - 5.3).to(dtype)
    y = (torch.arange(16) * 0.311 + 0.217).to(dtype)
    print(dtype)
    show("add", x + 0.33333)
    show("sub", x - 0.33333)
    show("rsub", 8.396163642458497 - x)
    show("mul", x * 0.33333)
    show("number first", torch.mul(torch.tensor(0.33333), x))
    show("div", x / 0.33333)
    show("div by a tensor", x / torch.tensor(0.33333))
    show("rdiv", 0.33333 / y)
    show("trunc", torch.div(x, y, rounding_mode="trunc"))
    show("floor", torch.div(x, y, rounding_mode="floor"))
    show("floor by a number", torch.div(x, 0.2173, rounding_mode="floor"))
    show("number by floor", 3.3333 // y)
    show("remainder", x % 0.2173)
    show("number remainder", 3.3333 % y)
    show("fmod", torch.fmod(x, 0.2173))
    show("pow", y**2.3333)
    show("rpow", 2.3333**y)
    show("xlogy", torch.xlogy(x, y))
    show("xlog1py", torch.special.xlog1py(x, y))
    show("ldexp", torch.ldexp(x, y))
    show("nextafter", torch.nextafter(x, y))
    show("lerp", torch.lerp(x, y, 0.33333))
    show("softshrink", F.softshrink(x, 0.33333))
    show("hardshrink", F.hardshrink(x, 0.33333))
    show("leaky", F.leaky_relu(x, 0.33333))
    show("trapezoid", torch.trapezoid(x, y))
    show("trapezoid dx", torch.trapezoid(x, dx=0.3333))
    show("cumulative", torch.cumulative_trapezoid(x, y))
    show("cov", torch.cov(x.reshape(2, 8), aweights=torch.arange(1.0, 9)))
    show("hinge", F.hinge_embedding_loss(x, torch.sign(x), 8.396))
    show("gelu", F.gelu(torch.tensor([-30.0, -20.0, 3.0], dtype=dtype)))

u = torch.tensor([5, 1, 6], dtype=torch.uint8)
print(torch.trapezoid(u, torch.tensor([9, 3, 1], dtype=torch.uint8)), torch.trapezoid(u * 40), torch.cumulative_trapezoid(u * 40))
print(F.hardtanh(u), F.hardtanh(u, -3, 2), F.local_response_norm(torch.ones(1, 4, 3, dtype=torch.bfloat16), 3))
print(torch.unique_consecutive(torch.tensor([1, 1, 2]), dim=0), torch.ops.aten.unique_consecutive(torch.tensor([1, 1, 2]), False, False, 0))
for a, b in ((torch.uint16, torch.int32), (torch.uint32, torch.complex64), (torch.bool, torch.uint64), (torch.uint16, torch.float32)):
    try:
        print(torch.promote_types(a, b))
    except RuntimeError as e:
        print(e)
w = torch.randn(8, dtype=torch.complex64)
spectrum = torch.stft(torch.randn(40, dtype=torch.complex64), 8, window=w, return_complex=True)
print(torch.istft(spectrum, 8, window=w, return_complex=True)[:3])
