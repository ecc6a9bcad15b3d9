"""Matrices that have no inverse, factor or singular values raise `torch.linalg.LinAlgError`, or leave what is not finite."""

import torch


def tell(name, run):
    try:
        print(name, run())
    except RuntimeError as error:
        print(name, type(error).__name__, isinstance(error, torch.linalg.LinAlgError), str(error).strip().split("\n")[-1])


ZERO, ONE = torch.zeros(2, 2), torch.eye(2)
BATCH = torch.stack([ONE, ZERO])
UNKNOWN = torch.full((2, 2), float("nan"))
print(torch.linalg.LinAlgError.__mro__[:2], torch._C._LinAlgError is torch.linalg.LinAlgError)
tell("cholesky", lambda: torch.linalg.cholesky(-ONE))
tell("cholesky_ex", lambda: torch.linalg.cholesky_ex(torch.stack([ONE, -ONE]), check_errors=True))
tell("cholesky_inverse", lambda: torch.cholesky_inverse(BATCH))
tell("inv", lambda: torch.linalg.inv(ZERO))
tell("inv_ex", lambda: torch.linalg.inv_ex(ZERO))
tell("inv_ex checked", lambda: torch.linalg.inv_ex(BATCH, check_errors=True))
tell("inverse", lambda: BATCH.inverse())
tell("solve", lambda: torch.linalg.solve(ZERO, torch.ones(2)))
tell("solve_ex", lambda: torch.linalg.solve_ex(ZERO, torch.ones(2, 1), check_errors=True))
tell("solve_triangular", lambda: torch.linalg.solve_triangular(ZERO, ONE, upper=True))
tell("tensorinv", lambda: torch.linalg.tensorinv(ZERO.reshape(2, 1, 2, 1)))
tell("tensorsolve", lambda: torch.linalg.tensorsolve(ZERO, torch.ones(2)))
tell("matrix_power", lambda: torch.linalg.matrix_power(ZERO, -1))
tell("lu_factor", lambda: torch.linalg.lu_factor(BATCH))
tell("lu_factor_ex", lambda: torch.linalg.lu_factor_ex(ZERO, check_errors=True))
tell("lu", lambda: torch.linalg.lu(ZERO))
tell("svd", lambda: torch.linalg.svd(torch.stack([ONE, UNKNOWN])))
tell("svdvals", lambda: torch.linalg.svdvals(torch.tensor([[1.0, float("inf")], [0.0, 1.0]])))
tell("matrix_rank", lambda: torch.linalg.matrix_rank(UNKNOWN))
tell("cond", lambda: torch.linalg.cond(UNKNOWN))
tell("pinv", lambda: torch.linalg.pinv(UNKNOWN))
tell("eigh", lambda: torch.linalg.eigh(UNKNOWN))
tell("det", lambda: torch.linalg.det(ZERO))


@torch.jit.script
def inverse(x: torch.Tensor):
    return torch.linalg.inv(x)


tell("script", lambda: inverse(ZERO))
