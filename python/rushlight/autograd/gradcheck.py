"""``torch.autograd.gradcheck``: derivatives against differences of values."""

import warnings

import rushlight as torch

from . import grad
from .._once import outside
from ._grad_rules import check_rules

Tensor = torch.Tensor


class GradcheckError(RuntimeError):
    """Derivatives and differences do not agree."""


_NOT_THE_SAME = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different values, although "
    "analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}."
)


def _results(found):
    found = found if isinstance(found, (tuple, list)) else (found,)
    found = [o for o in found if isinstance(o, Tensor)]
    # Complex results are two real ones.
    parts = [(torch.real(o.resolve_conj()), torch.imag(o.resolve_conj())) if o.is_complex() else (o,) for o in found]
    return [part for each in parts for part in each if part.is_floating_point()]


def _numerical(func, inputs, place, eps):
    """The differences of all results by the numbers of one argument: a matrix per result."""
    target = inputs[place].detach().clone()
    columns = None
    flat = target.view(-1)

    def moved(j, by):
        point = flat.clone()
        point[j] += by
        there = point.view(target.shape)
        given = [there if v is inputs[place] else v for v in inputs]
        with torch.no_grad():
            return [o.clone().reshape(-1) for o in _results(func(*given))]

    def differences(j, unit):
        return [(high - low) / (2 * eps) for high, low in zip(moved(j, unit * eps), moved(j, -unit * eps))]

    for j in range(flat.numel()):
        found = differences(j, 1.0)
        if target.is_complex():
            # The gradient's parts are the changes along both axes.
            found = [torch.complex(real, imag) for real, imag in zip(found, differences(j, 1j))]
        columns = columns or [[] for _ in found]
        for column, one in zip(columns, found):
            column.append(one)
    return [torch.stack(column) for column in columns or []]


def _backward(func, inputs, place, outputs):
    """The gradients of all results by one argument: a matrix per result."""
    for output in outputs:
        rows = []
        flat = output.reshape(-1)
        for j in range(flat.numel()):
            found = None
            if output.requires_grad:
                found = grad(flat[j], inputs[place], retain_graph=True, allow_unused=True)[0]
            rows.append(torch.zeros_like(inputs[place]).reshape(-1) if found is None else found.reshape(-1))
        yield torch.stack(rows, 1)


def _forward(func, inputs, place, outputs):
    """The derivatives of all results in the directions of one argument's numbers: a matrix per result."""
    from . import forward_ad

    target = inputs[place].detach()
    given = [v.detach() if isinstance(v, Tensor) else v for v in inputs]

    def along(j, unit):
        direction = torch.zeros_like(target)
        direction.view(-1)[j] = unit
        with forward_ad.dual_level():
            given[place] = forward_ad.make_dual(target, direction)
            found = [forward_ad.unpack_dual(o).tangent for o in _results(func(*given))]
        return [torch.zeros_like(o).reshape(-1) if t is None else t.detach().reshape(-1) for o, t in zip(outputs, found)]

    columns = [[] for _ in outputs]
    for j in range(target.numel()):
        found = along(j, 1.0)
        if target.is_complex():
            found = [torch.complex(real, imag) for real, imag in zip(found, along(j, 1j))]
        for column, one in zip(columns, found):
            column.append(one)
    return [torch.stack(column) for column in columns]


def gradcheck(
    func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
    check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
    check_backward_ad=True, fast_mode=False, masked=None,
):  # fmt: skip
    """Whether the derivatives of ``func`` agree with small differences.

    Args:
        func: the function.
        inputs: its arguments; those that require gradients are looked at.
        eps: the size of the differences.
        atol: how far numbers may differ.
        rtol: how far, in parts of the number.
        raise_exception: raise instead of returning False.
        check_forward_ad: look at the derivatives in directions too.
        check_backward_ad: look at gradients.
    """
    inputs = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    func, inputs = _of_values(func, inputs)
    places = [i for i, v in enumerate(inputs) if isinstance(v, Tensor) and v.requires_grad]
    if not places:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    _warn_of_precision(inputs, places)
    outputs = _results(func(*inputs))
    numerical = {place: _numerical(func, inputs, place, eps) for place in places}
    try:
        if not any(output.requires_grad for output in outputs):
            return _expect_nothing(numerical)
        if check_forward_ad:
            _compare("Jacobian computed with forward mode", _forward, func, inputs, outputs, numerical, (atol, rtol), None)
        if check_backward_ad:
            _compare("Jacobian", _backward, func, inputs, outputs, numerical, (atol, rtol), nondet_tol)
            check_rules(GradcheckError, func, inputs, places, check_undefined_grad)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _warn_of_precision(inputs, places):
    """Warns of arguments whose numbers are too coarse for small differences."""
    for place in places:
        if inputs[place].dtype not in (torch.float64, torch.complex128):
            warnings.warn(
                f"Input #{place} requires gradient and is not a double precision floating point or complex. This check will likely "
                "fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=outside(),
            )


