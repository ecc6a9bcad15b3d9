"""Arguments that pools and convolutions refuse, and means of tensors of any number of dimensions."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def attempt(run):
    try:
        print(run())
    except (RuntimeError, IndexError, TypeError) as error:
        print(f"<<{type(error).__name__}>>")
        print(error)
        print("<<end>>")


x = torch.arange(16.0).view(1, 1, 4, 4)
for pool in F.max_pool2d, F.avg_pool2d:
    for args in (2, -1), (2, 0), (-2,), (0, 1), ((2, 0), 1), (2, 1, -1), ((1, 2), (1, -1)):
        attempt(lambda: pool(x, *args))
attempt(lambda: F.max_pool2d(x, 2, 1, dilation=(1, -1)))
for pool in F.max_pool3d, F.avg_pool3d:
    for args in (2, -1), (-2,), ((0, 1, 1), 1), (5,):
        attempt(lambda: pool(x[None], *args))
attempt(lambda: F.avg_pool3d(x[None], 2, 1, 1))
row = x[0, :, 0]
for args in (2,), (3, 1, 1, True, False), (2, 0), (2, -1), (-2,), (5,), ((2, 2),), (2, (1, 1)):
    attempt(lambda: F.avg_pool1d(row, *args))
attempt(lambda: F.avg_pool1d(torch.ones(2), 2))
attempt(lambda: F.adaptive_avg_pool2d(torch.ones(2), 1))
attempt(lambda: F.adaptive_avg_pool2d(torch.ones(2, 3), 1))
attempt(lambda: F.adaptive_avg_pool2d(torch.ones(2, 1, 1, 2, 2), 1))
attempt(lambda: F.adaptive_avg_pool3d(torch.ones(2, 2, 2), 1))
attempt(lambda: F.adaptive_avg_pool2d(torch.ones(2), 2))
attempt(lambda: F.conv2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 0)))
attempt(lambda: F.conv1d(torch.ones(1, 1, 2), torch.ones(1, 1, 0)))
attempt(lambda: F.conv3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 1, 0, 1)))
attempt(lambda: nn.Softmax(dim="a"))
attempt(lambda: nn.LogSoftmax(dim=True))
attempt(lambda: nn.Conv2d(1, 1, (3, 3, 3)))
