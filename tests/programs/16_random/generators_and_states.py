# generators, states and seeds
import torch

g = torch.Generator()
print(g.initial_seed(), g.device)
g.manual_seed(3)
a = torch.rand(2, generator=g)
st = g.get_state()
b = torch.rand(2, generator=g)
g.set_state(st)
print(a, b, torch.equal(b, torch.rand(2, generator=g)))
print(st.dtype, st.shape, g.initial_seed())
torch.manual_seed(5)
print(torch.initial_seed(), torch.rand(1))
s0 = torch.get_rng_state()
x = torch.randn(3)
torch.set_rng_state(s0)
print(torch.equal(x, torch.randn(3)))
with torch.random.fork_rng(devices=[]):
    print(torch.rand(1))
print(torch.rand(1))
g1, g2 = torch.Generator().manual_seed(1), torch.Generator().manual_seed(1)
print(torch.equal(torch.randperm(6, generator=g1), torch.randperm(6, generator=g2)))
print(torch.randint(0, 100, (4,), generator=g1), torch.bernoulli(torch.full((4,), 0.5), generator=g1), torch.multinomial(torch.ones(4), 2, generator=g1))
print(torch.empty(3).normal_(generator=g1), torch.empty(3).uniform_(generator=g2), torch.empty(2).exponential_(generator=g2))
print(torch.default_generator.initial_seed(), type(g).__name__)
try:
    torch.manual_seed(2 ** 64)
except Exception as e:
    print(type(e).__name__, e)
torch.manual_seed(-1)
print(torch.initial_seed(), torch.rand(1))
g.seed()
def f(n: int):
    torch.manual_seed(n)
    return torch.rand(2), torch.randn(2), torch.randint(0, 5, [2])
s = torch.jit.script(f)
print(s(0), s(0)[0])
