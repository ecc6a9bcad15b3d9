"""Deep copies of scripted modules hold results of calls: their tensors are no parameters to Python."""
import torch, copy
class M(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.w = torch.nn.Parameter(torch.arange(4.)); self.register_buffer("b", torch.ones(2))
    def forward(self, x): return x * self.w.sum()
    @torch.jit.export
    def get(self): return self.w
s = torch.jit.script(M())
t = torch.jit.trace(M(), torch.ones(1))
for m in (s, t, torch.jit.freeze(s.eval(), preserved_attrs=["w"]) ):
    print(type(m.w), m.w)
print(s.get())
c = copy.deepcopy(s)
print(type(c.w), c.w, c.b)
c2 = c.to(dtype=torch.bfloat16)
print(type(c2.w), c2.w)
d = copy.deepcopy(s.w); print(type(d))
print(type(next(c.parameters())), type(s.state_dict()["w"]))
print(c.__deepcopy__({}).w) if hasattr(c, "__deepcopy__") else 0
print(copy.copy(s).w)
for n, p in c.named_parameters(): print(n, p, p.is_leaf, p.requires_grad)
c.zero_grad(); c(torch.ones(1)).backward(); print(c.w.grad, s.w.grad)
