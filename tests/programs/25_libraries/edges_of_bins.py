"""Edges of bins are numbers of the dtype; the last index that does not fit is the one that is told."""

import math

import torch
import torch.nn.functional as F

angles = torch.atan2(torch.tensor([0.0, -0.0, 1.0, -1.0, 0.0]), torch.tensor([-1.0, -1.0, 0.0, 0.0, 1.0]))
print(torch.histc(angles, bins=8, min=-math.pi, max=math.pi))
print(torch.histc(angles.double(), bins=8, min=-math.pi, max=math.pi))
print(torch.histc(torch.tensor([0.1, 0.2, 0.3]), bins=2, min=0.1, max=0.3))
try:
    F.max_unpool1d(torch.ones(1, 1, 3), torch.tensor([[[9, 1, 7]]]), 2)
except RuntimeError as error:
    print(error)
