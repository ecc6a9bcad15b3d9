"""Names from before torch.func, batches of gradients to begin with, questions about tensors."""
import torch
from torch.func import *
import torch.autograd.functional as AF
x = torch.arange(1.0, 4)
f = lambda x: x.sin() * x.sum()
print(torch.allclose(AF.jacobian(f, x), jacrev(f)(x)), torch.allclose(AF.jacobian(f, x, vectorize=True), jacfwd(f)(x)))
print(AF.jacobian(f, x, vectorize=True, strategy='forward-mode'))
w = x.clone().requires_grad_()
y = f(w)
print(torch.autograd.grad(y, w, torch.eye(3), is_grads_batched=True))
fun = functionalize(lambda a: a.clone().add_(1))
print(fun(x))
try:
    functionalize(lambda a: a, remove='x')(x)
except Exception as e:
    print(type(e).__name__, e)
print(vmap(lambda a: debug_unwrap(a).shape and a)(torch.ones(2, 3)).shape)
print(torch._functorch.apis.vmap is torch.vmap, torch.func.vmap is torch.vmap)
from torch._functorch.vmap import vmap_impl
from torch._functorch.eager_transforms import jvp as j2
from torch._C._functorch import is_batchedtensor
print(vmap(lambda a: (print(is_batchedtensor(a)), a)[1])(torch.ones(2)))
print(is_batchedtensor(x))
import functorch
print(functorch.vmap(torch.sin)(x), functorch.grad(lambda a: a.sum())(x))
