# Constants of cmath and torch, devices by the name of their argument, and a dict of nothing.
import cmath

import torch


@torch.jit.script
def numbers():
    return cmath.pi, cmath.e, cmath.tau, cmath.inf, cmath.infj


@torch.jit.script
def schemes():
    return torch.per_tensor_affine, torch.per_tensor_symmetric, torch.per_channel_symmetric, torch.per_channel_affine_float_qparams


@torch.jit.script
def devices():
    return torch.device(type="cpu"), torch.device(type="cuda", index=1), torch.device("cpu")


@torch.jit.script
def nothing():
    return dict([]), dict([], a=1)


print(numbers(), schemes(), devices(), nothing())


class Scheme(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scheme = torch.per_tensor_affine

    def forward(self):
        if self.scheme == torch.per_tensor_symmetric:
            return 3
        return 4


print(torch.jit.script(Scheme())())
