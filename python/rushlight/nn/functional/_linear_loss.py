"""Cross entropy of a linear layer's results, at once or piece by piece."""

import warnings
from typing import Optional

import rushlight as torch

from ..._rushlight import Tensor
from ._loss import cross_entropy

__all__ = ["linear_cross_entropy"]


def _shape(shape):
    return "(" + ", ".join(str(size) for size in shape) + ("," if len(shape) == 1 else "") + ")"


def _check(input, weight, target, bias, class_weight, reduction, ignore_index, smoothing):
    """Refuses what does not fit together; gives the sizes between classes and features of the weight."""
    if weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {weight.dim()}")
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    classes, *outs, features = weight.shape
    if input.shape[-1] != features:
        raise RuntimeError(
            f"expected equal input and linear_weight last dimensions (in_features), got {input.shape[-1]} and {features}, respectively"
        )
    if outs and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {_shape(weight.shape)} requires batched input, (N, {features}), "
            f"got unbatched input with shape {_shape(input.shape)}"
        )
    if bias is not None and tuple(bias.shape) != (classes, *outs):
        raise RuntimeError(f"expected linear_bias shape {_shape((classes, *outs))}, got {_shape(bias.shape)}")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if ignore_index is not None and target.is_floating_point():
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    return outs


def _logits(input, weight, bias, outs):
    classes, features = weight.shape[0], weight.shape[-1]
    flat = torch.nn.functional.linear(input, weight.reshape(-1, features), None if bias is None else bias.reshape(-1))
    return flat.reshape(*input.shape[:-1], classes, *outs)


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Optional[Tensor] = None,
    weight: Optional[Tensor] = None,
    reduction: str = "mean",
    ignore_index: Optional[int] = None,
    label_smoothing: float = 0.0,
    options: "Optional[torch.nn.LinearCrossEntropyOptions]" = None,
) -> Tensor:
    """Cross entropy of ``linear(input, linear_weight, linear_bias)``, shape (N, C, d1, ...), and ``target``.

    With ``options`` the batch goes through in pieces, each with its gradients, so that the logits of one piece are in
    memory at most. With ``reduction="none"`` that holds for the losses: their gradients are computed of the whole batch.
    """
    outs = _check(input, linear_weight, target, linear_bias, weight, reduction, ignore_index, label_smoothing)
    ignored = -100 if ignore_index is None else ignore_index
    if options is not None and _is_chunkable(input, target, outs, reduction, label_smoothing, linear_bias):
        if options.acc_dtype is not None and options.acc_dtype != input.dtype and input.dtype not in (torch.float16, torch.bfloat16):
            raise RuntimeError(
                "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
                f"{options.acc_dtype} acc_dtype and {input.dtype} inputs."
            )
        return _Chunked.apply(input, linear_weight, target, linear_bias, weight, reduction, ignored, options)
    logits = _logits(input, linear_weight, linear_bias, outs)
    return cross_entropy(logits, target, weight=weight, ignore_index=ignored, reduction=reduction, label_smoothing=label_smoothing)


def _is_chunkable(input, target, outs, reduction, smoothing, bias):
    tracing = torch.jit.is_tracing()
    fits = target.dtype == torch.int64 or (target.dtype == input.dtype and not target.requires_grad)
    if fits and not smoothing and not outs and not tracing:
        return True
    shape = None if bias is None else _shape(bias.shape)
    warnings.warn(
        "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, label_smoothing == 0, "
        "target.dtype == int64 (or a probability target with dtype matching input and requires_grad == False), out_features == (). "
        f"Got reduction={reduction!r}, label_smoothing={smoothing}, target.dtype={target.dtype}, out_features={tuple(outs)}, "
        f"tracing={tracing}, target.requires_grad={target.requires_grad}, linear_bias.shape={shape}.",
        stacklevel=3,
    )
    return False


class _Chunked(torch.autograd.Function):
    """Losses of pieces of a batch; where they are a single number, gradients are computed with them."""

    @staticmethod
    def forward(ctx, input, weight, target, bias, class_weight, reduction, ignored, options):
        batch, goal = (input, target) if input.dim() == 2 else (input[None], target[None])
        rows = options.rows(weight.shape[1])
        wanted = [ctx.needs_input_grad[0], ctx.needs_input_grad[1], bias is not None and ctx.needs_input_grad[3]]
        leaves = [weight.detach().requires_grad_(wanted[1]), None if bias is None else bias.detach().requires_grad_(wanted[2])]
        of_batch, sums, losses = [], [None, None], []
        # What a mean is divided by is known only of the whole batch.
        scale = _divisor(batch, goal, class_weight, ignored) if reduction == "mean" else None
        ctx.is_each = reduction == "none"
        for at in range(0, batch.shape[0], rows):
            piece = batch[at : at + rows].detach().requires_grad_(wanted[0])
            with torch.enable_grad():
                logits = torch.nn.functional.linear(piece, *leaves)
                loss = cross_entropy(
                    logits, goal[at : at + rows], weight=class_weight, ignore_index=ignored, reduction="none" if ctx.is_each else "sum"
                )
                loss = loss if scale is None else loss / scale
            losses.append(loss.detach())
            if any(wanted) and not ctx.is_each:
                asked = [leaf for leaf, is_wanted in zip([piece, *leaves], wanted) if is_wanted]
                found = iter(torch.autograd.grad(loss, asked))
                if wanted[0]:
                    of_batch.append(next(found))
                for k in (0, 1):
                    if wanted[k + 1]:
                        part = next(found)
                        sums[k] = part if sums[k] is None else sums[k].add_(part)
        ctx.keeps = options.allow_retain_graph
        if ctx.is_each:
            ctx.arguments = (input, weight, target, bias, class_weight, ignored)
            out = torch.cat(losses)
            return out if input.dim() == 2 else out[0]
        ctx.gradients = [torch.cat(of_batch).reshape(input.shape) if of_batch else None, *sums]
        return torch.stack(losses).sum() if losses else batch.new_full((), 0.0 if reduction == "sum" else float("nan"))

    @staticmethod
    def backward(ctx, grad):
        if ctx.is_each:
            input, weight, target, bias, class_weight, ignored = ctx.arguments
            leaves = [t if t is None else t.detach().requires_grad_(True) for t in (input, weight, bias)]
            with torch.enable_grad():
                loss = cross_entropy(
                    torch.nn.functional.linear(*leaves), target, weight=class_weight, ignore_index=ignored, reduction="none"
                )
            found = torch.autograd.grad(loss, [leaf for leaf in leaves if leaf is not None], grad)
            return found[0], found[1], None, found[2] if bias is not None else None, None, None, None, None
        if ctx.gradients is None:
            raise RuntimeError(
                "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward are not supported."
            )
        of_input, of_weight, of_bias = [None if g is None else g * grad for g in ctx.gradients]
        if not ctx.keeps:
            ctx.gradients = None
        return of_input, of_weight, None, of_bias, None, None, None, None


def _divisor(batch, target, class_weight, ignored):
    if target.is_floating_point():
        return batch.shape[0]
    kept = target[target != ignored]
    return kept.numel() if class_weight is None else class_weight[kept].sum()
