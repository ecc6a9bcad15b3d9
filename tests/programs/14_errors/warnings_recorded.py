"""Warnings that programs record: what they say, what kind they are, and in which line they are."""

import warnings

import torch


def attempt(name, function):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            function()
        except Exception as error:
            print(name, type(error).__name__, error)
    for each in heard:
        here = each.lineno if each.filename == __file__ else "elsewhere"
        print(name, here, each.category.__name__, str(each.message).split(" (Triggered")[0])


x, eye, at = torch.rand(2, 4), torch.eye(2), torch.tensor([0])
for _ in range(2):
    attempt("old names", lambda: torch.cuda.amp.custom_fwd(lambda s: s))
    attempt("old names", lambda: torch.cuda.amp.custom_bwd(lambda s: s))
    attempt("old maker", lambda: torch.sparse.FloatTensor(2, 2))
    attempt("old maker", lambda: torch.sparse.FloatTensor(torch.tensor([[0], [1]]), torch.ones(1), torch.Size([2, 2])))
    attempt("unchecked", lambda: torch.sparse_coo_tensor([[0], [1]], [1.0], (2, 2), check_invariants=False))
    attempt("unchecked", lambda: torch.sparse_coo_tensor([[0], [1]], [1.0], (2, 2)))
    attempt("compressed", lambda: eye.to_sparse_csc())
    attempt("compressed", lambda: eye.to_sparse_csr())

for name, function in {
    "histc": lambda a: a.histc(),
    "put": lambda a: torch.put(a, at, torch.ones(1)),
    "lerp_": lambda a: a.lerp_(a, a),
    "lt_": lambda a: a.lt_(1),
    "quantile": lambda a: torch.quantile(a, 0.5),
    "isin": lambda a: torch.isin(a, a),
    "polynomial": lambda a: torch.special.chebyshev_polynomial_t(a, 2),
    "exp": lambda a: a.exp(),
}.items():
    attempt(name, lambda: torch.vmap(function)(x))
torch._C._functorch._set_vmap_fallback_warning_enabled(False)
attempt("quiet", lambda: torch.vmap(lambda a: a.histc())(x))
torch._C._functorch._set_vmap_fallback_enabled(False)
attempt("refused", lambda: torch.vmap(lambda a: a.histc())(x))
torch._C._functorch._set_vmap_fallback_enabled(True)

torch.nested.nested_tensor([x])
print(torch.vmap(lambda a: a[None].renorm(1, 0, 2.0))(torch.ones(2, 3)).shape)
