import torch
import torch.nn as nn
import math
from typing import Dict, List, Optional, Tuple


@torch.jit.script
def logaddexp2(a: float, b: float) -> float:
    if a == -float("inf"):
        return b
    if b == -float("inf"):
        return a
    m = max(a, b)
    return m + math.log(math.exp(a - m) + math.exp(b - m))


@torch.jit.script
def greedy_ctc(lp: torch.Tensor, blank: int = 0) -> List[int]:
    best = torch.unique_consecutive(lp.argmax(1))
    out: List[int] = []
    for i in range(best.size(0)):
        v = int(best[i])
        if v != blank:
            out.append(v)
    return out


@torch.jit.script
def key_of(p: List[int]) -> str:
    return ",".join([str(i) for i in p])


@torch.jit.script
def prefix_beam(lp: torch.Tensor, width: int, blank: int = 0) -> List[Tuple[str, float]]:
    ninf = -float("inf")
    beams: Dict[str, Tuple[float, float]] = {"": (0.0, ninf)}
    last: Dict[str, int] = {"": -1}
    for t in range(lp.size(0)):
        nxt: Dict[str, Tuple[float, float]] = {}
        for pre, pr in beams.items():
            pb, pnb = pr
            for c in range(lp.size(1)):
                p = float(lp[t, c])
                if c == blank:
                    ob, onb = nxt.get(pre, (ninf, ninf))
                    nxt[pre] = (logaddexp2(ob, logaddexp2(pb, pnb) + p), onb)
                    continue
                new = pre + chr(96 + c)
                last[new] = c
                nb, nnb = nxt.get(new, (ninf, ninf))
                if last[pre] == c:
                    nxt[new] = (nb, logaddexp2(nnb, pb + p))
                    sb, snb = nxt.get(pre, (ninf, ninf))
                    nxt[pre] = (sb, logaddexp2(snb, pnb + p))
                else:
                    nxt[new] = (nb, logaddexp2(nnb, logaddexp2(pb, pnb) + p))
        items: List[Tuple[float, str]] = []
        for k, v in nxt.items():
            items.append((logaddexp2(v[0], v[1]), k))
        items.sort(reverse=True)
        beams = {k: nxt[k] for s, k in items[:width]}
    res = [(k, logaddexp2(v[0], v[1])) for k, v in beams.items()]
    return res


class Hyp:
    def __init__(self, toks: List[int], score: float, done: bool):
        self.toks = toks
        self.score = score
        self.done = done

    def norm(self, alpha: float) -> float:
        return self.score / (len(self.toks) ** alpha)

    def __lt__(self, other: "Hyp") -> bool:
        return self.score < other.score


HypS = torch.jit.script(Hyp)


class LM(nn.Module):
    def __init__(self, v: int):
        super().__init__()
        g = torch.Generator().manual_seed(2)
        self.register_buffer("bi", (torch.randn(v, v, generator=g) * 2).log_softmax(1))
        self.eos = v - 1

    def forward(self, toks: torch.Tensor) -> torch.Tensor:
        return self.bi[toks[:, -1]]

    @torch.jit.export
    def beam(self, start: int, width: int, steps: int, alpha: float = 0.6) -> List[Tuple[List[int], float]]:
        toks = torch.full((1, 1), start, dtype=torch.long)
        scores = torch.zeros(1)
        done: List[Tuple[List[int], float]] = []
        for s in range(steps):
            lp = self.forward(toks) + scores.unsqueeze(1)
            k = min(width, lp.numel())
            top, idx = lp.view(-1).topk(k)
            rows = torch.div(idx, lp.size(1), rounding_mode="floor")
            cols = idx % lp.size(1)
            toks = torch.cat([toks[rows], cols.unsqueeze(1)], 1)
            scores = top
            fin = cols == self.eos
            if bool(fin.any()):
                for i in range(k):
                    if bool(fin[i]):
                        seq: List[int] = toks[i].tolist()
                        done.append((seq, float(scores[i]) / len(seq) ** alpha))
                toks, scores = toks[~fin], scores[~fin]
                if toks.size(0) == 0 or len(done) >= width:
                    break
        return done


torch.manual_seed(0)
lp = torch.tensor([[0.1, 0.6, 0.3], [0.5, 0.4, 0.1], [0.3, 0.6, 0.1], [0.2, 0.1, 0.7], [0.4, 0.1, 0.5]]).log()
print(greedy_ctc(lp), key_of(greedy_ctc(lp)), key_of([]) == "")
for w in (1, 2, 5, 50):
    res = prefix_beam(lp, w)
    print(w, [(k, round(s, 4)) for k, s in res[:3]], len(res))
total = sum(math.exp(s) for _, s in prefix_beam(lp, 1000))
print("mass", round(total, 5), logaddexp2(-float("inf"), -3.0), round(logaddexp2(-1.0, -2.0), 4))
lm = torch.jit.script(LM(6))
for w in (1, 2, 4):
    print("beam", w, [(t, round(s, 4)) for t, s in lm.beam(0, w, 8)[:3]])
print("no length norm", [(t, round(s, 4)) for t, s in lm.beam(1, 3, 10, alpha=0.0)[:2]], lm.beam(2, 3, 0))


@torch.jit.script
def sort_hyps(n: int) -> List[List[int]]:
    hs: List[Hyp] = []
    for i in range(n):
        hs.append(Hyp([i] * (i + 1), float((i * 7) % 5), i % 2 == 0))
    hs.sort(reverse=True)
    return [h.toks for h in hs]


try:
    print([(len(t), t[0]) for t in sort_hyps(6)])
except Exception as e:
    print(type(e).__name__)
print(Hyp([1, 2, 3, 4], -8.0, True).norm(0.5), HypS is Hyp or callable(HypS))


@torch.jit.script
def edit_distance(a: str, b: str) -> int:
    prev = [i for i in range(len(b) + 1)]
    for i, ca in enumerate(a):
        cur = [i + 1]
        for j, cb in enumerate(b):
            cost = 0 if ca == cb else 1
            cur.append(min(min(cur[j] + 1, prev[j + 1] + 1), prev[j] + cost))
        prev = cur
    return prev[-1]


@torch.jit.script
def viterbi(em: torch.Tensor, tr: torch.Tensor) -> Tuple[List[int], float]:
    score = em[0]
    back: List[torch.Tensor] = []
    for t in range(1, em.size(0)):
        v, i = (score.unsqueeze(1) + tr).max(0)
        back.append(i)
        score = v + em[t]
    best = int(score.argmax())
    path = [best]
    for i in range(len(back) - 1, -1, -1):
        best = int(back[i][best])
        path.append(best)
    path.reverse()
    return path, float(score.max())


print([edit_distance(a, b) for a, b in (("kitten", "sitting"), ("", "abc"), ("same", "same"))])
p, s = viterbi(torch.randn(6, 3), torch.tensor([[1.0, -1, 0], [0, 1, -1], [-1, 0, 1]]))
print(p, round(s, 4))
