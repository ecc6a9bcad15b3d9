"""Operators that programs say how to export."""

# Libraries tell at import how their operators are exported; that is kept, and nothing asks for it.
_symbolics = {}


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """Remembers how an operator would be exported. Exports do not ask: what they know is in ``rushlight_onnx``."""
    _symbolics[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name, opset_version):
    """Forgets it."""
    _symbolics.pop((symbolic_name, opset_version), None)
