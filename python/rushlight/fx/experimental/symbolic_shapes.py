"""``torch.fx.experimental.symbolic_shapes``: sizes that are formulas, of which there are none: every size is a number here."""

from ..._absent import refuse_classes


class GuardOnDataDependentSymNode(RuntimeError):
    """A question about a formula that depends on data. Nothing raises it."""


def _known(value):
    if not isinstance(value, bool):
        raise AssertionError(f"Expected bool, got {type(value)}")
    return value


def guard_or_false(a):
    """A bool, which is always known."""
    return _known(a)


def guard_or_true(a):
    """A bool, which is always known."""
    return _known(a)


def statically_known_true(x):
    """A bool, which is always known."""
    return _known(x)


def has_free_symbols(val):
    """Whether sizes depend on something that is not known: never."""
    return False


def free_symbols(val):
    """What sizes depend on: nothing."""
    return set()


def free_unbacked_symbols(x):
    """What sizes depend on that comes from data: nothing."""
    return set()


refuse_classes(globals(), ("ShapeEnv", "DimDynamic", "StatelessSymbolicContext"), NotImplementedError, lambda name: (
    f"torch.fx.experimental.symbolic_shapes.{name}: sizes that are formulas are not part of Rushlight"
))
