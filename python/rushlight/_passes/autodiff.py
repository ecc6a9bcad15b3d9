"""Differentiable code in graphs of its own: ``prim::DifferentiableGraph``.

Nodes whose gradients have a known form are gathered with those that make what they use, where they can stand beside one another
without changing what any node sees. What a gathered graph gives must not share memory with anything else that it gives or is given,
since a gradient would be counted for one of the two only: nodes at fault stay outside.
"""

import functools

from .. import _introspection, _rushlight
from . import call_instead
from .alias import AliasDb, _used

KIND = "prim::DifferentiableGraph"
# Graphs with fewer nodes, besides constants and notes of profiles, are not worth their own.
THRESHOLD = 2

_PLAIN = frozenset(
    """
    _dim_arange _grad_sum_to_size _slow_conv2d_forward abs acos adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d add addcmul addmm
    asin atan avg_pool2d batch_norm bmm cat ceil clamp contiguous cos cosh div dot dropout embedding erf erfc exp expm1 floor frac gelu hardshrink
    hardsigmoid hardswish hardtanh layer_norm leaky_relu lerp linear log log10 log1p log2 logsumexp matmul mean mm mul mv native_batch_norm neg
    nll_loss nonzero permute pow reciprocal relu relu6 round rsqrt sigmoid silu sin sinh softplus split split_with_sizes sqrt squeeze stack std
    sub t tan tanh threshold trunc type_as unsqueeze var max_pool2d max_pool2d_with_indices _autocast_to_full_precision
    _autocast_to_reduced_precision
    """.split()
)
# Those of which only some forms are differentiable, by how their schemas begin.
_FORMS = (
    "aten::max.other(", "aten::min.other(", "aten::remainder.Scalar(", "aten::fmod.Scalar(", "aten::rsub.Scalar(", "aten::where.self(",
    "aten::log_softmax.int(", "aten::softmax.int(", "aten::index.Tensor_hacked_twin(", "aten::to.prim_Device(",
    *(f"aten::{name}.Scalar(" for name in ("lt", "le", "gt", "ge", "eq", "ne")),
)
_PRIM = ("prim::ConstantChunk", "prim::AutogradAdd", "prim::AutogradZero", "prim::profile", KIND)


def is_differentiable(node):
    """Whether the gradient of a node has a known form."""
    kind = node.kind()
    if kind == "prim::profile":
        return node.inputsSize() == 1
    if kind in _PRIM:
        return True
    if not kind.startswith("aten::"):
        return False
    schema = node.schema()
    if schema.startswith(_FORMS):
        return True
    if kind.removeprefix("aten::") not in _PLAIN or not schema.partition("(")[2].startswith(("Tensor", "Scalar self, Tensor")):
        return False
    if ".out" in schema.partition("(")[0] or ".names" in schema.partition("(")[0]:
        return False
    return kind != "aten::dropout" or node.inputsAt(2).node().kind() == "prim::Constant"


def _counts(node):
    return node.kind() not in ("prim::Constant", "prim::profile")


class _Group(list):
    """Nodes, in their order, that become a graph of their own."""

    def uses(self):
        """What they use of what others make, constants aside, by first use from the last to the first."""
        own = {output for node in self for output in node.outputs()}
        found = {}
        for node in reversed(self):
            found.update((value, None) for value in node.inputs() if value not in own and value.node().kind() != "prim::Constant")
        return list(found)

    def gives(self):
        """What others use of what they make, from the last to the first."""
        return [value for node in reversed(self) for value in node.outputs() if any(not self.has(use.user) for use in value.uses())]

    def has(self, node):
        """Whether a node is among them."""
        return any(node == member for member in self)


