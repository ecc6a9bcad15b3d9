"""``torch.autograd.functional``: derivatives of functions as matrices and products."""

import rushlight as torch

from . import grad

Tensor = torch.Tensor


def _tuple(value, name="inputs"):
    if isinstance(value, tuple):
        return value, True
    if isinstance(value, list):
        return tuple(value), True
    return (value,), False


def _begin(inputs, create_graph):
    if create_graph:
        return tuple(i.view_as(i) if i.requires_grad else i.detach().requires_grad_() for i in inputs)
    return tuple(i.detach().requires_grad_() for i in inputs)


def _outputs(found, func):
    outputs, many = _tuple(found)
    for i, output in enumerate(outputs):
        if not isinstance(output, Tensor):
            if many:
                raise TypeError(
                    f"The outputs of the user-provided function given to {func} must be Tensors but the value at index {i} "
                    f"of the outputs has type {type(output)}."
                )
            raise TypeError(
                f"The outputs of the user-provided function given to {func} must be either a Tensor or a tuple of Tensors but "
                f"the given outputs of the user-provided function has type {type(output)}."
            )
    return outputs, many


def _gradients(outputs, inputs, seeds, create_graph, strict=False):
    pairs = [(o, s) for o, s in zip(outputs, seeds) if o.requires_grad]
    if not pairs:
        return [torch.zeros_like(i) for i in inputs]
    found = grad([o for o, _ in pairs], inputs, [s for _, s in pairs], retain_graph=True, create_graph=create_graph, allow_unused=True)
    return [torch.zeros_like(i) if g is None else g for g, i in zip(found, inputs)]


def _done(values, many, create_graph):
    values = tuple(v if create_graph else v.detach() for v in values)
    return values if many else values[0]


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The derivatives of every number of the results by every number of the arguments."""
    with torch.enable_grad():
        inputs, many_in = _tuple(inputs)
        inputs = _begin(inputs, create_graph)
        outputs, many_out = _outputs(func(*inputs), "jacobian")
        rows = []
        for output in outputs:
            columns = [[] for _ in inputs]
            flat = output.reshape(-1)
            for j in range(flat.numel()):
                found = _gradients([flat[j]], inputs, [torch.ones_like(flat[j])], create_graph)
                for column, gradient in zip(columns, found):
                    column.append(gradient)
            shaped = [
                torch.stack(column).view(tuple(output.shape) + tuple(i.shape))
                if column
                else torch.zeros(tuple(output.shape) + tuple(i.shape))
                for column, i in zip(columns, inputs)
            ]
            rows.append(_done(shaped, many_in, create_graph))
        return tuple(rows) if many_out else rows[0]


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The second derivatives of a function with one number as its result."""
    inputs, many = _tuple(inputs)

    def first(*given):
        output = func(*given)
        if not isinstance(output, Tensor):
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if output.numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return tuple(_gradients([output.reshape(())], given, [torch.ones_like(output.reshape(()))], True))

    found = jacobian(first, inputs, create_graph=create_graph)
    return found if many else found[0][0]


def _vectors(v, like, many):
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError("The vector v can only be None if the user-provided function returns a single Tensor with a single element.")
        return (torch.ones_like(like[0]),)
    v, _ = _tuple(v)
    if len(v) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    for i, (given, own) in enumerate(zip(v, like)):
        if given.shape != own.shape:
            place = f"Entry {i} in v has invalid size: " if many else "v has invalid size: "
            raise RuntimeError(place + f"should be {own.shape} but got {given.shape}.")
    return v


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The results, and the product of a vector with the derivatives."""
    with torch.enable_grad():
        inputs, many_in = _tuple(inputs)
        inputs = _begin(inputs, create_graph)
        outputs, many_out = _outputs(func(*inputs), "vjp")
        v = _vectors(v, outputs, many_out)
        found = _gradients(outputs, inputs, v, create_graph)
    return _done(outputs, many_out, create_graph), _done(found, many_in, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The results, and the product of the derivatives with a vector: by differentiating the product on the other side."""
    with torch.enable_grad():
        inputs, many_in = _tuple(inputs)
        inputs = _begin(inputs, create_graph)
        v = _vectors(v, inputs, many_in)
        outputs, many_out = _outputs(func(*inputs), "jvp")
        seeds = tuple(torch.zeros_like(o).requires_grad_() for o in outputs)
        products = _gradients(outputs, inputs, seeds, True)
        pairs = [(p, w) for p, w in zip(products, v) if p.requires_grad]
        found = _gradients([p for p, _ in pairs], seeds, [w for _, w in pairs], create_graph)
    return _done(outputs, many_out, create_graph), _done(found, many_out, create_graph)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The result, and the product of a vector with the second derivatives."""
    with torch.enable_grad():
        inputs, many = _tuple(inputs)
        inputs = _begin(inputs, create_graph)
        v = _vectors(v, inputs, many)
        output = func(*inputs)
        first = _gradients([output.reshape(())], inputs, [torch.ones_like(output.reshape(()))], True)
        found = _gradients(first, inputs, v, create_graph)
    return _done((output,), False, create_graph), _done(found, many, create_graph)


hvp = vhp
