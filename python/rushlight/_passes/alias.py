"""Which values of a graph may share memory, and which are written to: ``torch._C.AliasDb``.

Every value points to the places where its memory may come from: its maker, a parameter, or what anybody may hold. Places
that are containers hold other places. Compiled programs have a coarser analysis of their own.
"""

from .. import _rushlight
from . import every_node

_PLAIN = {
    "AnyEnumType", "BoolType", "ComplexType", "DeviceObjType", "EnumType", "FloatType", "FunctionType", "IntType", "LayoutType",
    "MemoryFormatType", "NoneType", "NumberType", "QSchemeType", "ScalarTypeType", "StringType",
}
_KINDS = {"TensorType": "Tensor", "ListType": "List", "DictType": "Dict", "ClassType": "Object", "InterfaceType": "Object"}
# What nodes give is what they are given.
_SAME = ("prim::unchecked_cast", "prim::unchecked_unwrap_optional", "aten::_unwrap_optional")
# What runs code that the graph does not show.
_CALLS = ("prim::Call", "prim::fork", "prim::Enter", "prim::Exit")
# What does more than to give results.
_ACTS = ("prim::Print", "prim::RaiseException", "aten::warn", "aten::save", "aten::manual_seed", "prim::SetAttr", "aten::wait")


def _kinds(ty):
    """The kinds of memory that values of a type may have: none where they never change."""
    kind = ty.kind()
    if kind in _PLAIN:
        return ()
    if kind in _KINDS:
        return (_KINDS[kind],)
    if kind in ("OptionalType", "UnionType"):
        return tuple(dict.fromkeys(k for part in ty.containedTypes() for k in _kinds(part)))
    return ("Tuple",) if kind == "TupleType" else ("Any",)


def _used(node):
    """The values that a node uses, by itself or inside it."""
    yield from node.inputs()
    for block in node.blocks():
        for inner in block.nodes():
            yield from _used(inner)
        yield from block.outputs()


def _made_inside(value, node):
    """Whether a node, or one inside it, gives a value."""
    maker = value.node()
    while maker is not None:
        if maker == node:
            return True
        block = maker.owningBlock()
        maker = None if block is None else block.owningNode()
    return False


class _Place:
    """Where memory may come from."""

    def __init__(self, name, kind, is_wild=False):
        self.name, self.kind, self.is_wild = name, kind, is_wild
        # What it may be the same memory as, and what it may hold.
        self.origins, self.holds = set(), set()

    def reached(self):
        """The places that it may be, itself among them."""
        seen, pending = {self}, [self]
        while pending:
            for other in pending.pop().origins - seen:
                seen.add(other)
                pending.append(other)
        return seen

    def everything(self):
        """The places that it may be, and what those hold, all the way down."""
        seen, pending = set(), [self]
        while pending:
            place = pending.pop()
            if place in seen:
                continue
            seen.add(place)
            pending += [*place.origins, *place.holds]
        return seen


