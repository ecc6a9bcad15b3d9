import copy
import io
import pickle

import torch

x = torch.tensor([1 + 2j, 3 - 1j])


class Marked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("c", x.conj())
        self.register_buffer("n", torch._neg_view(torch.tensor([1.0, 2.0])))
        self.register_buffer("x", x)

    def forward(self):
        return self.c + 0, self.n * 1, self.c * self.x


def again(module):
    file = io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    return torch.jit.load(file)


module = again(again(torch.jit.script(Marked())))
print(module.c, module.c.is_conj(), module.n, module.n.is_neg(), module())
print(torch.jit.freeze(torch.jit.script(Marked()).eval())())
file = io.BytesIO()
torch.save([x.conj(), torch._neg_view(x.conj()), x], file)
file.seek(0)
for tensor in torch.load(file):
    print(tensor, tensor.is_conj(), tensor.is_neg())
print(pickle.loads(pickle.dumps(x.conj())))
copies = copy.deepcopy([x.conj(), x])
print(copies, copies[0].is_conj())
