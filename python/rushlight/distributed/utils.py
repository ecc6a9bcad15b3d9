"""``torch.distributed.utils``: helpers of modules whose copies are in several processes."""

import rushlight as torch

from .. import distributed as dist
from ..utils._pytree import tree_map


def _pack_kwargs(*args, **kwargs):
    """Arguments in one tuple, and the names of the last of them."""
    return (*args, *kwargs.values()), tuple(kwargs)


def _unpack_kwargs(flat_args, kwarg_keys):
    """What :func:`_pack_kwargs` was given."""
    count = len(flat_args) - len(kwarg_keys)
    if count < 0:
        raise AssertionError(f"too many keys {len(kwarg_keys)} vs. {len(flat_args)}")
    return flat_args[:count], dict(zip(kwarg_keys, flat_args[count:]))


def _p_assert(cond, s, raise_assertion_error=True):
    """Prints a text, and raises ``AssertionError`` with it, unless something holds."""
    if not cond:
        print(s)
        if raise_assertion_error:
            raise AssertionError(s)


def _apply_to_tensors(fn, container):
    """A container with what a function gives for each of its tensors."""
    return tree_map(lambda each: fn(each) if isinstance(each, torch.Tensor) else each, container)


def _cast_forward_inputs(dtype, *args, **kwargs):
    """Arguments whose tensors of floats have a dtype."""
    if dtype is None:
        return args, kwargs

    def cast(each):
        return each.to(dtype) if each.is_floating_point() and each.dtype != dtype else each

    return _apply_to_tensors(cast, args), _apply_to_tensors(cast, kwargs)


def _replace_by_prefix(state_dict, old_prefix, new_prefix):
    """Gives the names of a state that begin with a text another beginning, in place."""
    if old_prefix == new_prefix:
        raise ValueError("old_prefix and new_prefix must be distinct")
    for name in [name for name in state_dict if name.startswith(old_prefix)]:
        state_dict[new_prefix + name[len(old_prefix) :]] = state_dict.pop(name)


def _get_root_modules(modules):
    """Those modules that are not within another of them."""
    within = {id(part) for module in modules for part in module.modules() if part is not module}
    return [module for module in modules if id(module) not in within]


def _recursive_to(inputs, target_device, use_side_stream_for_tensor_copies):
    """Arguments on a device, in a list as for the only device of a module."""
    return [_apply_to_tensors(lambda each: each.to(target_device), inputs)] if inputs else []


def _to_kwargs(inputs, kwargs, target_device, use_side_stream_for_tensor_copies):
    """Positional and named arguments on a device, in tuples as for the only device of a module."""
    found, named = (_recursive_to(each, target_device, use_side_stream_for_tensor_copies) for each in (inputs, kwargs))
    count = max(len(found), len(named))
    return tuple(found + [()] * (count - len(found))), tuple(named + [{}] * (count - len(named)))


def _sync_params_and_buffers(process_group, module_states, broadcast_bucket_size, src):
    """Gives all processes of a group the tensors of one of them."""
    with torch.no_grad():
        for each in module_states:
            dist.broadcast(each.detach(), src, group=process_group)


def _sync_module_states(module, process_group, broadcast_bucket_size, src, params_and_buffers_to_ignore, broadcast_buffers=True):
    """Gives the copies of a module in all processes of a group the parameters (and buffers) of one of them."""
    found = list(module.named_parameters()) + (list(module.named_buffers()) if broadcast_buffers else [])
    states = [tensor.detach() for name, tensor in found if name not in params_and_buffers_to_ignore]
    _sync_params_and_buffers(process_group, states, broadcast_bucket_size, src)
