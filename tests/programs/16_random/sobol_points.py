# Points of Sobol's sequence, plain and scrambled.
import copy
import pickle

import torch
from torch.quasirandom import SobolEngine

torch.set_printoptions(precision=6)
plain = SobolEngine(3)
print(plain, plain.draw(4), plain.num_generated, plain.quasi.tolist())
print(plain.fast_forward(3), plain.draw(), plain.reset().draw(2, dtype=torch.float64))
print(pickle.loads(pickle.dumps(plain)).draw(), copy.deepcopy(plain).draw(2))
print(SobolEngine(2).draw_base2(3), SobolEngine(1).fast_forward(5).draw(2).tolist())
mixed = SobolEngine(3, scramble=True, seed=1)
print(mixed, mixed.draw(3), mixed.shift.tolist(), mixed.sobolstate[:, ::9].tolist())
torch.manual_seed(5)
print(SobolEngine(2, scramble=True).draw(2, dtype=torch.double), torch.rand(1))
wide = SobolEngine(40)
print(wide.draw(9)[8], wide.sobolstate.sum().item())
into = torch.empty(0)
print(SobolEngine(2).draw(3, out=into) is into, into)


def refused(made):
    try:
        print(made())
    except (ValueError, NotImplementedError) as problem:
        print(type(problem).__name__, problem)


refused(lambda: SobolEngine(0))
refused(lambda: SobolEngine(21202))
refused(lambda: SobolEngine(2).draw(-1))
refused(lambda: SobolEngine(2).fast_forward(0))
refused(lambda: SobolEngine(2).fast_forward(-3))
refused(lambda: SobolEngine(2).draw(2, dtype=torch.half))
odd = SobolEngine(2)
odd.draw(3)
refused(lambda: odd.draw_base2(2))
