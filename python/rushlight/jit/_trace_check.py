"""The check of a trace: it is recorded once more and run, and everything must agree."""

import re
import textwrap
import warnings

from .. import _rushlight
from ..autograd import no_grad
from .._rushlight import Tensor


class TracingCheckError(Exception):
    """Two traces of the same function differ."""

    def __init__(self, graph_diff_error, tensor_compare_error, extra_msg=None):
        self.message = "Tracing failed sanity checks!\n"
        if extra_msg is not None:
            self.message += extra_msg + "\n"
        if graph_diff_error is not None:
            self.message += "ERROR: Graphs differed across invocations!\n"
            self.message += _indent(graph_diff_error.rstrip("\n")) + "\n"
        if tensor_compare_error is not None:
            self.message += (
                "ERROR: Tensor-valued Constant nodes differed in value across invocations. This often indicates that the "
                "tracer has encountered untraceable code.\n"
            )
            self.message += _indent(tensor_compare_error) + "\n"
        super().__init__(self.message)


TracingCheckError.__module__ = "torch.jit._trace"


def _indent(text):
    return "\n".join("\t" + line for line in text.split("\n"))


def _clone(value):
    if isinstance(value, Tensor):
        copy = value.detach().clone()
        if value.requires_grad and copy.dtype.is_floating_point:
            copy.requires_grad_(True)
        return copy
    if isinstance(value, dict):
        return {key: _clone(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_clone, value))
    if isinstance(value, (tuple, list)):
        return type(value)(map(_clone, value))
    return value


def clone_inputs(inputs):
    """Inputs that a recorded program may write into."""
    if hasattr(inputs, "values") and not isinstance(inputs, tuple):
        return type(inputs)(_clone(inputs.values))
    return _clone(tuple(inputs))


def _call(function, inputs):
    if isinstance(inputs, tuple):
        return function(*inputs)
    return function(**inputs.values)


