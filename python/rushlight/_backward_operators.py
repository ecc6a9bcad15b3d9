"""Operators for gradients that PyTorch has beside those of the table: each by the operators that it is made of.

Modes that see operators see them in runs backwards (`utils/_compositions.py`).
"""

import rushlight as torch

from ._custom import registry

_KERNELS = {}


def _defined(schema):
    def add(kernel):
        _KERNELS[schema.partition("(")[0]] = (schema, kernel)
        return kernel

    return add


def define(name):
    """Makes an operator known, and says whether there is such a one."""
    found = _KERNELS.get(name)
    if found is None:
        return False
    if not registry.overloads("aten::" + name):
        schema, kernel = found
        parsed, shown = registry.parse("aten::" + schema)
        made = registry.Defined(parsed, shown, "registered by rushlight")
        made.kernels["CompositeImplicitAutograd"] = kernel
        made.is_seen = True
        registry.add(made)
    return True


def _of_forward(operator, grad_output, x, *further):
    """The gradient of an argument of an operator that has a derivative, from that of the result."""
    with torch.enable_grad():
        given = x.detach().requires_grad_()
        out = operator(given, *further)
    (found,) = torch.autograd.grad(out, [given], grad_output, create_graph=torch.is_grad_enabled() and grad_output.requires_grad)
    return found


@_defined(
    "nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, "
    "Tensor total_weight) -> Tensor"
)
def _nll_loss_backward(grad_output, x, target, weight, reduction, ignore_index, total_weight):
    return _of_forward(torch.ops.aten.nll_loss, grad_output, x, target, weight, reduction, ignore_index)


@_defined(
    "nll_loss2d_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index, "
    "Tensor total_weight) -> Tensor"
)
def _nll_loss2d_backward(grad_output, x, target, weight, reduction, ignore_index, total_weight):
    return _of_forward(torch.ops.aten.nll_loss2d, grad_output, x, target, weight, reduction, ignore_index)


@_defined("mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor")
def _mse_loss_backward(grad_output, x, target, reduction):
    return _of_forward(torch.ops.aten.mse_loss, grad_output, x, target, reduction)


@_defined("smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor")
def _smooth_l1_loss_backward(grad_output, x, target, reduction, beta):
    return _of_forward(torch.ops.aten.smooth_l1_loss, grad_output, x, target, reduction, beta)


@_defined("soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor")
def _soft_margin_loss_backward(grad_output, x, target, reduction):
    return _of_forward(torch.ops.aten.soft_margin_loss, grad_output, x, target, reduction)


@_defined(
    "embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) -> Tensor"
)
def _embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq):
    weight = grad_output.detach().new_zeros((num_weights, grad_output.shape[-1]))
    return _of_forward(torch.ops.aten.embedding, grad_output, weight, indices, padding_idx, scale_grad_by_freq)
