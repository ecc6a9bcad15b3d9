# States of random streams are tensors of bytes; positions of elements from their numbers.
import torch


def show(made):
    try:
        print(made())
    except Exception as problem:
        print("<<" + type(problem).__name__ + ">>")
        print(problem)
        print("<<end>>")


stream = torch.Generator()
for state in (torch.zeros(3), 3, None, torch.zeros(4, dtype=torch.int8), torch.zeros(3, dtype=torch.uint8)):
    show(lambda: torch.set_rng_state(state))
    show(lambda: torch.random.set_rng_state(state))
    show(lambda: stream.set_state(state))
torch.manual_seed(3)
state, numbers = torch.get_rng_state(), torch.rand(2)
torch.set_rng_state(state)
print(torch.equal(numbers, torch.rand(2)))

show(lambda: torch.unravel_index(torch.tensor([[4, 23], [0, -1]]), (2, 3, 4)))
show(lambda: torch.unravel_index(torch.tensor(9, dtype=torch.uint8), 12))
show(lambda: torch.unravel_index(torch.tensor([], dtype=torch.int32), [0, 2]))
show(lambda: torch.unravel_index(torch.tensor([1]), ()))
show(lambda: torch.unravel_index(torch.tensor([1.0]), (2,)))
show(lambda: torch.unravel_index(torch.tensor([True]), (2,)))
show(lambda: torch.unravel_index(torch.tensor([1]), torch.tensor([2])))
show(lambda: torch.unravel_index(torch.tensor([1]), (2, 1.0)))
show(lambda: torch.unravel_index(torch.tensor([1]), [2, -1]))
show(lambda: torch.unravel_index(torch.tensor([1]), [2, 0]))
