"""torch.func.rearrange: patterns, and what it refuses."""
import torch
from torch.func import rearrange
x = torch.arange(24).reshape(2, 3, 4)
def t(*a, **k):
    try:
        r = rearrange(*a, **k)
        print(r.shape, r.flatten()[:6].tolist())
    except Exception as e:
        print(type(e).__name__, e)
t(x, 'a b c -> c b a')
t(x, 'a b c -> a (b c)')
t(x, 'a b (c d) -> a b c d', c=2)
t(x, 'a ... -> ... a')
t(x, 'a b c -> a b c 1')
t([x, x], 'n a b c -> a (n b) c')
t(x, 'a b c -> (a b c)')
t(x, 'a b -> b a')
t(x, 'a b c -> a b')
t(x, 'a b c')
t(x, 'a b (c d) -> a b c d')
t(x, 'a b c -> a a b c')
t(x, '... c -> c ...')
t(x, 'a (b c) d -> a b c d', b=2)
t(x, 'a b c -> a () b c')
t(x, '(a1 a2) b c -> a1 a2 b c', a1=2)
