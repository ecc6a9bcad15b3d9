"""Softmax over many classes, the rare ones in clusters."""

from typing import NamedTuple

import rushlight as torch

from ..._library import publish
from ..._rushlight import Tensor
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """The log probability of each target, and the loss."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log probabilities of classes sorted by frequency: the frequent ones directly, the others through their cluster."""

    in_features: int
    n_classes: int
    div_value: float
    head_bias: bool
    head: Linear
    tail: ModuleList

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        cutoffs = _checked_cutoffs(list(cutoffs), n_classes)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = cutoffs + [n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(self.in_features, self.head_size, bias=self.head_bias, **factory)
        self.tail = ModuleList()
        for i, (start, stop) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            width = int(self.in_features // self.div_value ** (i + 1))
            projection = Linear(self.in_features, width, bias=False, **factory)
            self.tail.append(Sequential(projection, Linear(width, stop - start, bias=False, **factory)))

    def reset_parameters(self):
        """Draws the initial weights."""
        self.head.reset_parameters()
        for projection, output in self.tail:
            projection.reset_parameters()
            output.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """The layer's result."""
        _check_ranks(input_, target_)
        is_single = target_.dim() == 0
        input = input_.unsqueeze(0) if is_single else input_
        target = target_.unsqueeze(0) if is_single else target_
        if not bool(((target >= 0) & (target < self.n_classes)).all()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], "
                f"but values in range [{target.min().item()}, {target.max().item()}] were found. "
            )
        # What the head knows of each target: its own probability, or that of its cluster.
        in_head = target.clone()
        in_cluster = input.new_zeros(target.size(0))
        for i, (start, stop) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            rows = ((target >= start) & (target < stop)).nonzero().flatten()
            if rows.numel() > 0:
                in_head.index_fill_(0, rows, self.shortlist_size + i)
                log_prob = F.log_softmax(self.tail[i](input.index_select(0, rows)), dim=1)
                position = target.index_select(0, rows) - start
                in_cluster.index_copy_(0, rows, log_prob.gather(1, position.unsqueeze(1)).squeeze(1))
        head_log_prob = F.log_softmax(self.head(input), dim=1)
        output = in_cluster + head_log_prob.gather(1, in_head.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output.squeeze(0) if is_single else output, loss)

    def _all_log_probs(self, input, head_output):
        """Log probabilities of all classes, from the output of the head."""
        head_log_prob = F.log_softmax(head_output, dim=1)
        parts = [head_log_prob[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            of_cluster = head_log_prob[:, self.shortlist_size + i]
            parts.append(F.log_softmax(cluster(input), dim=1) + of_cluster.unsqueeze(1))
        return torch.cat(parts, dim=1)

    def log_prob(self, input: Tensor) -> Tensor:
        """Log probabilities of all classes."""
        return self._all_log_probs(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The class of the highest probability; where the head decides for all rows, no cluster is asked."""
        head_output = self.head(input)
        best = head_output.argmax(dim=1)
        if bool((best < self.shortlist_size).all()):
            return best
        return self._all_log_probs(input, head_output).argmax(dim=1)


def _checked_cutoffs(cutoffs, n_classes):
    """The cutoffs; refuses what does not split the classes into parts that are not empty."""
    if not cutoffs:
        raise ValueError("cutoffs should be a sequence of length larger than 0")
    edges = [0, *cutoffs, n_classes]
    if any(int(c) != c for c in cutoffs) or any(a >= b for a, b in zip(edges, edges[1:])):
        raise ValueError(
            "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
            "value is between 1 and n_classes-1"
        )
    return cutoffs


def _check_ranks(input: Tensor, target: Tensor) -> None:
    """Refuses what is neither a vector with its class nor a batch of vectors with theirs."""
    rank = target.dim()
    if rank > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if rank == 1 and input.size(0) != target.size(0):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    if input.dim() != rank + 1:
        raise RuntimeError(
            f"{rank}D target tensor expects {rank + 1}D input tensors, but found inputs with size {input.size()}"
        )


publish(globals())
