"""Sums as one operator with what is beside them: what cuts them off at zero, and products of matrices."""

from .. import _rushlight
from . import every_node

# The operators of a sum and of what follows, and what does both. The overload of a sum into a given tensor has one input more.
_FORMS = (
    ("add", "relu", "_add_relu", ""),
    ("add", "relu_", "_add_relu", ""),
    ("add_", "relu_", "_add_relu_", ""),
    ("add", "relu_", "_add_relu", "out"),
)


def _jit_pass_fuse_add_relu(graph):
    """Makes ``_add_relu`` of sums whose only use is ``relu``; writes to their input stay writes."""
    for add, relu, fused, out in _FORMS:
        for other in ("Tensor", "Scalar"):
            types = {"a": "Tensor", "b": other, "alpha": "Scalar"} | ({out: "Tensor"} if out else {})
            given = ", ".join(f"%{name}" for name in types)
            head = f"graph({', '.join(f'%{name} : {ty}' for name, ty in types.items())}):\n"
            _rushlight.rewrite_pattern(
                f"{head}  %sum : Tensor = aten::{add}({given})\n  %r : Tensor = aten::{relu}(%sum)\n  return (%r)",
                f"{head}  %r : Tensor = aten::{fused}({given})\n  return (%r)",
                graph,
                [],
            )


def _has_dtype(value):
    kind = value.type()
    return kind.kind() == "TensorType" and kind.scalarType() is not None


def _jit_pass_fuse_addmm(graph):
    """Puts ``addmm`` before sums of a matrix and a product of matrices, in their place; True where there are any.

    The sums stay, without uses. Dtypes have to be known: of the matrix, and of a factor.
    """
    changed = False
    for node in every_node(graph):
        if node.kind() != "aten::add" or not node.schema().startswith("aten::add.Tensor("):
            continue
        first, second, alpha = node.inputs()
        if alpha.toIValue() != 1:
            continue
        for product, matrix in ((first, second), (second, first)):
            made = product.node()
            if made.kind() != "aten::mm" or not _has_dtype(matrix) or not any(map(_has_dtype, made.inputs())):
                continue
            with graph.insert_point_guard(node):
                one = graph.insertConstant(1)
                sum = graph.insert("aten::addmm", [matrix, *made.inputs(), one, one])
            sum.setType(node.output().type())
            node.output().replaceAllUsesWith(sum)
            changed = True
    return changed
