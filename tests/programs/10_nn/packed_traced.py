# packed sequences through scripted and traced recurrent modules, unsorted, enforced, padded back; errors
import torch
import torch.nn as nn
import torch.nn.functional as F
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

class Bad:
    graph = code = schema = inlined_graph = "-"
    def __call__(self, *args):
        raise ValueError("not compiled")

def js(f):
    try:
        return torch.jit.script(f)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")
        return Bad()

def err(f, *args, **kw):
    try:
        r = f(*args, **kw)
        print("ok", "compiled" if isinstance(r, (torch.jit.ScriptFunction, torch.jit.ScriptModule)) else r)
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

def sec(f):
    print("--", f.__name__)
    try:
        f()
    except Exception as e:
        print("<<%s>>" % type(e).__name__)
        print(e)
        print("<<end>>")

from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence, pack_sequence, pad_sequence, unpack_sequence, unpad_sequence

class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 2, num_layers=2, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(4, 2)
    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, Tuple[torch.Tensor, torch.Tensor]]:
        p = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        o, hc = self.rnn(p)
        y, n = pad_packed_sequence(o, batch_first=True, padding_value=-1.0)
        return self.fc(y), n, hc

class G(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.GRU(2, 3)
    def forward(self, p: PackedSequence):
        o, h = self.g(p)
        return o.data, o.batch_sizes, h

@sec
def main():
    torch.manual_seed(2)
    t = Tagger().eval()
    x, n = torch.randn(3, 4, 3), torch.tensor([2, 4, 1])
    s = torch.jit.script(t)
    a, b, (h, c) = s(x, n)
    print(a)
    print(b, h.shape, c.sum())
    print(torch.allclose(a, t(x, n)[0]))
    print(s.code)
    err(s, x, torch.tensor([2, 0, 1]))
    err(s, x, torch.tensor([2, 1]))
    err(s, torch.randn(3, 4, 2), n)
@sec
def pack():
    p = pack_sequence([torch.tensor([1, 2, 3]), torch.tensor([4, 5]), torch.tensor([6])])
    print(p)
    print(p.data, p.batch_sizes, p.sorted_indices, type(p), p.is_cuda, p.is_pinned() if False else "")
    q = pack_sequence([torch.tensor([1.0]), torch.tensor([4.0, 5])], enforce_sorted=False)
    print(q, unpack_sequence(q), q.to(torch.float64), q.double().data.dtype)
    print(pad_packed_sequence(p), pad_packed_sequence(p, total_length=5, padding_value=9))
    print(pad_sequence([torch.ones(2, 2), torch.zeros(1, 2)], batch_first=True, padding_value=7), pad_sequence([torch.ones(2), torch.zeros(1)], padding_side="left"))
    err(pack_sequence, [torch.ones(1), torch.ones(2)])
    err(pad_packed_sequence, p, total_length=2)
    err(pad_packed_sequence, torch.ones(2))
    err(pack_padded_sequence, torch.ones(3, 2), [3])
    err(pack_padded_sequence, torch.ones(3, 2), torch.tensor([[3, 2]]))
    print(unpad_sequence(torch.tensor([[1, 2], [3, 0]]), torch.tensor([2, 1])))
    g = torch.jit.script(G())
    r = g(pack_sequence([torch.ones(3, 2), torch.zeros(2, 2)]))
    print(r)
    print(g.graph)
    r = torch.jit.trace(Tagger().eval(), (torch.randn(2, 3, 3), torch.tensor([3, 2])))
    print(r.graph)
    print(r.code)
    print([tuple(r(torch.randn(n, 4, 3), torch.tensor([4, 1, 2, 2][:n]))[0].shape) for n in (1, 2, 4)])
