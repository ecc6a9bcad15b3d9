"""What there is for integers of 16 to 64 bits without a sign; logsumexp over no dimension."""
import torch

for dtype in (torch.uint16, torch.uint32, torch.uint64):
    a, b = torch.tensor([1, 2, 3]).to(dtype), torch.tensor([1, 5, 3]).to(dtype)
    mask = torch.tensor([True, False, True])
    top = torch.tensor([-1]).to(dtype)
    calls = {
        "eq": lambda: a == b, "number": lambda: a == 2, "ne": lambda: a != b, "where": lambda: torch.where(mask, a, b), "mul": lambda: a * b,
        "and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b, "top": lambda: top == top, "top and": lambda: top & a[1:2],
        "wraps": lambda: top * top, "lt": lambda: a < b, "shift": lambda: a << 1,
    }
    for name, call in calls.items():
        try:
            result = call()
            print(name, result.dtype, result.tolist())
        except Exception as error:
            print(name, f"<<{type(error).__name__}>>")
            print(str(error).split("\n")[0])
            print("<<end>>")
x = torch.arange(4.0).view(2, 2)
for call in (lambda: torch.logsumexp(x, dim=[]), lambda: x.logsumexp(0), lambda: torch.tensor(1.0).logsumexp([])):
    try:
        print(call())
    except RuntimeError as error:
        print("<<RuntimeError>>")
        print(error)
        print("<<end>>")
