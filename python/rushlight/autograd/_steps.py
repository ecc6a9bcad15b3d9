"""The steps that derivatives of functions consist of, as other programs call them from ``torch.autograd.functional``."""

import rushlight as torch

from .._vmap_internals import _vmap  # noqa: F401
from . import functional, grad

Tensor = torch.Tensor

_STRICT = " This is not allowed in strict mode"
_NO_PART = "The output of the user-provided function is independent of input {}." + _STRICT + "."
# What is said of tensors that need no gradients, by what they are.
_INDEPENDENT = {
    "outputs": (
        "Output {} of the user-provided function does not require gradients. The outputs must be computed in a differentiable manner "
        "from the input when running in strict mode."
    ),
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the user-provided function." + _STRICT + ".",
    "jacobian": functional._FLAT,
    "hessian": (
        "The hessian of the user-provided function with respect to input {} is independent of the input." + _STRICT
        + ". You should ensure that your function is thrice differentiable and that the hessian depends on the inputs."
    ),
}
# What is said of gradients that are missing, by the step that asked for them, and whose derivative cannot be taken again.
_MISSING = {
    "back": (_NO_PART, "jacobian"),
    "back_trick": (
        "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double backward trick to "
        "compute forward mode gradients." + _STRICT + ".",
        "jacobian",
    ),
    "double_back": ("The jacobian of the user-provided function is independent of input {}." + _STRICT + ".", "hessian"),
    "double_back_trick": (
        "The hessian of the user-provided function is independent of entry {} in the grad_jacobian." + _STRICT
        + " as it prevents from using the double backward trick to replace forward mode AD.",
        "hessian",
    ),
}


def _as_tuple_nocheck(x):
    """A tuple of what is a tuple, a list or one thing."""
    return x if isinstance(x, tuple) else tuple(x) if isinstance(x, list) else (x,)


def _as_tuple(inp, arg_name=None, fn_name=None):
    """Whether arguments were a tuple, and they as one; without names, the tuple alone and no question about its members."""
    if arg_name is None and fn_name is None:
        return _as_tuple_nocheck(inp)
    many = isinstance(inp, tuple)
    subject = f"The {arg_name} given to {fn_name} must be either a Tensor or a tuple of Tensors but the "
    for i, each in enumerate(inp if many else (inp,)):
        if not isinstance(each, Tensor):
            raise TypeError(f"{subject}{f'value at index {i}' if many else f'given {arg_name}'} has type {type(each)}.")
    return many, inp if many else (inp,)


def _tuple_postprocess(res, to_unpack):
    """Results as they are handed back: a tuple, or its only member; ``to_unpack`` is whether it stays one, for each level."""
    if not isinstance(to_unpack, tuple):
        return res if to_unpack else res[0]
    outer, inner = to_unpack
    if not inner:
        res = tuple(each[0] for each in res)
    return res if outer else res[0]


def _grad_preprocess(inputs, create_graph, need_graph):
    """Arguments of a function to differentiate: with their history where it matters, else as leaves."""
    found = []
    for each in inputs:
        if create_graph and each.requires_grad:
            found.append(each.view_as(each))
        else:
            found.append(each.detach().requires_grad_(need_graph))
    return tuple(found)


def _grad_postprocess(inputs, create_graph):
    """Results without their history, unless that is asked for; tuples of tuples too."""
    if not isinstance(inputs[0], Tensor):
        return tuple(_grad_postprocess(each, create_graph) for each in inputs)
    return inputs if create_graph else tuple(each.detach() for each in inputs)


def _validate_v(v, other, is_other_tuple):
    """Raises ``RuntimeError`` unless the tensors of a vector have the sizes of others."""
    if len(other) != len(v):
        if is_other_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(other)} but got {len(v)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (given, like) in enumerate(zip(v, other)):
        if given.shape != like.shape:
            entry = f"Entry {i} in v" if is_other_tuple else "v"
            raise RuntimeError(f"{entry} has invalid size: should be {like.shape} but got {given.shape}.")


def _check_requires_grad(inputs, input_type, strict):
    """Where it is strict, raises ``RuntimeError`` of the first tensor that is missing or needs no gradient."""
    if not strict:
        return
    if input_type not in _INDEPENDENT:
        raise RuntimeError("Invalid input_type to _check_requires_grad")
    for i, each in enumerate(inputs):
        if each is None:
            raise RuntimeError(_NO_PART.format(i))
        if not each.requires_grad:
            raise RuntimeError(_INDEPENDENT[input_type].format(i))


def _autograd_grad(outputs, inputs, grad_outputs=None, create_graph=False, retain_graph=None, is_grads_batched=False):
    """The gradients of those outputs that have any, None for inputs without a part in them."""
    if not isinstance(outputs, tuple):
        raise AssertionError("Expected outputs to be a tuple")
    seeds = (None,) * len(outputs) if grad_outputs is None else grad_outputs
    if len(outputs) != len(seeds):
        raise AssertionError(f"Expected outputs and grad_outputs to have the same length, but got {len(outputs)} and {len(seeds)}")
    pairs = [(output, seed) for output, seed in zip(outputs, seeds) if output is not None and output.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        tuple(output for output, _ in pairs), inputs, tuple(seed for _, seed in pairs), allow_unused=True, create_graph=create_graph,
        retain_graph=retain_graph, is_grads_batched=is_grads_batched,
    )


def _fill_in_zeros(grads, refs, strict, create_graph, stage):
    """Gradients with zeros for those that are missing; where it is strict, an error that says what the step found independent."""
    if stage not in _MISSING:
        raise RuntimeError(f"Invalid stage argument '{stage}' to _fill_in_zeros")
    missing, what = _MISSING[stage]
    found = []
    for i, each in enumerate(grads):
        if strict and each is None:
            raise RuntimeError(missing.format(i))
        if strict and create_graph and not each.requires_grad:
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}." + _STRICT + " when create_graph=True."
            )
        found.append(torch.zeros_like(refs[i]) if each is None else each)
    return tuple(found)


def _construct_standard_basis_for(tensors, tensor_numels):
    """The unit vectors of tensors taken together: one matrix for each, with a row for every number of all."""
    if len(tensors) != len(tensor_numels):
        raise AssertionError(f"Expected tensors and tensor_numels to have the same length, but got {len(tensors)} and {len(tensor_numels)}")
    if not tensors:
        raise AssertionError("Expected at least one tensor")
    rows, above, found = sum(tensor_numels), 0, []
    for tensor, count in zip(tensors, tensor_numels):
        part = tensor.new_zeros(rows, count)
        part.diagonal(-above).fill_(1)
        found.append(part)
        above += count
    return tuple(found)


def _jacfwd(func, inputs, strict=False, vectorize=False):
    """:func:`rushlight.autograd.functional.jacobian` with ``strategy="forward-mode"``."""
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please '
            'either set `strict=False` or `strategy="reverse-mode"`.'
        )
    return functional.jacobian(func, inputs, vectorize=vectorize, strategy="forward-mode")
