import torch

print(torch.diff(torch.arange(70000.0), n=288230376151711744))
print(torch.diff(torch.ones(3, 4), n=4, dim=0).shape, torch.diff(torch.tensor([True, False]), n=2))
print(torch.diff(torch.tensor([1.0, 4.0, 9.0, 16.0]), n=2), torch.diff(torch.tensor([1, 2]), n=1, append=torch.tensor([5])))
