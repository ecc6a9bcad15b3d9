# Half-width complex numbers and the wider unsigned integers are made, moved and converted; few operators take them.
import torch


@torch.jit.script
def kinds(x: torch.Tensor):
    return x.to(torch.uint16), x.to(torch.uint32), x.to(torch.uint64), x.chalf()


def attempt(what):
    try:
        print(what())
    except Exception as error:
        print(f"<<{type(error).__name__}>>")
        print(str(error).splitlines()[0])
        print("<<end>>")


for t in kinds(torch.tensor([1.5, 2.0, 300.0])):
    print(t, t.dtype, t.element_size(), t.dtype.is_complex, t.is_signed())
    print(t.to(torch.float32).dtype, t.reshape(3, 1).shape, t[1:], torch.cat([t, t]).shape)
h = torch.tensor([1.0, -2.5], dtype=torch.half)
c = torch.complex(h, h)
print(c, c.real, c.imag, c.conj().is_conj(), c + c, c.abs(), c == c)
print(torch.result_type(h, 1j), torch.promote_types(torch.float32, torch.complex32), (h * 1j).dtype)
print(torch.view_as_complex(torch.ones(2, 2, dtype=torch.half)), torch.chalf, torch.complex32)
print(torch.zeros(2, dtype=torch.uint64), torch.tensor([3, 4], dtype=torch.uint16), torch.uint32)
print(torch.hash_tensor(torch.tensor([1.5, -2.25])), torch.hash_tensor(torch.tensor([[1, 2], [3, 4]]), 0))
attempt(lambda: torch.ones(2, dtype=torch.uint16) + torch.ones(2, dtype=torch.uint16))
attempt(lambda: -torch.ones(2, dtype=torch.uint32))
attempt(lambda: torch.ones(2, dtype=torch.uint16) < 3)
