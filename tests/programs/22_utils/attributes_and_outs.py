"""Attributes of plain tensors, `out=None`, and flags as indices of numbers."""

import torch


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])


x=torch.tensor(1.)
t(lambda: x[x>0])
t(lambda: x[x<0])
t(lambda: x[True])
t(lambda: x[None])
t(lambda: x[...])
t(lambda: x[()])
t(lambda: x[torch.tensor(True)])
t(lambda: x[torch.tensor(0)])
t(lambda: x[0])
t(lambda: torch.tensor([1,2])[torch.tensor(True)])
def sa():
    y=torch.tensor(1.); y[y>0]=5; return y
t(sa)
t(lambda: torch.cat([torch.ones(2)],out=None))
t(lambda: torch.add(x,1,out=None))
t(lambda: torch.zeros(2,out=None))
t(lambda: torch.max(torch.ones(2,2),1,out=None))
t(lambda: torch.linalg.cholesky_ex(torch.eye(2),out=None))
t(lambda: torch.mean(torch.ones(2),out=None))
t(lambda: torch.stack([x,x],dim=0,out=None))
t(lambda: torch.nn.functional.relu(x,out=None))
t(lambda: torch.softmax(x,0,out=None))
t(lambda: torch.clamp(x,0,out=None))
t(lambda: torch.arange(3,out=None))
t(lambda: torch.randn(2,out=None).shape)
def at():
    y=torch.ones(2); y.foo=3; y.bar="a"; return y.foo, y.bar, hasattr(y,"baz"), vars(y), y.__dict__
t(at)
def at2():
    m=torch.nn.Linear(2,2); m.weight.tag=3; return m.weight.tag, list(m.parameters())[0].tag
t(at2)
def at3():
    y=torch.ones(2); y.foo=3; z=y.clone(); return hasattr(z,"foo"), hasattr(y.detach(),"foo")
t(at3)
