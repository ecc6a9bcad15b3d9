"""Where ``torch`` finds what makes sparse tensors, and dense tensors the methods that make them sparse; loaded when first asked for."""

MAKERS = (
    "sparse_coo_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor", "sparse_compressed_tensor",
)
PRODUCTS = ("hspmm", "hsmm", "smm", "spmm", "dsmm", "sspaddmm", "saddmm")


def __getattr__(name):
    if name in MAKERS:
        from ._sparse import _makers

        return getattr(_makers, name)
    if name in PRODUCTS:
        from ._sparse import _rules

        return _rules.PRODUCTS[name]
    raise AttributeError(name)


def _to_sparse(self, *args, **kwargs):
    """The elements that are not zero, with their places."""
    from ._sparse._makers import to_sparse

    return to_sparse(self, *args, **kwargs)


def _to_layout(name):
    def method(self, dense_dim=None):
        from . import _names

        return _to_sparse(self, layout=getattr(_names, name), dense_dim=dense_dim)

    method.__doc__ = f"The elements that are not zero, in the layout ``torch.{name}``."
    return method


def _to_blocks(name):
    def method(self, blocksize, dense_dim=None):
        from . import _names

        return _to_sparse(self, layout=getattr(_names, name), blocksize=blocksize, dense_dim=dense_dim)

    method.__doc__ = f"The blocks that are not zero, in the layout ``torch.{name}``."
    return method


def _to_sparse_coo(self):
    """The elements that are not zero, with their places."""
    return _to_sparse(self)


def _sparse_mask(self, mask):
    """The elements at the places of a sparse tensor."""
    from ._sparse._rules import sparse_mask

    return sparse_mask(self, mask)


def _to_dense(self, dtype=None, *, masked_grad=True):
    """The tensor itself: it is dense."""
    return self if dtype is None else self.to(dtype)


def _sparse_resize_(self, size, sparse_dim, dense_dim):
    """Refused: the tensor is dense."""
    raise NotImplementedError(
        "Could not run 'aten::sparse_resize_' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for "
        "this backend, or was omitted during the selective/custom build process (if using custom build)."
    )


def methods():
    """Methods of dense tensors, by name."""
    found = {
        "to_sparse": _to_sparse, "to_sparse_coo": _to_sparse_coo, "to_sparse_csr": _to_layout("sparse_csr"),
        "to_sparse_csc": _to_layout("sparse_csc"), "to_sparse_bsr": _to_blocks("sparse_bsr"), "to_sparse_bsc": _to_blocks("sparse_bsc"),
        "sparse_mask": _sparse_mask, "sparse_resize_": _sparse_resize_,
    }
    for name, method in found.items():
        method.__name__ = method.__qualname__ = name
    return found
