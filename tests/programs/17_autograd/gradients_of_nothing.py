"""What ``gradcheck`` asks of gradients besides their numbers."""

import warnings

import torch
from torch.autograd import Function, gradcheck, gradgradcheck

warnings.simplefilter("ignore")


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, str(error).split("\n")[0])


def with_backward(backward, materialize=False):
    class Threefold(Function):
        @staticmethod
        def forward(ctx, *xs):
            ctx.set_materialize_grads(materialize)
            return tuple(x * 3 for x in xs) if len(xs) > 1 else xs[0] * 3

        @staticmethod
        def backward(ctx, *gradients):
            return backward(*gradients)

    return Threefold.apply


def numbers():
    return torch.ones(2, dtype=torch.double, requires_grad=True)


def where_known(*gradients):
    return tuple(None if gradient is None else gradient * 3 for gradient in gradients)


attempt("as it should", lambda: gradcheck(with_backward(where_known), numbers()))
attempt("two", lambda: gradcheck(with_backward(where_known), (numbers(), numbers())))
attempt("one is not looked at", lambda: gradcheck(with_backward(lambda a, b: (a * 3, where_known(b)[0])), (numbers(), numbers())))
attempt("zeros", lambda: gradcheck(with_backward(lambda a: a * 3, materialize=True), numbers()))
attempt("something of nothing", lambda: gradcheck(with_backward(lambda a: a * 3 if a.abs().sum() else a + 1, True), numbers()))
attempt("told", lambda: gradcheck(with_backward(lambda a: a * 3 if a.abs().sum() else a + 1, True), numbers(), raise_exception=False))
attempt("no gradients", lambda: gradcheck(lambda x: x.detach() * 2, numbers()))
attempt("none and nothing", lambda: gradcheck(lambda x: x.detach() * 0, numbers()))
calls = []


def wandering(gradient):
    calls.append(1)
    return gradient * 3 + len(calls) * 1e-9


attempt("never the same", lambda: gradcheck(with_backward(wandering, True), numbers()))
attempt("nearly", lambda: gradcheck(with_backward(lambda a: a * 3, True), numbers(), nondet_tol=1e-6))
attempt("parts", lambda: gradcheck(lambda x: (x[0], x[1:]), numbers()))
attempt("itself", lambda: gradcheck(lambda x: (x, x), numbers()))
attempt("whole numbers too", lambda: gradcheck(lambda x: (x * 2, x.long()), numbers()))
attempt("complex", lambda: gradcheck(lambda x: x * torch.complex(x, x), numbers()))
attempt("forward", lambda: gradcheck(torch.exp, numbers(), check_forward_ad=True))
attempt("twice", lambda: gradgradcheck(torch.sin, numbers()))
attempt("one ratio", lambda: torch.nn.functional.fractional_max_pool2d(torch.ones(1, 1, 4, 4), 2, output_ratio=0.5))
