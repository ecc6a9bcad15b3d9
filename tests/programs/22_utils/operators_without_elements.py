# Operators of programs on tensors without elements: what says their sizes, or that nothing does; supports of mixtures; generators.
import warnings

import torch
from torch.distributions import Categorical, Independent, MixtureSameFamily, Normal, Poisson, Uniform
from torch.distributions import constraints as C
from torch.library import custom_op


def err(label, f):
    try:
        print(label, "ok", f())
    except Exception as e:
        print(label, type(e).__name__, str(e)[:420])


def meta(*s):
    return torch.empty(*s, device="meta")


@custom_op("l1::fill_", mutates_args={"x"})
def fill_(x: torch.Tensor, v: float) -> None:
    x.fill_(v)


@custom_op("l1::none", mutates_args=())
def none(x: torch.Tensor) -> None:
    pass


@custom_op("l1::mut_ret", mutates_args={"x"})
def mut_ret(x: torch.Tensor) -> torch.Tensor:
    return x.add_(1).clone()


@custom_op("l1::num", mutates_args=())
def num(x: torch.Tensor) -> int:
    return 3


err("fill", lambda: fill_(meta(1), 1.))
err("none", lambda: none(meta(1)))
err("mut_ret", lambda: mut_ret(meta(1)))
err("num", lambda: num(meta(1)))
err("lambda", lambda: custom_op("l1::nf", lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor")(meta(1)))
lib = torch.library.Library("l1lib", "DEF")
lib.define("a(Tensor x) -> Tensor")
lib.impl("a", lambda x: x + 1, "CPU")
lib.define("b(Tensor(a!) x) -> ()")
lib.impl("b", lambda x: None, "CPU")
lib.define("c(Tensor x) -> Tensor")
lib.impl("c", lambda x: x + 1, "CompositeExplicitAutograd")
err("lib a", lambda: torch.ops.l1lib.a(meta(1)))
err("lib b", lambda: torch.ops.l1lib.b(meta(1)))
err("lib c", lambda: torch.ops.l1lib.c(meta(1)))
torch.library.register_fake("l1lib::a", lambda x: torch.empty_like(x))
err("lib a", lambda: torch.ops.l1lib.a(meta(1)))
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    err("tt", lambda: torch.set_default_tensor_type(torch.DoubleTensor))
    print(torch.get_default_dtype())
    err("tt", lambda: torch.set_default_tensor_type("torch.FloatTensor"))
    print(torch.get_default_dtype())
    err("tt", lambda: torch.set_default_tensor_type(torch.IntTensor))
    err("tt", lambda: torch.set_default_tensor_type("abc"))
    err("tt", lambda: torch.set_default_tensor_type(3))
print(torch.compiled_with_cxx11_abi())
print(len(w), str(w[0].message)[:60])
for d in ("bogus", "cpu", "cpu:3", "meta", None):
    err(f"generator {d}", lambda: torch.Generator(d).device)
m = MixtureSameFamily(Categorical(torch.ones(2)), Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1))
m = MixtureSameFamily(Categorical(torch.ones(2)), Independent(Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1))
s = m.support
print(s, type(s), s.event_dim, s.is_discrete, s.base_constraint, s.check(torch.zeros(3)), s.check(torch.zeros(2, 3)), C.is_dependent(s))
m = MixtureSameFamily(Categorical(torch.ones(2)), Poisson(torch.ones(2)))
s = m.support
print(s, s.event_dim, s.is_discrete, s.check(torch.tensor([-1., 1., 1.5])))
try:
    m.log_prob(torch.tensor(-1.))
except Exception as e:
    print(e)
print(type(s).__module__, type(s).__name__, [n for n in dir(C) if 'ixture' in n], C.MixtureSameFamilyConstraint(C.positive))
try:
    C.MixtureSameFamilyConstraint(3)
except Exception as e:
    print(type(e), e)
m = MixtureSameFamily(Categorical(torch.ones(2)), Uniform(torch.tensor([0., 1.]), torch.tensor([1., 3.])))
s = m.support
print(s, s.check(torch.tensor([.5, 2, 4])))
try:
    print(m.log_prob(torch.tensor([.5, 2, 4])))
except Exception as e:
    print(type(e), e)
