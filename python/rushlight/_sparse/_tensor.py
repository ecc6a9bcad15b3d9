"""The class of sparse tensors: what they are made of, what can be asked of them, how they print."""

import re
import warnings

from .. import _names, _rushlight
from .._names import Size
from .._once import outside
from .._pickling import copy_of_parts

Tensor = _rushlight.Tensor
COO, CSR, CSC = _names.sparse_coo, _names.sparse_csr, _names.sparse_csc
# Compressed layouts whose values are blocks, matrices of one size.
BSR, BSC = _names.sparse_bsr, _names.sparse_bsc
BLOCKS = (BSR, BSC)
# The names of the two tensors of places of compressed layouts.
PLACES = {CSR: ("crow_indices", "col_indices"), CSC: ("ccol_indices", "row_indices")}
PLACES[BSR], PLACES[BSC] = PLACES[CSR], PLACES[CSC]
_LAYOUT_NAMES = {COO: "Sparse", CSR: "SparseCsr", CSC: "SparseCsc", BSR: "SparseBsr", BSC: "SparseBsc"}
_SHORT_NAMES = {CSR: "CSR", CSC: "CSC", BSR: "BSR", BSC: "BSC"}
# The layout of the first tensor of a compressed one: it was said that these are new.
_said = []
# What scripts call functions of torch.sparse.
_FUNCTIONS = {
    "_sparse_mm": "mm", "_sparse_addmm": "addmm", "_sparse_sum": "sum", "_sparse_softmax": "softmax", "_sparse_log_softmax": "log_softmax",
    "sparse_sampled_addmm": "sampled_addmm",
}  # fmt: skip
_NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"


def _rushlight_module():
    import rushlight

    return rushlight


def _layout_of(code):
    """The layout of a number, itself where it has no sparse one."""
    return next((known for known in _LAYOUT_NAMES if known.code == code), code)


def recorded(dense, name):
    """Dense numbers as the result of a recorded call of a name, through which gradients pass; themselves where nothing is recorded."""
    if not (dense.requires_grad and _rushlight.is_grad_enabled()):
        return dense
    result = dense.detach()
    _rushlight.record_custom(name, [dense], [result], lambda grads: tuple(grads), [])
    return result


