# dilated causal convolutions with gates, weight normalisation removed before scripting; a PPO policy; a detection head
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Dict, List, Tuple
from torch.nn.utils import weight_norm, remove_weight_norm


class ResBlock(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.dilation = dilation
        self.conv = weight_norm(nn.Conv1d(channels, 2 * channels, 2, dilation=dilation))
        self.out = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        y = self.conv(F.pad(x, (self.dilation, 0)))
        a, b = y.chunk(2, dim=1)
        z = torch.tanh(a) * torch.sigmoid(b)
        return x + self.out(z), self.skip(z)


class WaveNet(nn.Module):
    def __init__(self, classes=8, channels=4, layers=3):
        super().__init__()
        self.embed = nn.Embedding(classes, channels)
        self.blocks = nn.ModuleList(ResBlock(channels, 2**i) for i in range(layers))
        self.end = nn.Sequential(nn.ReLU(), nn.Conv1d(channels, classes, 1))

    def forward(self, x):
        x = self.embed(x).transpose(1, 2)
        total = torch.zeros_like(x)
        for block in self.blocks:
            x, skip = block(x)
            total = total + skip
        return self.end(total)


class Policy(nn.Module):
    def __init__(self, obs: int, act: int):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
        self.mu = nn.Linear(8, act)
        self.log_std = nn.Parameter(torch.zeros(act))
        self.value = nn.Linear(8, 1)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.orthogonal_(m.weight, gain=2**0.5)
                nn.init.zeros_(m.bias)

    def forward(self, obs: torch.Tensor, deterministic: bool = False) -> Dict[str, torch.Tensor]:
        h = self.body(obs)
        mu = self.mu(h)
        std = self.log_std.exp().expand_as(mu)
        action = mu if deterministic else mu + std * torch.randn_like(mu)
        logp = (-((action - mu) ** 2) / (2 * std**2) - self.log_std - 0.9189385332046727).sum(-1)
        return {"action": action, "logp": logp, "value": self.value(h).squeeze(-1)}


class Head(nn.Module):
    def __init__(self, channels: int, anchors: int):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.cls = nn.Conv2d(channels, anchors, 1)
        self.box = nn.Conv2d(channels, anchors * 4, 1)
        for layer in self.children():
            nn.init.normal_(layer.weight, std=0.5)
            nn.init.constant_(layer.bias, 0)

    def forward(self, features: List[torch.Tensor]) -> Tuple[torch.Tensor, torch.Tensor]:
        scores, boxes = [], []
        for f in features:
            t = F.relu(self.conv(f))
            scores.append(self.cls(t).permute(0, 2, 3, 1).flatten(1))
            n = f.shape[0]
            boxes.append(self.box(t).permute(0, 2, 3, 1).reshape(n, -1, 4))
        return torch.cat(scores, 1), torch.cat(boxes, 1)


torch.manual_seed(0)
w = WaveNet()
t = torch.randint(0, 8, (1, 10))
a = w(t)
for b in w.blocks:
    remove_weight_norm(b.conv)
s = torch.jit.script(w)
print(torch.allclose(a, s(t), atol=1e-6), [round(v, 3) + 0.0 for v in a.flatten()[:8].tolist()])
p = Policy(3, 2)
sp = torch.jit.script(p)
o = torch.randn(4, 3)
torch.manual_seed(3)
r1 = p(o)
torch.manual_seed(3)
r2 = sp(o)
print({k: torch.allclose(r1[k], r2[k]) for k in r1}, [round(v, 3) for v in r1["logp"].tolist()], list(sp(o, True)))
h = torch.jit.script(Head(2, 3))
sc, bx = h([torch.randn(1, 2, 4, 4), torch.randn(1, 2, 2, 2)])
print(sc.shape, bx.shape, [round(v, 2) + 0.0 for v in sc.flatten()[:6].tolist()])
