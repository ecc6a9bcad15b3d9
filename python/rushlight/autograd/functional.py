"""``torch.autograd.functional``: derivatives of functions as matrices and products.

Arguments and results are a tensor or a tuple of tensors. With ``create_graph=True`` what is computed can be differentiated
again; ``strict=True`` refuses functions whose results do not depend on an argument, instead of taking their derivatives as 0.
"""

import rushlight as torch

from . import grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensor = torch.Tensor

# Steps of these functions that other programs call; they are loaded when one is first asked for.
_STEPS = frozenset((
    "_as_tuple", "_as_tuple_nocheck", "_autograd_grad", "_check_requires_grad", "_construct_standard_basis_for", "_fill_in_zeros",
    "_grad_postprocess", "_grad_preprocess", "_jacfwd", "_tuple_postprocess", "_validate_v", "_vmap",
))


def __getattr__(name):
    if name in _STEPS:
        from . import _steps

        return getattr(_steps, name)
    raise AttributeError(f"module 'torch.autograd.functional' has no attribute '{name}'")

_FLAT = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is independent "
    "of the input. This is not allowed in strict mode. You should ensure that your function is twice differentiable and that "
    "the jacobian depends on the inputs (this would be violated by a linear function for example)."
)


def _tuple(value, name, function):
    """The tensors of a tensor or a tuple of them, and whether it was a tuple.

    Raises:
        TypeError: for anything else.
    """
    given = "outputs of the user-provided function" if name == "outputs" else name
    subject = f"The {given} given to {function}"
    if not isinstance(value, (Tensor, tuple)):
        raise TypeError(f"{subject} must be either a Tensor or a tuple of Tensors but the given {given} has type {type(value)}.")
    if isinstance(value, Tensor):
        return (value,), False
    for i, part in enumerate(value):
        if not isinstance(part, Tensor):
            raise TypeError(
                f"{subject} must be either a Tensor or a tuple of Tensors but the value at index {i} has type {type(part)}."
            )
    return value, True


def _begin(inputs, create_graph):
    """Arguments that require gradients: with their history where results are to be differentiated again."""
    return tuple(
        i.view_as(i) if create_graph and i.requires_grad else i.detach().clone().requires_grad_() for i in inputs
    )


def _call(func, inputs, function, strict):
    """The results of a function."""
    outputs, many = _tuple(func(*inputs), "outputs", function)
    if strict:
        for i, output in enumerate(outputs):
            if not output.requires_grad:
                raise RuntimeError(
                    f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
                    "differentiable manner from the input when running in strict mode."
                )
    return outputs, many


def _single(outputs, many, function):
    """The only number that a function gives."""
    if many:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return outputs[0]


def _gradients(outputs, inputs, seeds, create_graph):
    """The gradients of what requires any, None for arguments without a part in it."""
    pairs = [(o, s) for o, s in zip(outputs, seeds) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        [o for o, _ in pairs], inputs, [s for _, s in pairs], retain_graph=True, create_graph=create_graph, allow_unused=True
    )


def _filled(found, inputs, complaint=None):
    """Zeros for missing gradients; an error instead where that is asked for."""
    out = []
    for i, (g, given) in enumerate(zip(found, inputs)):
        if g is None:
            if complaint is not None:
                raise RuntimeError(complaint.format(i))
            g = torch.zeros_like(given)
        out.append(g)
    return out


def _done(values, many, create_graph):
    values = tuple(v if create_graph else v.detach() for v in values)
    return values if many else values[0]


def _table(rows, many_out, many_in, strategy):
    """What belongs to all results: in lists, where it was asked for forwards and by several arguments."""
    if strategy == "forward-mode" and many_in:
        rows = [list(row) for row in rows]
        return rows if many_out else rows[0]
    return tuple(rows) if many_out else rows[0]


def _vectors(v, like, many, function, told):
    """The vector of a product: one tensor for each of `like`."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {told}")
        return (torch.ones_like(like[0]).detach(),)
    v, _ = _tuple(v, "v", function)
    if len(v) != len(like):
        if not many:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (given, other) in enumerate(zip(v, like)):
        if given.shape != other.shape:
            entry = f"Entry {i} in v" if many else "v"
            raise RuntimeError(f"{entry} has invalid size: should be {other.shape} but got {given.shape}.")
    return tuple(given if given.requires_grad else given.detach() for given in v)


_OF_INPUT = "the input to the user-provided function is a single Tensor with a single element."
_OF_RESULT = "the user-provided function returns a single Tensor with a single element."
_INDEPENDENT = "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."


def _check_strategy(strategy, vectorize, hint):
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(f'Expected strategy to be either "forward-mode" or "reverse-mode".{hint}')
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for `vectorize=True`."
        )


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The derivatives of every number of the results by every number of the arguments.

    Returns:
        For each result and each argument a tensor of the sizes of the result followed by those of the argument.

    Raises:
        TypeError: for arguments and results that are no tensors.
        RuntimeError: with `strict`, for results that do not depend on an argument.
    """
    _check_strategy(
        strategy, vectorize,
        ' Hint: If your function has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to '
        'use "reverse-mode".',
    )
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please either "
            "set `strict=False` or `vectorize=False`."
        )
    with torch.enable_grad():
        inputs, many_in = _tuple(inputs, "inputs", "jacobian")
        # Derivatives that go forwards stay connected to arguments that are.
        create_graph = create_graph or strategy == "forward-mode" and any(i.requires_grad for i in inputs)
        inputs = _begin(inputs, create_graph)
        outputs, many_out = _call(func, inputs, "jacobian", strict)
        rows = [_rows(output, i, inputs, create_graph, strict) for i, output in enumerate(outputs)]
        rows = [_done(row, many_in, create_graph) for row in rows]
        return _table(rows, many_out, many_in, strategy)


