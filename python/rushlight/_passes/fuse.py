"""Sums that are cut off at zero as one operator."""

from .. import _rushlight

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
