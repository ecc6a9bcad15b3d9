# sizes around the vector boundary, dtypes, strides and mixed calls
import torch

for n in (1, 7, 15, 16, 17, 31, 32, 33):
    torch.manual_seed(n)
    print(n, torch.randn(n)[-1].item(), torch.rand(n)[-1].item(), torch.randn(n, dtype=torch.float64)[-1].item(), torch.randint(0, 1000, (n,))[-1].item())
torch.manual_seed(0)
for dt in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128):
    print(torch.randn(2, dtype=dt), torch.rand(2, dtype=dt), torch.randn(17, dtype=dt)[-1])
for dt in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    print(torch.randint(0, 100, (3,), dtype=dt), torch.empty(2, dtype=dt).random_(), torch.empty(2, dtype=dt).random_(50), torch.empty(2, dtype=dt).random_(-5, 5) if dt != torch.uint8 else "", torch.randperm(4, dtype=dt))
a = torch.zeros(4, 4)
a.t().normal_()
print(a)
a[:, 1].uniform_()
a[0].exponential_(2.0)
print(a)
print(torch.empty(20).normal_(5, 0.1)[-3:], torch.empty(5, 4).t().uniform_(2, 3)[0])
print(torch.normal(torch.zeros(3), torch.tensor([1.0, 2.0, 0.0])), torch.normal(torch.arange(4.), 0.1), torch.normal(1.0, torch.tensor([0.5, 0.25])))
print(torch.bernoulli(torch.rand(6)), torch.bernoulli(torch.zeros(3) + 0.5, 0.9), torch.empty(4).bernoulli_(torch.tensor([0.0, 1.0, 0.5, 0.5])))
print(torch.multinomial(torch.arange(1., 5.), 4), torch.multinomial(torch.arange(1., 5.), 10, replacement=True), torch.multinomial(torch.ones(2, 3), 2))
print(torch.poisson(torch.tensor([[0.0, 1.0], [50.0, 1e3]])), torch.binomial(torch.tensor([5., 100.]), torch.tensor([0.5, 0.1])))
print(torch.empty(3).cauchy_(1, 2), torch.empty(3).log_normal_(1, 2), torch.empty(3).geometric_(0.9), torch.empty(3).exponential_())
print(torch.rand(0), torch.randn(()), torch.randint(5, ()), torch.randperm(0), torch.randperm(1), torch.rand(2, 0))
print(torch.randint(2 ** 31, 2 ** 33, (2,)), torch.randint(-2 ** 63, 2 ** 63 - 1, (2,)), torch.randint(0, 2, (5,), dtype=torch.bool))
print(torch.nn.functional.dropout(torch.ones(17), 0.5), torch.dropout(torch.ones(4), 0.9, True), torch.nn.functional.dropout1d(torch.ones(1, 5, 2), 0.5))
print(torch.rand(3, generator=torch.Generator().manual_seed(2 ** 40)), torch.rand(1, generator=torch.Generator().manual_seed(-5)))
