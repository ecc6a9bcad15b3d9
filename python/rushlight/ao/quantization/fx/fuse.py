"""Makes one module of modules that follow one another in a recorded model."""

from typing import Any, Union

from ....fx import GraphModule, Node
from ...._library import publish
from ....nn import Module, ReLU
from ....nn import functional as F
from ..backend_config import BackendConfig, get_native_backend_config
from .custom_config import FuseCustomConfig
from .graph_module import FusedGraphModule
from .match_utils import _configs_to_fuse, _find_matches
from .utils import _module_of, _set_module

__all__ = ["fuse"]

# The modules that stand for functions in what is fused.
_MODULES_OF_FUNCTIONS = {F.relu: ReLU}


def _as_module(node: Node, modules: dict[str, Module], training: bool) -> Module:
    """The module that a node calls, or one in the mode of the model that does what its function does."""
    found = _module_of(node, modules)
    return _MODULES_OF_FUNCTIONS[node.target]().train(training) if found is None else found


def fuse(
    model: GraphModule,
    is_qat: bool,
    fuse_custom_config: Union[FuseCustomConfig, dict[str, Any], None] = None,
    backend_config: Union[BackendConfig, dict[str, Any], None] = None,
) -> GraphModule:
    """The recorded model with one node for every sequence that a backend fuses: the first takes the place of all.

    Args:
        model: the recorded model.
        is_qat: whether it is to be trained.
        fuse_custom_config: what else to keep.
        backend_config: which sequences there are.
    """
    if isinstance(fuse_custom_config, dict):
        fuse_custom_config = FuseCustomConfig.from_dict(fuse_custom_config)
    if isinstance(backend_config, dict):
        backend_config = BackendConfig.from_dict(backend_config)
    backend_config = backend_config or get_native_backend_config()
    graph = model.graph
    # What modules were before any was fused: several calls of the same ones give the same result.
    modules = dict(model.named_modules())
    for match in _find_matches(graph, modules, _configs_to_fuse(backend_config)):
        parts = [_as_module(node, modules, model.training) for node in match.nodes]
        fused = match.config.fuser_method(is_qat, *parts)
        fused.train(parts[0].training)
        _set_module(model, match.first.target, fused)
        match.last.replace_all_uses_with(match.first)
        for node in reversed(match.nodes[1:]):
            graph.erase_node(node)
    kept = set(fuse_custom_config.preserved_attributes) if fuse_custom_config is not None else set()
    return FusedGraphModule(model, graph, kept) if kept else GraphModule(model, graph)


publish(globals())
