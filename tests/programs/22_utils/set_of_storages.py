# Tensors over storages: set_ of bytes and of elements.
import warnings

import torch

warnings.simplefilter("ignore")
x = torch.arange(12.0)
bytes_of_x = x.untyped_storage()
y = torch.empty(0)
print(y.set_(bytes_of_x).tolist(), y.set_(bytes_of_x, 2, (2, 3), (4, 1)).tolist(), y.storage_offset(), y.data_ptr() == x.data_ptr() + 8)
y[0, 0] = 70
print(x[2].item(), y.set_(source=bytes_of_x, storage_offset=1, size=(3,), stride=(3,)).tolist(), y.is_set_to(y))
print(y.set_(x.storage()).shape, y.set_(x[4:].untyped_storage(), 1, [2]).tolist(), y.set_(x[4:]).tolist())
print(torch.empty(0, dtype=torch.int32).set_(bytes_of_x, 1, (1,)).item(), torch.empty(0, dtype=torch.uint8).set_(bytes_of_x)[4:8].tolist())
print(torch.tensor([]).set_(torch.UntypedStorage(8)).shape, y.set_())
for source in (x.int().storage(), x.bool().storage(), 3):
    try:
        torch.empty(0).set_(source)
    except (RuntimeError, TypeError) as problem:
        print(type(problem).__name__, str(problem)[:80] if source != 3 else "")
