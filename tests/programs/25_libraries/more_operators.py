"""Operators of programs in traces; lists, numbers, several results, derivatives of these."""
import torch, io
from torch.library import Library, custom_op
import torch.library as L
lib = Library('v14', 'DEF')
lib.define('f(Tensor x, int n=2) -> Tensor')
lib.impl('f', lambda x, n=2: x * n, 'CPU')
f = torch.ops.v14.f
class M(torch.nn.Module):

    def forward(self, x):
        return f(x) + f(x, 3)
m = torch.jit.script(M()) if hasattr(torch, '_rl') else None
x = torch.ones(2)
tr = torch.jit.trace(M(), x)
print(tr(x * 2))
@custom_op('v14::np_op', mutates_args=())
def np_op(x: torch.Tensor, y: float) -> torch.Tensor:
    return torch.tensor(x.numpy() * y)
tr = torch.jit.trace(lambda x: np_op(x, 2.0) + 1, x)
print(tr(x * 3))
print(torch.ops.v14.np_op(x, 2), torch.ops.v14.np_op(x, torch.tensor(2.0)))
def t(g):
    try:
        print(g())
    except Exception as e:
        print(type(e).__name__, str(e)[:200])
t(lambda: torch.ops.v14.np_op(x, '2'))
t(lambda: torch.ops.v14.np_op(x))
t(lambda: torch.ops.v14.np_op(x, y=1.0, z=1))
t(lambda: torch.ops.v14.np_op(y=1.0, x=x))
print(hasattr(torch.ops.v14, 'nope'), hasattr(torch.ops.v14, 'f'), hasattr(torch.ops, 'anything'))
print('f' in dir(torch.ops.v14))
print(torch.ops.v14.f.default(x, 5), torch.ops.v14.f.default == torch.ops.v14.f.default, torch.ops.v14.f is torch.ops.v14.f)
@torch.library.impl(lib, 'f', 'CompositeImplicitAutograd')
def ff(x, n=2):
    return x * n * 100
print(torch.ops.v14.f(x))
lib2 = Library('v14', 'FRAGMENT')
lib2.define('g(Tensor(a!) x, Tensor? y) -> ()')
lib2.impl('g', lambda x, y: None, 'CompositeExplicitAutograd')
print(torch.ops.v14.g(x, None))
print(torch.ops.v14.g.default._schema)
lib2.define('h(Tensor x, *, Tensor(a!) out) -> Tensor(a!)')
lib2.impl('h', lambda x, *, out: out.copy_(x), 'CPU')
o = torch.zeros(2)
print(torch.ops.v14.h(x, out=o), o)
lib2.define('k(Tensor[] xs, Scalar s, int? i=None, bool[2] m=[True, False]) -> Tensor')
lib2.impl('k', lambda xs, s, i=None, m=None: torch.stack(xs) * s, 'CPU')
print(torch.ops.v14.k([x, x], 2), torch.ops.v14.k((x, x), 2.5, i=3))
print(torch.ops.v14.k.default._schema)
lib2.define('n() -> Tensor')
lib2.impl('n', lambda: torch.ones(1), 'CompositeExplicitAutograd')
print(torch.ops.v14.n())
lib2.define('l(Tensor x) -> Tensor[]')
lib2.impl('l', lambda x: [x, x + 1], 'CPU')
print(torch.ops.v14.l(x))
lib2.define('m(Tensor x) -> (Tensor, Tensor)')
lib2.impl('m', lambda x: (x, x + 1), 'CPU')
print(torch.ops.v14.m(x))
lib2.define('s(str a, float b, bool c, complex d) -> str')
lib2.impl('s', lambda a, b, c, d: a * 2, 'CompositeExplicitAutograd')
print(torch.ops.v14.s('q', 1, True, 1j))
t(lambda: torch.ops.v14.s(1, 1, True, 1j))
t(lambda: torch.ops.v14.k([x, 3], 2))
t(lambda: torch.ops.v14.k(x, 2))
t(lambda: torch.ops.v14.k([x], 's'))
y = torch.ones(2, requires_grad=True)
print(torch.ops.v14.f(y).requires_grad)
from torch.library import register_autograd
register_autograd('v14::m', lambda ctx, a, b: a * 2 + b * 3)
a, b = torch.ops.v14.m(y)
(a.sum() + b.sum()).backward()
print(y.grad)
y.grad = None
a, b = torch.ops.v14.m(y)
b.sum().backward()
print(y.grad)
register_autograd('v14::l', lambda ctx, gs: gs[0] + gs[1] * 5)
y.grad = None
a, b = torch.ops.v14.l(y)
b.sum().backward()
print(y.grad)
t(lambda: register_autograd('v14::g', lambda c, g: g))
t(lambda: L.register_vmap('v14::m', lambda info, d, x: ((x, x), (0, 0))))
print(torch.vmap(torch.ops.v14.m)(torch.ones(3, 2))[1].shape)
