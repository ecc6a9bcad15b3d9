# What functionalize leaves of programs that write in place, as make_fx records them.
import torch
from torch.func import functionalize
from torch.fx.experimental.proxy_tensor import make_fx
def show(f,*xs,remove="mutations"):
    g=make_fx(functionalize(f,remove=remove))(*xs)
    print([(n.op if n.op!="call_function" else str(n.target).replace("aten.","")) for n in g.graph.nodes])
    r=[x.clone() for x in xs]; print(g(*r), f(*[x.clone() for x in xs]))
x=torch.arange(6.).view(2,3)
def a(v):
    y=v.clone(); y.mul_(2); y[0]=5.; return y
def b(v):
    y=v.clone(); w=y.view(-1); w.add_(1); return y.sum(), w
def c(v):
    y=v+0; z=y[0]; y.add_(1); return z*2
def d(v):
    y=v.clone(); y[:,1:].mul_(3); return y
def e(v):
    v.add_(1); return v*2
def t(v):
    y=v.clone(); y.t()[0].zero_(); return y
def u(v):
    y=v.clone(); y.unsqueeze(0).relu_(); y.transpose(0,1).fill_(2); return y
for f in (a,b,c,d,e,t,u):
    for r in ("mutations","mutations_and_views"):
        try: show(f,x,remove=r)
        except Exception as ex: print(f.__name__,type(ex).__name__,str(ex)[:200])
