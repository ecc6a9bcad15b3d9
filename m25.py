import torch

def square(x: int) -> int:
    return x * x

def main():
    a = torch.jit.fork(square, 3)
    b = torch.jit.fork(square, 4)
    print(torch.jit.wait(a) + torch.jit.wait(b))
