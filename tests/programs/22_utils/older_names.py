"""Methods and classes that older programs use: division by its old name, map2_, sparse products, classes of sparse tensors."""
import torch


def shown(name, call):
    try:
        print(name, repr(call()))
    except Exception as error:
        print(name, type(error).__name__, str(error).splitlines()[0])


a, b = torch.tensor([4.0, 6.0]), torch.tensor([2.0, 3.0])
print(a.__div__(b), a.__div__(2), a.__rdiv__(2), a.__rdiv__(b), a.__div__("x"), a.__rdiv__("x"))
c = a.clone()
print(c.__idiv__(2) is c, c, torch.tensor(2).__nonzero__(), torch.tensor([0.0]).__nonzero__(), torch.tensor(2.7).__long__())
shown("int", lambda: torch.tensor([3]).__idiv__(2))
shown("bool", lambda: a.__nonzero__())
shown("long", lambda: a.__long__())
c = torch.tensor([1.0, 2.0])
print(c.map2_(a, b, lambda x, y, z: x + y * z) is c, c)
for name, call in {
    "wider": lambda: torch.ones(2, 2).map2_(a, b, lambda x, y, z: x + y * z),
    "sizes": lambda: torch.ones(2).map2_(torch.ones(3), b, lambda x, y, z: x),
    "type": lambda: torch.ones(2).map2_(a.double(), b, lambda x, y, z: x),
    "grad": lambda: torch.ones(2, requires_grad=True).map2_(a, b, lambda x, y, z: x),
    "other grad": lambda: torch.ones(2).map2_(a, b.clone().requires_grad_(), lambda x, y, z: x),
    "text": lambda: torch.ones(2).map2_(a, b, lambda x, y, z: "s"),
    "integers": lambda: torch.ones(2, dtype=torch.int64).map2_(torch.tensor([1, 2]), torch.tensor([3, 4]), lambda x, y, z: x * y + z),
    "number": lambda: torch.ones(2).map2_(a, 3, lambda x, y, z: x),
    "names": lambda: a.clone().map2_(x=a, y=b, callable=lambda x, y, z: y),
    "map_": lambda: torch.ones(2).map_(a, lambda x, y: x + y),
    "map_ type": lambda: torch.ones(2).map_(a.double(), lambda x, y: x + y),
    "map_ sizes": lambda: torch.ones(2).map_(torch.ones(3), lambda x, y: x + y),
}.items():
    shown(name, call)

i = torch.tensor([[0, 1], [1, 0]])
s, d = torch.sparse_coo_tensor(i, torch.tensor([3.0, 4.0]), (2, 2)), torch.arange(4.0).view(2, 2)
for name, call in {
    "smm": lambda: s.smm(d), "sspaddmm": lambda: s.sspaddmm(s, d), "scaled": lambda: s.sspaddmm(s, d, beta=2, alpha=3),
    "hsmm": lambda: torch.hsmm(s, d), "dense smm": lambda: d.smm(d), "dense sspaddmm": lambda: d.sspaddmm(d, d),
    "reinforce": lambda: a.reinforce(1), "xpu": lambda: a.xpu(), "mtia": lambda: torch.nn.Linear(1, 1).mtia(), "ipu": lambda: a.ipu(),
    "offset": lambda: torch.Generator().get_offset(), "set_offset": lambda: torch.Generator().set_offset(3),
}.items():
    shown(name, call)
for name in "Float Double Long Int Byte Half BFloat16 Char Short".split():
    kind = getattr(torch.sparse, name + "Tensor")
    print(kind, kind.dtype, kind.is_sparse, kind(i, torch.tensor([3, 4], dtype=kind.dtype), (2, 2)), s.type(kind).dtype)
F = torch.sparse.FloatTensor
print(F(), F(2, 3), F(i, torch.tensor([1.0, 2.0])), F(torch.Size([2, 3])), F(2, device="cpu"))
print(isinstance(s, F), isinstance(d, F), isinstance(s, torch.sparse.DoubleTensor), s.type(torch.DoubleTensor).layout, s.type())
for args in ((s,), ([1, 2],), ("x",), ([1.5],), (d, a)):
    shown("new", lambda: F(*args))
shown("device", lambda: F(device="cuda"))
print(torch.jit.ScriptWarning.__mro__, [getattr(torch, n).abbr for n in "float32 bfloat16 int64 bool complex64 quint8 float8_e5m2".split()])
for matrix in (torch.ones(2, 3), torch.zeros(2, 2, 2), torch.eye(2)):
    print(matrix.lu(), torch.lu(matrix, get_infos=True), matrix.lu(get_infos=True))
shown("pivot", lambda: torch.eye(2).lu(pivot=False))
shown("out", lambda: torch.lu(torch.eye(2), out=(torch.empty(0),)))
print(hash(a) == id(a), hash(s) == id(s), {a: 1}[a], len({a, a.view(2)}), a in {a})
for call in (
    lambda: torch.Tensor([1], dtype=torch.int), lambda: torch.Tensor([1], torch.int), lambda: torch.Tensor([1], layout=torch.strided),
    lambda: a.new([1], dtype=torch.int), lambda: torch.Tensor("a"),
):
    shown("new", call)
a = torch.arange(6.0).view(2, 3)
for call in (
    lambda: a.resize(7), lambda: a.resize(3, 2), lambda: a.resize((3, 2)), lambda: a.t().resize(6), lambda: a.resize(2, -1), lambda: a.resize(),
    lambda: torch.tensor(2.0).resize(1, 1), lambda: a.resize("a"), lambda: a.resize_as(torch.ones(7)), lambda: a.resize_as(torch.ones(3, 2)),
    lambda: a.resize(2, 3).data_ptr() == a.data_ptr(),
):
    shown("resize", call)
x = torch.ones(2, 3, requires_grad=True)
(x.resize(6) * torch.arange(6.0)).sum().backward()
print(x.grad)
