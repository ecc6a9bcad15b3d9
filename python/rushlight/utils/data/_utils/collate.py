"""Batches from samples."""

import re
import collections
import copy
import sys

from .... import Tensor, as_tensor, float64, stack, tensor

__all__ = ["collate", "default_collate", "default_convert", "default_collate_fn_map"]

default_collate_err_msg_format = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


# Kinds of elements of arrays that are not made tensors: strings and objects.
np_str_obj_array_pattern = re.compile(r"[SaUO]")


def _is_array(value):
    return type(value).__module__ == "numpy" and hasattr(value, "dtype")


def _is_named_tuple(value):
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _like(original, mapping):
    """A mapping of the same kind with other values."""
    try:
        if isinstance(original, collections.abc.MutableMapping):
            made = copy.copy(original)
            made.update(mapping)
            return made
        return type(original)(mapping)
    except TypeError:
        return mapping


def _like_sequence(original, items):
    """A sequence of the same kind with other elements."""
    try:
        if isinstance(original, collections.abc.MutableSequence):
            made = copy.copy(original)
            for i, item in enumerate(items):
                made[i] = item
            return made
        return type(original)(items)
    except TypeError:
        return items


def default_convert(data):
    """NumPy arrays in nested containers as tensors; everything else stays."""
    if isinstance(data, Tensor):
        return data
    if _is_array(data):
        return data if data.dtype.kind in "SaUO" else as_tensor(data)
    if isinstance(data, collections.abc.Mapping):
        return _like(data, {key: default_convert(value) for key, value in data.items()})
    if _is_named_tuple(data):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple):
        return [default_convert(value) for value in data]
    if isinstance(data, collections.abc.Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, [default_convert(value) for value in data])
    return data


def collate(batch, *, collate_fn_map=None):
    """One value of many: `collate_fn_map` says what makes one of values of a type, containers are gone through."""
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for known, function in collate_fn_map.items():
            if isinstance(first, known):
                return function(batch, collate_fn_map=collate_fn_map)

    def inner(values):
        return collate(values, collate_fn_map=collate_fn_map)

    if isinstance(first, collections.abc.Mapping):
        return _like(first, {key: inner([mapping[key] for mapping in batch]) for key in first})
    if _is_named_tuple(first):
        return kind(*map(inner, zip(*batch)))
    if isinstance(first, collections.abc.Sequence):
        if any(len(sequence) != len(first) for sequence in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [inner(column) for column in zip(*batch)]
        return columns if isinstance(first, tuple) else _like_sequence(first, columns)
    raise TypeError(default_collate_err_msg_format.format(kind))


def collate_tensor_fn(batch, *, collate_fn_map=None):
    """Tensors, stacked."""
    return stack(list(batch), 0)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """Arrays as stacked tensors."""
    if batch[0].dtype.kind in "SaUO":
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([as_tensor(array) for array in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    """Scalars of NumPy as a tensor."""
    return as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    """Floats as a tensor of doubles."""
    return tensor(batch, dtype=float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    """Ints as a tensor."""
    return tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    """Strings as they are."""
    return batch


default_collate_fn_map = {
    Tensor: collate_tensor_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def _learn_arrays():
    """Adds the types of NumPy, once somebody has loaded it: this package does without."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and numpy.ndarray not in default_collate_fn_map:
        default_collate_fn_map[numpy.ndarray] = collate_numpy_array_fn
        default_collate_fn_map[numpy.bool_, numpy.number, numpy.object_] = collate_numpy_scalar_fn


_learn_arrays()


def default_collate(batch):
    """One value of many samples: tensors are stacked, numbers become tensors, containers are gone through."""
    _learn_arrays()
    return collate(batch, collate_fn_map=default_collate_fn_map)
