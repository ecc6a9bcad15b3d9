"""Tensors for results: their dtypes, sizes, devices and gradients, and memory that they share with what is read."""
import warnings

import torch


def attempt(name, call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = call()
            print(name, result.tolist() if isinstance(result, torch.Tensor) else result)
        except Exception as error:
            print(f"<<{type(error).__name__}>>")
            print(str(error).split("\n")[0])
            print("<<end>>")
        for warning in seen:
            print("warns:", str(warning.message).split(" This")[0])


x = torch.arange(6.0).view(2, 3)
whole = torch.arange(6).view(2, 3)
words = {
    "abs": lambda o: torch.abs(x, out=o),
    "exp": lambda o: torch.exp(x, out=o),
    "add": lambda o: torch.add(x, 1, out=o),
    "sum": lambda o: torch.sum(x, 0, keepdim=True, out=o[:1]),
    "amax": lambda o: torch.amax(x, 0, out=o),
    "cat": lambda o: torch.cat([x[:1], x[1:]], out=o),
    "take": lambda o: torch.take(x, whole, out=o),
    "index_select": lambda o: torch.index_select(x, 0, torch.tensor([1, 0]), out=o),
    "masked_select": lambda o: torch.masked_select(x, x > 2, out=o.view(-1)[:3]),
    "scatter": lambda o: torch.scatter(x, 0, whole % 2, 5.0, out=o),
    "tensordot": lambda o: torch.tensordot(x, torch.ones(3, 3), dims=1, out=o),
    "fft": lambda o: torch.fft.fft(x, out=o),
    "isposinf": lambda o: torch.isposinf(x, out=o),
    "pinv": lambda o: torch.linalg.pinv(x, out=o),
}
for name, call in words.items():
    for dtype in (torch.float64, torch.int64):
        attempt(f"{name} {dtype}", lambda: call(torch.zeros(2, 3, dtype=dtype)).dtype)

for name, make in {
    "arange": lambda **k: torch.arange(3, **k),
    "zeros": lambda **k: torch.zeros(3, **k),
    "full": lambda **k: torch.full((3,), 2.0, **k),
    "linspace": lambda **k: torch.linspace(0, 1, 3, **k),
}.items():
    out = torch.ones(3)
    attempt(name, lambda: make(out=out, dtype=torch.float32, device="cpu", layout=torch.strided))
    attempt(name, lambda: make(out=out, dtype=torch.float64))
    attempt(name, lambda: make(out=out, device="meta"))

leaf = torch.ones(2, 3, requires_grad=True)
for name, call in {
    "mul": lambda a, o: torch.mul(a, 2, out=o),
    "true_divide": lambda a, o: torch.true_divide(a, 2, out=o),
    "eq": lambda a, o: torch.eq(a, 2, out=torch.zeros(2, 3, dtype=torch.bool)),
    "argmax": lambda a, o: torch.argmax(a, out=torch.tensor(0)),
    "floor_divide": lambda a, o: torch.floor_divide(a, 2, out=o),
    "softmax": lambda a, o: torch.softmax(a, 0, out=o),
    "det": lambda a, o: torch.linalg.det(a[:, :2], out=o[0, 0]),
    "zeros": lambda a, o: torch.zeros(2, 3, out=o),
}.items():
    attempt(name + " in", lambda: call(leaf, torch.zeros(2, 3)))
    attempt(name + " out", lambda: call(x, torch.zeros(2, 3, requires_grad=True)))

out = torch.zeros(4)
attempt("resized", lambda: torch.exp(x[0], out=out))
print(out.shape)
attempt("column by column", lambda: torch.linalg.inv(torch.eye(2), out=torch.zeros(0)).stride())


def beside():
    base = torch.arange(13.0)
    return base[:12].view(4, 3), base[1:].view(4, 3)


index = torch.zeros(4, 3, dtype=torch.long)
four = torch.arange(4)
pairs = {
    "copy_": lambda a, b: a.copy_(b),
    "setitem": lambda a, b: a.__setitem__(slice(None), b),
    "add_": lambda a, b: a.add_(b),
    "index_put_": lambda a, b: a.index_put_((four,), b),
    "scatter_": lambda a, b: a.scatter_(0, index, b),
    "scatter_add_": lambda a, b: a.scatter_add_(0, index, b),
    "scatter_reduce_": lambda a, b: a.scatter_reduce_(0, index, b, "sum"),
    "index_add_": lambda a, b: a.index_add_(0, four, b),
    "index_copy_": lambda a, b: a.index_copy_(0, four, b),
    "put_": lambda a, b: a.put_(four, b.flatten()[:4]),
    "cat": lambda a, b: torch.cat([b[:2], b[2:]], out=a),
    "stack": lambda a, b: torch.stack(list(b), out=a),
    "gather": lambda a, b: torch.gather(b, 0, index, out=a),
    "index_select": lambda a, b: torch.index_select(b, 0, four, out=a),
    "take": lambda a, b: torch.take(b, index, out=a),
    "sort": lambda a, b: torch.sort(b, 0, out=(a, index.clone()))[0],
    "cumsum": lambda a, b: torch.cumsum(b, 0, out=a),
    "addmm": lambda a, b: torch.addmm(b, torch.ones(4, 3), torch.ones(3, 3), out=a),
}
for name, call in pairs.items():
    attempt(name + " beside", lambda: call(*beside()))
    attempt(name + " same", lambda: (lambda t: call(t, t))(torch.arange(12.0).view(4, 3)))

wide = lambda: torch.ones(1, 3).expand(4, 3)
attempt("wide copy_", lambda: wide().copy_(torch.ones(4, 3)))
attempt("wide setitem", lambda: wide().__setitem__(slice(None), torch.ones(4, 3)))
attempt("wide number", lambda: wide().__setitem__(slice(None), 2.0))
attempt("wide scatter_", lambda: wide().scatter_(0, index, 1.0))

mask = torch.tensor([True, False, True])
mask[mask] = False
print(mask)
attempt("mask", lambda: mask.index_put_((mask,), torch.tensor([True, True, False])))
