# Operators of two tensors that refuse one of the dtypes, and which they name.
import torch


def show(name, work):
    try:
        result = work()
        print(name, result.dtype)
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


DTYPES = {"half": torch.float16, "float": torch.float32, "complex": torch.complex64, "bool": torch.bool, "long": torch.int64}


def ones(dtype, *sizes):
    return torch.ones(sizes or (2,)).to(DTYPES[dtype])


for a in DTYPES:
    for b in DTYPES:
        if "bool" in (a, b):
            show(f"cross {a} {b}", lambda: torch.linalg.cross(ones(a, 3), ones(b, 3)))
            show(f"searchsorted {a} {b}", lambda: torch.searchsorted(ones(a), ones(b)))
            show(f"isin {a} {b}", lambda: torch.isin(ones(a), ones(b)))
            show(f"dist {a} {b}", lambda: torch.dist(ones(a), ones(b)))
        if b == "bool":
            show(f"ldexp {a} {b}", lambda: torch.ldexp(ones(a), ones(b)))
        if b == "complex":
            show(f"clamp {a} {b}", lambda: torch.clamp(ones(a), min=ones(b)))
            show(f"clamp {a} {b}", lambda: torch.clamp(ones(a), max=ones(b)))
            show(f"clamp {a} {b}", lambda: torch.clamp(ones(a), ones(a), ones(b)))
        show(f"cdist {a} {b}", lambda: torch.cdist(ones(a)[None], ones(b)[None]))
show("isin", lambda: torch.isin(ones("bool"), 1))
show("isin", lambda: torch.isin(1, ones("bool")))
show("histc", lambda: ones("complex").histc())
show("histc", lambda: ones("complex").histc(2, 0, 3))
# Bounds keep the sign of a zero that equals them.
for n in (1, 8, 17):
    x = torch.full((n,), -0.0)
    print(x.clamp(min=0.0)[0], x.clamp(0.0, 1.0)[-1], torch.clamp_min(x, 0)[0], (-x).clamp(max=-0.0)[0], x.double().clamp(min=0.0)[0], x.relu()[0])
print(torch.tensor([float("nan"), 1.0]).clamp(min=0.0, max=0.5))
