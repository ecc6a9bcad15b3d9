# sequence to sequence with attention and a greedy and a beam decoder in script
from typing import List, Tuple
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Encoder(nn.Module):
    def __init__(self, vocab: int, hidden: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.reduce = nn.Linear(2 * hidden, hidden)

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        out, h = self.gru(self.embedding(x))
        return self.reduce(out), torch.tanh(self.reduce(torch.cat([h[0], h[1]], dim=-1))).unsqueeze(0)


class Attention(nn.Module):
    def __init__(self, hidden: int):
        super().__init__()
        self.Wa = nn.Linear(hidden, hidden)
        self.Ua = nn.Linear(hidden, hidden)
        self.Va = nn.Linear(hidden, 1)

    def forward(self, query: Tensor, keys: Tensor) -> Tuple[Tensor, Tensor]:
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        weights = F.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class Decoder(nn.Module):
    def __init__(self, vocab: int, hidden: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden)
        self.attention = Attention(hidden)
        self.cell = nn.GRUCell(2 * hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, token: Tensor, h: Tensor, keys: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        context, weights = self.attention(h.unsqueeze(1), keys)
        h = self.cell(torch.cat([self.embedding(token), context.squeeze(1)], -1), h)
        return F.log_softmax(self.out(h), -1), h, weights


class Seq2Seq(nn.Module):
    def __init__(self, vocab: int, hidden: int, max_len: int = 6):
        super().__init__()
        self.encoder = Encoder(vocab, hidden)
        self.decoder = Decoder(vocab, hidden)
        self.max_len = max_len

    def forward(self, x: Tensor) -> Tuple[Tensor, List[Tensor]]:
        keys, h = self.encoder(x)
        h = h[0]
        token = torch.zeros(x.size(0), dtype=torch.long)
        out: List[Tensor] = []
        weights: List[Tensor] = []
        for _ in range(self.max_len):
            logp, h, w = self.decoder(token, h, keys)
            token = logp.argmax(-1)
            out.append(token)
            weights.append(w)
        return torch.stack(out, 1), weights

    @torch.jit.export
    def beam(self, x: Tensor, width: int = 2) -> List[Tuple[List[int], float]]:
        keys, h = self.encoder(x)
        beams: List[Tuple[List[int], float, Tensor]] = [([0], 0.0, h[0])]
        for _ in range(self.max_len):
            grown: List[Tuple[List[int], float, Tensor]] = []
            for tokens, score, state in beams:
                logp, state2, _w = self.decoder(torch.tensor([tokens[-1]]), state, keys)
                values, indices = logp[0].topk(width)
                for i in range(width):
                    grown.append((tokens + [int(indices[i])], score + float(values[i]), state2))
            scores = [b[1] for b in grown]
            order = torch.tensor(scores).argsort(descending=True)
            kept: List[Tuple[List[int], float, Tensor]] = []
            for i in range(width):
                kept.append(grown[int(order[i])])
            beams = kept
        return [(b[0], b[1]) for b in beams]


torch.manual_seed(0)
m = Seq2Seq(9, 4)
x = torch.randint(0, 9, (2, 5))
s = torch.jit.script(m)
y, w = m(x)
ys, ws = s(x)
print(y, torch.equal(y, ys), [round(v, 4) for v in w[0].flatten().tolist()])
for tokens, score in s.beam(x[:1], 3):
    print(tokens, round(score, 4))
print([(t, round(v, 4)) for t, v in m.beam(x[:1])])