class SparseTensor(Tensor):
    """A sparse tensor.

    ``places`` of COO is one tensor, [dimensions, count]; of compressed layouts there are two, where each row (or column) begins
    among the values and in which column (or row) each value stands; those of a batch of matrices, like the values, have the
    dimensions of the batch in front. ``held`` are the values.
    """

    # The gradient so far, without what was added to that of the values since it was asked for.
    whole = None

    def __new__(cls, layout, places, held, size, coalesced=False):
        if layout != COO and not _said:
            _said.append(layout)
            warnings.warn(
                f"Sparse {_SHORT_NAMES[layout]} tensor support is in beta state. If you miss a functionality in the sparse tensor support, "
                "please submit a feature request to https://github.com/pytorch/pytorch/issues.", stacklevel=outside(),
            )  # fmt: skip
        # One element stands for all: there are sparse tensors of more than memory has addresses.
        one = _rushlight_module().empty((1,) * len(size), dtype=held.dtype, device="meta")
        self = Tensor.__new__(cls, one.expand(size))
        self._kind, self.places, self.held = layout, places, held
        self.coalesced, self.is_own_leaf = coalesced, not held.requires_grad
        return self

    def called(self, name):
        """The tensor itself, as the result of a recorded call of a name: ``CoalesceBackward0``."""
        if self.requires_grad and not self.is_own_leaf:
            self.held = recorded(self.held, name)
        return self

    def like(self, held, places=None, size=None, coalesced=None):
        """A tensor of the same layout with other values."""
        return SparseTensor(
            self._kind, self.places if places is None else places, held, self.shape if size is None else size,
            self.coalesced if coalesced is None else coalesced,
        )

    # What kind of tensor it is.
    layout = property(lambda self: self._kind, doc="The layout.")
    is_sparse = property(lambda self: self._kind == COO, doc="Whether the layout is ``torch.sparse_coo``.")
    is_sparse_csr = property(lambda self: self._kind == CSR, doc="Whether the layout is ``torch.sparse_csr``.")
    device = property(lambda self: self.held.device, doc="Where the values are.")
    is_meta = property(lambda self: self.held.is_meta, doc="Whether the values have no elements.")
    is_cpu = property(lambda self: self.held.is_cpu, doc="Whether the values are on the CPU.")

    @property
    def nbytes(self):
        """Refused, as in the reference."""
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes of the indices "
            "and values.  If you want the size of the  equivalent dense tensor, multiply numel() by element_size()"
        )

    def stride(self, dim=None):
        """Zeros: there are no strides."""
        if self._kind != COO:
            raise RuntimeError(f"Sparse {self._layout_name()[-3:].upper()} tensors do not have strides")
        return (0,) * self.dim() if dim is None else 0

    # What it is made of.
    def _coo(self, what):
        if self._kind != COO:
            raise RuntimeError(f"{what} expected sparse coordinate tensor layout but got {self._layout_name()}")

    def _layout_name(self):
        return _LAYOUT_NAMES[self._kind]

    def batch_dim(self):
        """How many dimensions count the matrices of a batch."""
        return 0 if self._kind == COO else self.places[0].dim() - 1

    def blocksize(self):
        """The sizes of a block; None where values are single elements."""
        first = self.batch_dim() + 1
        return self.held.shape[first : first + 2] if self._kind in BLOCKS else None

    def sparse_dim(self):
        """How many dimensions have places."""
        return len(self.places) if self._kind == COO else 2

    def dense_dim(self):
        """How many dimensions a value has."""
        return self.held.dim() - self.batch_dim() - (3 if self._kind in BLOCKS else 1)

    def _nnz(self):
        return self.held.shape[0] if self._kind == COO else self.places[1].shape[-1]

    def _indices(self):
        self._coo_only("_indices")
        return self.places

    def _values(self):
        self._coo_only("_values")
        return self.held

    def _coo_only(self, name):
        if self._kind != COO:
            from ._refusals import refuse

            refuse(name, self._kind)

    def indices(self):
        """The places of the values: [dimensions, count]."""
        self._coo("indices")
        if not self.coalesced:
            raise RuntimeError("Cannot get indices on an uncoalesced tensor, please call .coalesce() first")
        return self.places

    def values(self):
        """The values, in the order of their places."""
        if self._kind == COO and not self.coalesced:
            raise RuntimeError("Cannot get values on an uncoalesced tensor, please call .coalesce() first")
        return recorded(self.held, "ValuesBackward0")

    def _compressed(self, name):
        names = PLACES.get(self._kind, ())
        if name not in names:
            wanted = "row" if name in PLACES[CSR] else "column"
            raise RuntimeError(
                f"{name} expected sparse {wanted} compressed tensor layout but got {self._layout_name()}"
            )
        return self.places[names.index(name)]

    def crow_indices(self):
        """Where each row begins among the values."""
        return self._compressed("crow_indices")

    def col_indices(self):
        """The column of each value."""
        return self._compressed("col_indices")

    def ccol_indices(self):
        """Where each column begins among the values."""
        return self._compressed("ccol_indices")

    def row_indices(self):
        """The row of each value."""
        return self._compressed("row_indices")

    def is_coalesced(self):
        """Whether every place is there once, in order."""
        if self._kind != COO:
            raise RuntimeError(f"is_coalesced expected sparse coordinate tensor layout but got {self._layout_name()}")
        return self.coalesced

    def _coalesced_(self, coalesced):
        self.coalesced = coalesced
        return self

    # Gradients.
    @property
    def requires_grad(self):
        """Whether gradients of the values are recorded."""
        return self.held.requires_grad

    @requires_grad.setter
    def requires_grad(self, on):
        self.requires_grad_(on)

    def requires_grad_(self, requires_grad=True):
        """Makes the tensor one whose gradient is added up, or not."""
        if requires_grad == self.requires_grad:
            return self
        if self.held.requires_grad and not self.held.is_leaf:
            raise RuntimeError(
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that "
                "doesn't require differentiation use var_no_grad = var.detach()."
            )
        self.held = self.held.detach().requires_grad_(requires_grad)
        self.is_own_leaf = True
        return self

    @property
    def is_leaf(self):
        """Whether no recorded call made this tensor."""
        return self.is_own_leaf or not self.requires_grad

    @property
    def grad(self):
        """The gradient that runs backwards have added up: sparse, with the places of this tensor, or dense after products and sums."""
        gradient = self.held.grad if self.is_own_leaf else None
        if gradient is not None:
            self.whole, self.held.grad = _sum(self.whole, self.gradient(gradient)), None
        return self.whole

    @grad.setter
    def grad(self, gradient):
        self.whole, self.held.grad = gradient, None

    def gradient(self, of_values):
        """The gradient of the tensor from that of its values: each of the values at a place has that of the whole place."""
        if self._kind != COO or self.coalesced:
            return self.like(of_values)
        first = first_of_places(self.places)
        return self.like(of_values[first], self.places[:, first], coalesced=True)

    def at_places(self, gradient):
        """The gradient of the values from one of the tensor."""
        if isinstance(gradient, SparseTensor) and gradient._kind != COO:
            return gradient.held
        return gradient.to_dense()[tuple(self.places)]

    @property
    def grad_fn(self):
        """The recorded call that made the values."""
        return None if self.is_leaf else self.held.grad_fn

    @property
    def data(self):
        """The same tensor without its gradient."""
        return self.detach()

    # Python's own questions.
    def __len__(self):
        if self.dim() == 0:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        return iter([self.select(0, i) for i in range(len(self))])

    def __bool__(self):
        if self.numel() > 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    is_nonzero = __bool__

    def item(self):
        """The only element."""
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.to_dense().item()

    def _number(self):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()

    def __float__(self):
        return float(self._number())

    def __int__(self):
        return int(self._number())

    def _no_storage(self, *args, **kwargs):
        raise RuntimeError(_NO_STORAGE)

    tolist = data_ptr = _no_storage

    def storage(self):
        """Refused: there is none."""
        raise NotImplementedError(f"Cannot access storage of Sparse{'' if self._kind == COO else 'Csr'}TensorImpl")

    untyped_storage = _typed_storage = is_shared = storage_type = _storage = storage

    def storage(self):
        """Refused as the others are, after a word about old programs."""
        from ..storage import warn_of_removal

        warn_of_removal()
        self._storage()

    def numpy(self, *, force=False):
        """Refused: NumPy has no such arrays."""
        raise TypeError(f"can't convert {self._layout_name()} layout tensor to numpy. Use Tensor.to_dense() first.")

    def __array__(self, dtype=None, copy=None):
        return self.numpy()

    __copy__ = copy_of_parts

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment")
        copy = self.detach().clone()
        memo[id(self)] = copy.requires_grad_(self.requires_grad)
        return copy

    def __reduce_ex__(self, protocol):
        return rebuild, self.state()

    def state(self):
        """What pickles hold: the layout and its parts."""
        held = self.held.detach()
        if self._kind == COO:
            return self._kind, (self.places, held, self.shape, self.coalesced)
        return self._kind, (*self.places, held, self.shape)

    def __getitem__(self, key):
        from ._rules import getitem

        return getitem(self, key)

    def __setitem__(self, key, value):
        raise TypeError("Cannot assign to a sparse tensor")

    def __contains__(self, element):
        return bool((self == element).any())

    def __repr__(self, *, tensor_contents=None):
        return shown(self)

    __str__ = __repr__

    def __format__(self, spec):
        return shown(self)

    @classmethod
    def _call(cls, operator, args, kwargs):
        """Calls an operator of whose arguments one is sparse: what the extension does instead of the call."""
        from ._rules import call

        return call(operator, args, kwargs)


    def _parts(self):
        """The number of the layout, the sizes, and the tensors that it is made of: what archives of scripts hold."""
        layout, parts = self.state()
        return layout.code, list(self.shape), [part for part in parts if isinstance(part, Tensor)]

    @classmethod
    def _from_parts(cls, code, size, tensors):
        """The tensor of :meth:`_parts`."""
        return rebuild(_layout_of(code), (*tensors, size))

    @classmethod
    def _call_from_script(cls, operator, args, kwargs):
        """As :meth:`_call`, for a script's operator by its full name; those that read attributes read the tensor's."""
        torch = _rushlight_module()
        space, _, name = operator.partition(".")[0].partition("::")
        if space == "prim":
            return getattr(args[0], name)
        if kwargs.get("layout"):
            from ._makers import OF_LAYOUT, of_layout

            kwargs["layout"] = _layout_of(kwargs["layout"])
            if name in OF_LAYOUT:
                return of_layout(f"{space}::{name}", args, kwargs)
        if name in _FUNCTIONS:
            return getattr(torch.sparse, _FUNCTIONS[name])(*args, **kwargs)
        if args and type(args[0]) is cls and name in vars(cls):
            return getattr(args[0], name)(*args[1:], **kwargs)
        if any(type(arg) is cls for arg in args) or not (name.startswith(("to_sparse", "sparse_"))):
            return cls._call(f"{space}::{name}", args, kwargs)
        # Sparse tensors are made of dense ones.
        if name.startswith("to_") or name == "sparse_mask":
            return getattr(args[0], name)(*args[1:], **kwargs)
        return getattr(torch, name)(*args, **kwargs)


