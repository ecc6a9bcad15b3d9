# What becomes of operators and of new memory where a program wants the same results in every run.
import warnings

import torch
import torch.nn.functional as F


def attempt(name, call):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            print(name, call())
        except Exception as error:
            print(name, type(error).__name__, str(error))
        for warning in heard:
            print("  ", str(warning.message).split(" (Triggered")[0])


x = torch.arange(6.0)
place = torch.tensor([0, 0])
calls = {
    "put": lambda: x.clone().put_(place, torch.ones(2)),
    "put, added": lambda: x.clone().put_(place, torch.ones(2), accumulate=True),
    "unpool": lambda: F.max_unpool2d(torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1).long(), 2),
    "index_add": lambda: torch.zeros(2).index_add(0, place, torch.ones(2)),
}
made = {
    "empty": lambda: torch.empty(2),
    "int16": lambda: torch.empty(2, dtype=torch.int16),
    "uint8": lambda: torch.empty(2, dtype=torch.uint8),
    "bool": lambda: torch.empty(2, dtype=torch.bool),
    "complex": lambda: torch.empty(1, dtype=torch.cfloat),
    "empty_like": lambda: torch.empty_like(torch.ones(2, dtype=torch.int64)),
    "new_empty": lambda: x.new_empty(2),
    "empty_strided": lambda: torch.empty_strided((2,), (1,)),
    "resize_": lambda: torch.ones(2).resize_(4),
    "Tensor": lambda: torch.Tensor(2),
}
for warn_only in (False, True):
    torch.use_deterministic_algorithms(True, warn_only=warn_only)
    print(torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled(), torch.get_deterministic_debug_mode())
    for name, call in (calls | made).items():
        attempt(name, call)
print(torch.utils.deterministic.fill_uninitialized_memory)
torch.utils.deterministic.fill_uninitialized_memory = False
print(torch.utils.deterministic.fill_uninitialized_memory)


def set_number():
    torch.utils.deterministic.fill_uninitialized_memory = 3


attempt("number", set_number)
torch.utils.deterministic.fill_uninitialized_memory = True
for mode in ("warn", 2, "default", "bad", 7, 1.0):
    attempt(mode, lambda: torch.set_deterministic_debug_mode(mode))
    print(torch.get_deterministic_debug_mode())
