# torch.autograd.graph: nodes, edges, hooks on several tensors, callbacks at the end of a run
import torch
from torch.autograd import graph as G
from torch.autograd.graph import Node, get_gradient_edge, GradientEdge, register_multi_grad_hook, saved_tensors_hooks, save_on_cpu
def err(f,*a,**k):
    try: print(f(*a,**k))
    except BaseException as e: print("<<%s>>"%type(e).__name__); print(e); print('<<end>>')
x=torch.tensor([1.,2.],requires_grad=True); y=x*2; z=y.sin()
print(isinstance(y.grad_fn,Node), isinstance(3,Node), issubclass(type(y.grad_fn),Node))
e=get_gradient_edge(y); print(type(e).__name__, e.node, e.output_nr, e._fields, e.node==y.grad_fn)
e=get_gradient_edge(x); print(e.node.name(), e.output_nr)
err(get_gradient_edge, torch.ones(1))
print(torch.autograd.grad(z.sum(), get_gradient_edge(y),retain_graph=True))
err(lambda: torch.autograd.grad(get_gradient_edge(z), x, torch.ones(2),retain_graph=True))
# multi grad
a=torch.ones(2,requires_grad=True); b=torch.ones(2,requires_grad=True); c=torch.ones(2,requires_grad=True)
h=register_multi_grad_hook((a,b,c), lambda gs: print('all',gs))
(a*2+b*3).sum().backward(); (a*b*c).sum().backward()
h.remove(); (a*2).sum().backward()
h=register_multi_grad_hook((a,b), lambda g: print('any',g), mode='any'); (a*2+b*3).sum().backward(); (b*2).sum().backward(); h.remove()
err(lambda: register_multi_grad_hook((a,),print,mode='x'))
l=a*2; l2=l*3
h=register_multi_grad_hook((l,b), lambda gs: print('mid',gs)); (l2+b).sum().backward(); h.remove()
err(lambda: register_multi_grad_hook((torch.ones(1),),print))
with save_on_cpu(): w=(x*x).sum()
w.backward(); print(x.grad)

v=x.detach()._version; 
t=torch.ones(2); print(t._version); G.increment_version(t); print(t._version); G.increment_version([t,t]); print(t._version)
with G.disable_saved_tensors_hooks('no hooks here'):
    def f():
        with saved_tensors_hooks(lambda x:x, lambda x:x): pass
    err(f)
err(lambda: G.queue_callback(print))
x.register_hook(lambda g: G.queue_callback(lambda: print('done'))); (x*2).sum().backward(); print('after')
torch.autograd.Variable._execution_engine
err(lambda: torch.autograd.Variable._execution_engine.queue_callback(print))
import torch.autograd.graph
err(lambda: torch.autograd.grad(z.sum(), [get_gradient_edge(x)]))
d=torch.ones(2,requires_grad=True); q=d*2; e=get_gradient_edge(q); s=(q*3).sum(); del q; print(torch.autograd.grad(s,e))
s=(d*3).sum(); s.backward(inputs=[get_gradient_edge(d)]) ; print(d.grad)
err(lambda: torch.autograd.grad(s,3)); err(lambda: torch.autograd.backward([s],inputs=[3]))