SparseTensor.__name__ = SparseTensor.__qualname__ = "Tensor"
SparseTensor.__module__ = "torch"
_rushlight.register_kind(SparseTensor)


def rebuild(layout, parts):
    """The tensor of :meth:`SparseTensor.state`: what pickles call."""
    *places, held, size = parts[:3] if layout == COO else parts
    if layout == COO:
        return SparseTensor(COO, places[0], held, Size(size), bool(parts[3]) if len(parts) > 3 else False)
    if layout not in PLACES:
        raise NotImplementedError(f"tensors of the layout {layout} are not part of Rushlight")
    return SparseTensor(layout, tuple(places), held, Size(size))


def first_of_places(places):
    """Where every place comes first among the places of a COO tensor, in the order of the places."""
    torch = _rushlight_module()
    _, which = torch.unique(places, dim=1, return_inverse=True)
    order = torch.argsort(which, stable=True)
    begins = torch.ones(len(order), dtype=torch.bool)
    begins[1:] = which[order][1:] != which[order][:-1]
    return order[begins]


def _sum(before, gradient):
    if before is None:
        return gradient
    if isinstance(before, SparseTensor) and isinstance(gradient, SparseTensor) and before._kind == gradient._kind:
        pairs = zip(*((t.places,) if t._kind == COO else t.places for t in (before, gradient)))
        if all(a.shape == b.shape and bool((a == b).all()) for a, b in pairs):
            return before.like(before.held + gradient.held)
    return before + gradient


