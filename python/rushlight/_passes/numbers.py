"""Numbers of graphs as tensors, as formats want them that know tensors only."""

import rushlight as torch

from .. import _introspection, _rushlight

_DTYPES = {"IntType": "int64", "FloatType": "float64", "BoolType": "bool"}


def _tensor_type(ty):
    """The type of tensors that stand for numbers of a type; None for other types."""
    kind = ty.kind()
    if kind in ("ComplexType", "NumberType"):
        raise RuntimeError(f"Unknown number type: {ty}")
    if kind not in _DTYPES:
        return None
    return _introspection.TensorType.get().with_dtype(getattr(torch, _DTYPES[kind])).with_device(_rushlight.device("cpu")).with_sizes([])


def _retype(values):
    for value in values:
        ty = _tensor_type(value.type())
        if ty is not None:
            value.setType(ty)


def _erase(graph, block):
    _retype(block.inputs())
    for node in list(block.nodes()):
        if node.kind() == "prim::Constant":
            if not node.mustBeNone() and _tensor_type(node.output().type()) is not None:
                # The tensor is another constant.
                old = node.output()
                tensor = torch.tensor(old.toIValue(), dtype=getattr(torch, _DTYPES[old.type().kind()]))
                with graph.insert_point_guard(node):
                    new = graph.insertConstant(tensor)
                new.setType(_tensor_type(old.type()))
                old.replaceAllUsesWith(new)
                node.destroy()
                continue
        else:
            for inner in node.blocks():
                _erase(graph, inner)
        _retype(node.outputs())


def _jit_pass_erase_number_types(graph):
    """Says of all integers, floats and booleans that they are tensors without dimensions, and makes tensors of constants."""
    _erase(graph, graph)
