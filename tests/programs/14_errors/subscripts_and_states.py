# What is said of equations, of sizes that do not go together, and of calls without what they need.
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import pad_sequence, unpad_sequence


def show(function):
    try:
        print(function())
    except (TypeError, RuntimeError, IndexError, ValueError, AttributeError) as error:
        print(f"<<{type(error).__name__}>>")
        print(error)
        print("<<end>>")


one = torch.ones
for equation in (
    "ij->$", "i j -> i $", "ij,$->i", "i j,l m $->i", "ij...->....", "i.j->i", "i....j->i", "i->.", "i->i..", "i->......", "ij->i->j", "...i...->i",
    "i,j->i,j", " ij ->\ti",
):  # fmt: skip
    show(lambda: torch.einsum(equation, *[one(2, 2) for _ in equation.split("->")[0].split(",")]).shape)
for sizes in (((2, 3), (2, 4), (3, 4)), ((2, 3), (2, 5), (5, 3, 4)), ((3,), (4,), (5, 3)), ((2, 3, 5, 5),) * 3, ((2, 3), (2, 2, 4), (5, 3, 4))):
    show(lambda: F.bilinear(*[one(s) for s in sizes]).shape)
for state in (one(1, 3), one(2, 1, 3), (one(1, 3),), (one(1, 3),) * 3, [one(1, 3)] * 2):
    show(lambda: nn.LSTMCell(2, 3)(one(1, 2), state)[0].shape)
show(lambda: nn.LSTMCell(2, 3)(one(2), one(2, 3))[0].shape)
show(lambda: torch.tensor())
show(lambda: torch.tensor(1, 2))
show(lambda: torch.tensor([1], data=[1]))
show(lambda: torch.tensor(data=[1]))
show(lambda: torch.norm(3))
show(lambda: torch.norm("a", 2))
show(lambda: torch.optim.SGD([one(1)], lr="a"))
show(lambda: torch.optim.SGD([one(1)], weight_decay="a"))
function = lambda x: x + 1  # noqa: E731
function.__module__ = None
show(lambda: torch.jit.trace(function, one(1)))
padded = pad_sequence([one(3, 1), one(1, 1)])
print(unpad_sequence(padded, torch.tensor([3, 1])), padded.shape)
rows = torch.tensor([[1.0, 2.0, 0.5], [0.5, -1.0, 3.0]])
print(F.triplet_margin_with_distance_loss(rows, rows + 1, rows * 3, distance_function=lambda a, b: (a - b).abs().sum(1), swap=True, margin=4.0))
