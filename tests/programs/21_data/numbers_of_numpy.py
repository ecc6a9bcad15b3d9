"""Numbers of NumPy become tensors that keep their values, and `as_tensor` and `asarray` heed devices."""

import numpy
import torch
from torch.utils.data import default_convert

kept = [torch.as_tensor(numpy.float32(i) / 2) for i in range(6)] + [torch.asarray(numpy.float32(i) / 2) for i in range(6)]
others = [numpy.float32(100 + i) for i in range(500)]
print(kept, [default_convert(numpy.float32(i) / 2) for i in range(4)])
for number in (numpy.float64(0.25), numpy.int64(7), numpy.float16(2), numpy.bool_(True), numpy.int8(3), numpy.complex64(1j)):
    print(torch.as_tensor(number), torch.as_tensor(number, dtype=torch.complex128), torch.asarray(number, copy=True))
    try:
        torch.asarray(number, copy=False)
    except RuntimeError as error:
        print(error)
array = numpy.arange(3.0)
shared, also = torch.as_tensor(array), torch.asarray(array, copy=False)
array[0] = 9
print(shared, also, torch.as_tensor(array, dtype=torch.float64).data_ptr() == array.ctypes.data)
print(torch.as_tensor([1, 2], device="meta"), torch.as_tensor(array, device="meta"), torch.asarray(array, device="meta"))
print(torch.as_tensor(shared, device="meta"), torch.as_tensor(shared) is shared, torch.as_tensor(shared, device="cpu") is shared)
for source in (shared, array):
    try:
        torch.asarray(source, device="meta", copy=False)
    except ValueError as error:
        print(error)
for wrong in ([1, 2], 3, None, "text"):
    try:
        torch.from_numpy(wrong)
    except TypeError as error:
        print(error)
