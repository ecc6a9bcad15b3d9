import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import List, Optional, Tuple


def g(v):
    return float("%.3g" % float(v))


class CharModel(nn.Module):
    def __init__(self, kind: str, vocab: int, hid: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, hid, padding_idx=0)
        self.lstm = nn.LSTM(hid, hid, batch_first=True)
        self.gru = nn.GRU(hid, hid, batch_first=True)
        self.kind = kind
        self.drop = nn.Dropout(0.0)
        self.out = nn.Linear(hid, vocab)

    def forward(self, ids: torch.Tensor, state: Optional[Tuple[torch.Tensor, torch.Tensor]] = None) -> Tuple[torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        e = self.emb(ids)
        if self.kind == "lstm":
            y, s = self.lstm(e, state)
        else:
            h: Optional[torch.Tensor] = None
            if state is not None:
                h = state[0]
            y, hn = self.gru(e, h)
            s = (hn, torch.zeros_like(hn))
        return self.out(self.drop(y)), s

    @torch.jit.export
    def greedy(self, start: int, n: int) -> List[int]:
        out: List[int] = [start]
        st: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
        with torch.no_grad():
            for _ in range(n):
                lo, s = self.forward(torch.tensor([[out[-1]]]), st)
                st = s
                out.append(int(lo[0, -1].argmax()))
        return out


text = "abcabdabcabdabcabd"
chars = ["<pad>"] + sorted(set(text))
ids = torch.tensor([[chars.index(c) for c in text]])

for kind in ("lstm", "gru"):
    torch.manual_seed(0)
    m = torch.jit.script(CharModel(kind, len(chars), 12))
    opt = torch.optim.Adam(m.parameters(), 0.03)
    hist = []
    for step in range(40):
        opt.zero_grad()
        lo, _ = m(ids[:, :-1])
        loss = F.cross_entropy(lo.transpose(1, 2), ids[:, 1:])
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step()
        hist.append((loss.item(), norm.item()))
    print(kind, [g(hist[i][0]) for i in (0, 1, 3)], hist[-1][0] < 0.4, g(hist[0][1]))
    print("".join(chars[i] for i in m.greedy(1, 11)))
    print("pad grad", m.emb.weight.grad[0].abs().sum().item(), [n for n, p in m.named_parameters() if p.grad is None or p.grad.abs().sum() == 0])

print("truncated bptt")
torch.manual_seed(1)
m = torch.jit.script(CharModel("lstm", len(chars), 6))
opt = torch.optim.SGD(m.parameters(), 0.5)
state: Optional[Tuple[torch.Tensor, torch.Tensor]] = None
for i in range(0, 16, 4):
    lo, state = m(ids[:, i:i + 4], state)
    loss = F.cross_entropy(lo.flatten(0, 1), ids[0, i + 1:i + 5])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, g(loss), state[0].requires_grad, tuple(state[0].shape))
    state = (state[0].detach(), state[1].detach())
lo, keep = m(ids[:, :4])
lo2, _ = m(ids[:, 4:8], keep)
lo.sum().backward()
try:
    lo2.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, str(e).split(" (")[0])


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 3, bidirectional=True)
        self.head = nn.Linear(6, 2)

    def forward(self, x: torch.Tensor, lens: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        p = nn.utils.rnn.pack_padded_sequence(x, lens, enforce_sorted=False)
        o, h = self.rnn(p)
        y, l = nn.utils.rnn.pad_packed_sequence(o, padding_value=-9.0)
        return self.head(torch.cat([h[0], h[1]], 1)), y


torch.manual_seed(2)
pm = Packed()
ps = torch.jit.script(pm)
x = torch.randn(5, 3, 2)
lens = torch.tensor([3, 5, 2])
for q in (pm, ps):
    lo, y = q(x, lens)
    q.zero_grad()
    F.nll_loss(F.log_softmax(lo, 1), torch.tensor([0, 1, 1])).backward()
    print(tuple(y.shape), (y == -9).sum().item(), g(lo.sum()), g(pm.rnn.weight_ih_l0.grad.norm()), g(pm.rnn.weight_hh_l0_reverse.grad.norm()))

cell = torch.jit.script(nn.LSTMCell(2, 3))


@torch.jit.script
def mask_mean(y: torch.Tensor, lens: torch.Tensor) -> torch.Tensor:
    m = torch.arange(y.size(0)).unsqueeze(1) < lens.unsqueeze(0)
    return (y * m.unsqueeze(-1)).sum(0) / lens.unsqueeze(1)


h, c = torch.zeros(3, 3), torch.zeros(3, 3)
hs = []
for t in range(5):
    h, c = cell(x[t], (h, c))
    hs.append(h)
mm = mask_mean(torch.stack(hs), lens)
mm.pow(2).sum().backward()
print(g(mm.sum()), [(n, g(p.grad.norm())) for n, p in cell.named_parameters()])
ctc = torch.jit.script(nn.CTCLoss(blank=0, reduction="none"))
lp = F.log_softmax(torch.linspace(-1, 1, 40).view(5, 2, 4), -1).requires_grad_(True)
l = ctc(lp, torch.tensor([[1, 2], [3, 3]]), torch.tensor([5, 4]), torch.tensor([2, 2]))
l.sum().backward()
print([g(v) for v in l], g(lp.grad.norm()))
