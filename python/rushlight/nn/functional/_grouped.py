"""Products of several matrices that lie in one."""

from typing import Optional

import rushlight as torch
from rushlight import Tensor


def grouped_mm(
    mat_a: Tensor, mat_b: Tensor, *, offs: Optional[Tensor] = None, bias: Optional[Tensor] = None, out_dtype: Optional[torch.dtype] = None
) -> Tensor:
    """The products of groups of matrices.

    Args:
        mat_a, mat_b: matrices, or batches of them; those in one matrix end where ``offs`` says: rows of ``mat_a``, columns of ``mat_b``,
            or, where both are matrices, the dimension that they have in common.
        offs: where each group ends.
        bias: added to each product.
        out_dtype: the dtype of the result.
    """
    if mat_a.dim() == 3 and mat_b.dim() == 3:
        out = torch.bmm(mat_a, mat_b)
    else:
        if offs is None:
            raise RuntimeError("Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d")
        ends = [int(end) for end in offs.tolist()]
        starts = [0] + ends[:-1]
        spans = list(zip(starts, ends))
        if mat_a.dim() == 2 and mat_b.dim() == 2:
            out = torch.stack([mat_a[:, start:end] @ mat_b[start:end] for start, end in spans])
        elif mat_a.dim() == 2:
            out = mat_a.new_zeros((mat_a.size(0), mat_b.size(2)))
            out = _joined(out, [mat_a[start:end] @ mat_b[group] for group, (start, end) in enumerate(spans)], 0)
        else:
            out = mat_a.new_zeros((mat_a.size(1), mat_b.size(1)))
            out = _joined(out, [mat_a[group] @ mat_b[:, start:end] for group, (start, end) in enumerate(spans)], 1)
    if bias is not None:
        out = out + bias
    return out if out_dtype is None else out.to(out_dtype)


def _joined(whole, parts, dim):
    """The parts one after another, and zeros behind them."""
    used = sum(part.shape[dim] for part in parts)
    return torch.cat([*parts, whole.narrow(dim, used, whole.shape[dim] - used)], dim)
