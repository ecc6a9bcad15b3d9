# Modes see products of several tensors, attention, pools, choices and recurrent steps as the operators that make them up.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode


class Log(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func).replace("aten.", "").replace(".default", ""))
        return func(*args, **(kwargs or {}))


def flops(f):
    with FlopCounterMode(display=False) as counter:
        f()
    return counter.get_total_flops()


torch.manual_seed(0)
A, B, C, S, V = torch.rand(2, 3), torch.rand(3, 4), torch.rand(4, 5), torch.rand(3, 3), torch.rand(3)
X, Y, Q = torch.rand(2, 3, 4), torch.rand(2, 4, 5), torch.rand(1, 2, 3, 4)
N = torch.rand(2, 3, 2, 4)
CALLS = {
    "matrices": lambda: torch.einsum("ij,jk->ik", A, B),
    "transposed": lambda: torch.einsum("ij,kj", A, S),
    "batch": lambda: torch.einsum("bij,bjk->bik", X, Y),
    "heads": lambda: torch.einsum("bqhd,bkhd->bhqk", N, N),
    "trace": lambda: torch.einsum("ii", S),
    "diagonal": lambda: torch.einsum("ii->i", S),
    "sum": lambda: torch.einsum("ij->i", A),
    "turned": lambda: torch.einsum("ij->ji", A),
    "outer": lambda: torch.einsum("i,j->ij", V, V),
    "dot": lambda: torch.einsum("i,i->", V, V),
    "elements": lambda: torch.einsum("ij,ij->ij", A, A),
    "three": lambda: torch.einsum("ij,jk,kl->il", A, B, C),
    "dots": lambda: torch.einsum("...ij,...jk->...ik", X, Y),
    "sums of both": lambda: torch.einsum("ij,kl->k", A, B),
    "form": lambda: torch.einsum("bn,anm,bm->ba", A, torch.ones(5, 3, 4), torch.ones(2, 4)),
    "shared": lambda: torch.einsum("bij,jk->bik", X, C),
    "contracted": lambda: torch.tensordot(A, B, 1),
    "twice": lambda: torch.tensordot(X, torch.ones(4, 3, 5), ([1, 2], [1, 0])),
    "chain": lambda: torch.linalg.multi_dot([A, B, C]),
    "from a vector": lambda: torch.linalg.multi_dot([V, B, C]),
    "power": lambda: torch.matrix_power(S, 5),
    "attention": lambda: F.scaled_dot_product_attention(Q, Q, Q),
    "unbatched": lambda: F.scaled_dot_product_attention(X, X, X, is_causal=True),
    "one head": lambda: F.scaled_dot_product_attention(A, A, A),
    "masked": lambda: F.scaled_dot_product_attention(X, X, X, attn_mask=torch.ones(3, 3, dtype=torch.bool)),
    "norm": lambda: torch.linalg.norm(A),
    "where": lambda: torch.where(A > 0.5, A, 0.0),
    "numbers": lambda: torch.where(A > 0.5, 1.0, 2.0),
    "distances": lambda: torch.cdist(A, A),
    "kron": lambda: torch.kron(A, B),
    "diff": lambda: A.diff(),
    "average": lambda: F.avg_pool1d(X, 2),
    "largest": lambda: F.max_pool1d(X, 2),
    "adaptive": lambda: F.adaptive_max_pool1d(X, 2),
    "resized": lambda: F.interpolate(X[None], scale_factor=2),
    "reflected": lambda: F.pad(X, (1, 1), mode="reflect"),
    "moved": lambda: X.movedim(0, 1),
    "slope": lambda: F.prelu(X, V),
    "root": lambda: F.rms_norm(A, (3,)),
    "stacked": lambda: torch.hstack([A, A]),
}
for name, call in CALLS.items():
    with Log() as log:
        seen = call()
    print(name, torch.allclose(seen, call(), atol=1e-6), flops(call), *log.seen)
x = X.clone().requires_grad_()
print(flops(lambda: torch.einsum("bij,bkj->bik", x, x).sum().backward()))
for layer in (nn.GRU(4, 5), nn.RNN(4, 5, bidirectional=True), nn.LSTMCell(4, 5), nn.GRUCell(4, 5), nn.RNNCell(4, 5)):
    print(type(layer).__name__, flops(lambda: layer(X[0] if "Cell" in type(layer).__name__ else X)))
print(make_fx(lambda a, b: torch.einsum("i,j->ij", a, b))(V, V + 1).code)
try:
    with Log():
        torch.einsum("ij,jk", A, A)
except RuntimeError as e:
    print(f"<<{type(e).__name__}>>\nmessage {e}\n<<end>>")
