# Which of several mistakes operators name, what they let pass, and in which words.
import torch

A, inf, nan = torch.ops.aten, float("inf"), float("nan")


def f(*sizes, dtype=torch.float32):
    return torch.arange(1, 1 + torch.Size(sizes).numel(), dtype=torch.float32).remainder(5).reshape(sizes).to(dtype)


def i(*sizes):
    return torch.ones(sizes, dtype=torch.int32)


c, d, h, n = torch.complex64, torch.float64, torch.float16, i(3).long()
calls = """
A.linalg_lu(f(3, 3), pivot=False)|A.linalg_lu(f(0, 0), pivot=False)|A.lu_unpack(f(3, 3), i(2))|A.lu_unpack(f(3, 3), i(3) * 4)
A.linalg_lu_solve(f(3, 3), n, f(3, 2, dtype=d))|A.linalg_lu_solve(f(3, 2), n, f(3, 2))|A.linalg_lu_solve(f(3, 3), i(), f(3, 2))
A.linalg_lu_solve(f(3, 3), i(1, 3), f(3, 2))|A.linalg_lu_solve(f(3, 3), i(3) * 4, f(3, 2))|A.linalg_lu_solve(f(3, 3), i(3) * 4, f(3, 0))
A.linalg_ldl_solve(f(3, 3), i(2).float(), f(3, 2))|A.linalg_ldl_solve(f(3, 3), i(3).float(), f(3, 2))
A.linalg_ldl_solve(f(3, 3), i(3), f(4, 2))|A.triangular_solve(f(3, 2), f(4, 4))|A.triangular_solve(f(3), f(3, 3))
A.cholesky_solve(f(3, 2), f(3, 4))|A.linalg_solve(f(3, 3), f(3), left=False)|A.linalg_solve(f(1, 1), f(1), left=False)
A.linalg_solve_triangular(f(2, 2), i(2, 2), upper=True)|A.linalg_householder_product(f(4, 3), f(4, dtype=d))
A.linalg_householder_product(f(2, 4, 3), f(1, 3))|A.ormqr(f(3, 3), f(2), f(4, 3))|A.ormqr(f(2, 3, 3), f(2, 3), f(3, 3))
A.linalg_matrix_rank.atol_rtol_tensor(f(0, 5), hermitian=True)|A.linalg_matrix_rank.atol_rtol_float(i(2, 2), atol=1.0)
A.pinverse(f(2, 2), nan)|A.linalg_tensorinv(f(2, 2), 5)|A.linalg_tensorsolve(f(2, 3, 6), f(2, 3), [0, -3])
A.trapezoid.x(f(2, 3), f(1, 3), dim=0)|A.trapezoid.x(f(3), f(1, 3, 1))|A.trapezoid.x(f(3), f(1, 3))|A.diff(f(1), -1, 7)|A.diff(f(1), 0, 7)
A.segment_reduce(f(4), "min", offsets=torch.tensor([2, 1]))|A.segment_reduce(f(4), "min", lengths=torch.tensor([4.0]))
A.expand(f(1), [-2, 2])|A.expand(f(5, 1), [-6, 5])|A.expand(f(2, 3).bool(), [3])|A.one_hot(n, -5)|A.split_with_sizes(f(5, 5), [1, 2], -2)
A.unflatten.int(f(8), 0, [-8])|A.unflatten.int(f(8), 0, [3, -1])|A.sum_to_size(f(5), [-2])|A.inner(f(5), i(5))
A.tensordot(f(2, 2), f(2, 2), [-1, 1], [0, 1])|A.kron(f(3, 2).t(), f(2, 2))|A.amin(f(3, 0), [0, -1])|A.amax(f(0), [0, 0])
A.sum.dim_IntList(f(2), [0, 0, 2])|A.rot90(f(2, 2), 1, [1, 7])|A.permute(f(1, 2), [-2, 0])|A.roll(f(2, 0), [1, 2], [0, 9])
A.repeat_interleave.Tensor(f(2))|A.repeat_interleave.Tensor(i(2).short())|A.fft_fftshift(f(), [3])|A.fft_fftshift(f(3), [])
A.fft_rfft(f(3, dtype=h), -2, 9)|A.fft_rfftn(f(3), [])|A.index.Tensor(f(2, 3), [n.bool(), n, n])|A.index.Tensor(f(0, 2), [n])
A.index_put(f(1, 4), [n * 7], f(3, dtype=d))|A.index_put(f(1, 4), [n * 7], f(4, dtype=d))|A.index_put(f(1, 4), [n * 7], f(4))
A._unsafe_masked_index(f(2, 2), f(1, 2, 2) > 1, [n[:2, None], n[:2]], 7)|A._unsafe_masked_index(f(2, 2), f(2, 2) > 1, [f(2)], 7)
A._unsafe_masked_index_put_accumulate(f(2, 2), f(2, 3) > 0, [n, n, n], i(2, 3))|A.addbmm(f(1), f(4, 5, 5), f(5, 5, 2))
A.addbmm(f(2, 2), f(1, 5, 5), f(1, 5, 2))|A.addbmm(f(1), f(1, 5, 5, dtype=d), f(1, 5, 2))|A.bmm(i(2, 0, 1), f(2, 1, 3))
A.bmm(f(1, 2, 2).bool(), f(1, 2, 2))|A.baddbmm(f(3, 1, 1), f(2, 2, 2, dtype=d), f(2, 2, 2))|A.nanmedian(i(0).short())
A.linalg_vector_norm(f(1), nan)|A.linalg_vector_norm(f(), 2, [0, -1])|A.isclose(f(3), f(4), nan)|A.renorm(f(2, 2), 2, 1, nan)
A.logdet(f(1, 1, dtype=c) * 0)|A.mean(torch.tensor(complex(0, inf)))|torch.tensor(1j) - torch.tensor(complex(0, inf))|A.cat([f(0), f(0)], 7)
A.nonzero(f(3) * 0).stride()|torch.zeros(2, pin_memory=True)|A.quantile.scalar(f(3), 1e10)
""".strip()
for call in calls.replace("\n", "|").split("|"):
    try:
        print(call, "->", eval(call))
    except Exception as error:
        print(call, "->", type(error).__name__, "|", str(error).split("\nException raised")[0])
