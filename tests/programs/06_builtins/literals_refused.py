"""What makes no tensor, by what the data is, what dtype is wanted, and how deep it stands."""
import torch


def attempt(label, f):
    try:
        out = f()
        print(label, out.tolist(), out.dtype, tuple(out.shape))
    except Exception as error:
        print(label, type(error).__name__, str(error).splitlines()[0])


class Other:
    pass


DATA = {
    "dict": {}, "dict in list": [{}], "keys": {"a": 1}, "ragged": [[1, 2], 3], "deeper": [1, [2]], "deeper later": [[1, 2], [3, [4]]],
    "short": [[1, 2], [3]], "bytes": b"ab", "text": "ab", "texts": ["ab"], "None": None, "Nones": [None], "one None": [1, None],
    "set": {1}, "object": Other(), "objects": [Other()], "class": int, "function": len, "ellipsis": ..., "range": range(3),
    "number and text": [1, "a"], "empty": [[], []], "empty first": [[], [1]], "empty last": [[1], []], "dtype": torch.float32,
    "device": torch.device("cpu"), "scalars": [torch.tensor(1), torch.tensor(2)], "ones": [torch.ones(1), torch.ones(1)],
    "pairs": [torch.ones(2), torch.ones(2)], "whole pairs": [torch.tensor([1, 2]), torch.tensor([3, 4])],
    "tensor and number": [torch.ones(2), 3], "doubles": [torch.tensor(1.5, dtype=torch.float64), torch.tensor(2)],
    "halves": [torch.tensor(1.5, dtype=torch.float16)], "complex": [1, 1j],
    "row and None": [[1, 2], None], "row and number": [[1, 2], 2.5], "cube": [[[1, 2]], [3]],
}  # fmt: skip
for name, data in DATA.items():
    attempt(name, lambda: torch.tensor(data))
    attempt(f"{name}, float", lambda: torch.tensor(data, dtype=torch.float32))
    attempt(f"{name}, int", lambda: torch.tensor(data, dtype=torch.int32))
for data in ({}, None, {1}, Other(), len):
    attempt(f"old {type(data).__name__}", lambda: torch.FloatTensor(data))
attempt("large", lambda: torch.tensor(2**70, dtype=torch.float64))
attempt("large in list", lambda: torch.tensor([2**70], dtype=torch.float64))
