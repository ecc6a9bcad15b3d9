"""What operators do with sparse tensors: each of dense operators on places and values, so that gradients are theirs."""

import rushlight as torch

from .. import _rushlight
from ._core import _RULES, _kind, _to, as_coo, as_layout, call, check_not_tracing, coalesce, is_sparse, to_dense, to_sparse  # noqa: F401
from ._elements import add, mul  # noqa: F401
from ._products import PRODUCTS, addmm, mm, mm_reduced  # noqa: F401
from ._reductions import log_softmax, sampled_addmm, softmax, sparse_mask, sum_of  # noqa: F401
from ._shapes import getitem, permute, select, transpose  # noqa: F401
from ._tensor import COO, SparseTensor, recorded  # noqa: F401

Tensor = torch.Tensor


def _named_type(self, dtype=None, non_blocking=False):
    """The name of the tensor's type, or the tensor as another dtype."""
    if dtype is None and self.layout != COO:
        raise RuntimeError("Unimplemented backend SparseCsrCPU")
    return _kind(self) if dtype is None else _to(self, getattr(dtype, "dtype", dtype))


# What recorded calls are called, where the last of the operators behind a rule would have another name.
_NODES = {
    "coalesce": "Coalesce", "to_dense": "ToDense", "_to_dense": "ToDense", "to_sparse_csr": "ToSparseCsr", "to_sparse_csc": "ToSparseCsc",
    "to_sparse_bsr": "ToSparseBsr", "to_sparse_bsc": "ToSparseBsc", "clone": "Clone", "to": "ToCopy", "_to_copy": "ToCopy",
    "add": "Add", "add_": "Add", "sub": "Sub", "sub_": "Sub", "subtract": "Sub", "mul": "Mul", "mul_": "Mul", "multiply": "Mul",
    "div": "Div", "div_": "Div", "divide": "Div", "true_divide": "Div", "mm": "Mm", "mv": "Mv", "bmm": "Bmm", "addmm": "Addmm",
    "t": "T", "numpy_T": "Permute", "mT": "Transpose", "transpose": "Transpose", "swapaxes": "Transpose", "swapdims": "Transpose",
    "permute": "Permute", "movedim": "Permute", "select": "Select", "narrow_copy": "NarrowCopy", "index_select": "IndexSelect",
    "unsqueeze": "Unsqueeze", "cat": "Cat", "concat": "Cat", "concatenate": "Cat", "vstack": "Cat", "hstack": "Cat", "stack": "Stack",
    "_sparse_softmax": "SparseSoftmax", "_sparse_log_softmax": "SparseLogSoftmax", "sparse_mask": "SparseMask",
    "sparse_sampled_addmm": "SparseSampledAddmm",
}  # fmt: skip
_OTHER_NODES = {"norm": "NormBackward1"}


def _node_of(name, args, kwargs):
    if name in ("matmul", "__matmul__"):
        return "MvBackward0" if args[1].dim() == 1 else "MmBackward0"
    if name == "linear":
        return "AddBackward0" if len(args) > 2 and args[2] is not None else "MmBackward0"
    if name == "sum":
        return "SumBackward1" if len(args) > 1 or "dim" in kwargs else "SumBackward0"
    if name in ("to_sparse", "to_sparse_coo"):
        layout = kwargs.get("layout") or COO
        return "ToSparseBackward1" if layout == COO else f"ToSparse{layout_name(layout)}Backward0"
    return _OTHER_NODES[name]


def layout_name(layout):
    """``Csr`` and its kin."""
    return str(layout).removeprefix("torch.sparse_").capitalize()


def as_called(result, node, args=()):
    """A result as that of a recorded call of a name; an argument that comes back stays what it is."""
    if any(result is arg for arg in args) and not (isinstance(result, SparseTensor) and node in ("AddBackward0", "MulBackward0", "DivBackward0")):
        return result
    if isinstance(result, SparseTensor):
        return result.called(node)
    return recorded(result, node) if isinstance(result, Tensor) and not result.is_leaf else result


# With these, dense results give leaves dense gradients: also for the elements that are not there.
_WHOLE = {"mm": "mm", "matmul": "matmul", "__matmul__": "matmul", "mv": "mv", "addmm": "addmm", "add": "add", "sum": "sum"}


def _with_whole_gradient(name, rule, node, args, kwargs):
    leaves = [arg for arg in args if is_sparse(arg) and arg.is_own_leaf and arg.requires_grad]
    apart = [arg.detach() if any(arg is leaf for leaf in leaves) else arg for arg in args]
    result = rule(*apart, **kwargs)
    if is_sparse(result):
        return as_called(rule(*args, **kwargs), node, args)
    plain = [arg.detach() if isinstance(arg, Tensor) else arg for arg in apart]

    def run(grads):
        for leaf in leaves:
            # What the operator does with a dense tensor in the place of the leaf.
            dense = to_dense(leaf.detach()).requires_grad_()
            given = [dense if arg is leaf else to_dense(each) if is_sparse(each) else each for arg, each in zip(args, plain)]
            with torch.enable_grad():
                out = getattr(torch, _WHOLE[name])(*given, **kwargs)
            (found,) = torch.autograd.grad(out, [dense], grads[0])
            leaf.whole = found if leaf.whole is None else leaf.whole + found
        return (*(grads if result.requires_grad else ()), *(None for _ in leaves))

    recorded_result = result.detach()
    arguments = [*([result] if result.requires_grad else []), *(leaf.held for leaf in leaves)]
    _rushlight.record_custom(node, arguments, [recorded_result], run, [])
    return recorded_result


def _with_node(name, rule):
    import functools

    node = f"{_NODES[name]}Backward0" if name in _NODES else None

    @functools.wraps(rule)
    def function(*args, **kwargs):
        if not torch.is_grad_enabled():
            return rule(*args, **kwargs)
        if name in _WHOLE and any(is_sparse(arg) and arg.is_own_leaf and arg.requires_grad for arg in args):
            return _with_whole_gradient(name, rule, node or _node_of(name, args, kwargs), args, kwargs)
        result = rule(*args, **kwargs)
        return as_called(result, node or _node_of(name, args, kwargs), args)

    return function


for _name in (*_NODES, *_OTHER_NODES, "matmul", "__matmul__", "linear", "sum", "to_sparse", "to_sparse_coo"):
    if "aten::" + _name in _RULES:
        _RULES["aten::" + _name] = _with_node(_name, _RULES["aten::" + _name])


def _install():
    """Gives the class the methods that are rules: also those that dense tensors have in Python."""
    attributes = ("real", "imag", "mT", "mH", "H")
    for full, rule in _RULES.items():
        name = full.removeprefix("aten::")
        if name == "numpy_T":
            SparseTensor.T = property(rule, doc="Dimensions in reverse order.")
        elif name in attributes:
            setattr(SparseTensor, name, property(rule))
        elif name not in vars(SparseTensor) and not name.startswith("__"):
            setattr(SparseTensor, name, rule)
    for name in ("float32 float", "float64 double", "float16 half", "bfloat16 bfloat16", "int32 int", "int64 long", "int16 short", "int8 char",
                 "uint8 byte", "bool bool", "complex32 chalf", "complex64 cfloat", "complex128 cdouble"):
        dtype, method = name.split()
        setattr(SparseTensor, method, lambda self, dtype=getattr(torch, dtype): _to(self, dtype))
    SparseTensor.type = _named_type


_install()
