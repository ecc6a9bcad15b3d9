# What programs replace and import: functions of torch.nn.functional in attention, the whole of torch.nn, private names, arrays compared.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.utils.prune
from torch.testing import assert_close

torch.manual_seed(0)


def t(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        print(f"<<{type(e).__name__}>>\nmessage {e}\n<<end>>")


print(sorted({v.__name__ for k, v in nn.__dict__.items() if "Norm" in k}), "DataParallel" in vars(nn))
log = []
NAMES = ("linear", "scaled_dot_product_attention", "softmax", "dropout", "layer_norm", "multi_head_attention_forward")
ORIGINAL = {n: getattr(F, n) for n in NAMES}


def watched(name):
    def call(*args, **kwargs):
        log.append(name)
        return ORIGINAL[name](*args, **kwargs)

    return call


x = torch.rand(3, 2, 4)
attention, layer = nn.MultiheadAttention(4, 2, dropout=0.1), nn.TransformerEncoderLayer(4, 2, 8)
other = nn.MultiheadAttention(4, 2, kdim=3, vdim=3)
for n in NAMES:
    setattr(F, n, watched(n))
for f in (
    lambda: attention(x, x, x), lambda: attention(x, x, x, need_weights=False), lambda: attention.eval()(x, x.clone(), x.clone()),
    lambda: layer(x), lambda: other(x, x[..., :3], x[..., :3]),
):
    log.clear()
    f()
    print(log)
for n in NAMES:
    setattr(F, n, ORIGINAL[n])
w, b = torch.rand(12, 4), torch.rand(12)
t("packed", lambda: [p.shape for p in F._in_projection_packed(x, x, x, w, b)])
t("each", lambda: torch.equal(F._in_projection(x, x, x, w[:4], w[4:8], w[8:])[1], F.linear(x, w[4:8])))
t("wrong", lambda: F._in_projection(x, x, x, w, w, w))
t("mask", lambda: F._canonical_mask(torch.tensor([True, False]), "m", None, "", torch.float32))
t("dtype", lambda: (F._none_or_dtype(x), F._none_or_dtype(None)))
t("no tensor", lambda: F._none_or_dtype(3))
t("batch", lambda: F._verify_batch_size([1, 2]))
t("pairs", lambda: (F._pair(3), F._single((1,)), F.GRID_SAMPLE_PADDING_MODES))
t("options", lambda: (nn.factory_kwargs({"device": 1}), nn.factory_kwargs(None)))
t("other options", lambda: nn.factory_kwargs({"x": 1}))
t("classes", lambda: ([b.__name__ for b in nn.modules.conv._ConvTransposeMixin.__mro__], len(nn.modules.transformer._get_clones(nn.ReLU(), 2))))

for a, b in (
    (np.ones(2), np.ones(2)), (np.ones(2), np.zeros(2)), (np.ones(2), np.ones(3)), (np.float32(1), np.float64(1)), (np.ones(1), torch.ones(1)),
    (np.ones(2, "f"), np.ones(2)), ({"a": np.ones(1)}, {"a": np.ones(1) * 2}), ([np.array(["a"])], [np.array(["a"])]), (np.ones(1), 1.0),
    (np.bool_(True), np.bool_(True)),
):
    t("compared", lambda: assert_close(a, b))

E = torch.eye(2)
t("spmm", lambda: (torch.spmm(E, E), torch.dsmm(E, E), torch.spmm(E.to_sparse(), E)))
t("smm", lambda: torch.smm(E, E))
t("sspaddmm", lambda: torch.saddmm(E, E, E))
t("pooled", lambda: F.adaptive_avg_pool2d(torch.ones(3, 3), 1))
t("number", lambda: (torch.sym_int(torch.tensor(2.7)), torch.sym_int(-2.7)))
t("mode", lambda: repr(torch.set_grad_enabled(True)))


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


t("instance", lambda: type(Twice(1, 2)).__name__)
t("called", lambda: Twice()(E))


def pruned():
    layer, seen = nn.Linear(2, 2), []
    torch.nn.utils.prune.l1_unstructured(layer, "weight", amount=1)
    for amount in (1.5, -1, "a"):
        try:
            torch.nn.utils.prune.l1_unstructured(layer, "weight", amount=amount)
        except (TypeError, ValueError) as e:
            seen.append((str(e)[:30], len(layer._forward_pre_hooks)))
    return seen


t("pruned", pruned)
drawn = {}
for randomness in ("different", "same"):
    for f in ("multinomial", "dropout2d", "alpha_dropout"):
        torch.manual_seed(0)
        call = {"multinomial": lambda p: torch.multinomial(p[0, 0], 2), "dropout2d": lambda p: F.dropout2d(p, 0.5),
                "alpha_dropout": lambda p: F.alpha_dropout(p, 0.5, True)}[f]
        t(f"{f} {randomness}", lambda: (torch.vmap(call, randomness=randomness)(torch.ones(2, 2, 2, 2)) if f != "multinomial" or randomness == "different" else None, torch.rand(1)))
torch.manual_seed(0)
t("rows", lambda: torch.vmap(lambda p: torch.multinomial(p, 2), randomness="different")(torch.ones(2, 2, 3)))
