# recurrent training with packed sequences
import torch, torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
torch.manual_seed(0)
class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.r = nn.LSTM(3, 4, batch_first=True, bidirectional=True)
        self.o = nn.Linear(8, 2)
    def forward(self, x, n):
        p = pack_padded_sequence(x, n, batch_first=True, enforce_sorted=True)
        y, (h, c) = self.r(p)
        y, _ = pad_packed_sequence(y, batch_first=True)
        return self.o(y), h
m = torch.jit.script(R())
opt = torch.optim.RMSprop(m.parameters(), lr=0.01)
x = torch.randn(2, 5, 3); n = torch.tensor([5, 3])
for _ in range(3):
    opt.zero_grad()
    y, h = m(x, n)
    l = y.pow(2).mean() + h.abs().mean()
    l.backward()
    opt.step()
    print(round(l.item(), 5))
print([round(p.grad.norm().item(), 4) for p in m.parameters()])
cell = nn.GRUCell(3, 4)
h = torch.zeros(2, 4)
for t in range(3): h = cell(x[:, t], h)
h.sum().backward()
print([round(p.grad.norm().item(), 4) for p in cell.parameters()], type(h.grad_fn).__name__)
