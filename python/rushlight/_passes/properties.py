"""What the types of a graph's tensors say, carried from its inputs to all its values."""

from .. import _introspection, _rushlight
from . import dtypes, every_node, shapes


def _values(graph):
    yield from graph.inputs()
    for node in every_node(graph):
        yield from node.outputs()
        for block in node.blocks():
            yield from block.inputs()


def _carry(graph, known, with_known):
    """Carries one property; whether any type says more than before. What else follows is left unsaid."""
    copied = graph.copy()
    _rushlight.propagate_shapes(copied, [], True)
    changed = False
    for value, found in zip(list(_values(graph)), list(_values(copied))):
        if not isinstance(value.type(), _introspection.TensorType) or not isinstance(found.type(), _introspection.TensorType):
            continue
        if known(found.type()) is not None and known(value.type()) != known(found.type()):
            value.setType(with_known(value.type(), known(found.type())))
            changed = True
    return changed


def _jit_pass_propagate_shapes_on_graph(graph):
    """Says in the types of a graph's tensors of which sizes they are, as far as that follows from the types of its inputs."""
    _carry(graph, lambda ty: ty.varyingSizes(), lambda ty, sizes: ty.with_sizes(sizes))
    shapes.infer(graph)


def _jit_erase_non_input_shape_information(graph):
    """Takes what types say of tensors away from all values but the inputs of a graph."""
    shapes.erase_beyond_inputs(graph)


def _jit_pass_propagate_dtype(graph):
    """Says in the types of a graph's tensors of which dtype they are; whether any type says more than before."""
    return dtypes.infer(graph)


def _new_symbolic_shape_symbol():
    """A number below zero that stands for a size that is not known, other than all before."""
    return _rushlight.new_symbol()


_test_mode = False


def _jit_symbolic_shapes_test_mode_enabled():
    """What :func:`_jit_set_symbolic_shapes_test_mode` has set."""
    return _test_mode


def _jit_set_symbolic_shapes_test_mode(on):
    """Remembers a switch of the reference's shape functions; nothing here depends on it. Gives what was set before."""
    global _test_mode
    before, _test_mode = _test_mode, bool(on)
    return before
