"""Of which sizes the tensors of a graph are, as far as it follows from the types of its inputs."""

from .. import _introspection, _rushlight, float32, int64
from . import shape_functions, symbols
from .examples import REFUSALS, NotKnown, constant, is_tensor, run, tensor, with_formals

# Operators in place that give their tensor other sizes.
_RESHAPING = ("t_", "transpose_", "squeeze_", "unsqueeze_", "resize_", "resize_as_", "set_", "as_strided_", "swapaxes_", "swapdims_", "detach_")


class _Shapes:
    def __init__(self):
        # What is known of values that are not tensors: numbers and lists of numbers.
        self.known, self.changed = {}, False
        # The dtypes of tensors whose types do not say them.
        self.dtypes = {}

    def example(self, value, formal, dtype, chosen=None):
        """What a value is; of a tensor, one without memory of the sizes that it has. A dtype stands for one that is not known, numbers
        that are chosen for sizes that are not."""
        if value in self.known:
            return symbols.put(self.known[value], chosen or {})
        if value.node().kind() == "prim::Constant":
            found = constant(value)
            if found is None and formal is not None and formal.name == "device":
                return _rushlight.device("meta")
            return found
        ty = value.type()
        if ty.kind() == "TensorType":
            if ty.dim() is None:
                if formal is not None and formal.type.kind() == "OptionalType":
                    return None
                raise NotKnown
            return tensor(symbols.put(symbols.of_type(ty), chosen or {}), ty.dtype() or self.dtypes.get(value, dtype))
        if value.node().kind() in ("prim::ListConstruct", "prim::TupleConstruct"):
            items = [self.example(item, None, dtype, chosen) for item in value.node().inputs()]
            return items if value.node().kind() == "prim::ListConstruct" else tuple(items)
        raise NotKnown

    def found(self, node):
        """What a node of an operator gives, tensors without memory; nothing where that does not follow."""
        name = node.kind().removeprefix("aten::")
        graph = shape_functions.brought(node)
        unknown, constants = self.unknown(node)
        try:
            if unknown:
                return self.tried(node, graph, unknown, constants)
            if graph is not None:
                return self.by_function(node, graph)
            return self.by_running(node)
        except (NotKnown, *REFUSALS):
            # The operator refuses such examples: nothing follows.
            pass
        if name.endswith("_") and not name.endswith("__") and name not in _RESHAPING:
            first = node.inputsAt(0).type()
            if first.kind() == "TensorType" and first.sizes() is not None:
                return [tensor(first.sizes(), float32)]
        return []

    def unknown(self, node):
        """The symbols in what a node is given, and the sizes that it is given as numbers."""
        found, constants, pending = set(), set(), list(node.inputs())
        while pending:
            value = pending.pop()
            if value in self.known:
                sizes = self.known[value]
            elif value.type().kind() == "TensorType":
                sizes = symbols.of_type(value.type()) or ()
            elif value.node().kind() in ("prim::ListConstruct", "prim::TupleConstruct"):
                pending += value.node().inputs()
                continue
            else:
                continue
            found |= symbols.inside(sizes)
            constants |= {size for size in (sizes if isinstance(sizes, (list, tuple)) else [sizes]) if type(size) is int}
        return found, constants

    def by_running(self, node, chosen=None):
        """What a node gives when it runs."""
        for dtype in (float32, int64):
            try:
                return run(node, [self.example(value, formal, dtype, chosen) for value, formal in with_formals(node)])
            except REFUSALS:
                # Another dtype may suit it.
                if dtype is int64:
                    raise

    def by_function(self, node, graph, chosen=None):
        """What a node gives by a function of sizes that a program has brought for its operator."""
        count = len(list(graph.inputs()))
        examples = [self.example(value, formal, float32, chosen) for value, formal in with_formals(node)]
        return [tensor(size, float32) for size in shape_functions.sizes(graph, [_sizes(each) for each in examples[:count]])]

    def tried(self, node, graph, unknown, constants):
        """What a node gives whichever numbers its unknown sizes are."""
        for several in symbols.choices(node.kind(), unknown, constants):
            tried, results = [], []
            for chosen in several:
                try:
                    found = self.by_running(node, chosen) if graph is None else self.by_function(node, graph, chosen)
                except REFUSALS:
                    continue
                tried.append(chosen)
                results.append(found)
            if len(results) > 1:
                return [_joined(parts, tried) for parts in zip(*results)]
        return []

    def say(self, value, sizes):
        """Notes the sizes of a value."""
        sizes = symbols.numbers(sizes)
        if is_tensor(value) and value.type().symbolic_sizes() != sizes:
            value.setType(value.type().with_sizes(sizes))
            self.changed = True

    def block(self, block):
        """Notes what follows in a block."""
        for node in block.nodes():
            kind = node.kind()
            if kind == "prim::If":
                for branch in node.blocks():
                    self.block(branch)
                for output, *results in zip(node.outputs(), *(branch.outputs() for branch in node.blocks())):
                    if all(map(is_tensor, results)):
                        self.merge(output, [symbols.of_type(result.type()) for result in results])
            elif kind == "prim::Loop":
                # What is carried may have other sizes each time.
                for inner in node.blocks():
                    self.block(inner)
            elif kind == "prim::TupleUnpack":
                source = node.inputsAt(0).node()
                if source.kind() == "prim::TupleConstruct":
                    for output, value in zip(node.outputs(), source.inputs()):
                        if is_tensor(value) and value.type().dim() is not None:
                            self.say(output, symbols.of_type(value.type()))
            elif kind == "prim::ListUnpack":
                held = self.known.get(node.inputsAt(0))
                for output, found in zip(node.outputs(), held or ()):
                    self.note(output, found)
            elif kind.startswith("aten::"):
                for output, found in zip(node.outputs(), self.found(node)):
                    self.note(output, found)
            elif kind == "prim::TupleConstruct":
                self.refine_tuple(node)

    def note(self, output, found):
        """Notes what an output is."""
        if isinstance(found, _rushlight.Tensor):
            self.say(output, found.shape)
            self.dtypes[output] = found.dtype
        elif isinstance(found, _Sized):
            self.say(output, found.sizes)
            self.dtypes[output] = found.dtype
        elif _is_plain(found):
            self.known[output] = found

    def merge(self, output, shapes):
        """Notes the sizes that the results of all branches have."""
        if any(shape is None for shape in shapes) or len({len(shape) for shape in shapes}) != 1:
            return
        before = output.type().varyingSizes() if is_tensor(output) else None
        sizes = [parts[0] if len(set(parts)) == 1 else None for parts in zip(*shapes)]
        if before is None or before != [size if type(size) is int else None for size in sizes]:
            self.say(output, [symbols.Symbol(_rushlight.new_symbol()) if size is None else size for size in sizes])

    @staticmethod
    def refine_tuple(node):
        """Says in the type of a tuple what is known of its items."""
        if node.output().type().kind() == "TupleType" and node.output().type().name() is None:
            node.output().setType(_introspection.TupleType([value.type() for value in node.inputs()]))


