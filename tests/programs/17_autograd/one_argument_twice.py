# second derivatives by an argument that a function is given twice
import torch
from torch.autograd import gradcheck, gradgradcheck

torch.manual_seed(0)
a = torch.randn(3, 3, dtype=torch.float64, requires_grad=True)
print(gradcheck(torch.mm, (a, a)))
print(gradgradcheck(torch.mm, (a, a)))
print(gradgradcheck(lambda x, y: x * y * y, (a, a)))
print(gradgradcheck(lambda x, y: torch.einsum("ij,kj,ij->ik", x, y, x), (a, a)))
print(gradgradcheck(torch.linalg.cross, (a, a)))
