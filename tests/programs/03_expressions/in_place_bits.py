"""Operators that write bits in place: the tensor itself changes, also under another name."""
import torch
for f in [lambda x,y: x.__iand__(y), lambda x,y:x.__ior__(y), lambda x,y:x.__ixor__(y), lambda x,y:x.__ilshift__(y), lambda x,y:x.__irshift__(y)]:
    x=torch.tensor([5,6]); y=torch.tensor([1,1]); r=f(x,y); print(r is x, x)
    x=torch.tensor([5,6]); r=f(x,2); print(r is x, x)
    print([str(n).split('#')[0] for n in torch.jit.trace(lambda a,b: f(a*1,b), (torch.tensor([5,6]),y)).graph.nodes()][-1])
    print([str(n).split('#')[0] for n in torch.jit.trace(lambda a: f(a*1,2), (torch.tensor([5,6]),)).graph.nodes()][-1])
    try: f(torch.ones(2),y)
    except Exception as e: print(type(e),e)
def g(x,m):
    z=x; x&=m; return z
print(g(torch.tensor([True,True]),torch.tensor([True,False])))
def h(x):
    z=x; x<<=1; return z
print(h(torch.tensor([1,2])))