class _Slicer:
    def __init__(self, graph, threshold):
        self.graph, self.threshold = graph, threshold
        self.aliases = AliasDb(graph)

    def block(self, block):
        """Makes graphs of the differentiable nodes of a block and of those inside it."""
        items = [node for node in block.nodes()]
        for node in items:
            for inner in node.blocks():
                self.block(inner)
        self.arrange(items)
        items = [part for item in items for part in (self.without_shared_memory(item) if isinstance(item, _Group) else [item])]
        last = None
        for node in (node for item in items for node in (item if isinstance(item, _Group) else [item])):
            if last is not None and node.prev() != last:
                node.moveAfter(last)
            last = node
        for item in items:
            if isinstance(item, _Group) and sum(map(_counts, item)) >= max(self.threshold, 1):
                self.gather(item)

    def arrange(self, items):
        """Makes groups of the nodes of a block, each in the place of its last node."""
        at = len(items) - 1
        while at >= 0:
            item = items[at]
            if not isinstance(item, _Group):
                if not is_differentiable(item):
                    at -= 1
                    continue
                items[at] = item = _Group([item])
            last = self.take_in(items, at)
            at = at - 1 if last is None else last

    def take_in(self, items, at):
        """Takes one node or group that makes what a group uses into it. The last place that has changed; None when nothing is left to take."""
        group = items[at]
        makers = []
        for value in group.uses():
            for place in range(at):
                item = items[place]
                if any(value in node.outputs() for node in (item if isinstance(item, _Group) else [item])):
                    makers.append(place)
        for place in sorted(set(makers), reverse=True):
            maker = items[place]
            if not isinstance(maker, _Group) and not is_differentiable(maker):
                continue
            waiting = self.those_that_wait(items, place, at)
            if waiting is None:
                continue
            both = _Group([*(maker if isinstance(maker, _Group) else [maker]), *group])
            between = [item for item in items[place + 1 : at] if not any(item is other for other in waiting)]
            items[place : at + 1] = [*between, both, *waiting]
            return at - 1
        return None

    def those_that_wait(self, items, place, at):
        """What stands between an item and a later one and must come after the first; None where the later one must come after that."""
        waiting = [items[place]]
        for item in items[place + 1 : at]:
            if any(self.must_follow(item, other) for other in waiting):
                waiting.append(item)
        if any(self.must_follow(items[at], other) for other in waiting[1:]):
            return None
        return waiting[1:]

    def must_follow(self, item, other):
        """Whether an item cannot come before another that stands before it."""
        later, earlier = (side if isinstance(side, _Group) else [side] for side in (item, other))
        return any(self.aliases.must_keep_order(first, second) for first in earlier for second in later)

    def without_shared_memory(self, group):
        """The group without the nodes whose results share memory with others that it gives or is given, and those nodes."""
        outside = []
        while (value := self.one_that_shares(group)) is not None:
            leaving = [value.node()]
            for node in group[group.index(value.node()) + 1 :]:
                if any(used in left.outputs() for used in node.inputs() for left in leaving):
                    leaving.append(node)
            outside = [*leaving, *outside]
            group = _Group(node for node in group if not any(node == left for left in leaving))
        return [group, *outside]

    def one_that_shares(self, group):
        """The last value of a group that shares memory; None where no value does."""
        given = group.gives()
        for i, value in enumerate(given):
            if self.aliases.holds_anything(value) or any(self.aliases.may_be_same(value, other) for other in [*given[i + 1 :], *group.uses()]):
                return value
        return None

    def gather(self, group):
        """Puts the nodes of a group into a graph, in the place of the last of them."""
        body, known, given, taken = _introspection.Graph(), {}, [], []
        for node in reversed(group):
            constants = []
            for value in node.inputs():
                if value in known:
                    if known[value].node().kind() == "prim::Constant":
                        constants.append(known[value].node())
                elif value.node().kind() == "prim::Constant":
                    constant = body.createClone(value.node(), lambda value: value)
                    known[value] = constant.output()
                    body.prependNode(constant)
                    constants.append(constant)
                else:
                    given.append(value)
                    known[value] = body.addInput("" if value.debugName().isdigit() else value.debugName()).setType(value.type())
            copied = body.createClone(node, known.__getitem__)
            body.prependNode(copied)
            for constant in constants:
                constant.moveBefore(copied)
            for output, result in zip(node.outputs(), copied.outputs()):
                if output in known:
                    known[output].replaceAllUsesWith(result)
                    place = given.index(output)
                    body.eraseInput(place)
                    given.pop(place)
                known[output] = result
                if any(not group.has(use.user) for use in output.uses()):
                    body.registerOutput(result)
                    taken.append(output)
                    _refine(output, result)
        call_instead(self.graph, group, KIND, body, given, taken)


def _refine(value, result):
    """Says of a result whether it needs a gradient where a profile outside has noted it."""
    for use in value.uses():
        if use.user.kind() == "prim::profile" and use.user.hasAttribute("profiled_type"):
            result.setType(needing(use.user.ty("profiled_type").requires_grad()))


@functools.cache
def needing(gradient):
    """The type of tensors of which nothing is known but whether they need a gradient."""
    graph = _rushlight.read_ir(f"graph(%a : Tensor(requires_grad={int(gradient)})):\n  return (%a)")
    return next(graph.inputs()).type()


def _jit_pass_create_autodiff_subgraphs(graph, threshold=None):
    """Makes graphs of their own of differentiable nodes where at least so many can stand together."""
    _Slicer(graph, THRESHOLD if threshold is None else threshold).block(graph)
