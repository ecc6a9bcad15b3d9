"""What few programs ask tensors: the order of dimensions in memory, and what other objects should become in their place."""

_BAD_CHECK = "The ambiguity_check argument must be a bool or a list of memory formats."


def dim_order(tensor, ambiguity_check=False):
    """The dimensions from the one with the largest steps in memory to the one with the smallest."""
    from . import channels_last, channels_last_3d, contiguous_format, memory_format

    is_list = isinstance(ambiguity_check, list) and all(isinstance(each, memory_format) for each in ambiguity_check)
    if not isinstance(ambiguity_check, bool) and not is_list:
        raise TypeError(_BAD_CHECK)
    strides = tensor.stride()
    if ambiguity_check and 0 in strides:
        raise RuntimeError("The tensor does not have unique dim order.")
    if ambiguity_check and len(set(strides)) < len(strides):
        ranks = {channels_last: 4, channels_last_3d: 5}
        formats = ambiguity_check if is_list else ()
        fitting = [
            each for each in formats if ranks.get(each, tensor.dim()) == tensor.dim() and tensor.is_contiguous(memory_format=each)
        ]
        if len(fitting) != 1:
            raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory formats.")
        plain = tuple(range(tensor.dim()))
        return plain if fitting[0] == contiguous_format else (0, *plain[2:], 1)
    order = list(range(tensor.dim()))
    # Steps of zero say nothing: such dimensions stay where they are.
    for end in range(1, len(order)):
        place = end
        while place and _steps_further(tensor, order[place], order[place - 1]):
            order[place - 1], order[place] = order[place], order[place - 1]
            place -= 1
    return tuple(order)


def _steps_further(tensor, dim, before):
    first, second = tensor.stride(dim), tensor.stride(before)
    return first > second > 0 or (first == second > 0 and tensor.size(dim) > tensor.size(before) > 1)


def module_load(tensor, other, assign=False):
    """What a module keeps for a tensor when another is loaded: the other, or the tensor with its elements."""
    return other.detach() if assign else tensor.copy_(other).detach()


_STORAGES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long", "int32": "Int", "int16": "Short",
    "int8": "Char", "uint8": "Byte", "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}


def storage_type(tensor):
    """The class of the tensor's storage."""
    import rushlight

    return getattr(rushlight, _STORAGES[str(tensor.dtype).removeprefix("torch.")] + "Storage")


def swap_tensors(t1, t2):
    """Exchanges what two tensors are: elements, classes, attributes, gradients. Both must be leaves."""
    for tensor in (t1, t2):
        if tensor.grad_fn is not None:
            raise RuntimeError("only leaves can be swapped: a recorded call made one of these tensors")
    first, second = (
        (t.detach(), t.requires_grad, t.grad, dict(t.__dict__), type(t)) for t in (t1, t2)
    )
    for tensor, (data, needs, gradient, attributes, kind) in ((t1, second), (t2, first)):
        tensor.requires_grad_(False)
        tensor.grad = None
        tensor.data = data
        if type(tensor) is not kind:
            tensor.__class__ = kind
        tensor.__dict__.clear()
        tensor.__dict__.update(attributes)
        tensor.requires_grad_(needs)
        tensor.grad = gradient
