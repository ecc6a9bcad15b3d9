"""Which loggers speak: ``torch._logging.set_logs``."""

import importlib
import logging

# Loggers by the names that programs give them.
_LOGGERS = {
    "all": ("torch",), "dynamo": ("torch._dynamo",), "aot": ("torch._functorch.aot_autograd", "torch._functorch._aot_autograd"),
    "autograd": ("torch.autograd",), "dynamic": ("torch.fx.experimental.symbolic_shapes",), "inductor": ("torch._inductor",),
    "distributed": ("torch.distributed",), "c10d": ("torch.distributed.distributed_c10d", "torch.distributed.rendezvous"),
    "ddp": ("torch.nn.parallel.distributed",), "fsdp": ("torch.distributed.fsdp",), "dtensor": ("torch.distributed._tensor",),
    "onnx": ("torch.onnx",), "export": ("torch.export",),
}  # fmt: skip
# What compilers can be asked to print.
_ARTIFACTS = set(
    "bytecode aot_graphs aot_joint_graph ddp_graphs graph graph_code graph_code_verbose graph_breaks side_effects graph_sizes guards "
    "recompiles recompiles_verbose trace_source trace_call trace_bytecode output_code kernel_code schedule perf_hints pre_grad_graphs "
    "post_grad_graphs ir_pre_fusion ir_post_fusion onnx_diagnostics fusion overlap cudagraphs sym_node compiled_autograd "
    "compiled_autograd_verbose cudagraph_static_inputs benchmarking autotuning graph_region_expansion inductor_metrics hierarchical_compile "
    "compute_dependencies autotuning_inputs incremental caching partitioned_scatter".split()
)
_LEVELS = (logging.CRITICAL, logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG, logging.NOTSET)
DEFAULT_LOGGING = {
    "dynamo": logging.INFO, "aot": logging.INFO, "inductor": logging.INFO, "fsdp": logging.INFO, "ddp_graphs": True, "graph_breaks": True,
    "side_effects": True, "guards": True, "recompiles": True, "dynamic": logging.INFO,
}  # fmt: skip
# The loggers whose level was set, with the level of before.
_set = {}


def _level(name, level):
    if isinstance(level, bool) or level not in _LEVELS:
        shown = name if name != "all" else "torch"
        raise ValueError(f"Unrecognized log level for log {shown}: {level}, valid level values are: {','.join(map(str, _LEVELS))}")
    return level


def set_logs(*, modules=None, **wanted):
    """Sets how much loggers say, and which artifacts of compilers are printed; what is not named goes back to what it was.

    Args:
        modules: levels, or for artifacts whether they are printed, by the names of modules.
        wanted: the same by the short names: ``set_logs(distributed=logging.INFO)``.
    """
    unknown = next((name for name in wanted if name not in _LOGGERS and name not in _ARTIFACTS), None)
    if unknown is not None:
        raise TypeError(f"set_logs() got an unexpected keyword argument {unknown!r}")
    levels = {}
    for name, value in wanted.items():
        if name in _ARTIFACTS:
            if not isinstance(value, bool):
                raise ValueError(f"Expected bool to enable artifact {name}, received {value}")
        elif value is not None:
            levels.update(dict.fromkeys(_LOGGERS[name], _level(name, value)))
    for name, level in (modules or {}).items():
        importlib.import_module(name)
        levels[name] = _level(name, level)
    _apply(levels)


def _apply(levels):
    for name, before in _set.items():
        logging.getLogger(name).setLevel(before)
    _set.clear()
    for name, level in levels.items():
        logger = logging.getLogger(name)
        _set[name] = logger.level
        logger.setLevel(level)
        if not any(type(handler) is logging.StreamHandler for handler in logger.handlers):
            logger.addHandler(logging.StreamHandler())


def getArtifactLogger(module_qname, artifact_name):
    """The logger of an artifact of a module."""
    if artifact_name not in _ARTIFACTS:
        raise ValueError(
            f"Artifact name: {artifact_name!r} not registered,please call register_artifact({artifact_name!r}) in torch._logging.registrations."
        )
    return logging.getLogger(f"{module_qname}.__{artifact_name}")
