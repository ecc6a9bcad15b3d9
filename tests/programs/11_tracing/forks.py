"""Forks in traces stay forks, with what they do as their graphs."""
import torch, io, torch.nn as nn
def sl(t):
    b=io.BytesIO(); torch.jit.save(t,b); b.seek(0); return torch.jit.load(b)
def show(n,f,*a,code=True):
    try:
        t=torch.jit.trace(f,a); print(n); print([k.kind() for k in t.graph.nodes()])
        if code: print(t.code)
        print([v.tolist() for v in torch.atleast_2d(t(*a))]); print([v.tolist() for v in torch.atleast_2d(sl(t)(*a))])
    except Exception as e: print(n,'ERR',type(e).__name__,str(e).splitlines()[0])
x=torch.ones(2)
def g(x): return x*2
def f1(x):
    fut=torch.jit.fork(g,x); return torch.jit.wait(fut)+1
show('f1',f1,x)
class FM(nn.Module):
    def __init__(s): super().__init__(); s.l=nn.Linear(2,2); nn.init.ones_(s.l.weight); nn.init.zeros_(s.l.bias)
    def forward(s,x):
        f=torch.jit.fork(s.l,x); g=torch.jit.fork(torch.neg,x); return torch.jit.wait(f)+torch.jit.wait(g)
show('fm',FM(),x)
class Outer(nn.Module):
    def __init__(s): super().__init__(); s.m=FM(); s.k=nn.Parameter(torch.ones(2))
    def forward(s,x):
        f=torch.jit.fork(s.m,x*s.k); h=torch.jit.fork(lambda v: v*s.k+s.m.l.bias,x)
        return torch.jit.wait(f)*torch.jit.wait(h), s.m.l(x)
show('outer',Outer(),x,code=False)
def g2(x,y): return x*y, x+y
def f3(x):
    fs=[torch.jit.fork(g2,x,x+i) for i in range(2)]
    rs=[v.wait() for v in fs]
    return rs[0][0]+rs[1][1]
show('f3',f3,x)
def nested(x):
    def inner(v):
        w=torch.jit.fork(g,v); return torch.jit.wait(w)-1
    return torch.jit.wait(torch.jit.fork(inner,x))
show('nested',nested,x)
def unwaited(x):
    torch.jit.fork(g,x); return x+1
show('unwaited',unwaited,x)
def ident(x):
    return torch.jit.wait(torch.jit.fork(lambda v: v,x))+x
show('ident',ident,x)
@torch.jit.script
def sc(x): return x*3
show('script',lambda x: torch.jit.wait(torch.jit.fork(sc,x))+1,x)
y=torch.ones(2,requires_grad=True); t=torch.jit.trace(f1,x); t(y).sum().backward(); print(y.grad)
def lst(x):
    return torch.jit.wait(torch.jit.fork(lambda v:[v,v+1],x))[1]
show('lst',lst,x)
def num(x):
    return x+torch.jit.wait(torch.jit.fork(lambda v: 3,x))
show('num',num,x)
