# Strides of what einsum gives, which a view that follows asks for.

import torch

torch.manual_seed(0)
SIZES = dict(zip("abcdhijklnow", (2, 3, 4, 5, 3, 2, 3, 4, 5, 2, 4, 5)))
EQUATIONS = """
ij->ji  bij->ji  bij->bji  ij->j  ij->i  i,j->ji  i,j->ij  ij,jk->ki  ij,jk->ik  bij,bjk->bki  bij,bjk->kbi
bij,bjk->bik  nchw,oc->nohw  ab,cd->dbca  ij,kj->ki  ij,kj->ik  ij,ij->ji  ij,ij->ij  ii->i  abc,cd->dab  abc,cd->abd
abc,abd->dca  bhid,bhjd->bhij  bhij,bhjd->bhid  ab,ab->ba  ab,b->ba  ab,b->ab  a,ab->b  abcd->dcba  abcd->adcb
abc->bc  abc->cb  i,i->  ij,j->i  ij,i->j  ij,k->kji  ij,k->ijk  bij,jk->bki  bij,bi->bj  bij,bi->jb
""".split()


def operands(equation):
    return [torch.rand([SIZES[c] for c in term]) for term in equation.split("->")[0].split(",")]


for equation in EQUATIONS:
    result = torch.einsum(equation, *operands(equation))
    print(equation, tuple(result.shape), result.stride(), f"{result.sum().item():.3f}")


@torch.jit.script
def flat(x, y):
    return torch.einsum("ij,jk->ki", x, y).view(-1)


x, y = torch.rand(3, 4), torch.rand(4, 5)
print(torch.allclose(flat(x, y), (x @ y).t().reshape(-1)))
print(torch.einsum("ij->j", torch.ones(2, 3, dtype=torch.bool)))
print(torch.einsum("i,j->ji", torch.tensor([True, False]), torch.tensor([True, True])))
print(torch.einsum("ij,j->i", torch.arange(6).view(2, 3), torch.arange(3)))
for call in (
    lambda: torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(3, 2, dtype=torch.float64)),
    lambda: torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(4, 2)),
):
    try:
        print(call())
    except RuntimeError as error:
        print(str(error).splitlines()[0])
