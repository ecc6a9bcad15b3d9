"""``torch.autograd``: gradients, switches of their recording, and marks for profilers."""

from .. import _rushlight
from .._once import warn_once
from . import _engine, _tensor, function, grad_mode
from .function import Function
from .grad_mode import enable_grad, inference_mode, is_inference_mode_enabled, no_grad, set_grad_enabled
from .grad_mode import set_multithreading_enabled  # noqa: F401

Tensor = _rushlight.Tensor


def _list(tensors):
    """Tensors as a list; edges of the graph stand for the tensors that they were made from."""
    if isinstance(tensors, Tensor):
        return [tensors]
    if hasattr(tensors, "ownership_token"):
        return [tensors.ownership_token]
    return [getattr(tensor, "ownership_token", tensor) for tensor in tensors]


def _inputs(tensors):
    found = _list(tensors)
    for tensor in found:
        if not isinstance(tensor, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    return found


def _seeds(given, count):
    seeds = [None] * count if given is None else _list(given)
    for seed in seeds[:count]:
        if seed is not None and not isinstance(seed, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(seed).__name__}")
    if len(seeds) != count:
        raise RuntimeError(f"got {count} tensors and {len(seeds)} gradients")
    return seeds


_CYCLES = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause a "
    "memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this function, make "
    "sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak."
)


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Adds the gradients of ``tensors`` to ``.grad`` of the leaves that they come from.

    Args:
        tensors: a tensor or several, each with one element unless its gradient is given.
        grad_tensors: the gradients to begin with, in the sizes of ``tensors``.
        retain_graph: keep what was recorded for another run; ``create_graph`` unless given.
        create_graph: record the run, so that gradients of gradients can be found.
        inputs: the leaves to add gradients to; all of them unless given.
    """
    tensors = _list(tensors)
    if create_graph:
        warn_once(_CYCLES)
    if inputs is not None:
        inputs = _inputs(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        if not all(tensor.requires_grad for tensor in inputs):
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
    seeds = _seeds(grad_variables if grad_tensors is None else grad_tensors, len(tensors))
    _engine.run(
        tensors,
        seeds,
        inputs,
        accumulate=True,
        retain=bool(create_graph if retain_graph is None else retain_graph),
        create_graph=bool(create_graph),
        allow_unused=True,
    )


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """The gradients of ``outputs`` with respect to ``inputs``, as a tuple; ``.grad`` stays as it is.

    Args:
        outputs: a tensor or several, each with one element unless its gradient is given.
        inputs: the tensors whose gradients are asked for.
        grad_outputs: the gradients to begin with.
        retain_graph: keep what was recorded for another run; ``create_graph`` unless given.
        create_graph: record the run, so that gradients of gradients can be found.
        is_grads_batched: the first dimension of ``grad_outputs`` counts gradients to begin with, one run for each.
        allow_unused: None instead of an error for inputs that have no part in the outputs.
        materialize_grads: zeros instead of None for those.
    """
    outputs, inputs = _list(outputs), _inputs(inputs)
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if is_grads_batched:
        return _batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    if allow_unused is None:
        allow_unused = materialize_grads
    seeds = _seeds(grad_outputs, len(outputs))
    if any(type(seed) is not Tensor and hasattr(seed, "bdim") for seed in seeds):
        return _mapped(
            outputs, inputs, seeds, retain_graph, create_graph, allow_unused=allow_unused, materialize_grads=materialize_grads
        )
    found = _engine.run(
        outputs,
        seeds,
        inputs,
        accumulate=False,
        retain=bool(create_graph if retain_graph is None else retain_graph),
        create_graph=bool(create_graph),
        allow_unused=bool(allow_unused),
    )
    if materialize_grads:
        found = [input.new_zeros(input.shape) if g is None else g for g, input in zip(found, inputs)]
    return tuple(found)


def _row_by_row(count, seeds_of, outputs, inputs, retain_graph, create_graph, **options):
    """:func:`grad` for several gradients to begin with, one run for each, the results stacked."""
    from .. import stack

    keep = bool(create_graph if retain_graph is None else retain_graph)
    rows = [
        grad(outputs, inputs, seeds_of(i), retain_graph=keep or i + 1 < count, create_graph=create_graph, **options)
        for i in range(count)
    ]
    return tuple(None if column[0] is None else stack(column) for column in zip(*rows))


def _mapped(outputs, inputs, seeds, *args, **options):
    """:func:`grad` inside of ``vmap``, over the gradients to begin with: a run for each sample."""
    from .._functorch._batched import batched_at, sample, wrap

    level = max((seed.level for seed in seeds if hasattr(seed, "bdim")), key=lambda level: level.number)

    def seeds_of(i):
        return [sample(seed, i) if batched_at(seed, level) else seed for seed in seeds]

    found = _row_by_row(level.batch_size, seeds_of, outputs, inputs, *args, **options)
    return tuple(None if each is None else wrap(each, level) for each in found)


def _batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads):
    """:func:`grad` for several gradients to begin with, stacked."""
    seeds = _seeds(grad_outputs, len(outputs))
    for i, (seed, output) in enumerate(zip(seeds, outputs)):
        shape = (() if seed is None else seed.shape)[1:]
        if seed is not None and tuple(shape) != tuple(output.shape):
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The sizes of "
                "the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
                f"grad_output[{i}] has a shape of {type(output.shape)(())} and output[{i}] has a shape of {output.shape}. If you only "
                "want some tensors in `grad_output` to be considered batched, consider using vmap."
            )
    if any(seed is None for seed in seeds):
        raise ValueError(
            "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 so expected "
            "in_dim to satisfy 0 <= in_dim < 0."
        )
    return _row_by_row(
        len(seeds[0]), lambda i: [seed[i] for seed in seeds], outputs, inputs, retain_graph, create_graph,
        allow_unused=allow_unused, materialize_grads=materialize_grads,
    )


def _is_checkpoint_valid():
    """Whether what a checkpoint left out may be computed again within a run: always."""
    return True


def _profiler_enabled():
    """Whether a profile is being recorded."""
    import sys

    # Who has recorded none need not load what it takes.
    measuring = sys.modules.get(__package__ + "._measuring")
    return measuring is not None and measuring.is_on()


def _disable_profiler():
    """Needs the reference's own profile, which begins and ends without an object: raises ``NotImplementedError``."""
    raise NotImplementedError("torch.autograd._disable_profiler: profiles are begun and ended by torch.profiler.profile")


# Modules that are loaded when they are first asked for, and names with the modules that have them.
_MODULES = ("anomaly_mode", "forward_ad", "functional", "graph", "profiler", "profiler_util", "variable")
_HOMES = {
    "set_detect_anomaly": "anomaly_mode", "detect_anomaly": "anomaly_mode", "is_anomaly_enabled": "anomaly_mode",
    "is_anomaly_check_nan_enabled": "anomaly_mode", "gradcheck": "gradcheck", "gradgradcheck": "gradcheck", "Variable": "variable",
    "kineto_available": "profiler", "DeviceType": "profiler_util",
}


def __getattr__(name):
    from importlib import import_module

    if name in _MODULES:
        return import_module("." + name, __package__)
    if name in _HOMES:
        home = import_module("." + _HOMES[name], __package__)
        if hasattr(home, _HOMES[name]):
            # A function that has the name of its module: loading one of its neighbours must not hide it.
            globals()[_HOMES[name]] = getattr(home, _HOMES[name])
        found = globals()[name] = getattr(home, name)
        return found
    raise AttributeError(f"module 'torch.autograd' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_MODULES, *_HOMES})