def _expect_nothing(numerical):
    """Of results without gradients, the differences are nothing too."""
    if any(bool((found != 0).any()) for each in numerical.values() for found in each):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    return True


def _compare(name, way, func, inputs, outputs, numerical, tolerances, nondet_tol):
    """Compares derivatives by all arguments with the differences, and with themselves where a number says how far they may differ."""
    atol, rtol = tolerances
    for place, expected in numerical.items():
        for k, analytical in enumerate(way(func, inputs, place, outputs)):
            if not torch.allclose(analytical, expected[k].to(analytical.dtype), rtol, atol):
                raise GradcheckError(
                    f"{name} mismatch for output {k} with respect to input {place},\n"
                    f"numerical:{expected[k]}\nanalytical:{analytical}\n"
                )
            if nondet_tol is not None and _apart(analytical, next(way(func, inputs, place, outputs[k : k + 1]))) > nondet_tol:
                raise GradcheckError(_NOT_THE_SAME.format(nondet_tol))


def _apart(one, other):
    """The largest difference of two matrices."""
    return float((one - other).abs().max()) if one.numel() else 0.0


def _of_values(func, inputs):
    """The function of the values of sparse arguments, in their places."""
    sparse = {i: v for i, v in enumerate(inputs) if isinstance(v, Tensor) and v.layout != torch.strided and v.requires_grad}
    if not sparse:
        return func, inputs

    def function(*given):
        made = [sparse[i].detach().like(v) if i in sparse else v for i, v in enumerate(given)]
        results = func(*made)
        if any(isinstance(out, Tensor) and out.layout != torch.strided for out in _results(results)):
            raise ValueError(
                "Sparse output is not supported at gradcheck yet. Please call to_dense(masked_grad=...) on the output of fn for gradcheck."
            )
        return results

    return function, [sparse[i].detach().held.clone().requires_grad_() if i in sparse else v for i, v in enumerate(inputs)]


def gradgradcheck(
    func, inputs, grad_outputs=None, *, eps=1e-6, atol=1e-5, rtol=1e-3, gen_non_contig_grad_outputs=False, raise_exception=True,
    nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False, check_fwd_over_rev=False,
    check_rev_over_rev=True, fast_mode=False, masked=False,
):  # fmt: skip
    """Whether the second derivatives of ``func`` agree with small differences of the first.

    Args:
        grad_outputs: what the results' gradients begin with; random numbers unless given.
        gen_non_contig_grad_outputs: whether those random numbers lie apart from one another.
        check_fwd_over_rev: look at the derivatives of gradients in directions too.
        check_rev_over_rev: look at the gradients of gradients.
    """
    inputs = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    places = [i for i, v in enumerate(inputs) if isinstance(v, Tensor) and v.requires_grad]

    # Where none are given, numbers between -1 and 1, which the generator is asked for.
    weights = [grad_outputs] if isinstance(grad_outputs, Tensor) else list(grad_outputs or ())
    weights = weights or [torch.rand(o.shape, dtype=o.dtype) * 2 - 1 for o in _results(func(*inputs))]
    if gen_non_contig_grad_outputs and not grad_outputs:
        weights = [torch.stack([weight, weight], -1)[..., 0] for weight in weights]

    def first(*given):
        # What is one argument twice stays one.
        made = {id(v): v if v.requires_grad else v.detach().requires_grad_() for v in (given[i] for i in places)}
        given = [made[id(v)] if i in places else v for i, v in enumerate(given)]
        with torch.enable_grad():
            outputs = _results(func(*given))
            total = sum((o * weight).sum() for o, weight in zip(outputs, weights))
            return tuple(grad(total, [given[i] for i in places], create_graph=True, allow_unused=True, materialize_grads=True))

    return gradcheck(
        first, inputs, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )
