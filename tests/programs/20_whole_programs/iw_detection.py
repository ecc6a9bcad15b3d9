import io
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Dict, List, NamedTuple, Optional, Tuple


def r4(t):
    return [float("%.4g" % v) + 0.0 for v in t.detach().flatten().tolist()]


class Detection(NamedTuple):
    boxes: torch.Tensor
    scores: torch.Tensor
    labels: torch.Tensor


@torch.jit.script
def box_area(b: torch.Tensor) -> torch.Tensor:
    return (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])


@torch.jit.script
def box_iou(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    lt = torch.max(a[:, None, :2], b[:, :2])
    rb = torch.min(a[:, None, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (box_area(a)[:, None] + box_area(b) - inter)


@torch.jit.script
def nms(boxes: torch.Tensor, scores: torch.Tensor, thr: float) -> torch.Tensor:
    order = scores.argsort(descending=True, stable=True)
    keep: List[int] = []
    while order.numel() > 0:
        i = int(order[0])
        keep.append(i)
        if order.numel() == 1:
            break
        rest = order[1:]
        iou = box_iou(boxes[i].unsqueeze(0), boxes[rest])[0]
        order = rest[iou <= thr]
    return torch.tensor(keep, dtype=torch.long)


@torch.jit.script
def soft_nms(boxes: torch.Tensor, scores: torch.Tensor, sigma: float = 0.5, floor: float = 0.05) -> List[Tuple[int, float]]:
    scores = scores.clone()
    out: List[Tuple[int, float]] = []
    alive = torch.ones_like(scores, dtype=torch.bool)
    for _ in range(scores.numel()):
        masked = torch.where(alive, scores, torch.full_like(scores, -1.0))
        s, i = masked.max(0)
        if float(s) < floor:
            break
        out.append((int(i), float(s)))
        alive[int(i)] = False
        scores *= torch.exp(-(box_iou(boxes[int(i)][None], boxes)[0] ** 2) / sigma)
    return out


class Decoder(nn.Module):
    anchors: torch.Tensor

    def __init__(self, size: int, stride: int, classes: int):
        super().__init__()
        ys, xs = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        c = (torch.stack([xs, ys], -1).float() + 0.5) * stride
        self.register_buffer("anchors", torch.cat([c.view(-1, 2), torch.full((size * size, 2), float(stride))], 1))
        self.classes = classes

    def forward(self, deltas: torch.Tensor, logits: torch.Tensor, image: Tuple[int, int], thr: float = 0.3, limit: Optional[int] = None) -> List[Detection]:
        out: List[Detection] = []
        for d, l in zip(deltas.unbind(0), logits.unbind(0)):
            cxy = self.anchors[:, :2] + d[:, :2] * self.anchors[:, 2:]
            wh = self.anchors[:, 2:] * d[:, 2:].clamp(max=4.0).exp()
            b = torch.cat([cxy - wh / 2, cxy + wh / 2], 1)
            b[:, 0::2].clamp_(0, image[1])
            b[:, 1::2].clamp_(0, image[0])
            p = l.sigmoid()
            idx, cls = torch.where(p > thr)
            s = p[idx, cls]
            off = cls.to(b.dtype).unsqueeze(1) * (b.max() + 1)
            keep = nms(b[idx] + off, s, 0.5)
            if limit is not None:
                keep = keep[:limit]
            out.append(Detection(b[idx][keep], s[keep], cls[keep]))
        return out


boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 5, 5], [21, 19, 31, 29], [50, 50, 51, 51]])
scores = torch.tensor([0.9, 0.8, 0.7, 0.95, 0.75, 0.1])
print(r4(box_iou(boxes[:2], boxes[:4])))
for t in (0.1, 0.3, 0.9):
    print("nms", t, nms(boxes, scores, t).tolist())
print("empty", nms(torch.zeros(0, 4), torch.zeros(0), 0.5).tolist(), nms(torch.zeros(0, 4), torch.zeros(0), 0.5).dtype)
print([(i, round(s, 4)) for i, s in soft_nms(boxes, scores)])
print(scores.tolist()[0] > 0.89)
gen = torch.Generator().manual_seed(8)
dec = torch.jit.script(Decoder(4, 8, 3))
deltas = torch.randn(2, 16, 4, generator=gen) * 0.3
logits = torch.randn(2, 16, 3, generator=gen) * 1.5 - 1
for det in dec(deltas, logits, (32, 32)):
    print(type(det).__name__, tuple(det.boxes.shape), det.labels.tolist(), r4(det.scores))
    print(r4(det.boxes[0]) if det.boxes.numel() else [])
print([tuple(d.boxes.shape) for d in dec(deltas, logits, (32, 32), limit=2)], [len(d.scores) for d in dec(deltas, logits, (32, 32), 0.999)])
b = io.BytesIO()
torch.jit.save(dec, b)
b.seek(0)
ld = torch.jit.load(b)
o1, o2 = dec(deltas, logits, (20, 24), 0.5), ld(deltas, logits, (20, 24), 0.5)
print("loaded same", all(torch.equal(x, y) for p, q in zip(o1, o2) for x, y in zip(p, q)), o2[0].labels.tolist())
try:
    dec(deltas, logits, (32,))
except Exception as e:
    print(type(e).__name__)


@torch.jit.script
def match(gt: torch.Tensor, an: torch.Tensor, hi: float, lo: float) -> torch.Tensor:
    if gt.numel() == 0:
        return torch.full([an.size(0)], -1, dtype=torch.long)
    iou = box_iou(gt, an)
    v, m = iou.max(0)
    m[v < lo] = -1
    m[(v >= lo) & (v < hi)] = -2
    m[iou.argmax(1)] = torch.arange(gt.size(0))
    return m


print(match(boxes[[0, 2]], boxes, 0.6, 0.3).tolist(), match(boxes[:0], boxes, 0.6, 0.3).tolist())
roi = F.grid_sample(torch.arange(16.0).view(1, 1, 4, 4), torch.tensor([[[[0.0, 0.0], [-1, -1]], [[0.5, 0.5], [1.0, 0.2]]]]), align_corners=False)
print(r4(roi))
