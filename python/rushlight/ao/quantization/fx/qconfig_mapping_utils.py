"""Which configuration every node of a recorded model has."""

import collections
import re
from typing import Any, Optional

from ....fx import Graph, Node
from ...._library import publish
from ....nn import Module
from ..backend_config import BackendConfig
from ..backend_config.utils import get_module_to_qat_module
from ..qconfig import QConfigAny, qconfig_equals
from ..qconfig_mapping import QConfigMapping
from .match_utils import _sequence

__all__: list[str] = []


def _update_qconfig_for_fusion(
    graph: Graph, modules: dict[str, Module], qconfig_mapping: QConfigMapping, backend_config: BackendConfig
) -> None:
    """Gives the classes of fused modules the configuration that the classes of their parts have.

    Raises:
        LookupError: the parts have different ones.
    """
    parts = {
        config.fused_module: _sequence(config) for config in reversed(backend_config.configs) if config.fused_module is not None
    }
    by_type = qconfig_mapping.object_type_qconfigs
    if not by_type:
        return
    for node in graph.nodes:
        fused = type(modules.get(node.target)) if node.op == "call_module" else None
        if fused not in parts:
            continue
        first, *rest = parts[fused]
        qconfig = by_type.get(first)
        for part in rest:
            if not qconfig_equals(by_type.get(part), qconfig):
                raise LookupError(
                    "During fusion, we need to specify the same "
                    f"qconfigs for all module types in {fused} offending type: {part}"
                )
        if qconfig is not None:
            by_type[fused] = qconfig


def _update_qconfig_for_qat(qconfig_mapping: QConfigMapping, backend_config: BackendConfig) -> None:
    """Gives classes for training the configuration of those whose places they take."""
    by_type = qconfig_mapping.object_type_qconfigs
    for plain, qat in get_module_to_qat_module(backend_config).items():
        if plain in by_type:
            by_type[qat] = by_type[plain]


def _of_path(qconfig_mapping: QConfigMapping, path: str, otherwise: QConfigAny) -> QConfigAny:
    """The configuration of the module under a path: of the path, or one above; of a pattern; else what is given."""
    names = qconfig_mapping.module_name_qconfigs
    above = path
    while above:
        if above in names:
            return names[above]
        above = above.rpartition(".")[0]
    if "" in names and path == "":
        return names[""]
    for pattern, qconfig in qconfig_mapping.module_name_regex_qconfigs.items():
        if re.match(pattern, path):
            return qconfig
    return otherwise


class _Calls:
    """Counts calls of a kind in a module, for configurations that name them by their position."""

    def __init__(self, qconfig_mapping: QConfigMapping):
        self.rules = qconfig_mapping.module_name_object_type_order_qconfigs
        self.counts: collections.Counter = collections.Counter()

    def next(self, path: str, kind: Any, otherwise: QConfigAny) -> QConfigAny:
        """The configuration of one more call, where a rule names it."""
        index = self.counts[path, kind]
        self.counts[path, kind] += 1
        return self.rules.get((path, kind, index), otherwise)


def _of_node(
    node: Node,
    modules: dict[str, Module],
    qconfig_mapping: QConfigMapping,
    scopes: dict[str, tuple[str, Optional[type]]],
    calls: _Calls,
) -> QConfigAny:
    path, recorded_type = scopes.get(node.name, ("", None))
    everything = qconfig_mapping.global_qconfig
    by_type = qconfig_mapping.object_type_qconfigs
    if node.op == "get_attr":
        return _of_path(qconfig_mapping, path, everything)
    if node.op in ("call_function", "call_method"):
        qconfig = _of_path(qconfig_mapping, path, by_type.get(node.target, everything))
        return calls.next(path, node.target, qconfig)
    if node.op == "call_module":
        kind = type(modules[node.target])
        qconfig = _of_path(qconfig_mapping, node.target, by_type.get(kind, everything))
        return calls.next(node.target.rpartition(".")[0], recorded_type or kind, qconfig)
    return None


def _generate_node_name_to_qconfig(
    graph: Graph,
    modules: dict[str, Module],
    qconfig_mapping: QConfigMapping,
    node_name_to_scope: dict[str, tuple[str, Optional[type]]],
) -> dict[str, QConfigAny]:
    """The configurations of all nodes, by their names. Modules have theirs as ``qconfig`` from then on."""
    calls = _Calls(qconfig_mapping)
    found: dict[str, QConfigAny] = {}
    for node in graph.nodes:
        qconfig = _of_node(node, modules, qconfig_mapping, node_name_to_scope, calls)
        if node.op == "call_module":
            modules[node.target].qconfig = qconfig
        found[node.name] = qconfig
    return found


publish(globals())
