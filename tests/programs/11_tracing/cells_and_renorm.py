"""Traces of cells, which write in place, of embeddings that shorten their rows, and of padding by traced numbers."""
import torch
import torch.nn as nn, torch.nn.functional as F
def run(n,f):
    try: print(n, f())
    except Exception as e: print(n,'ERR',type(e).__name__,str(e).splitlines()[0])
def cell(kl):
    torch.manual_seed(0); c=kl(3,4); x=torch.ones(2,3)
    h=(torch.ones(2,4),) if kl is not nn.LSTMCell else ((torch.ones(2,4),torch.ones(2,4)),)
    t=torch.jit.trace(c,(x,)+h); out=t(x,*h); out=out if isinstance(out,torch.Tensor) else out[0]+out[1]
    out.sum().backward(); g=[p.grad.sum().item() for p in c.parameters()]
    x=torch.ones(2,3,requires_grad=True); out=t(x,*h); out=out if isinstance(out,torch.Tensor) else out[0]+out[1]; out.sum().backward()
    return ['%.4f'%v for v in g], ['%.4f'%v for v in x.grad.flatten().tolist()]
for kl in (nn.GRUCell,nn.LSTMCell,nn.RNNCell): run('cell '+kl.__name__,lambda: cell(kl))
def lay(kl):
    torch.manual_seed(0); c=kl(3,4); x=torch.ones(5,2,3)
    t=torch.jit.trace(c,(x,)); t(x)[0].sum().backward(); g=[p.grad.sum().item() for p in c.parameters()]
    return ['%.4f'%v for v in g]
for kl in (nn.GRU,nn.LSTM,nn.RNN): run('layer '+kl.__name__,lambda: lay(kl))
def emb():
    torch.manual_seed(0); e=nn.Embedding(4,3,max_norm=1.0); i=torch.tensor([0,2,2])
    t=torch.jit.trace(e,i); print([n.kind() for n in t.graph.nodes()]); r=t(i); r.sum().backward(); return [[round(v,5) for v in row] for row in r.tolist()], e.weight.grad.tolist(), [round(v,5) for v in e.weight.norm(dim=1).tolist()]
run('emb',emb)
def embs():
    torch.manual_seed(0); e=nn.Embedding(4,3,max_norm=1.0); i=torch.tensor([0,2,2])
    t=torch.jit.script(e); r=t(i); r.sum().backward(); return [[round(v,5) for v in row] for row in r.tolist()], e.weight.grad.tolist(), [round(v,5) for v in e.weight.norm(dim=1).tolist()]
run('embs',embs)
def embb():
    torch.manual_seed(0); e=nn.EmbeddingBag(4,3,max_norm=1.0); i=torch.tensor([[0,2,2]])
    t=torch.jit.trace(e,i); r=t(i); r.sum().backward(); return [[round(v,5) for v in row] for row in r.tolist()], e.weight.grad.tolist(), [round(v,5) for v in e.weight.norm(dim=1).tolist()]
run('embb',embb)
def pad0():
    def f(x,n):
        k=x.size(1)//2
        return F.pad(x,[n.to(torch.int64)[0], k, 0, x.shape[0]-1])
    t=torch.jit.trace(f,(torch.ones(2,4),torch.tensor([1]))); print([n.kind() for n in t.graph.nodes()]); return t(torch.ones(3,6),torch.tensor([2])).shape
run('pad0',pad0)
