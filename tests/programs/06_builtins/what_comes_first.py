"""What is looked at first where several things are wrong; copies that keep their layout; numbers that are none."""

import torch
import torch.nn.functional as F


def attempt(name, f):
    try:
        print(name, f())
    except Exception as e:
        print(f"<<{type(e).__name__}>>\n{e}\n<<end>>")


one, flags = torch.ones(5, 1, dtype=torch.complex64), torch.ones(3, dtype=torch.bool)
attempt("clamp_max_", lambda: one.clone().clamp_max_(one.flatten()))
attempt("clamp_min_", lambda: one.clone().clamp_min_(one))
attempt("clamp", lambda: torch.clamp(flags, flags, flags))
attempt("clamp", lambda: torch.clamp(flags, 0, 1))
attempt("addmm_", lambda: torch.ones(1, dtype=torch.bool).addmm_(flags.reshape(3, 1), flags.reshape(1, 3)))
attempt("addmv_", lambda: torch.ones(1, dtype=torch.bool).addmv_(flags.reshape(3, 1), flags[:1]))
attempt("baddbmm_", lambda: torch.ones(1, dtype=torch.bool).baddbmm_(flags.reshape(1, 3, 1), flags.reshape(1, 1, 3)))
attempt("addr_", lambda: torch.ones(3).addr_(torch.ones(3), torch.ones(3)))
attempt("ldexp_", lambda: torch.tensor([1, 2]).ldexp_(torch.tensor([1, 2])))
attempt("narrow_copy", lambda: torch.narrow_copy(torch.ones(2, 3), 3, 0, 0))
attempt("narrow_copy", lambda: torch.narrow_copy(torch.ones(2, 3), -3, 0, 0))
attempt("cov", lambda: torch.cov(torch.ones(2, 3), aweights=torch.tensor([1.0, float("nan"), 2.0])))
attempt("avg_pool2d", lambda: F.avg_pool2d(torch.ones(0, 1, 49), 2, 50, -1))
attempt("max_pool2d", lambda: F.max_pool2d(torch.ones(0, 1, 49), 2, 50, 4))
attempt("conv3d", lambda: F.conv3d(torch.ones(1, 1, 4, 4, 4).bool(), torch.ones(1, 1, 1, 1, 1).bool()))
whole = torch.ones(1, 2, 3, 4, dtype=torch.int64)
attempt("attention", lambda: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(whole, whole, whole))
for weights in ([0.5, float("nan")], [0.5, -1.0], [0.5, float("inf")], [0.0, 0.0]):
    for replacement, samples in ((True, 2), (True, 1), (False, 1)):
        attempt("multinomial", lambda: torch.multinomial(torch.tensor(weights), samples, replacement))

# Copies with one view replaced lie as the tensor does, in a copy of all that it lies in.
base = torch.arange(27.0)
apart, twice = base[3:21].reshape(3, 6)[:, ::2], torch.arange(3.0).expand(4, 3)
for t in (apart, apart.t(), twice, base[:12].reshape(4, 3).t()):
    for copy in (
        torch.select_scatter(t, torch.full((t.size(1),), 9.0), 0, 1),
        torch.slice_scatter(t, torch.full((1, t.size(1)), 9.0), 0, 1, 2),
        torch.diagonal_scatter(t, torch.full((3,), 9.0)),
        torch.as_strided_scatter(t, torch.full((2, 2), 9.0), (2, 2), (1, 2)),
    ):
        print(copy.stride(), copy.storage_offset(), copy.untyped_storage().nbytes(), copy.tolist())

nan, inf = float("nan"), float("inf")
t = torch.tensor([[nan, 1.0, 2.0], [inf, 1.0, 2.0], [1.0, 2.0, inf], [inf, 2.0, inf], [1.0, 2.0, 3.0]])
print(torch.var_mean(t, dim=1), torch.std_mean(t.double(), dim=0), torch.var_mean(t[:, :1], dim=1, correction=0))
grid = torch.tensor([[[[nan, 0.0], [inf, 0.0], [0.0, -inf], [0.1, 0.2], [5.0, 5.0]]]])
picture = torch.arange(16.0).reshape(1, 1, 4, 4)
for mode in ("bilinear", "nearest", "bicubic"):
    out = F.grid_sample(picture.expand(1, 5, 4, 4), grid, mode=mode, align_corners=False)
    print(mode, [[round(v, 4) for v in row] for row in out[0, ::4, 0].tolist()])
volume = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
print(F.grid_sample(volume, torch.tensor([[[[[nan, 0.0, 0.0], [0.0, 0.1, 0.2]]]]]), align_corners=False).flatten())
for name in ("chebyshev_polynomial_t", "hermite_polynomial_h", "legendre_polynomial_p"):
    f = getattr(torch.special, name)
    print(name, f(torch.tensor([88.8, 1e4, -2.5]), torch.tensor([30.0, 12.0, 4.0])).tolist())
