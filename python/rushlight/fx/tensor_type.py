"""``torch.fx.tensor_type``: types of tensors with known and unknown sizes."""


class TensorType:
    """A tensor of certain sizes; ``Dyn`` stands for one that is not known."""

    def __init__(self, dim):
        self.__origin__ = TensorType
        self.__args__ = dim

    def __repr__(self):
        return f"TensorType[{self.__args__}]"

    def __eq__(self, other):
        return isinstance(other, self.__class__) and list(self.__args__) == list(other.__args__)

    def __hash__(self):
        return hash(tuple(self.__args__))

    @staticmethod
    def __class_getitem__(*args):
        if len(args) == 1 and isinstance(args[0], tuple):
            args = args[0]
        return TensorType(tuple(args))


class _DynType:
    """What is not known."""

    def __init__(self):
        self.__name__ = "_DynType"

    def __eq__(self, other):
        return isinstance(other, self.__class__)

    def __hash__(self):
        return hash(type(self))

    def __str__(self):
        return "Dyn"

    __repr__ = __str__


Dyn = _DynType()


def _of_sizes(t1, t2, holds):
    if isinstance(t1, TensorType) and isinstance(t2, TensorType):
        return len(t1.__args__) == len(t2.__args__) and all(map(holds, t1.__args__, t2.__args__))
    return False


def is_consistent(t1, t2):
    """Whether something may be of both types: what is not known may be anything."""
    return t1 == t2 or t1 == Dyn or t2 == Dyn or _of_sizes(t1, t2, is_consistent)


def is_more_precise(t1, t2):
    """Whether the first type says at least what the second does."""
    return t1 == t2 or t2 == Dyn or _of_sizes(t1, t2, is_more_precise)
