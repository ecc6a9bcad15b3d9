"""Writes to tensors from outside of a trace are recorded where something that is left sees them."""

import torch, warnings
warnings.simplefilter("ignore")
W=torch.ones(3); B=torch.zeros(3)
def a1(x): return x.data*2
def a2(x):
    y=x*2; y.data.mul_(3); return y
def a3(x):
    y=x*2; z=y.data; z.mul_(3); return y+z
def a4(x):
    y=x*2; z=y.detach(); z.mul_(3); return y+z
def a5(x):
    B.add_(1); return x+1
def a6(x):
    B.add_(1); return x+B
def a7(x):
    B.add_(x); return x
def a8(x):
    B.copy_(x); return x
def a9(x):
    B[0]=1; return x
def a10(x):
    B[0]=x[0]; return x
def a11(x):
    y=torch.zeros(3); y[0]=1; return x
def a12(x):
    y=torch.zeros(3); y[0]=x[0]; return x
def a13(x):
    x.add_(1); return x*2
def a14(x):
    x.add_(1); return torch.ones(2)
def a15(x):
    W.data.add_(x); return x
def a16(x):
    y = x*1; y.data = torch.ones(3); return y+1
class M(torch.nn.Module):
    def __init__(s):
        super().__init__(); s.w=torch.nn.Parameter(torch.ones(3)); s.register_buffer('b', torch.zeros(3)); s.c=torch.zeros(3)
    def forward(s, x):
        s.b.add_(1); s.c.add_(1); s.w.data.mul_(1); s.b.data.mul_(1)
        return x*s.w.data+s.b.data
for f in [a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,a13,a14,a15,a16]:
    try: t=torch.jit.trace(f,(torch.arange(3.),),check_trace=False); print(t.code, t(torch.ones(3)))
    except Exception as e: print(f.__name__, type(e).__name__, str(e)[:200])
t=torch.jit.trace(M(),(torch.arange(3.),),check_trace=False); print(t.code)
