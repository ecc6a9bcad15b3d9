"""What comparisons tell of numbers: in the branch that runs where a number equals a constant, the constant stands for it."""

from .. import _rushlight
from . import every_node


def _told(value):
    """What is known where a condition holds, and where it does not: a constant by the value that equals it."""
    node = value.node()
    if node.kind() in ("aten::eq", "aten::ne"):
        for number, other in (node.inputs(), reversed(list(node.inputs()))):
            known = other.toIValue() if other.node().kind() == "prim::Constant" else None
            if number.node().kind() != "prim::Constant" and number.type().kind() == "IntType" and isinstance(known, int):
                return ({number: known}, {}) if node.kind() == "aten::eq" else ({}, {number: known})
        return {}, {}
    if node.kind() == "aten::__not__":
        return _told(node.input())[::-1]
    if node.kind() != "prim::If":
        return {}, {}
    place = list(node.outputs()).index(value)
    found = []
    for wanted in (True, False):
        ways = []
        for held, branch in zip(_told(node.input()), node.blocks()):
            result = list(branch.outputs())[place]
            given = result.toIValue() if result.node().kind() == "prim::Constant" else None
            if given is None or given is wanted:
                ways.append({**held, **_told(result)[0 if wanted else 1]})
        # What holds whichever way the condition came about.
        first, *others = ways or [{}]
        found.append({number: known for number, known in first.items() if all(way.get(number) == known for way in others)})
    return tuple(found)


def _put(graph, block, value, known):
    """Puts a constant in the place of a value in a block and those inside it, and says whether it stood there."""
    nodes = list(every_node(block))
    nodes += [block.returnNode(), *(inner.returnNode() for node in nodes for inner in node.blocks())]
    places = [(node, place) for node in nodes for place, used in enumerate(list(node.inputs())) if used == value]
    if not places:
        return False
    with graph.insert_point_guard(next(iter(block.nodes()), block.returnNode())):
        constant = graph.insertConstant(known)
    for node, place in places:
        node.replaceInput(place, constant)
    return True


def _jit_pass_integer_value_refinement(graph):
    """Puts constants in the place of numbers in the branches that run only where a comparison says that these are equal."""
    changed = False
    for node in list(every_node(graph)):
        if node.kind() == "prim::If":
            for told, block in zip(_told(node.input()), node.blocks()):
                for value, known in told.items():
                    changed |= _put(graph, block, value, known)
    return changed


def _jit_pass_dce_allow_deleting_nodes_with_side_effects(graph):
    """Takes out every node of which nothing is used, whatever else it does."""
    _clear(graph)
    _rushlight.run_pass("_jit_pass_dce", graph)


def _clear(block):
    for node in reversed(list(block.nodes())):
        if not any(True for output in node.outputs() for _ in output.uses()):
            node.destroy()
        else:
            for inner in node.blocks():
                _clear(inner)
