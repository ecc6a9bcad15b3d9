# torch.compile with a function as backend: it gets a graph and tensors, what it returns runs; modules, names of backends.
import torch
import torch._dynamo
import torch.nn as nn

torch.manual_seed(0)


def t(name, f):
    try:
        print(name, "->", f())
    except Exception as e:
        print(f"<<{type(e).__name__}>>\nmessage {str(e).splitlines()[0]}\n<<end>>")


def backend(gm, inputs):
    nodes = [(n.op, n.target if isinstance(n.target, str) else n.target.__name__) for n in gm.graph.nodes if n.op.startswith("call")]
    print("given", type(gm).__name__, nodes, sorted(tuple(i.shape) for i in inputs))
    return gm.forward


f = torch.compile(lambda a, b: (a + 1) * b.sin(), backend=backend)
t("function", lambda: f(torch.ones(2), torch.ones(2)))
t("again", lambda: f(torch.ones(2) * 2, torch.ones(2)))
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
f(x, y).sum().backward()
print(x.grad, y.grad)


@torch.compile(backend=backend)
def g(x, k=2):
    """What g does."""
    return torch.relu(x) * k


t("decorated", lambda: (g(torch.ones(2)), g.__name__, g.__doc__))
t("by name", lambda: g(x=torch.ones(2)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)
        self.register_buffer("b", torch.ones(2))

    def forward(self, x):
        return self.l(x).relu() + self.b


net = Net()
c = torch.compile(net, backend=backend)
t("module", lambda: (type(c).__name__, c._orig_mod is net, list(c.state_dict()), [n for n, _ in c.named_parameters()]))
t("called", lambda: torch.equal(c(torch.ones(1, 2)), net(torch.ones(1, 2))))
with torch.no_grad():
    net.b.add_(1)
t("changed", lambda: torch.equal(c(torch.ones(1, 2)), net(torch.ones(1, 2))))
t("parts", lambda: (c.l is net.l, isinstance(c, Net), c.eval() is c, net.training, c.training))
t("attributes", lambda: (setattr(c, "extra", 3), net.extra, [b.__name__ for b in type(c).__mro__]))
print(c)
t("state", lambda: c.load_state_dict(c.state_dict()))


def branch(x):
    if x.sum() > 0:
        return x + 1
    return x - 1


t("branch", lambda: torch.compile(branch, backend="eager")(torch.ones(1)))
t("unknown", lambda: torch.compile(branch, backend="nope"))
t("names", lambda: (torch._dynamo.list_backends(), torch.compiler.list_backends()))
t("list", lambda: torch.compile(lambda l: l[0] + l[1], backend=backend)([torch.ones(1), torch.ones(1)]))
t("dict", lambda: torch.compile(lambda d: {"y": d["x"] + 1}, backend=backend)({"x": torch.ones(1)}))
w = torch.ones(2, 2)
t("around", lambda: torch.compile(lambda x: x @ w, backend=backend)(torch.ones(1, 2)))
t("in place", lambda: (lambda x: (torch.compile(lambda x: x.add_(1), backend=backend)(x), x))(torch.ones(1)))
t("sizes", lambda: torch.compile(lambda x: x.view(x.shape[0], -1) * x.size(0), backend=backend)(torch.ones(2, 2)))
t("other results", lambda: torch.compile(lambda x: (x + 1, 3), backend=backend)(torch.ones(1)))
t("nothing", lambda: torch.compile(lambda x: x, backend=backend)(torch.ones(1)))
t("asked", lambda: torch.compile(lambda x: x + 1 if torch.compiler.is_compiling() else x, backend=backend)(torch.ones(1)))
t("no function", lambda: torch.compile(lambda x: x + 1, backend=lambda gm, i: None)(torch.ones(1)))
t("fails", lambda: torch.compile(lambda x: x + 1, backend=lambda gm, i: 1 / 0)(torch.ones(1)))
torch._dynamo.register_backend(name="mine", compiler_fn=backend)
t("registered", lambda: ("mine" in torch._dynamo.list_backends(), torch.compile(lambda x: x * 2, backend="mine")(torch.ones(1))))
e = torch._dynamo.explain(lambda a: a + 1)(torch.ones(1))
print(type(e).__name__, e.graph_count, e.graph_break_count, e.op_count)
net = Net()
net.compile(backend=backend)
t("own compile", lambda: (type(net).__name__, net(torch.ones(1, 2)).shape, net._compiled_call_impl is not None))
t("optimize", lambda: torch._dynamo.optimize(backend)(lambda x: x + 2)(torch.ones(1)))
