# Operators that give gradients, called by their names.
import torch

aten = torch.ops.aten
x = torch.arange(16.0).reshape(1, 1, 4, 4)
small = torch.arange(1.0, 5).reshape(1, 1, 2, 2)
print(aten.avg_pool2d_backward(small, x, [2, 2], [2, 2], [0, 0], False, True, None))
print(aten._adaptive_avg_pool2d_backward(small, x))
print(aten.adaptive_max_pool2d_backward(small, x, torch.tensor([[[[5, 7], [13, 15]]]])))
print(aten.upsample_nearest2d_backward(x, [4, 4], [1, 1, 2, 2]))
print(aten.upsample_bilinear2d_backward(x, [4, 4], [1, 1, 2, 2], False))
print(aten._upsample_nearest_exact3d_backward(x[None], [1, 4, 4], [1, 1, 1, 2, 2]))
print(aten.reflection_pad1d_backward(x[0], x[0, :, :, 1:3], [1, 1]))
print(aten.replication_pad2d_backward(x, small, [1, 1, 1, 1]))
print(aten.unfold_backward(x[0, 0, :3, :2], [4], 0, 2, 1))
print(aten.diagonal_backward(torch.ones(2), [2, 3], 1, 0, 1))
print(aten.glu_backward(torch.ones(2), torch.tensor([1.0, 2, 0, 0]), 0))
print(aten.huber_loss_backward(torch.tensor(1.0), small, small + 2, 1, 1.0))
print(aten.masked_scatter_backward(small, small > 2, [3]))
for part in aten.convolution_backward(small, x, small, [1], [2, 2], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]):
    print(part)
for part in aten._prelu_kernel_backward(small, small - 2, torch.tensor([0.5])):
    print(part)
