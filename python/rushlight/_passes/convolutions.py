"""Convolutions along one dimension as convolutions of images that are one line high."""

from .. import _rushlight
from . import every_node, replace


def _widened(graph, value, first):
    """A list of one number with another in front of it."""
    number = graph.insertNode(graph.create("prim::ListUnpack", [value], 1)).output()
    number.setType(value.type().getElementType())
    both = graph.insertNode(graph.create("prim::ListConstruct", [first, number], 1)).output()
    both.setType(value.type())
    return both


def _jit_pass_transform_conv1d_to_conv2d(where):
    """Puts a convolution of images in the place of every one along a line, in a graph or in the methods of a module."""
    if isinstance(where, _rushlight.ScriptObject):
        for name in where._methods():
            _jit_pass_transform_conv1d_to_conv2d(where._get_method(name).graph)
        return
    graph = where
    _rushlight.run_pass("_jit_pass_constant_propagation", graph)
    for node in list(every_node(graph)):
        if node.kind() != "aten::conv1d" or node.inputsAt(3).type().kind() != "ListType":
            continue
        line, weight, bias, stride, padding, dilation, groups = node.inputs()
        with graph.insert_point_guard(node):
            zero, one = graph.insertConstant(0), graph.insertConstant(1)
            lists = [_widened(graph, value, first) for value, first in ((stride, one), (padding, zero), (dilation, one))]
            axis = graph.insertConstant(2)

            def call(kind, inputs):
                return graph.insertNode(graph.create(kind, inputs, 1)).output()

            image, kernel = (call("aten::unsqueeze", [value, axis]) for value in (line, weight))
            result = call("aten::squeeze", [call("aten::conv2d", [image, kernel, bias, *lists, groups]), axis])
        replace(node, [result])
