# randperm, bernoulli, multinomial and in-place fills from one seed
import torch

torch.manual_seed(9)
print(torch.randperm(8))
print(torch.bernoulli(torch.full((2, 4), 0.5)))
print(torch.empty(4).uniform_(-1, 1))
print(torch.empty(4).normal_(10, 2))
print(torch.empty(5, dtype=torch.int64).random_(100))
print(torch.randint(-5, 5, (2, 3)), torch.rand_like(torch.zeros(2)))
print(torch.empty(3).exponential_(2.0))
