"""Products of sparse tensors with places that are there twice, and other functions of such ones."""
import torch


def sparse(places, values):
    return torch.sparse_coo_tensor(places, values, (2, 3), check_invariants=False)


a = sparse([[0, 1, 0], [2, 0, 2]], [1.0, 2.0, 3.0])
b = sparse([[0, 0, 1], [2, 2, 1]], [10.0, 20.0, 30.0])
c = sparse([[0, 1], [2, 0]], [5.0, 7.0])
d = sparse([[0, 0, 0, 1], [2, 2, 1, 0]], [10.0, 20.0, 30.0, 40.0])
pairs = {"ab": (a, b), "ba": (b, a), "ac": (a, c), "acc": (a, c.coalesce()), "cca": (c.coalesce(), a), "ad": (a, d), "da": (d, a), "dd": (d, d)}
for name, (one, other) in pairs.items():
    product = one * other
    print(name, product._indices().tolist(), product._values().tolist(), product.is_coalesced())
print((a.coalesce() * c.coalesce()).to_dense(), a.deg2rad(), a.rad2deg())
for run in (lambda: torch.is_nonzero(a), lambda: torch.is_nonzero(sparse([[0], [0]], [1.0])[0])):
    try:
        print(run())
    except RuntimeError as error:
        print("<<RuntimeError>>")
        print(error)
        print("<<end>>")
print(torch.finfo(torch.float32) == torch.finfo(torch.complex64), torch.iinfo(torch.int8) == torch.finfo(torch.float16))