def _sizes(example):
    """Sizes in the place of tensors."""
    if isinstance(example, _rushlight.Tensor):
        return list(example.shape)
    return [_sizes(item) for item in example] if isinstance(example, (list, tuple)) else example


def _is_plain(found):
    """Whether something is made of numbers and tensors alone."""
    if isinstance(found, (list, tuple)):
        return all(map(_is_plain, found))
    return isinstance(found, (int, float, bool, symbols.Symbol, _Sized, _rushlight.Tensor))


class _Sized:
    """A tensor of which some sizes are not known."""

    def __init__(self, sizes, dtype):
        self.sizes, self.dtype = sizes, dtype


def _named(value):
    """A value with new symbols for what the results of several tries do not have in common."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_named, value))
    return symbols.Symbol(_rushlight.new_symbol()) if value is None else value


def _joined(parts, tried):
    """What several tries gave, as one; None where nothing follows."""
    try:
        if all(isinstance(part, _rushlight.Tensor) for part in parts):
            return _Sized(_named(symbols.joined([list(part.shape) for part in parts], tried)), parts[0].dtype)
        if all(isinstance(part, (list, tuple)) and any(isinstance(item, _rushlight.Tensor) for item in part) for part in parts):
            if len({len(part) for part in parts}) != 1:
                return None
            return [_joined(items, tried) for items in zip(*parts)]
        return _named(symbols.joined(list(parts), tried))
    except ValueError:
        return None


def infer(graph):
    """Says in the types of a graph's tensors of which sizes they are; whether any type says more than before."""
    shapes = _Shapes()
    shapes.block(graph.block())
    return shapes.changed


def erase_beyond_inputs(graph):
    """Takes what types say of tensors away from all values but the inputs of a graph."""
    types = [value.type() for value in graph.inputs()]
    _rushlight.run_pass("_jit_pass_erase_shape_information", graph)
    for value, ty in zip(graph.inputs(), types):
        value.setType(ty)
