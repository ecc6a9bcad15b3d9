import torch
import torch.nn.functional as F

def main():
    x = torch.arange(6).reshape(2, 3)
    n = int(x.sum())
    k = x.max().item()
    print(n, k, x.shape, x[1, -1])
    print(F.relu(torch.tensor([-1.5, 2.0])))
    x[0] = 7
    x += 1
    print(x)
