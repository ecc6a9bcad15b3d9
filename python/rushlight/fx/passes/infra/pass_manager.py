"""``torch.fx.passes.infra.pass_manager``: runs passes one after another."""

import functools
import inspect
from collections import deque

from .... import nn
from .pass_base import PassResult

__all__ = ["pass_result_wrapper", "this_before_that_pass_constraint", "PassManager"]


def pass_result_wrapper(fn):
    """Makes a pass of a function that changes a graph module in place and returns nothing."""
    if fn is None:
        return None

    @functools.wraps(fn)
    def wrapped(graph_module):
        result = fn(graph_module)
        if result is None:
            return PassResult(graph_module, True)
        return result if isinstance(result, PassResult) else PassResult(result, True)

    if not inspect.isfunction(fn):
        wrapped.__name__ = type(fn).__name__
    return wrapped


def this_before_that_pass_constraint(this, that):
    """A constraint: one pass runs before another."""
    return lambda a, b: a != that or b != this


def _validate_pass_schedule_constraint(constraint, passes):
    for i, a in enumerate(passes):
        for j, b in enumerate(passes[i + 1 :]):
            if not constraint(a, b):
                raise RuntimeError(
                    f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} and {b} at "
                    f"index{j} in pass list."
                )


def _topological_sort_passes(passes, constraints):
    """The passes in an order that all constraints allow."""
    if len(constraints) == 0:
        return passes
    after = {each: [] for each in passes}
    waiting = dict.fromkeys(passes, 0)
    for a in passes:
        for b in passes:
            if a is not b and any(not constraint(a, b) for constraint in constraints):
                after[b].append(a)
                waiting[a] += 1
    ready = deque(each for each in passes if not waiting[each])
    ordered = []
    while ready:
        first = ready.popleft()
        ordered.append(first)
        for later in after[first]:
            waiting[later] -= 1
            if not waiting[later]:
                ready.append(later)
    if len(ordered) != len(passes):
        raise RuntimeError(f"Circular dependency detected within the following passes: {[p for p in passes if waiting[p]]}")
    return ordered


class PassManager:
    """Runs passes, in an order that all constraints allow, ``steps`` times or until nothing changes."""

    passes: list
    constraints: list
    _validated: bool = False
    steps: int = 1

    def __init__(
        self, passes=None, constraints=None, steps=None, run_checks_after_each_pass=False, suppress_check_failures=False
    ):
        self.passes = passes or []
        self.constraints = constraints or []
        if steps:
            self.steps = steps
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures

    def add_pass(self, _pass):
        """Adds a pass."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint):
        """Adds a constraint: a function that says whether the first pass may run before the second."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self):
        """Checks that the order of the passes is one that all constraints allow."""
        if self._validated:
            return
        for constraint in self.constraints:
            _validate_pass_schedule_constraint(constraint, self.passes)
        self._validated = True

    def solve_constraints(self):
        """Puts the passes into an order that all constraints allow."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check):
        """Says what is checked after passes: a function of a module."""
        parameters = list(inspect.signature(check).parameters.values())
        if len(parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.check = check

    def check(self, module):
        """What is checked after passes: nothing."""

    def __call__(self, module):
        """Runs the passes on a graph module; returns a :class:`PassResult`."""
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        changed = False
        for _ in range(self.steps):
            modified = False
            for number, each in enumerate(self.passes):
                name = each.__name__ if inspect.isfunction(each) else type(each).__name__
                try:
                    result = each(module)
                    if not isinstance(result, PassResult) and not hasattr(result, "graph_module"):
                        raise TypeError(
                            f"The result of the pass {name} should be type PassResult."
                            + "Please wrap it with pass_result_wrapper()"
                        )
                    module = result.graph_module
                    modified = modified or result.modified
                    if isinstance(module, nn.Module) and hasattr(module, "recompile"):
                        module.recompile()
                    if self.run_checks_after_each_pass:
                        self.check(module)
                except Exception as error:
                    before = [p.__name__ if inspect.isfunction(p) else type(p).__name__ for p in self.passes[:number]]
                    raise Exception(
                        f"An error occurred when running the '{name}' pass after the following passes: {before}"
                    ) from error
            changed = changed or modified
            if not modified:
                break
        return PassResult(module, changed)
