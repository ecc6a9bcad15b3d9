"""``torch.nn.grad``: the gradients of convolutions, of what goes in and of the weights, without a graph."""

import rushlight as torch


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of what :func:`torch.nn.functional.conv1d` takes, of this size, from that of its result."""
    return _of_input(1, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of the weight of :func:`torch.nn.functional.conv1d`, of this size, from that of its result."""
    return _of_weight(1, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of what :func:`torch.nn.functional.conv2d` takes, of this size, from that of its result."""
    return _of_input(2, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of the weight of :func:`torch.nn.functional.conv2d`, of this size, from that of its result."""
    return _of_weight(2, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of what :func:`torch.nn.functional.conv3d` takes, of this size, from that of its result."""
    return _of_input(3, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of the weight of :func:`torch.nn.functional.conv3d`, of this size, from that of its result."""
    return _of_weight(3, input, weight_size, grad_output, stride, padding, dilation, groups)


def _of_input(dims, input_size, weight, grad_output, *options):
    # Only its size counts.
    input = grad_output.new_zeros(1).expand(input_size)
    return _backward(dims, input.detach().requires_grad_(), weight, grad_output, options, 0)


def _of_weight(dims, input, weight_size, grad_output, *options):
    weight = grad_output.new_zeros(1).expand(weight_size)
    return _backward(dims, input, weight.detach().requires_grad_(), grad_output, options, 1)


def _backward(dims, input, weight, grad_output, options, wanted):
    """What the convolution's record makes of the gradient of its result; that can be differentiated again."""
    *numbers, groups = options
    if weight.dim() == dims + 2 != input.dim():
        raise RuntimeError(
            f"Expected {weight.dim()}-dimensional input for {weight.dim()}-dimensional weight {list(weight.shape)}, but got "
            f"{input.dim()}-dimensional input of size {list(input.shape)} instead"
        )
    stride, padding, dilation = (_per_dimension(given, dims) for given in numbers)
    recording = torch.is_grad_enabled()
    with torch.enable_grad():
        result = torch.convolution(input, weight, None, stride, padding, dilation, False, (0,) * dims, groups)
        _check_size(result, grad_output)
        asked = (input, weight)[wanted]
        found = torch.autograd.grad(result, asked, grad_output, create_graph=recording)[0]
    others = (grad_output, weight if wanted == 0 else input)
    return found if any(t.requires_grad for t in others) else found.detach()


def _per_dimension(given, dims):
    given = (given,) if isinstance(given, int) else tuple(given)
    return given * dims if len(given) == 1 else given


def _check_size(result, gradient):
    for dim, size in enumerate(result.shape):
        if gradient.dim() != result.dim() or gradient.shape[dim] != size:
            # Lines are images of one row.
            more = result.dim() == 3
            place, dims = dim + (more and dim > 1), gradient.dim() + more
            raise RuntimeError(
                f"Expected a tensor of dimension {result.dim() + more} and tensor.size[{place}] == {size} but got: dimension {dims} "
                f"and tensor.size[{place}] = {gradient.shape[dim] if dim < gradient.dim() else 0}"
            )
