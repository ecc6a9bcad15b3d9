"""``torch.fx.passes.pass_manager``: functions run one after another on anything."""

import logging
from functools import wraps

from .infra.pass_manager import _validate_pass_schedule_constraint, this_before_that_pass_constraint

__all__ = [
    "PassManager", "inplace_wrapper", "log_hook", "loop_pass", "this_before_that_pass_constraint",
    "these_before_those_pass_constraint",
]

logger = logging.getLogger(__name__)


def inplace_wrapper(fn):
    """Makes a function that changes its argument in place return it."""

    @wraps(fn)
    def wrapped(gm):
        fn(gm)
        return gm

    return wrapped


def log_hook(fn, level=logging.INFO):
    """Logs what a function returns."""

    @wraps(fn)
    def wrapped(gm):
        result = fn(gm)
        logger.log(level, "Ran pass %s\t Return value: %s", fn, result)
        return result

    return wrapped


def loop_pass(base_pass, n_iter=None, predicate=None):
    """Runs a function several times: a number of times, or as long as a condition holds."""
    assert (n_iter is not None) ^ (predicate is not None), "Exactly one of `n_iter`or `predicate` must be specified."

    @wraps(base_pass)
    def looped(source):
        if n_iter is not None and n_iter > 0:
            for _ in range(n_iter):
                source = base_pass(source)
        elif predicate is not None:
            while predicate(source):
                source = base_pass(source)
        else:
            raise RuntimeError(f"loop_pass must be given positive int n_iter (given {n_iter}) xor predicate (given {predicate})")
        return source

    return looped


def these_before_those_pass_constraint(these, those):
    """A constraint: functions made by one wrapper run before those made by another, by the names that they carry."""
    return lambda a, b: not (a.__name__ == those.__name__ and b.__name__ == these.__name__) or a == b


class PassManager:
    """Runs functions one after another, each on what the one before returns."""

    passes: list
    constraints: list
    _validated: bool = False

    def __init__(self, passes=None, constraints=None):
        self.passes = passes or []
        self.constraints = constraints or []

    @classmethod
    def build_from_passlist(cls, passes):
        """A manager of these functions."""
        return cls(passes)

    def add_pass(self, _pass):
        """Adds a function."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint):
        """Adds a constraint: whether the first function may run before the second."""
        self.constraints.append(constraint)
        self._validated = False

    def remove_pass(self, _passes):
        """Takes out the functions of some names."""
        self.passes = [each for each in self.passes if each.__name__ not in _passes]
        self._validated = False

    def replace_pass(self, _target, _replacement):
        """Puts one function in the place of another."""
        self.passes = [_replacement if each.__name__ == _target.__name__ else each for each in self.passes]
        self._validated = False

    def validate(self):
        """Checks that the order is one that all constraints allow."""
        if self._validated:
            return
        for constraint in self.constraints:
            _validate_pass_schedule_constraint(constraint, self.passes)
        self._validated = True

    def __call__(self, source):
        """What the last function returns."""
        self.validate()
        for each in self.passes:
            source = each(source)
        return source
