# Autocasting in scripts: `with torch.autocast` inside, scripts under an outer one, what has to be constant, what is cast.
import io
import warnings

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.cpu.amp import autocast as cpu_autocast

warnings.simplefilter("ignore")
a, b, c3 = torch.rand(2, 2) + 0.5, torch.rand(2, 2) + 0.5, torch.rand(2, 3)


def kinds(r):
    if isinstance(r, Tensor):
        return str(r.dtype)[6:]
    return [kinds(x) for x in r] if isinstance(r, (tuple, list)) else r


def show(f, *x):
    print("==", getattr(f, "__name__", type(f).__name__))
    try:
        s = torch.jit.script(f)
    except Exception as e:
        return print("  compile", type(e).__name__, "|", str(e).splitlines()[0])
    try:
        print("  ", kinds(s(*x)), kinds(s(*x)))
    except Exception as e:
        return print("  run", type(e).__name__, "|", str(e).splitlines()[-1].removeprefix("RuntimeError: "))
    for d in (torch.bfloat16, torch.float16):
        with torch.autocast("cpu", dtype=d):
            print("   outer", d, kinds(s(*x)))
    print("  after", kinds(a @ b))


def plain(a, b):
    with torch.autocast("cpu"):
        c = a @ b
    return c, a @ b


def half(a, b):
    with torch.autocast("cpu", torch.float16):
        c = a @ b
    return c


def full(a, b):
    with torch.autocast("cpu", dtype=torch.float32):
        c = a @ b
    return c


def off(a, b):
    with torch.autocast("cpu", enabled=False):
        c = a @ b
    return c


def nested(a, b):
    with cpu_autocast(True, torch.bfloat16):
        c = a @ b
        with cpu_autocast(False):
            d = a @ b
            e = c @ c
        f = a @ b
    return c, d, e, f, a @ b


def gpu(a, b):
    with torch.cuda.amp.autocast():
        c = a @ b
    with torch.amp.autocast("cuda"):
        d = a @ b
    return c, d


def named(a, b):
    with torch.autocast("cpu") as z:
        c = a @ b
    return c


def kept(a, b):
    z = torch.autocast("cpu")
    with z:
        c = a @ b
    d = a @ b
    with z:
        e = a @ b
    return c, d, e


def callee(a, b):
    return a @ b


def calls(a, b):
    with torch.autocast("cpu", cache_enabled=False):
        c = callee(a, b)
    return c, callee(a, b)


def flow(a, b):
    with torch.autocast("cpu"):
        c = a
        if bool(a.sum() > 0):
            c = a @ b
        d = a
        for i in range(2):
            d = d @ b
    for i in range(2):
        with torch.autocast("cpu"):
            b = a @ b.float()
    return a @ a, b, c, d


def returns(a, b):
    with torch.autocast("cpu"):
        return a @ b


def forks(a, b):
    with torch.autocast("cpu"):
        c = torch.jit.wait(torch.jit.fork(callee, a, b))
    return c


def precision(a, b):
    return torch.get_autocast_dtype("cpu")


def from_value(a, b, on: bool):
    with torch.autocast("cpu", enabled=on):
        c = a @ b
    return c


def which(a, b, device: str):
    with torch.autocast(device):
        c = a @ b
    return c


def unknown(a, b):
    with torch.autocast("foo"):
        c = a @ b
    return c


@torch.autocast("cpu")
def decorated(a, b):
    return a @ b


for f in (plain, half, full, off, nested, gpu, named, kept, calls, flow, returns, forks, precision):
    show(f, a, b)
show(from_value, a, b, True)
show(which, a, b, "cpu")
show(unknown, a, b)
show(decorated, a, b)


class Linears(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.norm = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2), torch.nn.LayerNorm(2)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.first(x)
            z = self.norm(torch.relu(y))
            w = self.second(z)
        return x, y, z, w


