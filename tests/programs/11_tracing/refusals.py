# inputs and outputs that no trace can have
import torch


def attempt(function, *inputs, **options):
    try:
        print(torch.jit.trace(function, inputs, **options).code)
    except Exception as error:
        print("<<%s>>" % type(error).__name__)
        print(error)
        print("<<end>>")


x = torch.ones(2)
attempt(lambda x: None, x)
attempt(lambda x: 3, x)
attempt(lambda x: (x, None), x)
attempt(lambda x: ([x, [x]],), x)
attempt(lambda x: {"a": x}, x)
attempt(lambda x: {"a": x}, x, strict=False)
attempt(lambda x, n: x * n, x, 3)
attempt(lambda x, n: x, x, [x, 1])
attempt(lambda d: d["a"], {"a": x, "b": 3})
w = torch.nn.Parameter(torch.ones(2))
attempt(lambda x: x * w, x)
attempt(torch.jit.script(torch.nn.ReLU()), x)
try:
    torch.jit.trace_module(lambda x: x, {"forward": x})
except AttributeError as error:
    print(error)
