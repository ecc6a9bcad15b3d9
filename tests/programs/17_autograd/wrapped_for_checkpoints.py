"""Modules around modules that compute intermediate values again for gradients."""
import functools

import torch
import torch.distributed.algorithms._checkpoint.checkpoint_wrapper as cw
from torch import nn


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Tanh(), nn.Linear(3, 2)), nn.Dropout(0.5))
for impl in cw.CheckpointImpl:
    n = net()
    cw.apply_activation_checkpointing(n, functools.partial(cw.checkpoint_wrapper, checkpoint_impl=impl), check_fn=lambda m: isinstance(m, (nn.Linear, nn.Sequential)))
    print(n)
    print(list(n.state_dict()), [k for k, _ in n.named_parameters()], [k for k,_ in n.named_modules()])
    x = torch.ones(1, 2, requires_grad=True)
    torch.manual_seed(1)
    n(x).sum().backward()
    print(x.grad, n[0].weight.grad, n[0].in_features, n[1][1])
    print(n.load_state_dict(net().state_dict()))
n = net()
cw.apply_activation_checkpointing(n)
print(n)
n = net()
cw.apply_activation_checkpointing(n, auto_wrap_policy=lambda module, recurse, nonwrapped_numel: True if recurse else nonwrapped_numel > 8)
print(n)
w = cw.offload_wrapper(nn.Linear(2, 2))
print(w, w(torch.ones(1, 2)).shape)


class Product(nn.Module):
    def forward(self, a, *, b):
        return a * b


for impl in cw.CheckpointImpl:
    a = torch.ones(2, requires_grad=True)
    cw.checkpoint_wrapper(Product(), impl)(a, b=a * 3).sum().backward()
    print(a.grad)
print(cw.checkpoint_wrapper(nn.Linear(2,2), preserve_rng_state=False).checkpoint_impl)
try:
    cw.ActivationWrapper(nn.Linear(2,2))(1)
except Exception as e:
    print(type(e).__name__, e)
try:
    cw.checkpoint_wrapper(nn.Linear(2,2)).nothing
except Exception as e:
    print(type(e).__name__, e)
