"""torch.fx: models as projects write them give the same numbers as graphs, scripts, traces and interpreted"""
import copy
import io

import torch
import torch.fx as fx
import torch.nn as nn
import torch.nn.functional as F


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.pool, self.down, self.up = nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, 2, 1), nn.Conv2d(2, width, 1)

    def forward(self, x):
        return x * F.hardsigmoid(self.up(F.relu(self.down(self.pool(x)), inplace=True)))


class Inverted(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(4, 8, 1, bias=False), nn.BatchNorm2d(8), nn.Hardswish(), nn.Conv2d(8, 8, 3, padding=1, groups=8),
            nn.BatchNorm2d(8), Gate(8), nn.Conv2d(8, 4, 1),
        )

    def forward(self, x):
        y = self.block(x)
        if self.training:
            y = F.dropout(y, 0.5, self.training)
        return x + y


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1)])
        self.up, self.out = nn.ConvTranspose2d(8, 4, 2, stride=2), nn.Conv2d(8, 1, 1)

    def forward(self, x):
        kept = []
        for index, conv in enumerate(self.down):
            x = F.relu(conv(x))
            kept.append(x)
            if index < len(self.down) - 1:
                x = F.max_pool2d(x, 2)
        x = F.interpolate(self.up(x), size=kept[0].shape[-2:], mode="bilinear", align_corners=False)
        return torch.sigmoid(self.out(torch.cat([x, kept[0]], dim=1)))


class Rotary(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.register_buffer("freq", torch.arange(0, width, 2).float() / width)
        self.q, self.norm, self.gate, self.down = (
            nn.Linear(width, width, bias=False), nn.RMSNorm(width), nn.Linear(width, 2 * width), nn.Linear(width, width)
        )

    def forward(self, x):
        angle = torch.arange(x.shape[1], device=x.device)[None, :, None].float() * self.freq
        q = self.q(self.norm(x))
        even, odd = q[..., ::2], q[..., 1::2]
        turned = torch.stack((even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()), dim=-1).flatten(-2)
        attended = F.scaled_dot_product_attention(turned[:, None], turned[:, None], x[:, None], is_causal=True)[:, 0]
        left, right = self.gate(attended).chunk(2, dim=-1)
        mask = torch.triu(torch.full((x.shape[1], x.shape[1]), float("-inf")), diagonal=1)
        scores = (turned @ turned.transpose(1, 2)) / x.shape[-1] ** 0.5 + mask
        return x + self.down(F.silu(left) * right) + torch.softmax(scores.float(), -1).type_as(x) @ x


def close(a, b):
    return torch.allclose(a, b, atol=1e-5)


for model, x in (
    (Inverted(), torch.randn(1, 4, 6, 6)), (UNet(), torch.randn(1, 4, 8, 8)), (Rotary(), torch.randn(2, 3, 8)),
):
    torch.manual_seed(0)
    model = model.eval()
    gm = fx.symbolic_trace(model)
    print(type(model).__name__, gm.code)
    expected = model(x)
    scripted = torch.jit.script(gm)
    buffer = io.BytesIO()
    torch.jit.save(scripted, buffer)
    buffer.seek(0)
    print(torch.equal(gm(x), expected), close(scripted(x), expected), close(torch.jit.load(buffer)(x), expected))
    print(close(torch.jit.trace(gm, x)(x), expected), torch.equal(fx.Interpreter(gm).run(x), expected))
    print(torch.equal(copy.deepcopy(gm)(x), expected), torch.equal(fx.Transformer(gm).transform()(x), expected))
print("dropout" in fx.symbolic_trace(Inverted()).code)
