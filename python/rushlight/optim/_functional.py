"""What optimisers do to lists of parameters and gradients, with their state in lists too."""

from .. import Tensor
from . import ASGD, Adadelta, Adagrad, Adam, Adamax, NAdam, RAdam, RMSprop, Rprop, SGD
from ._adafactor import Adafactor
from ._base import change
from ._muon import Muon


def _run(rule, params, grads, lists, **options):
    steps = lists.get("step")
    if steps is not None and not all(isinstance(step, Tensor) for step in steps):
        raise RuntimeError("API has changed, `state_steps` argument must contain a list of singleton tensors")
    for i, (p, gradient) in enumerate(zip(params, grads)):
        change(rule, p, gradient, {name: values[i] for name, values in lists.items() if i < len(values)}, options)


def adadelta(
    params, grads, square_avgs, acc_deltas, state_steps, capturable=False, foreach=None, differentiable=False, has_complex=False, *,
    lr, rho, eps, weight_decay, maximize,
):  # fmt: skip
    """A step of Adadelta."""
    _run(
        Adadelta, params, grads, {"square_avg": square_avgs, "acc_delta": acc_deltas, "step": state_steps}, capturable=capturable,
        foreach=foreach, differentiable=differentiable, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize,
    )  # fmt: skip


def adagrad(
    params, grads, state_sums, state_steps, fused=None, grad_scale=None, found_inf=None, has_sparse_grad=False, foreach=None,
    differentiable=False, has_complex=False, *, lr, weight_decay, lr_decay, eps, maximize,
):  # fmt: skip
    """A step of Adagrad."""
    _run(
        Adagrad, params, grads, {"sum": state_sums, "step": state_steps}, foreach=foreach, differentiable=differentiable, lr=lr,
        weight_decay=weight_decay, lr_decay=lr_decay, eps=eps, maximize=maximize,
    )  # fmt: skip


def adam(
    params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False, differentiable=False, fused=None,
    grad_scale=None, found_inf=None, has_complex=False, decoupled_weight_decay=False, *, amsgrad, beta1, beta2, lr, weight_decay, eps,
    maximize,
):  # fmt: skip
    """A step of Adam."""
    lists = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq": max_exp_avg_sqs, "step": state_steps}
    _run(
        Adam, params, grads, lists, foreach=foreach, capturable=capturable, differentiable=differentiable, amsgrad=amsgrad,
        betas=(beta1, beta2), lr=lr, weight_decay=weight_decay, eps=eps, maximize=maximize, decoupled_weight_decay=decoupled_weight_decay,
    )  # fmt: skip


def adamw(
    params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False, differentiable=False, fused=None,
    grad_scale=None, found_inf=None, has_complex=False, *, amsgrad, beta1, beta2, lr, weight_decay, eps, maximize,
):  # fmt: skip
    """A step of AdamW."""
    adam(
        params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach, capturable, differentiable, fused, grad_scale, found_inf,
        has_complex, True, amsgrad=amsgrad, beta1=beta1, beta2=beta2, lr=lr, weight_decay=weight_decay, eps=eps, maximize=maximize,
    )  # fmt: skip


def adamax(
    params, grads, exp_avgs, exp_infs, state_steps, foreach=None, maximize=False, differentiable=False, capturable=False,
    has_complex=False, *, eps, beta1, beta2, lr, weight_decay,
):  # fmt: skip
    """A step of Adamax."""
    _run(
        Adamax, params, grads, {"exp_avg": exp_avgs, "exp_inf": exp_infs, "step": state_steps}, foreach=foreach, maximize=maximize,
        differentiable=differentiable, capturable=capturable, eps=eps, betas=(beta1, beta2), lr=lr, weight_decay=weight_decay,
    )  # fmt: skip


def asgd(
    params, grads, axs, mus, etas, state_steps, foreach=None, maximize=False, differentiable=False, capturable=False, has_complex=False, *,
    lambd, lr, t0, alpha, weight_decay,
):  # fmt: skip
    """A step of ASGD."""
    _run(
        ASGD, params, grads, {"ax": axs, "mu": mus, "eta": etas, "step": state_steps}, foreach=foreach, maximize=maximize,
        differentiable=differentiable, capturable=capturable, lambd=lambd, lr=lr, t0=t0, alpha=alpha, weight_decay=weight_decay,
    )  # fmt: skip