def run(outputs, seeds, inputs, run, **options):
    """Runs backwards where some of the tensors are sparse: their values stand for them.

    Args:
        run: what runs backwards with dense tensors.
    """
    pairs = zip(outputs, seeds)
    seeds = [out.at_places(seed) if isinstance(out, SparseTensor) and seed is not None else seed for out, seed in pairs]
    outputs = _held(outputs)
    if inputs is None or options["accumulate"]:
        return run(outputs, seeds, inputs and _held(inputs), **options)
    leaves = [each for each in inputs if isinstance(each, SparseTensor)]
    before = [leaf.whole for leaf in leaves]
    for leaf in leaves:
        leaf.whole = None
    try:
        found = run(outputs, seeds, _held(inputs), **{**options, "allow_unused": True})
        answers = []
        for place, (each, gradient) in enumerate(zip(inputs, found)):
            if isinstance(each, SparseTensor):
                gradient = None if gradient is None else each.gradient(gradient)
                gradient = each.whole if gradient is None else _sum(each.whole, gradient)
            if gradient is None and not options["allow_unused"]:
                raise RuntimeError(_UNUSED.format(place))
            answers.append(gradient)
        return answers
    finally:
        for leaf, held in zip(leaves, before):
            leaf.whole = held


def _held(tensors):
    return [each.held if isinstance(each, SparseTensor) else each for each in tensors]


_UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if this is the "
    "desired behavior."
)
_DTYPE = re.compile(r",\s+dtype=torch\.\w+\)$")


def _part(tensor, name, indent):
    """A tensor of places or values as it prints inside of another one."""
    prefix = name + "=tensor("
    if tensor.numel() == 0:
        return f"{prefix}[], size={tuple(tensor.shape)})"
    from .._printing import get_printoptions, printoptions

    extra = indent + len(prefix) - len("tensor(")
    options = get_printoptions()
    with printoptions(**{**options, "linewidth": options["linewidth"] - extra}):
        text = Tensor.__repr__(tensor.detach())
    text = _DTYPE.sub(")", text).removeprefix("tensor(")
    return prefix + re.sub(r"\n(?!\n)", "\n" + " " * extra, text)


def shown(tensor):
    """What ``print`` shows of a sparse tensor."""
    from .._tensor_str import _add_suffixes

    indent = len("tensor(")
    if tensor.layout == COO:
        parts = [("indices", tensor.places), ("values", tensor.held)]
    else:
        parts = [*zip(PLACES[tensor.layout], tensor.places), ("values", tensor.held)]
    text = (",\n" + " " * indent).join(_part(part, name, indent) for name, part in parts)
    suffixes = [f"size={tuple(tensor.shape)}", f"nnz={tensor._nnz()}"]
    default = _rushlight.get_default_dtype()
    plain = {_names.float32: _names.complex64, _names.float64: _names.complex128}.get(default)
    if tensor.dtype not in (default, plain, _names.int64, _names.bool):
        suffixes.append(f"dtype={tensor.dtype}")
    suffixes.append(f"layout={tensor.layout}")
    if not tensor.is_leaf:
        suffixes.append(f"grad_fn=<{tensor.held.grad_fn.name()}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    return _add_suffixes("tensor(" + text, suffixes, indent, tensor.layout == COO)
