"""Gradients of tables whose rows are looked up: sparse ones, with a place for every row that was used."""

import rushlight as torch

from ._tensor import COO, SparseTensor


class Embedding(torch.autograd.Function):
    """Rows of a table that is a leaf; its gradient is sparse."""

    @staticmethod
    def forward(ctx, weight, input, padding_row, scale_grad_by_freq):
        """The rows."""
        ctx.table, ctx.padding_row, ctx.scale_grad_by_freq = weight, padding_row, scale_grad_by_freq
        ctx.save_for_backward(input)
        return torch.embedding(weight, input, padding_row)

    @staticmethod
    def backward(ctx, gradient):
        """Adds to the gradient of the table itself: what goes from node to node is dense."""
        (input,) = ctx.saved_tensors
        places, rows = input.reshape(-1).to(torch.int64), gradient.reshape(-1, gradient.shape[-1])
        if ctx.padding_row >= 0:
            kept = places != ctx.padding_row
            places, rows = places[kept], rows[kept]
        if ctx.scale_grad_by_freq:
            _, groups, counts = torch.unique(places, return_inverse=True, return_counts=True)
            rows = rows / counts[groups].unsqueeze(1)
        add_gradient(ctx.table, SparseTensor(COO, places.unsqueeze(0), rows.detach(), ctx.table.shape))
        return None, None, None, None


def add_gradient(tensor, gradient):
    """Adds a sparse gradient to ``.grad``."""
    before = tensor.grad
    tensor.grad = gradient if before is None else before + gradient


def embedding(weight, input, padding_row, scale_grad_by_freq):
    """Rows of a table; where it is a leaf, its gradient is sparse."""
    return Embedding.apply(weight, input, padding_row, scale_grad_by_freq)