def tensors_of(value):
    """The tensors of a result, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return []
    return [tensor for part in value for tensor in tensors_of(part)]


def check(inputs, function, traced, trace_again, tolerance):
    """Records the function once more and compares graphs and results; differing results are warned of."""
    with no_grad():
        _check(inputs, function, traced, trace_again, tolerance)


def _check(inputs, function, traced, trace_again, tolerance):
    again = trace_again(clone_inputs(inputs))

    def run(what, call):
        try:
            return tensors_of(_call(call, clone_inputs(inputs)))
        except Exception as error:
            message = f"encountered an exception while running the {what} with test inputs.\nException:\n" + _indent(str(error))
            raise TracingCheckError(*_diagnose(traced, again), extra_msg=message) from error

    state = {"warned": False}
    expected = run("trace", traced)
    agrees = _compare(expected, run("Python function", function), "Python function", traced, tolerance, state)
    if agrees:
        _compare(expected, run("repeated trace", again), "repeated trace", traced, tolerance, state)
    differences = _diagnose(traced, again)
    if any(d is not None for d in differences):
        raise TracingCheckError(*differences)


# Operators whose results are drawn.
_RANDOM = re.compile(
    r"= aten::(bernoulli|dropout|multinomial|normal|poisson|rrelu|rrelu_with_noise|rand|rand_like|randint|randint_like|randn|"
    r"randn_like|randperm)\("
)


def _nondeterministic(graph):
    """The lines of a graph whose nodes draw random numbers."""
    lines = str(graph).split("\n")
    constants = {m[1]: m[2] for m in (re.match(r"\s*(%\S+) : bool = prim::Constant\[value=(\d)\]", line) for line in lines) if m}
    found = []
    for line in lines:
        drawn = _RANDOM.search(line)
        if not drawn:
            continue
        arguments = line[drawn.end() :].split(")")[0].split(", ")
        if drawn[1] != "dropout" or constants.get(arguments[-1]) == "1":
            found.append(line)
    return found


def _compare(original, reference, what, traced, tolerance, state):
    from ..testing import assert_close
    from ._trace import TracerWarning

    def warn_of_drawing():
        nodes = _nondeterministic(traced.graph)
        if nodes and not state["warned"]:
            state["warned"] = True
            shown = "\n".join("\t" + node.strip() for node in nodes)
            warnings.warn(
                "Trace had nondeterministic nodes. Did you forget to call .eval() on your model? Nodes:\n"
                f"{shown}\nThis may cause errors in trace checking. To disable trace checking, pass check_trace=False to "
                "torch.jit.trace()",
                TracerWarning,
                stacklevel=6,
            )

    for number, (mine, theirs) in enumerate(zip(original, reference), 1):
        try:
            mine, theirs = (t.dequantize() if t.is_quantized else t for t in (mine, theirs))
            assert_close(mine.double(), theirs.double(), rtol=tolerance, atol=1e-5, equal_nan=True)
        except AssertionError as error:
            warn_of_drawing()
            warnings.warn(
                f"Output nr {number}. of the traced function does not match the corresponding output of the {what}. Detailed "
                f"error:\n{_details(mine, theirs, tolerance, str(error))}",
                TracerWarning,
                stacklevel=5,
            )
            return False
    return True


def _details(mine, theirs, tolerance, fallback):
    """How far two tensors are apart."""
    if mine.shape != theirs.shape:
        return (
            f"The values for attribute 'shape' do not match: {mine.shape} != {theirs.shape}."
        )
    a, b = mine.detach().double().reshape(-1).tolist(), theirs.detach().double().reshape(-1).tolist()
    apart = [abs(x - y) for x, y in zip(a, b)]
    wrong = sum(not d <= 1e-5 + tolerance * abs(y) for d, y in zip(apart, b))
    if not wrong:
        return fallback
    relative = [d / abs(y) if y else (float("inf") if d else 0.0) for d, y in zip(apart, b)]
    parts = ["Tensor-likes are not close!", ""]
    if not mine.shape:
        return (
            f"Scalars are not close!\n\nExpected {b[0]} but got {a[0]}.\nAbsolute difference: {apart[0]} (up to 1e-05 "
            f"allowed)\nRelative difference: {relative[0]} (up to {tolerance} allowed)"
        )
    parts.append(f"Mismatched elements: {wrong} / {len(a)} ({100 * wrong / len(a):.1f}%)")
    for what, values, allowed in (("absolute", apart, 1e-05), ("relative", relative, tolerance)):
        at = max(range(len(values)), key=values.__getitem__)
        parts.append(
            f"Greatest {what} difference: {values[at]} at index {_index(at, mine.shape)} (up to {allowed} allowed)"
        )
    return "\n".join(parts)


def _index(flat, shape):
    out = []
    for size in reversed(shape):
        out.append(flat % size)
        flat //= size
    return tuple(reversed(out))


_TENSOR_TYPE = re.compile(r"\b[A-Z]\w*\((?:[^()]*, )?(?:requires_grad=[01], )?device=[^()]*\)")

_MANGLED = re.compile(r"___torch_mangle_\d+\.")


def _canonical(text):
    """The text of a graph with its values numbered in order and nothing said about shapes."""
    text = _TENSOR_TYPE.sub("Tensor", text)
    order = {}
    for line in text.split("\n"):
        head = line.split(" = ")[0] if " = " in line else line if " : " in line else ""
        for name in re.findall(r"%([\w.]+) :", head):
            order.setdefault(name, len(order))

    def number(match):
        name = match[1]
        return f"%{order[name]}" if name.isdigit() and name in order else match[0]

    return re.sub(r"%([\w.]*\w)", number, text)


def _nodes(text):
    return [line.strip() + "\n" for line in text.split("\n") if " = " in line]


def _diagnose(traced, again):
    """How two traces differ: in their graphs, in their constants; None where they do not."""
    graphs = traced.inlined_graph, again.inlined_graph
    mine, theirs = (_canonical(_MANGLED.sub("", str(graph))) for graph in graphs)
    graph_error = None
    if mine != theirs:
        graph_error = _graph_difference(graphs, mine, theirs)
    return graph_error, _constant_difference(graphs)


def _graph_difference(graphs, mine, theirs):
    import difflib

    diff = difflib.ndiff(mine.splitlines(True), theirs.splitlines(True))
    error = "Graph diff:\n" + _indent("".join(diff)).rstrip("\t\n") + "\n"
    places = [_rushlight.trace_places(graph) for graph in graphs]
    # Types of modules differ here even where only their numbers do.
    for i, (one, other) in enumerate(zip(*(_nodes(_canonical(str(graph))) for graph in graphs))):
        if one == other:
            continue
        error += "First diverging operator:\n"
        node_diff = difflib.ndiff(one.splitlines(True), other.splitlines(True))
        error += "Node diff:\n" + _indent("".join(node_diff)).rstrip("\t\n") + "\n"
        here, there = (p[i] if i < len(p) else "" for p in places)
        if here:
            error += "Trace source location:\n" + _indent(here) + "\n"
        if there:
            error += "Check source location:\n" + _indent(there) + "\n"
        break
    return textwrap.dedent(error) if error.startswith("\t") else error


def _constant_difference(graphs):
    from ..testing import assert_close

    pairs = zip(*map(_rushlight.trace_constants, graphs))
    for (text, place, mine), (_, _, theirs) in pairs:
        try:
            assert_close(mine, theirs, equal_nan=True)
        except AssertionError as error:
            # Nothing is said about shapes.
            message = "Node:\n" + _indent(_TENSOR_TYPE.sub("Tensor", text).rstrip("\n")) + "\n"
            message += "Source Location:\n" + _indent(place) + "\n"
            return message + "Comparison exception: " + _indent(str(error))
    return None
