"""Tensors on the meta device: sizes and dtypes without elements."""
import io

import torch
import torch.nn as nn
import torch.nn.functional as F


def tell(name, run):
    try:
        print(name, "|", run())
    except Exception as error:
        print(name, "|", type(error).__name__, "|", str(error).split(": attempted")[0].split("\n")[0])


x = torch.empty(2, 3, device="meta")
ids = torch.zeros(2, dtype=torch.long, device="meta")
print(x, x.is_meta, x.device, x.data_ptr())
tell("numbers", lambda: (x + 1, x > 0, x * torch.tensor(2.0), x.to(torch.float64) + x))
tell("broadcast", lambda: (x + torch.empty(4, 1, 3, device="meta")).shape)
tell("views", lambda: (x.t().stride(), x.view(3, 2).shape, x[0], x[:, None].shape, x.expand(5, 2, 3).stride()))
tell("products", lambda: (x @ x.t(), F.linear(x, torch.empty(4, 3, device="meta")).shape))
tell("reductions", lambda: (x.sum(), x.mean(1), x.max(1).indices, x.argmax()))
tell("in place", lambda: (x.add_(1), x.zero_(), x.normal_(), x.copy_(torch.ones(3))))
tell("new ones", lambda: (torch.rand(2, device="meta"), torch.arange(5, device="meta"), torch.eye(3, device="meta")))
tell("full", lambda: (torch.full((2,), 1, device="meta"), torch.tensor([1, 2], device="meta"), torch.randint(5, (2,), device="meta")))
tell("like", lambda: (torch.ones_like(x), torch.zeros_like(x, device="cpu"), torch.empty_like(torch.ones(2), device="meta")))
tell("format", lambda: torch.empty(1, 2, 3, 4, device="meta", memory_format=torch.channels_last).stride())
tell("large", lambda: torch.empty(10**6, 10**5, device="meta").mul(2).shape)
tell("embedding", lambda: F.embedding(ids, x).shape)
tell("indices", lambda: x[ids].shape)
tell("mixed", lambda: x + torch.ones(3))
tell("item", lambda: x.sum().item())
tell("truth", lambda: bool(x.sum()))
tell("equal", lambda: torch.equal(x, x))
tell("select", lambda: torch.masked_select(x, x > 0))
tell("out of it", lambda: x.cpu())
tell("list", lambda: x.tolist())
tell("copy from", lambda: torch.ones(2, 3).copy_(x))

with torch.device("meta"):
    net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10))
    print(torch.ones(2), torch.tensor([1.0]), torch.zeros(2, device="cpu"))
print(torch.ones(1), sum(p.numel() for p in net.parameters()), {p.device.type for p in net.parameters()})
print(net(torch.empty(1, 3, 8, 8, device="meta")).shape)
tell("move", lambda: net.to("cpu"))
there = net.to_empty(device="cpu")
print({p.device.type for p in there.parameters()}, {b.device.type for b in there.buffers()})
net = nn.Linear(3, 2, device="meta")
print(net.load_state_dict(nn.Linear(3, 2).state_dict()), net.weight.device)
print(net.load_state_dict(nn.Linear(3, 2).state_dict(), assign=True), net.weight.device, net.weight.requires_grad)
net = nn.Linear(3, 2).to("meta")
print(net.weight)
y = torch.empty(4, 3, device="meta", requires_grad=True)
loss = F.cross_entropy(net(y), torch.empty(4, device="meta", dtype=torch.long))
loss.backward()
print(loss.shape, y.grad, net.weight.grad.shape)
optimizer = torch.optim.AdamW(net.parameters())
optimizer.step()
print(net.bias)

stream = io.BytesIO()
torch.save({"a": x, "p": net.weight}, stream)
stream.seek(0)
print(torch.load(stream))


@torch.jit.script
def scaled(t: torch.Tensor) -> torch.Tensor:
    return torch.relu(t) @ t.t() + t.size(0)


print(scaled(x))
wide = torch.empty(3000, 2000, device="meta")
tell("wide", lambda: (wide.sum(1).shape, (wide @ wide.t()).shape, wide.t().contiguous().stride(), F.softmax(wide, 1).shape))
