"""A single number fills a mask, also one of the elements or of another dtype; several must not be elements of what is written."""

import torch


def attempt(fill):
    try:
        print(fill())
    except RuntimeError as error:
        print("<<RuntimeError>>")
        print(str(error).strip().split("\n")[-1])
        print("<<end>>")


@torch.jit.script
def scripted(x: torch.Tensor):
    x[x > 1] = x[0]
    return x


def one_of_its_elements():
    x = torch.tensor([3, 1, 2])
    x[x > 1] = x[0:1]
    return x


def by_columns():
    x = torch.tensor([[3, 1], [2, 4]])
    x[:, torch.tensor([True, False])] = x[1, 1]
    return x


def another_dtype():
    x = torch.tensor([3.0, 1.0, 2.0])
    return x.index_put_((x > 1,), torch.tensor(0.5, dtype=torch.float64))


def too_large():
    x = torch.tensor([3, 1, 2], dtype=torch.int8)
    return x.index_put_((x > 1,), torch.tensor(1000))


def whole_rows():
    x = torch.tensor([[3, 1], [2, 4]])
    x[x[:, 0] > 2] = x[1]
    return x


def by_numbers():
    x = torch.tensor([3, 1, 2])
    x[torch.tensor([0, 2])] = x[1]
    return x


def accumulated():
    x = torch.tensor([3.0, 1.0, 2.0])
    return x.index_put_((x > 1,), torch.tensor(0.5, dtype=torch.float64), accumulate=True)


print(scripted(torch.tensor([3, 1, 2])))
for fill in (one_of_its_elements, by_columns, another_dtype, too_large, whole_rows, by_numbers, accumulated):
    attempt(fill)