class Switched(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.on = True

    def forward(self, x):
        with torch.autocast("cpu", enabled=self.on):
            y = x @ x
        return y


class Decorated(torch.nn.Module):
    @torch.autocast("cpu")
    def forward(self, x):
        return x @ x


for m in (Linears(), Switched(), Decorated()):
    show(m, a)


def failing(a, b):
    with torch.autocast("cpu"):
        c = a @ b
        d = c @ torch.ones(3, 3)
    return d


try:
    torch.jit.script(failing)(a, b)
except RuntimeError as e:
    print("failed", kinds(torch.jit.script(callee)(a, b)))


# What is in the program and in its archive.
def entered(a, b):
    with torch.autocast("cpu"):
        c = a @ b
    with torch.cpu.amp.autocast():
        d = a @ b
    return c, d


print(torch.jit.script(entered).graph)
print(torch.jit.script(entered).code)
file = io.BytesIO()
torch.jit.save(torch.jit.script(entered), file)
file.seek(0)
loaded = torch.jit.load(file)
print(kinds(loaded(a, b)), kinds(loaded(a, b)))

# Gradients are of the dtype of the leaves.
w = torch.ones(2, 2, requires_grad=True)
y = torch.jit.script(plain)(a, w)[0]
y.float().sum().backward()
print(y.dtype, y.requires_grad, w.grad.dtype)

# What is cast: by lists that are not those of calls from Python.
OPS = """torch.matmul(a, b)|torch.mm(a, b)|torch.bmm(a[None], b[None])|torch.mv(a, b[0])|torch.dot(a[0], b[0])
torch.addmm(a, b, b)|torch.addmv(a[0], b, b[0])|torch.addr(a, b[0], b[0])|torch.addbmm(a, b[None], b[None])
torch.baddbmm(a[None], b[None], b[None])|F.linear(a, b)|F.conv1d(a[None], b[None])|F.conv2d(a[None, None], b[None, None])
F.conv_transpose2d(a[None, None], b[None, None])|torch.prelu(a, b[0, :1])
torch.gru_cell(a, a, b.repeat(3, 1), b.repeat(3, 1))|a + b|a - b|a * b|a / b|a + 1|2 * a|1.0 / a|torch.addcmul(a, b, b)
torch.addcdiv(a, b, b)|torch.atan2(a, b)|torch.cross(c, c)|torch.dist(a, b)|torch.cat([a, b])|torch.stack([a, b])
torch.where(a > 0, a, b)|a == b|torch.maximum(a, b)|torch.fmod(a, b)|a**2|torch.pow(2.0, a)|torch.softmax(a, 0)
torch.log_softmax(a, 0)|a.exp()|a.log()|a.log10()|a.log1p()|a.expm1()|a.rsqrt()|a.reciprocal()|a.sqrt()|a.sin()|a.sinh()
a.cosh()|a.tan()|a.erf()|a.tanh()|a.sigmoid()|a.sum()|a.sum(0)|a.sum(dtype=torch.bfloat16)|a.mean()|a.prod()|a.cumsum(0)
a.cumprod(0)|a.norm()|a.std()|a.renorm(2, 0, 1.0)|a.logsumexp(0)|F.cosine_similarity(a, b)|F.mse_loss(a, b)|F.l1_loss(a, b)
F.smooth_l1_loss(a, b)|F.huber_loss(a, b)|F.kl_div(a, b)|F.binary_cross_entropy_with_logits(a, b)
F.cross_entropy(a, torch.tensor([0, 1]))|F.nll_loss(a, torch.tensor([0, 1]))|F.cosine_embedding_loss(a, b, torch.ones(2))
F.hinge_embedding_loss(a, b)|F.margin_ranking_loss(a, b, b)|F.soft_margin_loss(a, b)|F.triplet_margin_loss(a, b, b)
F.layer_norm(a, [2])|F.group_norm(a[None], 1)|F.batch_norm(a, torch.zeros(2), torch.ones(2))|F.softplus(a)|F.gelu(a)
F.relu(a)|F.elu(a)|F.max_pool2d(a[None], 2)|F.pad(a[None], [1, 1])|F.normalize(a)|torch.einsum("ij,jk->ik", [a, b])
torch.inner(a, b)|torch.outer(a[0], b[0])|torch.linalg.multi_dot([a, b])|a.mul_(b)|F.embedding(torch.tensor([0]), a)
torch.index_copy(a, 0, torch.tensor([0]), b[:1])|torch.bilinear(a, b, b[None])|a.double() @ b.double()"""
for op in OPS.replace("\n", "|").split("|"):
    text = "def f(a: Tensor, b: Tensor, c: Tensor) -> Tensor:\n    return " + op.replace("F.", "torch.nn.functional.") + "\n"
    unit = torch.jit.CompilationUnit(text)
    row = []
    for dtype in (torch.float32, torch.bfloat16):
        with torch.autocast("cpu"):
            try:
                row.append(kinds(unit.f(*[t.to(dtype) for t in (a, b, c3)])))
            except RuntimeError:
                row.append("fails")
    print(op, row)


def inside(a, b):
    with torch.autocast("cpu"):
        wide = F.conv_transpose2d(a[None, None], b[None, None])
        low = (torch.mv(a, b[0]), torch.addr(a, b[0], b[0]), torch.prelu(a, b[0, :1]))
        x = a @ b
        full = (x + x, x.exp(), x.sum(), x.sum(dtype=torch.bfloat16), x.softmax(0), x.log_softmax(0), x.mean(), F.gelu(x))
        put = torch.index_put(x, [torch.tensor([0])], b[0])
        mixed = (torch.cat([a, x]), torch.einsum("ij,jk->ik", [a, b]), torch.inner(a, b), put)
        double = a.double() @ b.double()
    return low, wide, full, mixed, double


print(kinds(torch.jit.script(inside)(a, b)))
