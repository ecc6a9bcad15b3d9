"""Tensors of NumPy's scalars: the memory is theirs for as long as they live."""

import numpy as np
import torch

kept = [torch.as_tensor(np.float32(i) / 2) for i in range(6)]
more = [torch.asarray(np.int64(i * i)) for i in range(6)]
junk = [np.float32(99.0) for _ in range(1000)]
print(kept, more, len(junk))
print([torch.as_tensor(v) for v in (np.float64(0.25), np.int16(3), np.bool_(True), np.complex64(1 + 2j))])