def _rows(output, number, inputs, create_graph, strict):
    """The derivatives of one result by all arguments."""
    columns = [[] for _ in inputs]
    flat = output.reshape(-1)
    for j in range(flat.numel()):
        if flat.is_complex():
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {flat.dtype}")
        found = _gradients([flat[j]], inputs, [torch.ones_like(flat[j])], create_graph)
        if strict:
            for i, g in enumerate(found):
                if g is None:
                    raise RuntimeError(
                        f"Output {number} of the user-provided function is independent of input {i}. This is not allowed in "
                        "strict mode."
                    )
                if create_graph and not g.requires_grad:
                    raise RuntimeError(
                        f"The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict "
                        "mode when create_graph=True."
                    )
        for column, gradient in zip(columns, _filled(found, inputs)):
            column.append(gradient)
    if not flat.numel():
        raise RuntimeError("stack expects a non-empty TensorList")
    return [torch.stack(column).view(tuple(output.shape) + tuple(i.shape)) for column, i in zip(columns, inputs)]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The second derivatives of a function with one number as its result.

    Raises:
        TypeError: for arguments and results that are no tensors.
        RuntimeError: for functions with more results, and with `strict` for results that do not depend on an argument.
    """
    inputs, many = _tuple(inputs, "inputs", "hessian")
    _check_strategy(outer_jacobian_strategy, vectorize, "")
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please either "
            "set `strict=False` or `vectorize=False`."
        )
    with torch.enable_grad():
        inputs = _begin(inputs, create_graph)
        outputs, several = _call(func, inputs, "hessian", strict)
        output = _single(outputs, several, "hessian")
        found = _gradients([output.reshape(())], inputs, [torch.ones_like(output.reshape(()))], True)
        first = _filled(found, inputs, _FLAT if strict else None)
        if strict:
            for i, g in enumerate(first):
                if not g.requires_grad:
                    raise RuntimeError(_FLAT.format(i))
        rows = []
        for g in first:
            columns = [[] for _ in inputs]
            for part in g.reshape(-1):
                second = _gradients([part], inputs, [torch.ones_like(part)], create_graph)
                for column, value in zip(columns, _filled(second, inputs, _FLAT if strict else None)):
                    column.append(value)
            shaped = [torch.stack(column).view(tuple(g.shape) + tuple(i.shape)) for column, i in zip(columns, inputs)]
            rows.append(_done(shaped, many, create_graph))
        return _table(rows, many, many, outer_jacobian_strategy)


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The results, and the product of a vector (in the sizes of the results) with the derivatives."""
    with torch.enable_grad():
        inputs, many_in = _tuple(inputs, "inputs", "vjp")
        inputs = _begin(inputs, create_graph)
        outputs, many_out = _call(func, inputs, "vjp", strict)
        v = _vectors(v, outputs, many_out, "vjp", _OF_RESULT)
        found = _filled(_gradients(outputs, inputs, v, create_graph), inputs, _INDEPENDENT if strict else None)
    return _done(outputs, many_out, create_graph), _done(found, many_in, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The results, and the product of the derivatives with a vector in the sizes of the arguments."""
    with torch.enable_grad():
        inputs, many_in = _tuple(inputs, "inputs", "jvp")
        inputs = _begin(inputs, create_graph)
        v = _vectors(v, inputs, many_in, "jvp", _OF_INPUT)
        outputs, many_out = _call(func, inputs, "jvp", strict)
        # The product of a vector with the derivatives is linear in the vector: its own derivative is what is asked for.
        seeds = tuple(torch.zeros_like(o).requires_grad_() for o in outputs)
        products = _filled(_gradients(outputs, inputs, seeds, True), inputs, _INDEPENDENT if strict else None)
        found = _filled(_gradients(products, seeds, v, create_graph), seeds)
    return _done(outputs, many_out, create_graph), _done(found, many_out, create_graph)


def _second_product(func, inputs, v, create_graph, strict, function):
    with torch.enable_grad():
        inputs, many = _tuple(inputs, "inputs", function)
        inputs = _begin(inputs, create_graph)
        v = _vectors(v, inputs, many, function, _OF_INPUT)
        outputs, several = _call(func, inputs, function, strict)
        output = _single(outputs, several, function)
        found = _gradients([output], inputs, [torch.ones_like(output)], True)
        first = _filled(found, inputs, _INDEPENDENT if strict else None)
        second = _gradients(first, inputs, v, create_graph)
        return _done(outputs, False, create_graph), _done(_filled(second, inputs, _FLAT if strict else None), many, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """The result, a number, and the product of its second derivatives with a vector."""
    return _second_product(func, inputs, v, create_graph, strict, "hvp")


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The result, a number, and the product of a vector with its second derivatives."""
    return _second_product(func, inputs, v, create_graph, strict, "vhp")