def nadam(
    params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps, decoupled_weight_decay=False, foreach=None, capturable=False,
    differentiable=False, has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay, momentum_decay, eps,
):  # fmt: skip
    """A step of NAdam."""
    lists = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products, "step": state_steps}
    _run(
        NAdam, params, grads, lists, decoupled_weight_decay=decoupled_weight_decay, foreach=foreach, capturable=capturable,
        differentiable=differentiable, maximize=maximize, betas=(beta1, beta2), lr=lr, weight_decay=weight_decay,
        momentum_decay=momentum_decay, eps=eps,
    )  # fmt: skip


def radam(
    params, grads, exp_avgs, exp_avg_sqs, state_steps, decoupled_weight_decay=False, foreach=None, differentiable=False, capturable=False,
    has_complex=False, maximize=False, *, beta1, beta2, lr, weight_decay, eps,
):  # fmt: skip
    """A step of RAdam."""
    _run(
        RAdam, params, grads, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": state_steps},
        decoupled_weight_decay=decoupled_weight_decay, foreach=foreach, differentiable=differentiable, capturable=capturable,
        maximize=maximize, betas=(beta1, beta2), lr=lr, weight_decay=weight_decay, eps=eps,
    )  # fmt: skip


def rmsprop(
    params, grads, square_avgs, grad_avgs, momentum_buffer_list, state_steps, foreach=None, maximize=False, differentiable=False,
    capturable=False, has_complex=False, *, lr, alpha, eps, weight_decay, momentum, centered,
):  # fmt: skip
    """A step of RMSprop."""
    lists = {"square_avg": square_avgs, "grad_avg": grad_avgs, "momentum_buffer": momentum_buffer_list, "step": state_steps}
    _run(
        RMSprop, params, grads, lists, foreach=foreach, maximize=maximize, differentiable=differentiable, capturable=capturable, lr=lr,
        alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, centered=centered,
    )  # fmt: skip


def rprop(
    params, grads, prevs, step_sizes, state_steps, foreach=None, capturable=False, maximize=False, differentiable=False, has_complex=False, *,
    step_size_min, step_size_max, etaminus, etaplus,
):  # fmt: skip
    """A step of Rprop."""
    _run(
        Rprop, params, grads, {"prev": prevs, "step_size": step_sizes, "step": state_steps}, foreach=foreach, capturable=capturable,
        maximize=maximize, differentiable=differentiable, step_sizes=(step_size_min, step_size_max), etas=(etaminus, etaplus),
    )  # fmt: skip


def sgd(
    params, d_p_list, momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None, grad_scale=None, found_inf=None, *,
    weight_decay, momentum, lr, dampening, nesterov, maximize,
):  # fmt: skip
    """A step of stochastic gradient descent."""
    options = {
        "foreach": foreach, "weight_decay": weight_decay, "momentum": momentum, "lr": lr, "dampening": dampening, "nesterov": nesterov,
        "maximize": maximize,
    }  # fmt: skip
    for i, (p, gradient) in enumerate(zip(params, d_p_list)):
        state = {"momentum_buffer": momentum_buffer_list[i]} if momentum else {}
        change(SGD, p, gradient, state, options)
        if momentum:
            momentum_buffer_list[i] = state["momentum_buffer"]


def adafactor(
    params, grads, row_vars, col_vars, variances, state_steps, foreach=None, grad_scale=None, found_inf=None, has_complex=False, *,
    d, lr, beta2_decay, weight_decay, eps1, eps2, maximize,
):  # fmt: skip
    """A step of Adafactor."""
    lists = {"row_var": row_vars, "col_var": col_vars, "variance": variances, "step": state_steps}
    _run(
        Adafactor, params, grads, lists, d=d, lr=lr, beta2_decay=beta2_decay, weight_decay=weight_decay, eps=(eps1, eps2), maximize=maximize,
    )  # fmt: skip


def muon(
    params, grads, muon_momentum_bufs, *, foreach=None, lr, weight_decay, momentum, nesterov, ns_coefficients, ns_steps, eps, adjust_lr_fn,
    has_complex,
):  # fmt: skip
    """A step of Muon."""
    _run(
        Muon, params, grads, {"momentum_buffer": muon_momentum_bufs}, lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov,
        ns_coefficients=ns_coefficients, ns_steps=ns_steps, eps=eps, adjust_lr_fn=adjust_lr_fn,
    )  # fmt: skip
