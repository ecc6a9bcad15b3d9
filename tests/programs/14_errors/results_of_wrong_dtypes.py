# Tensors for truth values, places and draws whose dtype does not do are refused in the words of each operator.
import torch

x = torch.tensor([0.0, 1.0, 2.0])


def show(function, *arguments, **options):
    try:
        print(function(*arguments, **options))
    except RuntimeError as error:
        print("<<RuntimeError>>")
        print(error)
        print("<<end>>")


for dtype in (torch.float32, torch.bool, torch.uint8, torch.int32, torch.int64):
    print(dtype)
    for function in (torch.all, torch.any):
        show(function, x, out=torch.empty(0, dtype=dtype))
        show(function, x, 0, out=torch.empty(0, dtype=dtype))
        show(function, x, (0,), out=torch.empty(0, dtype=dtype))
    show(torch.searchsorted, x, x, out=torch.empty(0, dtype=dtype))
    show(torch.searchsorted, x, 1.5, out_int32=True, out=torch.empty((), dtype=dtype))
    show(torch.bucketize, x, x, out=torch.empty(0, dtype=dtype))
    show(torch.nonzero, x, out=torch.empty(0, dtype=dtype))
    show(torch.multinomial, torch.tensor([0.0, 1.0]), 1, out=torch.empty(0, dtype=dtype))
