"""``torch.fx.passes.infra.partitioner``: groups of nodes that somebody can run, as modules."""

from ..utils.fuser_utils import fuse_by_partitions, validate_partition

__all__ = ["Partition", "CapabilityBasedPartitioner"]


class Partition:
    """A group of nodes, each with its place counted from the end of the graph."""

    def __init__(self, id=None, nodes=None):
        self.id = id
        self.nodes = dict.fromkeys(nodes) if nodes is not None and not isinstance(nodes, dict) else dict(nodes or {})

    def __repr__(self):
        return str(self.nodes)

    def add_node(self, node, node_order=None):
        """Puts a node in."""
        self.nodes[node] = node_order

    def remove_node(self, node):
        """Takes a node out."""
        del self.nodes[node]

    def size(self):
        """How many nodes there are."""
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Groups the nodes of a graph that somebody can run, as an ``OperatorSupport`` says, into parts as large as possible.

    Parts of one node count only with ``allows_single_node_partition``; functions of ``non_compute_ops`` and
    ``allowed_single_node_partition_ops``, by their names, do not make a part or always do.
    """

    def __init__(
        self, graph_module, operator_support, allows_single_node_partition=False, non_compute_ops=None,
        allowed_single_node_partition_ops=None, skip_horizontal_fusion=False,
    ):
        self.graph_module = graph_module
        self.operator_support = operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = non_compute_ops or []
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion

    def _supported(self, node):
        return self.operator_support.is_node_supported(dict(self.graph_module.named_modules()), node)

    def propose_partitions(self):
        """The groups, those near the end of the graph first."""
        home, parts = {}, {}
        backwards = list(reversed(self.graph_module.graph.nodes))
        order = {node: index for index, node in enumerate(backwards)}
        modules = dict(self.graph_module.named_modules())
        for number, node in enumerate(backwards):
            if node.op not in ("call_function", "call_method", "call_module", "get_attr"):
                continue
            if not self.operator_support.is_node_supported(modules, node):
                continue
            parts[number], home[node] = [node], number
            for user in list(node.users):
                other = home.get(user)
                if other is None or other == home[node]:
                    continue
                union = parts[other] + parts[home[node]]
                if validate_partition(union):
                    own = home[node]
                    parts[other] = union
                    home.update(dict.fromkeys(parts.pop(own), other))
            if not self.skip_horizontal_fusion:
                self._merge_beside(home, parts, home[node])
        proposed = []
        for number, nodes in parts.items():
            nodes = sorted(nodes, key=lambda node: -order[node])
            if self.allows_single_node_partition or self._is_worth_it(nodes):
                proposed.append(Partition(number, {node: order[node] for node in nodes}))
        return proposed

    def _merge_beside(self, home, parts, number):
        """Joins a group with others that need not come before or after it."""
        for other in [each for each in parts if each != number]:
            union = parts[other] + parts[number]
            if validate_partition(union):
                parts[other] = union
                home.update(dict.fromkeys(parts.pop(number), other))
                return

    def _is_worth_it(self, nodes):
        from ..._targets import qualified_name

        work = 0
        for node in nodes:
            name = qualified_name(node.target) if callable(node.target) else node.target
            if name in self.allowed_single_node_partition_ops:
                return True
            work += name not in self.non_compute_ops
        return work > 1

    def fuse_partitions(self, partitions, prefix="fused_"):
        """Makes modules of groups; returns the graph module."""
        return fuse_by_partitions(self.graph_module, [part.nodes for part in partitions], prefix=prefix)

    def remove_bookend_non_compute_ops(self, partitions):
        """Takes nodes that compute nothing out of the groups where nothing in the group comes before or after them."""
        from ..._targets import qualified_name

        def idle(node):
            return callable(node.target) and qualified_name(node.target) in self.non_compute_ops

        for part in partitions:
            changed = True
            while changed:
                edge = [
                    node for node in part.nodes
                    if idle(node) and (
                        not any(user in part.nodes for user in node.users)
                        or not any(used in part.nodes for used in node.all_input_nodes)
                    )
                ]
                for node in edge:
                    part.remove_node(node)
                changed = bool(edge)

    def partition_and_fuse(self, prefix="fused_"):
        """Groups the nodes and makes modules of the groups; returns the graph module."""
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)
