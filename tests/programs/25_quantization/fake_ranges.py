# What fake quantization refuses, and zero points outside of the range.
import torch

x = torch.tensor([[0.5, -1.0], [2.0, 0.1]])
whole = torch.fake_quantize_per_tensor_affine
rows = torch.fake_quantize_per_channel_affine


def zeros(*numbers):
    return torch.tensor(numbers, dtype=torch.int32)


def show(made):
    try:
        print(made())
    except Exception as problem:
        print("<<" + type(problem).__name__ + ">>")
        print(str(problem).split("\n")[0])
        print("<<end>>")


scales = torch.tensor([0.1, 0.5])
show(lambda: whole(x, 0.1, 0, 7, 3))
show(lambda: whole(x, 0.1, 9, 0, 5))
show(lambda: whole(x, scales[:1], zeros(9), 0, 5))
show(lambda: whole(x, scales[:1], zeros(9), 5, 0))
show(lambda: whole(x, 0.1, 2, 0, 15))
show(lambda: rows(x, scales, zeros(0, 3), 0, 0, 15))
show(lambda: rows(x, scales, zeros(0, 33), 0, 0, 15))
show(lambda: rows(x, scales, zeros(0, 3), 0, 9, 5))
show(lambda: rows(x, scales, zeros(0), 0, 0, 5))
show(lambda: rows(x, scales[:1], zeros(0), 0, 0, 5))
show(lambda: rows(x, scales, zeros(0, 3).long(), 0, 0, 5))
show(lambda: rows(x, scales.double(), zeros(0, 3), 0, 0, 5))
show(lambda: rows(x, scales.view(1, 2), zeros(0, 3), 0, 0, 5))
show(lambda: rows(x, scales, zeros(0, 3).view(2, 1), 0, 0, 5))
