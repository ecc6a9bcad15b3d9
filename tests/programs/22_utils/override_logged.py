"""Classes of tensors that see what is called with them."""

import torch

calls = []


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        calls.append((torch.overrides.resolve_name(func), [kind.__name__ for kind in types], len(args)))
        return super().__torch_function__(func, types, args, kwargs or {})


class Units(torch.Tensor):
    """Keeps a unit through what is called with it."""

    @staticmethod
    def __new__(cls, data, unit):
        out = torch.as_tensor(data).as_subclass(cls)
        out.unit = unit
        return out

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func in (torch.mul, torch.Tensor.mul):
            raise ValueError("units are not multiplied")
        units = {each.unit for each in args if hasattr(each, "unit")}
        result = super().__torch_function__(func, types, args, kwargs)
        if isinstance(result, cls) and len(units) == 1:
            result.unit = units.pop()
        return result


def seen(label, call):
    calls.clear()
    result = call()
    print(label, type(result).__name__, calls)


p = torch.tensor([1.0, 2.0]).as_subclass(Logged)
i = torch.tensor([1, 2]).as_subclass(Logged)
t = torch.ones(2)
seen("+", lambda: p + 1)
seen("r+", lambda: 1 + p)
seen("t+", lambda: t + p)
seen("-", lambda: p - t)
seen("r-", lambda: 1 - p)
seen("*", lambda: p * p)
seen("/", lambda: p / 2)
seen("r/", lambda: 2 / p)
seen("//", lambda: t // p)
seen("%", lambda: p % 2)
seen("**", lambda: 2**p)
seen("@", lambda: p @ t)
seen("<", lambda: p < t)
seen("t<", lambda: t < p)
seen("==", lambda: p == t)
seen("&", lambda: i & 1)
seen("r|", lambda: 1 | i)
seen("<<", lambda: i << 1)
seen("-p", lambda: -p)
seen("~i", lambda: ~i)
seen("abs", lambda: abs(p))
seen("bool", lambda: bool(p.sum() > 1))
seen("float", lambda: float(p[0]))
seen("len", lambda: len(p))
seen("in", lambda: 1.0 in p)
seen("list", lambda: list(p))
seen("repr", lambda: repr(p))
seen("str", lambda: str(p))
seen("format", lambda: f"{p}")
seen("getitem", lambda: p[0])
seen("t[i]", lambda: t[i - 1])
seen("setitem", lambda: t.__setitem__(0, p[0]))
for name in ("shape", "dtype", "T", "grad", "requires_grad", "data", "ndim", "device", "real", "is_leaf"):
    seen(name, lambda: getattr(p, name))
seen("set grad", lambda: setattr(torch.ones(1).as_subclass(Logged), "grad", None))
seen("sum", lambda: p.sum(dim=0))
seen("torch.sum", lambda: torch.sum(p, dim=0))
seen("norm", lambda: p.norm())
seen("chunk", lambda: p.chunk(2))
seen("split", lambda: p.split(1))
seen("torch.split", lambda: torch.split(p, 1))
seen("unique", lambda: torch.unique(p))
seen("einsum", lambda: torch.einsum("i,i", p, t))
seen("cat", lambda: torch.cat([t, p]))
seen("where", lambda: torch.where(t > 0, p, t))
seen("out", lambda: torch.add(t, t, out=torch.ones(2).as_subclass(Logged)))
seen("layer_norm", lambda: torch.nn.functional.layer_norm(p, (2,)))
seen("conv1d", lambda: torch.nn.functional.conv1d(p[None, None], torch.ones(1, 1, 1)))
seen("pool", lambda: torch.nn.functional.max_pool1d(p[None, None], 2))
seen("one_hot", lambda: torch.nn.functional.one_hot(i))
seen("fft", lambda: torch.fft.rfft(p))
seen("linalg", lambda: torch.linalg.norm(p))
seen("tensor", lambda: torch.Tensor.add(p, 1))
seen("is_tensor", lambda: torch.is_tensor(p))
with torch._C.DisableTorchFunctionSubclass():
    seen("off", lambda: p + 1)
seen("on again", lambda: p + 1)

length = Units([1.0, 2.0], "m")
print((length + 1).unit, (-length).unit, length.sum().unit, torch.abs(length).unit, torch.nn.functional.relu(length).unit)
for call in (lambda: length * 2, lambda: torch.mul(length, 2)):
    try:
        call()
    except ValueError as error:
        print(error)
