# What modes see of operators that programs define, and of the run backwards.
import torch
from torch.utils._python_dispatch import TorchDispatchMode
class LogOp(TorchDispatchMode):
    def __init__(self):
        super().__init__(); self.ops=[]
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.ops.append((str(func), len(args), sorted(kwargs or {})))
        out = func(*args, **(kwargs or {}))
        return out
@torch.library.custom_op("zz::twice", mutates_args=())
def twice(x: torch.Tensor, n: int = 2) -> torch.Tensor:
    return x*n+0
twice.register_autograd(lambda ctx,g: (g*2,None))
lib=torch.library.Library("zz2","DEF")
lib.define("f(Tensor x) -> Tensor"); lib.impl("f",lambda x: x.sin()+1,"CompositeImplicitAutograd")
lib.define("g(Tensor x) -> Tensor"); lib.impl("g",lambda x: x.sin()+1,"CPU")
x=torch.ones(2,requires_grad=True)
with LogOp() as lo:
    y=twice(x,3); torch.ops.zz.twice(x); torch.ops.zz2.f(x); torch.ops.zz2.g(x); y.sum().backward()
for o in lo.ops: print(o)
w, b, x = torch.ones(4, 3, requires_grad=True), torch.ones(4, requires_grad=True), torch.ones(2, 3)
target = torch.tensor([0, 1])
for call in (
    lambda: torch.nn.functional.nll_loss(torch.nn.functional.linear(x, w, b), target),
    lambda: torch.mm(x, w.t()).relu().sum(),
    lambda: torch.nn.functional.kl_div(x, x).mul(w.sum()),
):
    w.grad = b.grad = None
    with LogOp() as lo:
        call().backward()
    print([each[0] for each in lo.ops if "detach" not in each[0]])
    print(w.grad, b.grad)
