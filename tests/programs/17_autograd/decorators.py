"""no_grad and its kin as decorators, with and without parentheses."""
import torch, warnings
p=torch.ones(1,requires_grad=True)
def show(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__,e)
@torch.no_grad
def gen(n):
    try:
        for i in range(n):
            x=yield (torch.is_grad_enabled(), i)
            print('got',x,torch.is_grad_enabled())
    except ValueError as e:
        yield 'caught '+str(e)
    finally: print('closed', torch.is_grad_enabled())
    return 5
def use():
    g=gen(3); out=[next(g)]; print(torch.is_grad_enabled()); out.append(g.send('a')); out.append(g.throw(ValueError('v'))); g.close(); return out
show('gen',use)
def ret():
    def o(): return (yield from gen(1))
    r=[]
    it=o()
    try:
        while True: r.append(next(it))
    except StopIteration as s: return r, s.value
show('ret',ret)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter('always')
    @torch.no_grad
    class A:
        def __init__(s): s.v=torch.is_grad_enabled()
        def m(s): return torch.is_grad_enabled()
    @torch.no_grad()
    class B: pass
    print([(v.category.__name__, str(v.message)[:60]) for v in w])
show('cls',lambda:(A().v,A().m(),A.__class__.__name__))
show('sg',lambda: (torch.set_grad_enabled(False),torch.is_grad_enabled())[1]); torch.set_grad_enabled(True)
def w1():
    with torch.set_grad_enabled(False) as q: r=torch.is_grad_enabled()
    return r, torch.is_grad_enabled(), q
show('sg with',w1)
def w2():
    m=torch.set_grad_enabled(False); torch.set_grad_enabled(True)
    with m: r=torch.is_grad_enabled()
    return r, torch.is_grad_enabled()
show('sg2',w2); torch.set_grad_enabled(True)
@torch.set_grad_enabled(False)
def f(): return torch.is_grad_enabled()
show('sg deco',lambda:(f(),torch.is_grad_enabled())); torch.set_grad_enabled(True)
def w3():
    m=torch.no_grad()
    with m:
        with m: a=torch.is_grad_enabled()
        b=torch.is_grad_enabled()
    return a,b,torch.is_grad_enabled()
show('nest',w3); torch.set_grad_enabled(True)
show('inf',lambda: torch.inference_mode(lambda: torch.is_inference_mode_enabled())())
show('repr',lambda: isinstance(torch.no_grad(), torch.no_grad))
async def co(): return torch.is_grad_enabled()
import asyncio
show('async',lambda: asyncio.run(torch.no_grad(co)()))
@torch.no_grad
def inner(x): return x*2
s=lambda x: inner(x)
show('name',lambda:(inner.__name__, inner.__wrapped__.__name__))
class Mm(torch.nn.Module):
    @torch.no_grad
    def forward(self,x): return x*2
show('mod',lambda: Mm()(p).requires_grad)
show('trace',lambda: torch.jit.trace(Mm(),p)(p).requires_grad)
import io
@torch.jit.script
def sc(x):
    with torch.no_grad():
        y=x*2
    return y
show('script',lambda: sc(p).requires_grad)
for n in ('set_warn_always','is_warn_always_enabled'): print(hasattr(torch,n))
torch.set_warn_always(True); print(torch.is_warn_always_enabled()); torch.set_warn_always(False); print(torch.is_warn_always_enabled()); show('swa',lambda: torch.set_warn_always(3))
