"""torch.library.Library, define, impl and their kin: overloads, kernels, what is refused."""
import torch
import torch.library as L
from torch.library import Library

x = torch.ones(3)


def tell(what, f):
    try:
        print(what, f())
    except Exception as e:
        print(what, type(e).__name__, str(e).split("registered at")[0].split(" (Error occurred")[0])


lib = Library("mine", "DEF")
print(lib)
print(lib.define("foo(Tensor x, int n=2) -> Tensor"))
try:
    torch.ops.mine.foo(x)
except NotImplementedError as e:
    print(str(e).split(".")[0])
lib.impl("foo", lambda x, n=2: x * n, "CPU")
print(torch.ops.mine.foo(x), torch.ops.mine.foo(x, 3), torch.ops.mine.foo(x, n=4))
lib.impl("foo", lambda x, n=2: x * n * 10, "CPU")
print(torch.ops.mine.foo(x))
tell("again", lambda: lib.define("foo(Tensor x, int n=2) -> Tensor"))
tell("two", lambda: Library("mine", "DEF"))
tell("fragment", lambda: Library("mine", "FRAGMENT").define("bar.int(Tensor x, int n) -> Tensor"))
tell("impl", lambda: Library("mine", "IMPL").define("z(Tensor x) -> Tensor"))
tell("kind", lambda: Library("mine", "ABC"))
tell("prim", lambda: Library("prim", "DEF"))
tell("key", lambda: lib.impl("foo", lambda x: x, "FOO"))
tell("no function", lambda: lib.impl("foo", 3, "CPU"))
tell("aliases", lambda: lib.define("b(Tensor x) -> Tensor", alias_analysis="ABC"))

other = Library("more", "FRAGMENT")
other.define("b.int(Tensor x, int n) -> Tensor")
other.define("b.Tensor(Tensor x, Tensor n) -> Tensor")
other.impl("b.int", lambda x, n: x + n, "CompositeImplicitAutograd")
other.impl("b.Tensor", lambda x, n: x - n, "CompositeExplicitAutograd")
b = torch.ops.more.b
print(b(x, 1), b(x, x), b.int(x, 2), b.overloads(), b.Tensor._schema)
tell("none fits", lambda: b(x, "s"))
tell("this one", lambda: b.int(x, "s"))
y = x.clone().requires_grad_()
b(y * 2, 1).sum().backward()
print(y.grad)

L.define("third::mysin", "(Tensor x) -> Tensor")


@L.impl("third::mysin", "cpu")
def _(x):
    return x.sin()


@L.register_fake("third::mysin")
def _(x):
    return torch.empty_like(x)


print(torch.ops.third.mysin(x))
L.register_autograd("third::mysin", lambda ctx, g: g * 2)
y.grad = None
torch.ops.third.mysin(y).sum().backward()
print(y.grad)
L.register_kernel("third::mysin", "cpu", lambda x: x.cos())
print(torch.ops.third.mysin(x), L.opcheck(torch.ops.third.mysin.default, (x,)))
tell("name", lambda: L.define("third", "(Tensor x) -> Tensor"))
tell("schema", lambda: L.define("third::q", "Tensor x -> Tensor"))
tell("type", lambda: L.define("third::q", "(Tensr x) -> Tensor"))
tell("device", lambda: L.impl("third::mysin", "abc")(lambda x: x))
tell("autograd", lambda: L.register_autograd("third::zz", lambda ctx, g: g))
tell("kernel", lambda: L.get_kernel("third::mysin", "CUDA"))
tell("kernel", lambda: L.get_kernel("third::no", "CPU"))
tell("fallthrough", L.fallthrough_kernel)
with L._scoped_library("scoped", "DEF") as s:
    s.define("f(Tensor x) -> Tensor")
    s.impl("f", lambda x: x + 1, "CompositeExplicitAutograd")
    print(torch.ops.scoped.f(x))
tell("after", lambda: torch.ops.scoped.f(x))
tell("load", lambda: torch.ops.load_library("/nonexistent/library.so"))
