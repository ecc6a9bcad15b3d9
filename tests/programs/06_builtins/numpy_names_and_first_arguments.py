# Functions call their first tensor input; NumPy's names mean arguments, and operators of torch.ops know their schema's names alone.
import torch

t = torch.arange(6.0).reshape(2, 3)


def show(call):
    try:
        print(call())
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).split("\n")[0])
        print("<<end>>")


show(lambda: torch.exp(self=t))
show(lambda: torch.exp(a=t))
show(lambda: torch.exp(x1=t))
show(lambda: torch.exp(input=t, self=t))
show(lambda: torch.add(x1=t, x2=t))
show(lambda: torch.add(self=t, other=t))
show(lambda: torch.matmul(self=t, other=t.t()))
show(lambda: torch.sum(a=t, axis=0, keepdims=True))
show(lambda: t.sum(dim=0, axis=0))
show(lambda: t.div(x2=t + 1))
show(lambda: torch.flip(t, axes=(0,)))
show(lambda: torch.median(self=t, dim=0))
show(lambda: torch.fft.fft(self=t))
show(lambda: torch.clamp(self=t, min=0))
show(lambda: torch.ops.aten.exp.default(input=t))
show(lambda: torch.ops.aten.sum.dim_IntList(t, axis=[0]))
show(lambda: torch.ops.aten.split.Tensor(t, 1))
# Only the first of several sizes must be no bool.
show(lambda: torch.reshape(t, (6, True)))
show(lambda: torch.reshape(t, (True, 6)))
show(lambda: torch.sum(t, dim=(0, True)))
