# floats: common exponents, specials, empty and nested shapes, other dtypes
import torch

print(torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.5, 1e5, -3.25]))
print(torch.tensor([1e-6, 1.0]), torch.tensor([1e9, 1.0]), torch.tensor([0.1, 123456.789]))
print(torch.tensor([float("nan"), float("inf"), -1.0]), torch.tensor([float("nan")]))
print(torch.tensor(3.14159), torch.tensor(7), torch.tensor(True), torch.tensor([]))
print(torch.zeros(2, 0), torch.ones(1, 1, 1), torch.zeros(0, dtype=torch.int32))
print(torch.tensor([0.5, 0.25], dtype=torch.float16), torch.tensor([3.0], dtype=torch.bfloat16))
print(torch.tensor([1.0, 1 / 3], dtype=torch.float64))
print(torch.tensor([1 + 2j, -0.5j]))
print(torch.arange(12.0).reshape(3, 2, 2) / 8)
print(torch.linspace(0, 1, 1200))
print(torch.ones(2, 2).t().expand(2, 2, 2))
