"""Operators for gradients that PyTorch has beside those of the table: each by the operators that it is made of.

Modes that see operators see them in runs backwards (`utils/_compositions.py`).
"""

import functools

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


def _of_several(operator, grads, inputs, mask):
    """The gradients of the arguments of an operator that the mask asks for."""
    with torch.enable_grad():
        given = [x.detach().requires_grad_() if wanted and x is not None else x for x, wanted in zip(inputs, mask)]
        out = operator(*given)
    asked = [x for x, wanted in zip(given, mask) if wanted and x is not None]
    keeps = torch.is_grad_enabled() and grads.requires_grad
    found = iter(torch.autograd.grad(out, asked, grads, create_graph=keeps) if asked else ())
    return tuple(next(found) if wanted and x is not None else None for x, wanted in zip(given, mask))


@_defined(
    "convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, "
    "SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"
)
def _convolution_backward(grad, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask):
    def forward(x, weight):
        return torch.convolution(x, weight, None, stride, padding, dilation, transposed, output_padding, groups)

    of_input, of_weight = _of_several(forward, grad, [x, weight], output_mask[:2])
    of_bias = grad.sum([d for d in range(grad.dim()) if d != 1]) if output_mask[2] else None
    return of_input, of_weight, of_bias


@_defined("_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)")
def _prelu_kernel_backward(grad, x, weight):
    return torch.where(x > 0, grad, weight * grad), torch.where(x > 0, torch.zeros_like(grad), x * grad)


@_defined(
    "_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, Tensor value, Tensor out, "
    "Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> "
    "(Tensor grad_query, Tensor grad_key, Tensor grad_value)"
)
def _flash_attention_backward(grad, query, key, value, out, logsumexp, dropout_p, is_causal, attn_mask=None, scale=None):
    def forward(query, key, value):
        return torch.ops.aten.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale)

    return _of_several(forward, grad, [query, key, value], [True] * 3)


def _add_table():
    from ._backward_table import ROWS

    for schema, call in ROWS:
        _defined(schema)(functools.partial(call, _of_forward))


_add_table()
