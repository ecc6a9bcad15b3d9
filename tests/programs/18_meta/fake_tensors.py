# Fake tensors: what is made within their mode, what operators give for them, what needs elements, and other tensors beside them.
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, is_fake


def err(label, f):
    try:
        print(label, "ok", f())
    except Exception as e:
        print(label, type(e).__name__, str(e)[:250])


with FakeTensorMode() as fm:
    ft = torch.ones(3, 4)
    print(ft, (ft @ ft.T).shape, ft.device, type(ft).__name__, isinstance(ft, FakeTensor), ft.fake_mode is fm)
    print(torch.zeros(2, dtype=torch.int64), torch.arange(5).shape, torch.randn(2, 3) + 1, torch.empty(0))
    err("item", lambda: ft.sum().item())
    err("bool", lambda: bool(ft.sum() > 0))
    err("nonzero", lambda: ft.nonzero())
    err("tolist", lambda: ft.tolist())
    err("numpy", lambda: ft.numpy())
    err("inpl", lambda: ft.add_(1) is ft)
    err("view", lambda: ft.view(-1))
    err("cat", lambda: torch.cat([ft, ft]).shape)
    err("topk", lambda: ft.topk(2))
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16, 2))
    err("par", lambda: (type(net[0].weight).__name__, net[0].weight.shape))
    with torch.no_grad():
        err("net", lambda: net(torch.randn(2, 3, 4, 4)))
r = torch.ones(3, 4)
with fm:
    err("mixed", lambda: ft + r)
    err("scalar", lambda: ft + torch.tensor(1.))
    err("from", lambda: fm.from_tensor(r))
err("out", lambda: ft * 2)
err("out mixed", lambda: ft * r)
err("from", lambda: fm.from_tensor(r).shape)
with FakeTensorMode(allow_non_fake_inputs=True) as g:
    err("allowed", lambda: r + 1)
err("modes", lambda: g.from_tensor(r) + ft)
err("fakes", lambda: (is_fake(ft), is_fake(r)))
err("to", lambda: ft.to(torch.float16))
err("cpu", lambda: ft.cpu())
err("meta", lambda: ft.to("meta"))
err("clone", lambda: ft.clone().stride())
err("like", lambda: torch.zeros_like(ft))
err("new", lambda: ft.new_ones(2))
err("repr", lambda: repr(ft.long()))
