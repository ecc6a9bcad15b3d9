"""torch.autograd.Function in traces: the call stays a call of Python."""
import io
import torch
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k=2):
        ctx.save_for_backward(x); ctx.k=k
        return x*x
    @staticmethod
    def backward(ctx, g):
        x,=ctx.saved_tensors
        return g*100, None
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, c):
        return a+b, a*b*c
    @staticmethod
    def backward(ctx, g, h):
        return g+7, h+11, None
class New(torch.autograd.Function):
    @staticmethod
    def forward(x, s): return x*s
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.s=inputs[1]
    @staticmethod
    def backward(ctx,g): return g*ctx.s*10, None
def tr(name, f, *a):
    print('==',name)
    try:
        t=torch.jit.trace(f,a)
    except Exception as e: print(type(e).__name__, str(e).splitlines()[0]); return
    print(t.graph)
    try: print(t.code)
    except Exception as e: print('code', type(e).__name__, e)
    x=[v.clone().requires_grad_() for v in a]
    try:
        r=t(*x); r=r if isinstance(r,tuple) else (r,)
        print([v.detach() for v in r], [v.requires_grad for v in r])
        sum(v.sum() for v in r).backward(); print([v.grad for v in x])
        x=[v.clone() for v in a]; print(t(*x))
    except Exception as e: print('run', type(e).__name__, str(e).splitlines()[0])
    try:
        b=io.BytesIO(); torch.jit.save(t,b)
    except Exception as e: print('save', type(e).__name__, str(e).strip().splitlines()[0])
x=torch.tensor([1.,2.])
tr('sq', lambda x: Sq.apply(x)+1, x)
tr('sqk', lambda x: Sq.apply(x*2, 3), x)
tr('two', lambda a,b: Two.apply(a,b,'s'), x, x+1)
tr('two2', lambda a,b: Two.apply(a,b,2.5)[1], x, x+1)
tr('new', lambda a: New.apply(a,3), x)
class M(torch.nn.Module):
    def __init__(s):
        super().__init__(); s.l=torch.nn.Linear(2,2); torch.nn.init.ones_(s.l.weight); torch.nn.init.zeros_(s.l.bias)
    def forward(s,x): return Sq.apply(s.l(x))
m=M()
tr('mod', m, x)
t=torch.jit.trace(m,x); t(x).sum().backward(); print(m.l.weight.grad)
try: torch.jit.freeze(t.eval())
except Exception as e: print('freeze', type(e).__name__, e)
class Lst(torch.autograd.Function):
    @staticmethod
    def forward(ctx, xs, y): return xs[0]*y
    @staticmethod
    def backward(ctx,g): return None, g
tr('lst', lambda a: Lst.apply([a,a], a), x)
tr('tupl', lambda a: Lst.apply((a,3), a), x)
class NoneOut(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y): return y*2, None, 3
    @staticmethod
    def backward(ctx,g,h,i): return g
tr('noneout', lambda a: NoneOut.apply(a)[0], x)
class Nest(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y): return Sq.apply(y)+1
    @staticmethod
    def backward(ctx,g): return g
tr('nest', lambda a: Nest.apply(a), x)
class InPl(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y): 
        ctx.mark_dirty(y); return y.mul_(2)
    @staticmethod
    def backward(ctx,g): return g*5
tr('inpl', lambda a: InPl.apply(a*1), x)
s=torch.jit.trace(lambda a: Sq.apply(a)+1, x)
@torch.jit.script
def outer(q): return s(q)*2
print(outer.graph)
print(outer(x))
print([n.kind() for n in s.graph.nodes()])
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *a):
        return [v for v in a if isinstance(v, torch.Tensor)][0]*2
    @staticmethod
    def backward(ctx, g): return (g,)
class K: 
    def __repr__(s): return 'KR'
    def __str__(s): return 'KS'
x=torch.ones(2)
for args in [('s',), (None,), (2.5,), (True,), ([1,2],), ((1,),), ({'a':1},), (K(),), ([K(),'s'],), ((K(),'s',2),), (torch.float32,), (torch.device('cpu'),), (K,), (1,2), (slice(1,2),), (x.size(0),), (1e20,), (((1,(2,'x')),),)]:
    try:
        g=torch.jit.trace(lambda x: F.apply(*args, x, *args), x, check_trace=False)
        print([l for l in str(g.graph).split('\n') if '^' in l][0].split('#')[0]); print(g(x))
    except Exception as e: print('ERR',args,str(e)[:200])
class Z(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return (x*2, [x,x])
    @staticmethod
    def backward(ctx, g, h): return g
class One(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return (x*2,)
    @staticmethod
    def backward(ctx, g): return g*3
class NoneR(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return None
    @staticmethod
    def backward(ctx, g): return g*3
class Ident(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x
    @staticmethod
    def backward(ctx, g): return g*3
class Raises(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if x[0]>5: raise ValueError('too big')
        return x*2
    @staticmethod
    def backward(ctx, g): return g*3
for c,sel in ((Z,0),(One,0),(NoneR,None),(Ident,None),(Raises,None)):
    try:
        g=torch.jit.trace((lambda x: c.apply(x)[sel]) if sel is not None else (lambda x: c.apply(x) if c is not NoneR else (c.apply(x),x)[1]), x, check_trace=False)
        print(g.graph, g.code)
        y=x.clone().requires_grad_(); r=g(y); print(r.detach()); r.sum().backward(); print(y.grad)
        with torch.no_grad(): print(g(y))
        print(g(x*10))
    except Exception as e: print(c.__name__, type(e), str(e).splitlines()[0])
