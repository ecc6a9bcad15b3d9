# Parameters with masks.
import torch, torch.nn as nn, torch.nn.utils.prune as p
def t(f):
    try: print("->", f())
    except Exception as e: print(type(e).__name__,"|",e)
torch.manual_seed(0)
def m(): 
    torch.manual_seed(0); return nn.Linear(3,4)
def show(l):
    print(sorted(n for n,_ in l.named_parameters()), sorted(n for n,_ in l.named_buffers()), l.weight, getattr(l,"weight_mask",None), [type(h).__name__ for h in l._forward_pre_hooks.values()], p.is_pruned(l))
l=p.identity(m(),"weight"); show(l)
l=p.random_unstructured(m(),"weight",amount=.5); show(l)
l=p.random_unstructured(m(),"weight",amount=5); show(l)
l=p.l1_unstructured(m(),"weight",amount=.3); show(l); p.l1_unstructured(l,"weight",amount=.5); show(l)
l=p.l1_unstructured(m(),"weight",amount=.3,importance_scores=torch.arange(12.).view(4,3)); show(l)
l=p.random_structured(m(),"weight",amount=2,dim=0); show(l); 
l=p.random_structured(m(),"weight",amount=.34,dim=1); show(l)
l=p.ln_structured(m(),"weight",amount=2,n=2,dim=0); show(l); p.ln_structured(l,"weight",amount=1,n=1,dim=1); show(l); p.ln_structured(l,"weight",amount=.5,n=float("inf"),dim=0); show(l); p.l1_unstructured(l,"weight",amount=1); show(l); p.random_unstructured(l,"weight",amount=1); show(l)
l=p.custom_from_mask(m(),"weight",mask=torch.tensor([[1,0,1.]]*4)); show(l)
print(l(torch.ones(1,3))); l.weight_orig.data.fill_(2.); print(l.weight, l(torch.ones(1,3)), l.weight)
print(list(l.state_dict())); p.remove(l,"weight"); show(l); t(lambda: p.remove(l,"weight")); t(lambda: p.is_pruned(nn.Sequential(l)))
l=p.l1_unstructured(m(),"bias",amount=.5); print(l.bias, list(l.state_dict()), p.is_pruned(nn.Sequential(l)))
t(lambda: p.l1_unstructured(m(),"weight",amount=1.5)); t(lambda: p.l1_unstructured(m(),"weight",amount=-1)); t(lambda: p.l1_unstructured(m(),"weight",amount=100)); t(lambda: p.l1_unstructured(m(),"weight",amount="a"))
t(lambda: p.l1_unstructured(m(),"nope",amount=1)); t(lambda: p.random_structured(m(),"weight",amount=1,dim=3)); t(lambda: p.random_structured(m(),"bias",amount=1,dim=0)); t(lambda: p.ln_structured(m(),"weight",amount=10,n=2,dim=0)); t(lambda: p.ln_structured(m(),"weight",amount=True,n=2,dim=0))
s=nn.Sequential(m(),nn.ReLU(),nn.Linear(4,2))
p.global_unstructured([(s[0],"weight"),(s[2],"weight")],pruning_method=p.L1Unstructured,amount=.4); print(s[0].weight_mask,s[2].weight_mask)
p.global_unstructured([(s[0],"weight"),(s[2],"weight")],pruning_method=p.RandomUnstructured,amount=.4); print(s[0].weight_mask,s[2].weight_mask)
s=nn.Sequential(m(),nn.ReLU(),nn.Linear(4,2)); p.global_unstructured([(s[0],"weight"),(s[2],"weight")],pruning_method=p.L1Unstructured,importance_scores={(s[0],"weight"):torch.arange(12.).view(4,3)},amount=7); print(s[0].weight_mask,s[2].weight_mask)
t(lambda: p.global_unstructured([(s[0],"weight")],pruning_method=p.LnStructured,amount=1)); t(lambda: p.global_unstructured(3,pruning_method=p.L1Unstructured,amount=1)); t(lambda: p.global_unstructured([(s[0],"weight")],pruning_method=p.L1Unstructured,importance_scores=3,amount=1))
class Foo(p.BasePruningMethod):
    PRUNING_TYPE="unstructured"
    def compute_mask(self,t,default_mask):
        k=default_mask.clone(); k.view(-1)[::2]=0; return k
l=m(); Foo.apply(l,"weight"); show(l); p.l1_unstructured(l,"weight",amount=2); show(l); h=list(l._forward_pre_hooks.values())[0]; print(len(h),[type(x).__name__ for x in h],type(h[0]).__name__, h._tensor_name)
print(p.L1Unstructured(amount=2).prune(torch.tensor([1.,-3,2]),default_mask=torch.tensor([1.,1,0]))); print(p.L1Unstructured(amount=2).prune(torch.tensor([1.,-3,2]))); t(lambda: p.PruningContainer(3)); t(lambda: h.add_pruning_method(3)); 
c=p.PruningContainer(); c._tensor_name="a"; f=p.L1Unstructured(1); f._tensor_name="b"; t(lambda: c.add_pruning_method(f)); print(p.L1Unstructured.PRUNING_TYPE,p.LnStructured.PRUNING_TYPE,p.RandomStructured.PRUNING_TYPE,p.CustomFromMask.PRUNING_TYPE,p.Identity.PRUNING_TYPE)
l=m(); p.l1_unstructured(l,"weight",1); import copy; 
l(torch.ones(1,3)).sum().backward(); print(l.weight_orig.grad, l.weight.grad_fn is not None)
class B(p.BasePruningMethod):
    PRUNING_TYPE="x"
    def compute_mask(self,t,default_mask): return default_mask
l=m(); B.apply(l,"weight"); t(lambda: p.l1_unstructured(l,"weight",1)); t(lambda: p.BasePruningMethod())
t(lambda: p.RandomStructured(.5,0).compute_mask(torch.ones(4,4),torch.ones(4,4)))
t(lambda: p.LnStructured(.5,2,0).compute_mask(torch.arange(16.).view(4,4),torch.ones(4,4)))
