"""Operators made of simpler ones: those that this file has, and those that programs register."""

import functools
from typing import List, Optional  # noqa: F401  scripts see them

import rushlight as torch  # noqa: F401

from .. import _rushlight
from . import every_node, replace

# Graphs that compute what an operator does, by its schema.
_registered = {}

_SOURCE = """
def addmm(self, mat1, mat2):
    return self + torch.mm(mat1, mat2)

def deviations(self, dim: List[int], keepdim: bool, count: int, correction: float) -> Tensor:
    apart = self - self.mean(dim, True)
    return (apart * apart).sum(dim, keepdim) / max(0.0, count - correction)

def var(self, unbiased: bool = True) -> Tensor:
    every: List[int] = []
    return deviations(self, every, False, self.numel(), 1.0 if unbiased else 0.0)

def var_of_dims(self, dim: Optional[List[int]] = None, correction: Optional[float] = None, keepdim: bool = False) -> Tensor:
    dims: List[int] = []
    if dim is not None:
        dims = dim
    count = self.numel() if len(dims) == 0 else 1
    for d in dims:
        count *= self.size(d)
    return deviations(self, dims, keepdim, count, 1.0 if correction is None else correction)
"""


@functools.cache
def _compiled():
    from ..jit import CompilationUnit

    return CompilationUnit(_SOURCE)


def _own(name):
    return getattr(_compiled(), name).inlined_graph


_OWN = {
    "aten::var(Tensor self, bool unbiased=True) -> Tensor": "var",
    "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor": "var_of_dims",
}


def _put(graph, node, body):
    with graph.insert_point_guard(node):
        results = graph.insertGraph(body, list(node.inputs()))
    replace(node, results)


def _is_one(value):
    number = value.toIValue()
    return isinstance(number, (int, float)) and number == 1


def _jit_pass_decompose_ops(graph):
    """Makes products of matrices and sums of ``addmm`` that scales neither."""
    for node in every_node(graph):
        inputs = list(node.inputs())
        if node.kind() == "aten::addmm" and len(inputs) == 5 and _is_one(inputs[3]) and _is_one(inputs[4]):
            body = _own("addmm")
            with graph.insert_point_guard(node):
                results = graph.insertGraph(body, inputs[:3])
            replace(node, results)
            _rushlight.run_pass("_jit_pass_dce", graph)


def _decomposition(node):
    schema = node.schema()
    return _registered.get(schema) or (_own(_OWN[schema]) if schema in _OWN else None)


def _jit_decomposition_graph_for_node(node):
    """The graph of what a node's operator is made of; None where it is not known."""
    return _decomposition(node)


def _jit_register_decomposition_for_schema(schema, graph):
    """Registers what the operator of a schema is made of."""
    _registered[str(schema)] = graph


def _jit_pass_run_decompositions(graph):
    """Puts what operators are made of in their place, where that is known."""
    changed = False
    for node in every_node(graph):
        body = _decomposition(node)
        if body is not None:
            _put(graph, node, body)
            changed = True
    if changed:
        for name in ("peephole", "peephole_list_idioms", "constant_propagation", "dce"):
            _rushlight.run_pass(f"_jit_pass_{name}", graph)


def register(op, graph):
    """Registers what an overload of an operator is made of."""
    from .._ops import OpOverload

    if not isinstance(op, OpOverload):
        raise AssertionError(f"Must pass specific op overload, not overload packet, found {op}")
    _jit_register_decomposition_for_schema(op._schema, graph)
