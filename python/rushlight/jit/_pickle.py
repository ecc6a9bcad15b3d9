"""``torch.jit._pickle``: what the pickles in archives name, for programs that read them with Python's ``pickle``."""


def build_intlist(data):
    """The list as it is."""
    return data


build_doublelist = build_boollist = build_tensorlist = build_intlist


def build_tensor_from_id(data):
    """The number that a tensor has in the table beside the pickle, as it is."""
    return data


def restore_type_tag(value, type_str):
    """The value: Python's containers know no types of elements."""
    return value
