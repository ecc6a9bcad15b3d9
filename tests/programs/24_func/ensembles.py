"""Several models at once: stack_module_state, functional_call, training of all, old names of functorch."""
import copy
import torch
import torch.nn as nn
from torch.func import functional_call, grad, replace_all_batch_norm_modules_, stack_module_state, vmap


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.bn = nn.BatchNorm1d(8)
        self.b = nn.Linear(8, 3)

    def forward(self, x):
        return self.b(torch.relu(self.bn(self.a(x))))


torch.manual_seed(0)
models = [Net().eval() for _ in range(3)]
params, buffers = stack_module_state(models)
print({k: tuple(v.shape) for k, v in params.items()}, {k: tuple(v.shape) for k, v in buffers.items()})
print(params["a.weight"].requires_grad, params["a.weight"].is_leaf, buffers["bn.running_mean"].requires_grad)
base = copy.deepcopy(models[0]).to("meta")


def call(p, b, x):
    return functional_call(base, (p, b), (x,))


x = torch.randn(3, 5, 4)
each = vmap(call)(params, buffers, x)
print(each.shape, all(torch.allclose(each[i], models[i](x[i]), atol=1e-5) for i in range(3)))
shared = vmap(call, in_dims=(0, 0, None))(params, buffers, x[0])
print(all(torch.allclose(shared[i], models[i](x[0]), atol=1e-5) for i in range(3)))
shared.sum().backward()
print(params["b.bias"].grad)

# All trained at once, statistics and all.
train = [Net() for _ in range(2)]
params, buffers = stack_module_state(train)
base = copy.deepcopy(train[0])
target = torch.randn(5, 3)


def loss(p, b, x):
    return ((functional_call(base, (p, b), (x,)) - target) ** 2).mean()


grads = vmap(grad(loss), in_dims=(0, 0, None))(params, buffers, x[0])
for i, model in enumerate(train):
    ((model(x[0]) - target) ** 2).mean().backward()
    print(torch.allclose(grads["a.weight"][i], model.a.weight.grad, atol=1e-5))
print(torch.allclose(buffers["bn.running_mean"][1], train[1].bn.running_mean, atol=1e-5))
print(replace_all_batch_norm_modules_(Net()).bn.running_mean)


def tell(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


tell(lambda: stack_module_state([]))
tell(lambda: stack_module_state([nn.Linear(1, 1), nn.Linear(1, 1).eval()]))
tell(lambda: stack_module_state([nn.Linear(1, 1), nn.Bilinear(1, 1, 1)]))
tell(lambda: functional_call(nn.Linear(1, 1), ({"weight": x}, {"weight": x}), (x,)))
tell(lambda: functional_call(nn.Linear(2, 1), {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(3, 2)))
tell(lambda: functional_call(nn.Linear(2, 1), {"weigh": torch.ones(1, 2), "bias": torch.ones(1)}, torch.ones(3, 2), strict=True))
tell(lambda: torch.nn.utils.stateless.functional_call(nn.Linear(2, 1), {"weight": torch.ones(1, 2), "bias": torch.ones(1)}, torch.ones(2)))
from torch._functorch.make_functional import make_functional, make_functional_with_buffers

f, p = make_functional(nn.Linear(2, 1))
print(len(p), f(tuple(torch.ones_like(t) for t in p), torch.ones(2)))
f, p, b = make_functional_with_buffers(Net().eval())
print(len(p), len(b), f(p, b, torch.ones(1, 4)).shape)
