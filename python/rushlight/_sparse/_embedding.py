"""Gradients of tables whose rows are looked up: sparse ones, with a place for every row that was used."""

import sys

import rushlight as torch

from .. import _rushlight
from ..autograd import _engine
from ._tensor import COO, SparseTensor

_LEVELS = __package__.removesuffix("_sparse") + "_functorch._levels"


def is_wanted(table):
    """Whether the gradient of a table is sparse where that is asked for: of a leaf, outside of transforms and traces."""
    if not (table.requires_grad and table.is_leaf and torch.is_grad_enabled()) or _rushlight.is_tracing():
        return False
    levels = sys.modules.get(_LEVELS)
    return levels is None or not levels.current()


class _LookUp:
    """What the runs backwards through one call need."""

    def __init__(self, table, places, padding_row, refusal):
        self.table, self.padding_row, self.refusal = table, padding_row, refusal
        self.places = places.reshape(-1).to(torch.int64)
        self.freed = False

    def begin(self):
        """Refuses a second run through what was not kept."""
        if self.freed:
            raise RuntimeError(_engine.FREED)
        run = _engine.current()
        self.freed = run is not None and not run.retains
        if self.refusal:
            raise RuntimeError(self.refusal)

    def give(self, rows):
        """The gradient of the table from those of the rows: what goes from node to node is dense, so the run gets it at once."""
        places, rows = self.places, rows.detach()
        if self.padding_row >= 0:
            kept = places != self.padding_row
            places, rows = places[kept], rows[kept]
        gradient = SparseTensor(COO, places.unsqueeze(0), rows, self.table.shape)
        run = _engine.current()
        return _engine.add_sparse(self.table, gradient) if run is None else run.add_sparse(self.table, gradient)


def _refusal(scale_grad_by_freq):
    return "embedding_backward: scale_grad_by_freq not supported with sparse gradients" if scale_grad_by_freq else None


def embedding(weight, input, padding_row, scale_grad_by_freq):
    """Rows of a table that is a leaf; its gradient is sparse."""
    call = _LookUp(weight, input, padding_row, _refusal(scale_grad_by_freq))

    def run(gradients):
        call.begin()
        (gradient,) = gradients
        return [None if gradient is None else call.give(gradient.reshape(-1, gradient.shape[-1]))]

    with torch.no_grad():
        rows = torch.embedding(weight, input, padding_row)
    _rushlight.record_custom("EmbeddingBackward0", [weight], [rows], run, [])
    return rows


def embedding_bag(weight, input, offsets, scale_grad_by_freq, mode, per_sample_weights, include_last_offset, padding_row):
    """Sums or means of rows of a table that is a leaf; its gradient is sparse."""
    call = _LookUp(weight, input, padding_row, _refusal(scale_grad_by_freq))
    scales = per_sample_weights
    with torch.no_grad():
        bags, _, _, _ = torch.embedding_bag(
            weight, input, offsets, False, mode, False, scales, include_last_offset, padding_row if padding_row >= 0 else None,
        )
    starts = offsets[:-1] if include_last_offset else offsets
    bag = torch.searchsorted(starts, torch.arange(len(call.places), dtype=starts.dtype), right=True) - 1
    counted = call.places != padding_row
    means = mode == 1

    def run(gradients):
        call.begin()
        (gradient,) = gradients
        if gradient is None:
            return [None] * (1 if scales is None else 2)
        rows = gradient[bag]
        if means:
            rows = rows / torch.bincount(bag[counted], minlength=len(starts)).clamp(min=1)[bag].unsqueeze(1)
        if scales is None:
            return [call.give(rows)]
        of_scales = torch.where(counted, (rows * weight[call.places]).sum(1), 0).to(scales.dtype)
        return [call.give(rows * scales.unsqueeze(1)), of_scales if scales.requires_grad else None]

    _rushlight.record_custom("EmbeddingBagBackward0", [weight] if scales is None else [weight, scales], [bags], run, [])
    return bags
