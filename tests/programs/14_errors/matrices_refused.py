# What operators on matrices refuse, in the reference's words.
import torch

L = torch.linalg
e, v, r, s = torch.eye(2), torch.ones(2), torch.ones(2, 3), torch.tensor(1.0)
i, b, t = torch.ones(2, 2, dtype=torch.int64), torch.eye(2).bfloat16(), torch.ones(2, 2, 3)
calls = """
L.multi_dot([])|L.multi_dot([e])|L.multi_dot([e, r, r])|L.multi_dot([v, v, v])|L.multi_dot([e, v, e])|L.multi_dot([e, e.double()])
L.multi_dot([s, e])|L.multi_dot([e, torch.ones(3)])|L.multi_dot([torch.ones(3), e])|L.multi_dot([e, e, torch.ones(1, 1, 1)])
L.multi_dot([e, torch.ones(1, 1, 1), e])|L.multi_dot([r, r])|L.multi_dot([v, torch.ones(3)])|torch.chain_matmul(v, e)
torch.chain_matmul(e, torch.ones(3, 3))|torch.chain_matmul(e)|L.eigh(r)|L.eigh(v)|L.eigh(i)|L.eigh(b)|L.eigvalsh(i)|L.eigvals(r)
L.eigvals(v)|L.eigvals(i)|L.eig(i)|L.lu(v)|L.lu_factor(v)|L.lu(i)|L.lu_factor(b)|torch.trace(v)|torch.trace(torch.ones(2, 2, 2))
torch.trace(e.bool())|torch.trace(s)|torch.trace(i)|L.matrix_power(r, 2)|L.matrix_power(v, 2)|L.matrix_power(s, 0)
L.matrix_power(torch.zeros(2, 2), -1)|L.matrix_power(i, -1)|L.matrix_power(b, -2)|L.matrix_power(r, -1)|L.matrix_power(i, 2)
L.solve(e, torch.ones(3))|L.solve(e, torch.ones(3, 2))|L.solve(torch.ones(2, 3, 3), torch.ones(2, 4, 1))|L.solve(v, v)
L.solve_triangular(v, e, upper=True)|L.solve_triangular(e, v, upper=True)|L.solve_triangular(e, torch.ones(3, 2), upper=True)
L.solve_triangular(e, torch.ones(2, 3), upper=True, left=False)|L.lstsq(e, torch.ones(3))|L.lstsq(e, torch.ones(3, 1))
L.lstsq(e, v, driver="x")|L.lstsq(i, i)|L.norm(t, ord="fro")|L.norm(t, ord=2)|L.norm(s, ord="nuc")|L.vector_norm(e, dtype=torch.int64)
L.cond(v)|L.cond(r, p=1)|L.cond(r, p="fro")|L.cond(r, p=float("inf"))|L.cond(e, p="x")|L.cond(e, p=3)|L.cond(e, p=1.5)
L.matrix_rank(s)|L.matrix_rank(i)|L.matrix_rank(b)|L.pinv(v)|L.pinv(i)|torch.pinverse(v)|L.vecdot(v, torch.ones(3))
L.vecdot(r, torch.ones(2, 2))|L.tensorinv(e, ind=0)|L.tensorinv(e, ind=-1)|L.vander(v, N=1)|L.householder_product(e, v.double())
""".strip()
for call in calls.replace("\n", "|").split("|"):
    try:
        print(call, "->", eval(call))
    except Exception as error:
        print(call, "->", type(error).__name__, "|", error)
