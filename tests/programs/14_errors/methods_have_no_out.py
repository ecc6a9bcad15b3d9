# Only functions write into a tensor that a call gives; methods have no such argument
import torch

x = torch.tensor([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])
before = x.clone()


def err(name, *args):
    try:
        print(getattr(x, name)(*args, out=x))
    except TypeError as e:
        print("<<TypeError>>")
        print(str(e).rstrip())
        print("<<end>>")


err("sum")
err("mean")
err("add", 1)
err("matmul", x.T)
err("max")
err("max", 0)
err("cumsum", 0)
err("clamp", 0)
err("sort")
print(torch.equal(x, before), torch.sum(x, 0, out=torch.empty(3)), torch.abs(x, out=x) is x)
