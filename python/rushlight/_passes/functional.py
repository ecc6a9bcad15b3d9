"""Code without side effects in graphs of its own: ``prim::FunctionalGraph``."""

from .. import _introspection
from . import call_instead, replace
from .alias import AliasDb, _used

KIND = "prim::FunctionalGraph"
_FREE = ("prim::Constant", "prim::If", "prim::Loop")


class _Slicer:
    def __init__(self, graph):
        self.graph, self.aliases = graph, AliasDb(graph)
        self.results = list(graph.outputs())

    def is_functional(self, node):
        """Whether running a node, and what is inside it, does nothing but give results that nobody writes to or keeps."""
        if node.kind() not in _FREE and (not node.kind().startswith("aten::") or node.isNondeterministic()):
            return False
        for value in node.outputs():
            if self.aliases.has_writers(value) or any(self.aliases.may_contain_alias(value, result) for result in self.results):
                return False
        return all(self.is_functional(inner) for block in node.blocks() for inner in block.nodes())

    def reads_written(self, node):
        """Whether a node uses what something writes to: it cannot wait until after a write."""
        return any(self.aliases.has_writers(value) for value in _used(node))

    def block(self, block):
        """Makes graphs of the functional nodes of a block that can stand in one place, and goes into the others."""
        groups, group, bound, must_stay = [], [], set(), False
        for node in list(block.nodes()):
            if node.kind() == "prim::Constant":
                continue
            if self.is_functional(node):
                group.append(node)
                bound.update(node.outputs())
                must_stay = must_stay or self.reads_written(node)
                continue
            if group and (must_stay or any(value in bound for value in _used(node))):
                groups.append(group)
                group, bound, must_stay = [], set(), False
            for inner in node.blocks():
                self.block(inner)
        for nodes in [*groups, group]:
            if len(nodes) > 1:
                self.gather(nodes)

    def gather(self, nodes):
        """Puts nodes into a graph of its own, in the place of the last of them."""
        body, known, given = _introspection.Graph(), {}, []
        made = {value for node in nodes for value in _made(node)}

        def here(value):
            if value not in known:
                if value.node().kind() == "prim::Constant":
                    body.appendNode(constant := body.createClone(value.node(), here))
                    known[value] = constant.output()
                else:
                    given.append(value)
                    known[value] = body.addInput(value.debugName() if not value.debugName().isdigit() else "").setType(value.type())
            return known[value]

        for node in nodes:
            for value in _used(node):
                if value not in made:
                    here(value)
            copied = body.createClone(node, here)
            body.appendNode(copied)
            known.update(zip(node.outputs(), copied.outputs()))
        inside = set(nodes)
        taken = [value for value in (v for node in nodes for v in node.outputs()) if any(not _within(use.user, inside) for use in value.uses())]
        body = _with_outputs(body, [known[value] for value in taken])
        call_instead(self.graph, nodes, KIND, body, given, taken)


def _with_outputs(body, outputs):
    for value in outputs:
        body.registerOutput(value)
    return body


def _made(node):
    """The values that a node gives, and those inside it."""
    yield from node.outputs()
    for block in node.blocks():
        yield from block.inputs()
        for inner in block.nodes():
            yield from _made(inner)


def _within(node, nodes):
    while node is not None:
        if node in nodes:
            return True
        block = node.owningBlock()
        node = None if block is None else block.owningNode()
    return False


def _jit_pass_create_functional_graphs(graph):
    """Makes graphs of their own of code without side effects whose results stay inside."""
    _Slicer(graph).block(graph.block())


def _jit_pass_inline_functional_graphs(graph):
    """Puts what such graphs do back in their place."""
    for node in graph.findAllNodes(KIND):
        with graph.insert_point_guard(node):
            results = graph.insertGraph(node.g("Subgraph"), list(node.inputs()))
        replace(node, results)