class AliasDb:
    """The analysis of a graph as it was when it was asked for."""

    def __init__(self, graph, descend_function_calls=False):
        self.graph = graph
        self._descends = descend_function_calls
        self._places, self._wild = {}, {}
        self._writes, self._writes_everywhere, self._known_effects = [], False, {}
        for value in graph.inputs():
            self._make_wild(value)
        self._block(graph)

    # What is asked.

    def may_contain_alias(self, first, second):
        """Whether two values, or what they hold, may share memory."""
        first, second = self._places.get(first), self._places.get(second)
        if first is None or second is None:
            return False
        return self._overlap(first.everything(), second.everything())

    def has_writers(self, value):
        """Whether anything writes to what a value may be."""
        place = self._places.get(value)
        if place is None:
            return False
        if self._writes_everywhere:
            return True
        reached = place.reached()
        return any(self._overlap(reached, target.reached()) for _, target in self._writes)

    def may_be_same(self, first, second):
        """Whether two values may share memory for reasons that the graph shows: that anybody may hold both is none."""
        first, second = self._places.get(first), self._places.get(second)
        return first is not None and second is not None and any(not place.is_wild for place in first.everything() & second.everything())

    def holds_anything(self, value):
        """Whether a value may hold what others hold as well."""
        place = self._places.get(value)
        return place is not None and any(held.is_wild for at in place.reached() for held in at.holds)

    def must_keep_order(self, first, second):
        """Whether running two nodes of a block in the other order could change what they do."""
        if any(_made_inside(value, first) for value in _used(second)) or any(_made_inside(value, second) for value in _used(first)):
            return True
        (reads, writes, acts), (others, other_writes, other_acts) = self._effects(first), self._effects(second)
        return (
            (acts and other_acts)
            or self._overlap(writes, others | other_writes)
            or self._overlap(other_writes, reads)
        )

    def move_before_topologically_valid(self, node, target):
        """Moves a node in front of another of its block, with what has to stay behind it, and says whether that keeps what the graph does."""
        return self._move(node, target, before=True)

    def move_after_topologically_valid(self, node, target):
        """Moves a node behind another of its block, with what has to stay around it, and says whether that keeps what the graph does."""
        return self._move(node, target, before=False)

    def _move(self, node, target, before):
        if node == target:
            return True
        nodes = list(node.owningBlock().nodes())
        if target not in nodes:
            raise RuntimeError("both nodes have to be in the same block")
        here, there = nodes.index(node), nodes.index(target)
        forward = there > here
        between = nodes[here + 1 : there] if forward else nodes[there + 1 : here][::-1]
        # What cannot change places with the node goes along with it, as does what cannot with those.
        along = [node]
        for other in between:
            if any(self.must_keep_order(other, one) for one in along):
                along.append(other)
        # A node that comes to stand next to the one beyond which it is not to go leaves what goes along behind that.
        parts = before == forward
        if any(self.must_keep_order(target, one) for one in (along[1:] if parts else along)):
            return False
        if parts:
            (node.moveBefore if before else node.moveAfter)(target)
            along.pop(0)
        anchor = target
        for one in along:
            (one.moveAfter if forward else one.moveBefore)(anchor)
            anchor = one
        return True

    def _effects(self, node):
        """The places that a node, with what is inside it, reads and writes, and whether it does more than that."""
        if node not in self._known_effects:
            inside = {node, *(inner for block in node.blocks() for inner in every_node(block))}
            reads = {at for value in _used(node) if value in self._places for at in self._places[value].everything()}
            writes = {at for writer, target in self._writes if writer in inside for at in target.reached()}
            calls = any(inner.kind().startswith(_CALLS) for inner in inside)
            if calls:
                writes |= {*self._wild.values(), self._wildcard("Any")}
            acts = calls or any(inner.kind() in _ACTS for inner in inside)
            self._known_effects[node] = (reads, writes, acts)
        return self._known_effects[node]

    def __str__(self):
        lines = ["", "===1. GRAPH===", str(self.graph), "===2. ALIAS DB==="]
        for place in self._places.values():
            if place.origins:
                lines.append(f"{place.name} points to: {', '.join(self._shown(place.origins))}")
            if place.holds:
                lines.append(f"{place.name} contains: {', '.join(self._shown(place.holds))}")
        lines += ["", "===3. Writes==="]
        for node, target in self._writes:
            lines += [str(node).rstrip("\n"), f"  {', '.join(self._shown(target.reached()))}"]
        return "\n".join([*lines, ""])

    def dump(self):
        """Prints the analysis."""
        print(self)

    def to_graphviz_str(self):
        """The analysis as a picture for Graphviz: what values may be, and dashed what they hold."""
        lines = ["digraph alias_db {", "  rankdir=LR", "  node [shape=rect, color=gray];", "  edge [color=black];"]
        for place in self._places.values():
            for style, others in (("", place.origins), (" [style=dashed, color=blue]", place.holds)):
                for name in self._shown(others):
                    edge = f'  "{place.name}" -> "{name.replace("for type", "for")}"{style}'
                    lines.append(edge.replace("%", "\\%"))
        return "\n".join([*lines, "}", ""])

    # The analysis.

    @staticmethod
    def _shown(places):
        return sorted(place.name for place in places)

    @staticmethod
    def _overlap(first, second):
        if first & second:
            return True
        loose = [place for side in (first, second) for place in side if place.is_wild and place.kind == "Any"]
        return bool(loose) and any(p.is_wild for p in first) and any(p.is_wild for p in second)

    def _place(self, value):
        """The place of a value; None where its type never changes."""
        if value not in self._places:
            kinds = _kinds(value.type())
            if not kinds:
                return None
            self._places[value] = _Place(f"%{value.debugName()}", kinds[0] if len(kinds) == 1 else "Any")
        return self._places[value]

    def _wildcard(self, kind):
        if kind not in self._wild:
            self._wild[kind] = _Place(f"WILDCARD for type {kind}", kind, is_wild=True)
        return self._wild[kind]

    def _make_wild(self, value):
        """Anybody may hold the value, and what it holds."""
        place = self._place(value)
        if place is None:
            return
        for at in place.everything():
            if not at.is_wild and at.kind != "Tuple":
                at.origins.add(self._wildcard(at.kind))
        if place.kind == "Tuple":
            place.holds.update(self._wildcard(k) for part in value.type().containedTypes() for k in _kinds(part) if k != "Tuple")

    def _same(self, value, other):
        """A value may be another."""
        place, origin = self._place(value), self._place(other)
        if place is not None and origin is not None and place is not origin:
            place.origins.add(origin)

    def _write(self, node, value):
        place = self._place(value)
        if place is not None:
            self._writes.append((node, place))

    def _block(self, block):
        for node in block.nodes():
            self._node(node)

    def _node(self, node):
        kind, inputs, outputs = node.kind(), list(node.inputs()), list(node.outputs())
        if kind == "prim::If":
            for branch in node.blocks():
                self._block(branch)
                for output, given in zip(outputs, branch.outputs()):
                    self._same(output, given)
        elif kind == "prim::Loop":
            (body,) = node.blocks()
            for parameter, given in zip(list(body.inputs())[1:], inputs[2:]):
                self._same(parameter, given)
            self._block(body)
            for i, given in enumerate(list(body.outputs())[1:]):
                self._same(list(body.inputs())[1 + i], given)
                self._same(outputs[i], given)
                self._same(outputs[i], inputs[2 + i])
        elif kind == "prim::profile":
            for output, given in zip(outputs, inputs):
                self._same(output, given)
        elif kind == "prim::ConstantChunk":
            for output in outputs:
                self._same(output, inputs[0])
        elif kind in _SAME:
            self._same(outputs[0], inputs[0])
        elif kind in ("prim::ListConstruct", "prim::TupleConstruct", "prim::DictConstruct"):
            self._hold(outputs[0], inputs)
        elif kind == "prim::TupleUnpack":
            for output in outputs:
                self._take_out(output, inputs[0])
        elif kind in ("prim::ListUnpack", "prim::TupleIndex"):
            for output in outputs:
                self._take_out(output, inputs[0])
        elif kind == "prim::GetAttr":
            self._make_wild(outputs[0])
        elif kind == "prim::SetAttr":
            self._make_wild(inputs[1])
            self._write(node, inputs[0])
        elif kind in ("prim::CallFunction", "prim::CallMethod") and self._descends and self._call(node, inputs, outputs):
            pass
        elif kind == "prim::Constant" or kind in ("prim::CreateObject", "prim::isinstance", "prim::Uninitialized"):
            for output in outputs:
                self._place(output)
        else:
            self._operator(node, inputs, outputs)

    def _hold(self, container, items):
        place = self._place(container)
        if place is not None:
            place.holds.update(p for p in map(self._place, items) if p is not None)

    def _take_out(self, value, container):
        place, holder = self._place(value), self._place(container)
        if place is None or holder is None:
            return
        held = {p for at in holder.reached() for p in at.holds if p.kind in (place.kind, "Any") or place.kind == "Any"}
        place.origins.update(held)
        if any(at.is_wild for at in holder.reached()):
            self._make_wild(value)

    def _operator(self, node, inputs, outputs):
        schema = node.schema()
        if schema == "(no schema)":
            for value in (*inputs, *outputs):
                self._make_wild(value)
            self._writes_everywhere |= node.kind().startswith(_CALLS)
            return
        schema = _rushlight.read_schema(schema)
        for output in outputs:
            self._place(output)
        for value in inputs[len(schema.arguments):]:
            self._make_wild(value)
        for formal, value in zip(schema.arguments, inputs):
            info = formal.alias_info
            if info is None:
                continue
            if any("*" in name for name in info.after_set | info.before_set):
                self._make_wild(value)
            if info.is_write:
                self._write(node, value)
        for formal, output in zip(schema.returns, outputs):
            self._result(schema, formal, output, inputs)

    def _result(self, schema, formal, output, inputs):
        info = formal.alias_info
        sets = set() if info is None else info.before_set | info.after_set
        if any("*" in name for name in sets):
            self._make_wild(output)
        for other, value in zip(schema.arguments, inputs):
            theirs = other.alias_info
            if theirs is not None and (theirs.after_set | theirs.before_set) & sets:
                self._same(output, value)
        place = self._place(output)
        if place is None or sets:
            return
        # A new container: of views of the arguments, of what was in other containers, or of new things.
        is_generic = any(part.kind() == "VarType" for part in [formal.type, *formal.type.containedTypes()])
        if is_generic:
            for value in inputs:
                self._make_wild(value)
        for part in output.type().containedTypes():
            for kind in _kinds(part):
                place.holds.add(self._wildcard(kind) if is_generic or info is not None else _Place(f"new {kind}", kind))

    def _call(self, node, inputs, outputs):
        """Goes into a call: the body is analysed with the arguments in the place of its parameters."""
        function = _rushlight.called_function(node)
        if function is None:
            return False
        body = function.graph
        given = inputs[1:] if node.kind() == "prim::CallFunction" else inputs
        parameters = list(body.inputs())
        if len(parameters) != len(given):
            return False
        inner = AliasDb.__new__(AliasDb)
        inner.graph, inner._descends, inner._wild = body, True, self._wild
        inner._places, inner._writes, inner._writes_everywhere = {}, [], False
        for parameter, value in zip(parameters, given):
            place = self._place(value)
            if place is not None:
                inner._places[parameter] = place
        inner._block(body)
        self._writes += [(node, target) for _, target in inner._writes]
        self._writes_everywhere |= inner._writes_everywhere
        for output, result in zip(outputs, body.outputs()):
            place, origin = self._place(output), inner._place(result)
            if place is not None and origin is not None:
                place.origins.add(origin)
        return True


AliasDb.__module__ = "torch"

